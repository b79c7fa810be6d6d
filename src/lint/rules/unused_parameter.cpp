// A parameter that the function never reads. Those that others decide on are left alone: of closures, pipelines, methods,
// overrides, functions with attributes, and functions that are handed on by name.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// What the runtime calls by name has the parameters that it gives.
constexpr std::string_view kCalledByName[] = {"main",     "init", "activate", "shutdown", "call", "normalize_inbound",
                                              "poll_tick"};

bool has_given_signature(Pass& pass, const Node& node) {
  if (node.is(NodeKind::Tool)) return false;
  auto& function = node.as<Function>();
  const Node* parent = pass.parent();
  if (!function.attributes.empty() || (parent && (parent->is(NodeKind::Impl) || parent->is(NodeKind::Interface)))) {
    return true;
  }
  for (std::string_view name : kCalledByName) {
    if (function.name.text == name) return true;
  }
  const compile::Variable* variable = pass.variable(function);
  return variable && pass.uses().of(variable).values > 0;
}

// `fn later(x) { throw "not yet" }` does not look at what it is given, and says so.
bool only_throws(const Block& body) {
  return body.statements.empty() || (body.statements.size() == 1 && body.statements[0]->is(NodeKind::Throw));
}

void check(Pass& pass, const Node& node) {
  const Block* body = body_of(node);
  if (!body || only_throws(*body) || has_given_signature(pass, node)) return;
  for (const Param& param : params_of(node)) {
    const compile::Variable* variable = pass.variable(param);
    if (!variable || param.name.text.starts_with('_') || pass.uses().of(variable).reads > 0) continue;
    std::string renamed = fmt::format("_{}", param.name.text);
    std::string what = fmt::format("remove it, or call it `{}`", renamed);
    auto report = pass.report(param.name.span, param.name.text);
    // What a tool calls its parameters a model knows.
    bool can_rename = !node.is(NodeKind::Tool) && !pass.has_unknown_names() && pass.is_new_name(renamed);
    if (can_rename) report.fix({what, param.name.span, renamed, false});
    else report.help(what);
  }
}

constexpr NodeKind kKinds[] = {NodeKind::Function, NodeKind::Tool};

}  // namespace

extern const Rule kUnusedParameter = {
    .name = "unused-parameter",
    .code = diag::Code::UnusedParameter,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
