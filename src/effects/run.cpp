#include "effects/run.h"

#include <charconv>

#include "base/text.h"

namespace harn::effects {

using vm::Capability;

constinit const vm::HandleType kRunType = {"run", vm::destroy_handle<Run>,
                                           [](std::string& out, const vm::HandleObject*) { out += "<run>"; }};

// ---- where it comes from ----

static Policy environment_policy(vm::Host& host) {
  bool found = false;
  return {.allow = {}, .deny = text::comma_list(host.env("HARN_DENY", found))};
}

static std::optional<uint64_t> environment_seed(vm::Host& host) {
  bool found = false;
  std::string text = host.env("HARN_SEED", found);
  uint64_t seed = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  bool is_number = found && read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_number ? std::optional(seed) : std::nullopt;
}

// Rules that cannot be understood allow nothing.
static std::optional<EgressRules> environment_egress(vm::Host& host) {
  bool has_allow = false, has_deny = false, has_default = false;
  EgressTexts texts;
  texts.allow = text::comma_list(host.env("HARN_EGRESS_ALLOW", has_allow));
  texts.deny = text::comma_list(host.env("HARN_EGRESS_DENY", has_deny));
  std::string others = host.env("HARN_EGRESS_DEFAULT", has_default);
  if (!has_allow && !has_deny && !has_default) return std::nullopt;
  texts.allows_others = has_default ? others == "allow" : !has_allow;
  auto rules = EgressRules::parse(texts, "environment");
  return rules ? *std::move(rules) : EgressRules::nothing("environment");
}

// ---- life ----

Authority Run::environment_authority(vm::Host& host) {
  return {environment_policy(host), environment_seed(host), environment_egress(host)};
}

vm::Ref<vm::HandleObject> Run::make(vm::Vm& vm, const Authority& authority) {
  auto run = vm::new_handle<Run>(kRunType);
  run->world_.reset(new World{vm.host(), vm.scheduler().clock(), authority.seed});
  if (authority.egress) (void)run->set_egress(*authority.egress);
  run->narrow(nullptr, authority.policy);
  run->world_->asked_from_outside = run->asked_;
  return vm::Ref<vm::HandleObject>::share(run.get());
}

void Run::narrow(const Run* outer, const Policy& policy) {
  allowed_ = allowed_by(policy) & (outer ? outer->allowed_ : ~0u);
  asked_ = asked_by(policy) | (outer ? outer->asked_ : 0);
  direct_ = allowed_ & ~asked_ & ~(budget_ ? budget_->limited() : 0);
  must_confine_ = policy.must_confine || (outer && outer->must_confine_);
  if (outer && outer != this) child_variables_ = outer->child_variables_;
  child_variables_.add(policy.children);
  workspace_ = outer ? outer->workspace_ : nullptr;
  if (policy.workspace) workspace_ = Workspace::within(workspace_, *policy.workspace);
}

vm::Ref<Run> Run::within(const Run& outer, RunPart part) {
  auto run = vm::new_handle<Run>(kRunType);
  run->world_ = outer.world_;
  run->budget_ = part.limits.empty() ? outer.budget_ : std::make_shared<Budget>(outer.budget_, std::move(part.limits));
  run->identity_ = part.identity.empty() ? outer.identity_ : std::move(part.identity);
  run->trace_parent_ = part.parent ? part.parent : outer.trace_parent_;
  run->narrow(&outer, part.policy);
  return run;
}

// ---- what answers instead of the world ----

void Run::attend() {
  bool all = world_->recorder || world_->player || world_->trace;
  uint32_t bits = all ? ~0u : 0;
  if (world_->egress) bits |= bit_of(Capability::Network);
  for (auto& [row, mock] : world_->mocks) bits |= bit_of(row->capability);
  world_->attended.store(bits, std::memory_order_release);
}

void Run::record(std::shared_ptr<Recorder> recorder) {
  std::lock_guard guard(world_->lock);
  world_->recorder = std::move(recorder);
  if (world_->recorder) world_->recorder->start = clock().now();
  attend();
}

void Run::replay(std::shared_ptr<Player> player) {
  std::lock_guard guard(world_->lock);
  world_->player = std::move(player);
  if (world_->player) {
    clock().follow();
    world_->player->start = clock().now();
  }
  attend();
}

void Run::trace(std::shared_ptr<Trace> trace) {
  std::lock_guard guard(world_->lock);
  world_->trace = std::move(trace);
  attend();
}

Run::Attending Run::attending() {
  std::lock_guard guard(world_->lock);
  return {world_->recorder, world_->player, world_->trace};
}

std::shared_ptr<const EgressRules> Run::egress() {
  std::lock_guard guard(world_->lock);
  return world_->egress;
}

std::expected<void, std::string> Run::set_egress(EgressRules rules) {
  std::lock_guard guard(world_->lock);
  if (world_->egress) return std::unexpected(world_->egress->source());
  world_->egress = std::make_shared<const EgressRules>(std::move(rules));
  attend();
  return {};
}

void Run::set_mock(const EffectRow& row, std::any mock) {
  std::lock_guard guard(world_->lock);
  world_->mocks[&row] = std::move(mock);
  attend();
}

void Run::clear_mock(const EffectRow& row) {
  std::lock_guard guard(world_->lock);
  world_->mocks.erase(&row);
  attend();
}

std::any Run::mock(const EffectRow& row) {
  std::lock_guard guard(world_->lock);
  auto found = world_->mocks.find(&row);
  return found == world_->mocks.end() ? std::any() : found->second;
}

std::unexpected<vm::Thrown> denied(const EffectRow& row, std::string_view shown) {
  std::string_view name = vm::capability_name(row.capability);
  std::string what = shown.empty() ? "" : fmt::format(" ({})", shown);
  return vm::with_facts(vm::throw_text(ErrorKind::Denied, "capability denied: {}{}", name, what), name,
                        {{"effect", vm::text_value(row.name)}, {"request", vm::text_value(shown)}});
}

std::unexpected<vm::Thrown> over_budget(const EffectRow& row, const Limit& limit, std::string_view shown) {
  std::string what = shown.empty() ? "" : fmt::format(" ({})", shown);
  return vm::with_facts(
      vm::throw_text(ErrorKind::Budget, "limit reached: at most {} of {}{}", limit.most, limit.name, what), limit.name,
      {{"effect", vm::text_value(row.name)}, {"limit", vm::Value::integer(limit.most)}});
}

}  // namespace harn::effects
