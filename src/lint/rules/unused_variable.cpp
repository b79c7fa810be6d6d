// `let total = 1` and nobody reads `total`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& let = node.as<Let>();
  if (let.pattern->kind != PatternKind::Name) return;
  const PatternField& field = let.pattern->fields[0];
  std::string_view name = field.binding.text;
  if (name.starts_with('_')) return;
  const compile::Variable* variable = pass.variable(field);
  if (!variable || variable->is_owned) return;
  const Use& use = pass.uses().of(variable);
  if (use.reads > 0 || pass.uses().is_type_used(variable->declaration)) return;
  bool is_global = variable->kind == compile::Variable::Kind::Global;
  if (is_global && pass.is_exported(name, let.is_pub)) return;
  const Node* function = pass.function();
  if (function && has_attribute(*function, "natural_function")) return;  // its text reads variables by name
  auto report = pass.report(field.binding.span, name);
  if (use.writes > 0) report.help("it is only assigned to: remove it, or use its value");
  if (use.writes > 0 || use.declarations > 1 || pass.has_unknown_names()) return;
  std::string renamed = "_" + std::string(name);
  // Nobody can notice the new name if nothing has it yet.
  if (pass.is_new_name(renamed)) report.fix({fmt::format("call it `{}`", renamed), field.binding.span, renamed, true});
}

constexpr NodeKind kKinds[] = {NodeKind::Let};

}  // namespace

extern const Rule kUnusedVariable = {
    .name = "unused-variable",
    .code = diag::Code::UnusedVariable,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
