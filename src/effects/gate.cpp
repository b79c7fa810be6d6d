#include "effects/gate.h"

#include "base/result.h"
#include "base/text.h"
#include "vm/vm.h"

namespace harn::effects {

// Whether a name in a policy means this capability.
static bool names(std::string_view entry, std::string_view capability) {
  if (entry == "*" || entry == capability) return true;
  return capability.size() > entry.size() && capability.starts_with(entry) && capability[entry.size()] == '.';
}

static bool is_in(const std::vector<std::string>& list, std::string_view capability) {
  return std::any_of(list.begin(), list.end(), [&](const auto& entry) { return names(entry, capability); });
}

void Gate::read_environment(vm::Host& host) {
  if (std::exchange(has_environment_, true)) return;
  bool found = false;
  std::string names = host.env("HARN_DENY", found);
  if (!found) return;
  for (std::string_view name : text::split(names, ",")) {
    name = text::trim(name);
    if (!name.empty()) denied_outside_.emplace_back(name);
  }
}

bool Gate::is_allowed(std::string_view capability) const {
  if (is_in(denied_outside_, capability) || is_in(policy_.deny, capability)) return false;
  return policy_.allow.empty() || is_in(policy_.allow, capability);
}

vm::Outcome<void> Gate::pass(vm::Call& call, const Effect& effect) {
  std::vector<Hook> hooks;
  {
    std::lock_guard guard(lock_);
    read_environment(call.vm().host());
    if (!is_allowed(effect.capability)) {
      return vm::throw_text("capability denied: {} ({})", effect.capability, effect.shown);
    }
    hooks = hooks_;
  }
  for (const Hook& hook : hooks) HARN_CHECK(hook(call, effect));
  std::lock_guard guard(lock_);
  auto found = passed_.find(effect.capability);
  if (found == passed_.end()) found = passed_.emplace(effect.capability, 0).first;
  ++found->second;
  return {};
}

void Gate::set_policy(Policy policy) {
  std::lock_guard guard(lock_);
  policy_ = std::move(policy);
}

void Gate::add_hook(Hook hook) {
  std::lock_guard guard(lock_);
  hooks_.push_back(std::move(hook));
}

uint64_t Gate::passed(std::string_view capability) {
  std::lock_guard guard(lock_);
  auto found = passed_.find(capability);
  return found == passed_.end() ? 0 : found->second;
}

vm::Outcome<void> pass(vm::Call& call, const Effect& effect) {
  return call.vm().local<Gate>().pass(call, effect);
}

}  // namespace harn::effects
