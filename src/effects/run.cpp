#include "effects/run.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace harn::effects {

using vm::Capability;

constinit const vm::HandleType kRunType = {"run", vm::destroy_handle<Run>,
                                           [](std::string& out, const vm::HandleObject*) { out += "<run>"; }};

// ---- policy ----

// Whether a name in a policy means this capability.
static bool names(std::string_view entry, Capability capability) {
  std::string_view name = vm::capability_name(capability);
  if (entry == "*") return capability != Capability::Output;
  return entry == name || (name.size() > entry.size() && name.starts_with(entry) && name[entry.size()] == '.');
}

static bool allows(const Policy& policy, Capability capability) {
  auto is_named = [&](const std::string& entry) { return names(entry, capability); };
  if (std::any_of(policy.deny.begin(), policy.deny.end(), is_named)) return false;
  if (policy.allow.empty() || capability == Capability::Output) return true;
  return std::any_of(policy.allow.begin(), policy.allow.end(), is_named);
}

static uint32_t allowed_by(const Policy& policy) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < vm::kCapabilityCount; ++i) {
    if (allows(policy, static_cast<Capability>(i))) bits |= 1u << i;
  }
  return bits;
}

static Policy environment_policy(vm::Host& host) {
  Policy policy;
  bool found = false;
  std::string names = host.env("HARN_DENY", found);
  for (std::string_view name : text::split(names, ",")) {
    if (name = text::trim(name); !name.empty()) policy.deny.emplace_back(name);
  }
  return policy;
}

static std::optional<uint64_t> environment_seed(vm::Host& host) {
  bool found = false;
  std::string text = host.env("HARN_SEED", found);
  uint64_t seed = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  bool is_number = found && read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_number ? std::optional(seed) : std::nullopt;
}

// ---- life ----

vm::Ref<vm::HandleObject> Run::make(vm::Vm& vm) {
  auto run = vm::new_handle<Run>(kRunType);
  run->world_.reset(new World{vm.host(), vm.scheduler().clock(), environment_seed(vm.host())});
  run->allowed_ = allowed_by(environment_policy(vm.host()));
  return vm::Ref<vm::HandleObject>::share(run.get());
}

vm::Ref<Run> Run::narrowed(const Run& outer, const Policy& policy) {
  auto run = vm::new_handle<Run>(kRunType);
  run->world_ = outer.world_;
  run->allowed_ = outer.allowed_ & allowed_by(policy);
  return run;
}

// ---- what answers instead of the world ----

void Run::attend() {
  uint32_t bits = world_->tape ? ~0u : 0;
  for (auto& [row, mock] : world_->mocks) bits |= 1u << bit(row->capability);
  world_->attended.store(bits, std::memory_order_release);
}

void Run::set_tape(std::shared_ptr<Tape> tape) {
  std::lock_guard guard(world_->lock);
  world_->tape = std::move(tape);
  attend();
}

std::shared_ptr<Tape> Run::tape() {
  std::lock_guard guard(world_->lock);
  return world_->tape;
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

}  // namespace harn::effects
