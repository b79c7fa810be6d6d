// The body of a persona calls a function of the program that is no step: the hooks of steps do not see that work.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_stdlib(const compile::Variable& variable) {
  auto* module = static_cast<const modules::Module*>(variable.module);
  return variable.kind == compile::Variable::Kind::Global && module && module->embedded;
}

void check_call(Pass& pass, const Declaration& persona, const Identifier& callee) {
  const compile::Variable* variable = pass.variable(callee);
  if (!variable || !variable->declaration || !variable->declaration->is(NodeKind::Function)) return;
  if (is_stdlib(*variable) || has_attribute(*variable->declaration, "step")) return;
  const auto& allowed = pass.settings().persona_step_allowlist;
  if (std::find(allowed.begin(), allowed.end(), callee.name) != allowed.end()) return;
  pass.report(callee.span, persona.name.text, callee.name)
      .help("declare it with `@step`, or list it in `[lint] persona_step_allowlist` of harn.toml");
}

void check(Pass& pass, const Node& node) {
  if (!has_attribute(node, "persona")) return;
  // What functions inside call is theirs; closures are part of the body.
  for (uint32_t at = pass.at() + 1; at < pass.nodes()[pass.at()].end;) {
    const Place& place = pass.nodes()[at];
    bool is_other = is_function(*place.node) && !place.node->is(NodeKind::Closure);
    const Node* callee = place.node->is(NodeKind::Call)   ? place.node->as<Call>().callee
                         : place.node->is(NodeKind::Pipe) ? place.node->as<Pipe>().right
                                                          : nullptr;
    if (callee && callee->is(NodeKind::Identifier)) {
      check_call(pass, node.as<Declaration>(), callee->as<Identifier>());
    }
    at = is_other ? place.end : at + 1;
  }
}

constexpr NodeKind kKinds[] = {NodeKind::Function, NodeKind::Pipeline, NodeKind::Tool};

}  // namespace

extern const Rule kPersonaBodyMustCallSteps = {
    .name = "persona-body-must-call-steps",
    .code = diag::Code::PersonaCallsHelper,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
