#include "effects/budget.h"

#include "base/mutex.h"
#include "effects/policy.h"

namespace harn::effects {

Budget::Budget(std::shared_ptr<Budget> outer, std::vector<Limit> limits)
    : outer_(std::move(outer)), lock_(outer_ ? outer_->lock_ : std::make_shared<Mutex>()) {
  for (Limit& limit : limits) {
    uint32_t capabilities = capabilities_named(limit.name);
    limited_ |= capabilities;
    accounts_.push_back({std::move(limit), capabilities});
  }
  if (outer_) limited_ |= outer_->limited_;
}

std::optional<Limit> Budget::take(vm::Capability capability, int64_t effects) {
  std::lock_guard guard(*lock_);
  std::optional<Limit> broken;
  for (Budget* budget = this; budget; budget = budget->outer_.get()) {
    if (!budget->fits(capability, effects, broken)) return broken;
  }
  for (Budget* budget = this; budget; budget = budget->outer_.get()) budget->add(capability, effects);
  return std::nullopt;
}

void Budget::give_back(vm::Capability capability, int64_t effects) {
  std::lock_guard guard(*lock_);
  for (Budget* budget = this; budget; budget = budget->outer_.get()) budget->add(capability, -effects);
}

bool Budget::fits(vm::Capability capability, int64_t effects, std::optional<Limit>& broken) {
  for (const Account& account : accounts_) {
    if (!(account.capabilities & bit_of(capability)) || account.used + effects <= account.limit.most) continue;
    broken = account.limit;
    return false;
  }
  return true;
}

void Budget::add(vm::Capability capability, int64_t effects) {
  for (Account& account : accounts_) {
    if (account.capabilities & bit_of(capability)) account.used += effects;
  }
}

}  // namespace harn::effects
