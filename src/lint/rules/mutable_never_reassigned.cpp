// `var total = 1` that is never assigned again.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& let = node.as<Let>();
  if (!let.is_var || let.is_pub) return;
  std::string_view first;
  for (const PatternField& field : let.pattern->fields) {
    const compile::Variable* variable = pass.variable(field);
    if (!variable) continue;
    const Use& use = pass.uses().of(variable);
    if (use.writes > 0 || use.declarations > 1 || variable->word) return;
    bool is_global = variable->kind == compile::Variable::Kind::Global;
    if (is_global && pass.is_exported(variable->name, false)) return;
    if (use.reads == 0) return;  // said by another rule
    if (first.empty()) first = variable->name;
  }
  Span keyword{let.span.start, let.span.start + 3};
  if (first.empty() || pass.text(keyword) != "var") return;
  pass.report(keyword, first).fix({"declare it with `let`", keyword, "let", true});
}

constexpr NodeKind kKinds[] = {NodeKind::Let};

}  // namespace

extern const Rule kMutableNeverReassigned = {
    .name = "mutable-never-reassigned",
    .code = diag::Code::NeverReassigned,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
