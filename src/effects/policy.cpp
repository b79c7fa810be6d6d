#include "effects/policy.h"

#include <fnmatch.h>

#include <algorithm>

namespace harn::effects {

using vm::Capability;

static bool is_meant(std::string_view entry, Capability capability) {
  std::string_view name = vm::capability_name(capability);
  if (entry == "*") return capability != Capability::Output;
  return entry == name || (name.size() > entry.size() && name.starts_with(entry) && name[entry.size()] == '.');
}

uint32_t capabilities_named(std::string_view name) {
  uint32_t bits = 0;
  for (uint32_t i = 1; i < vm::kCapabilityCount; ++i) {
    auto capability = static_cast<Capability>(i);
    if (is_meant(name, capability)) bits |= bit_of(capability);
  }
  return bits;
}

static uint32_t all_named(const std::vector<std::string>& names) {
  uint32_t bits = 0;
  for (const std::string& name : names) bits |= capabilities_named(name);
  return bits;
}

uint32_t allowed_by(const Policy& policy) {
  uint32_t allowed = policy.allow.empty() ? ~0u : all_named(policy.allow) | bit_of(Capability::Output);
  return (allowed | bit_of(Capability::None)) & ~all_named(policy.deny);
}

uint32_t asked_by(const Policy& policy) { return all_named(policy.ask) & ~bit_of(Capability::Approval); }

bool ChildVariables::hides(std::string_view name) const {
  std::string text(name);
  auto fits = [&](const std::string& pattern) { return fnmatch(pattern.c_str(), text.c_str(), FNM_CASEFOLD) == 0; };
  return std::any_of(hidden.begin(), hidden.end(), fits);
}

void ChildVariables::add(const ChildVariables& inner) {
  hidden.insert(hidden.end(), inner.hidden.begin(), inner.hidden.end());
  for (const auto& [name, value] : inner.values) {
    std::erase_if(values, [&](const auto& one) { return one.first == name; });
    values.emplace_back(name, value);
  }
}

}  // namespace harn::effects
