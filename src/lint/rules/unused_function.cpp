// A function that others cannot see and nobody here calls.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  auto& function = node.as<Function>();
  const Node* parent = pass.parent();
  bool is_member = parent && (parent->is(NodeKind::Impl) || parent->is(NodeKind::Interface));
  std::string_view name = function.name.text;
  // Attributes hand a function to somebody: personas, tools, triggers.
  if (is_member || name.starts_with('_') || name == "main" || !function.attributes.empty()) return;
  const compile::Variable* variable = pass.variable(function);
  if (!variable || pass.uses().of(variable).reads > 0 || pass.uses().is_mentioned(name)) return;
  bool is_global = variable->kind == compile::Variable::Kind::Global;
  if (is_global && pass.is_exported(name, function.is_pub)) return;
  pass.report(function.name.span, name).help("remove it, or mark it with `pub` if others are to call it");
}

constexpr NodeKind kKinds[] = {NodeKind::Function};

}  // namespace

extern const Rule kUnusedFunction = {
    .name = "unused-function",
    .code = diag::Code::UnusedFunction,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
