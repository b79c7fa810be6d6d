// `<:label>` in a Natural block, and nobody reads `label`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// Of the outer function, a cell or the module: somebody else may read it.
bool is_own(const compile::Variable& variable) {
  return variable.kind == compile::Variable::Kind::Local && !variable.captured;
}

void check(Pass& pass, const Node& node) {
  for (const Node* output : node.as<Natural>().outputs) {
    const compile::Variable* variable = pass.variable(*output);
    std::string_view name = output->as<Identifier>().name;
    if (!variable || !is_own(*variable) || name.starts_with('_') || pass.uses().of(variable).reads > 0) continue;
    pass.report(output->span, name).help("read it behind the block, or leave the colon out");
  }
}

constexpr NodeKind kKinds[] = {NodeKind::Natural};

}  // namespace

extern const Rule kUnreadNaturalOutput = {
    .name = "unread-natural-output",
    .code = diag::Code::UnreadOutput,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
