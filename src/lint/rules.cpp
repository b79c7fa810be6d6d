#include "lint/rule.h"

#include <unordered_map>

#include "base/text.h"

namespace harn::lint {

#define HARN_LINT(rule) extern const Rule rule;
#include "lint/rules.def"
#undef HARN_LINT

static const Rule* const kRules[] = {
#define HARN_LINT(rule) &rule,
#include "lint/rules.def"
#undef HARN_LINT
};

std::span<const Rule* const> rules() { return kRules; }

const Rule* find_rule(std::string_view name) {
  for (const Rule* rule : kRules) {
    if (rule->name == name || (!rule->alias.empty() && rule->alias == name)) return rule;
  }
  return nullptr;
}

const Rule* find_rule(diag::Code code) {
  for (const Rule* rule : kRules) {
    if (rule->code == code) return rule;
  }
  return nullptr;
}

std::string_view close_rule(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Rule* rule : kRules) names.push_back(rule->name);
  auto close = text::close_names(name, names, 1);
  return close.empty() ? std::string_view() : close[0];
}

}  // namespace harn::lint
