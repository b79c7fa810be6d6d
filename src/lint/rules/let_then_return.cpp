// `let result = f()` and then `return result`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// What stands behind the `=`, with its parentheses.
std::string value_text(Pass& pass, const Let& let) {
  auto& tokens = pass.tokens();
  size_t at = pass.token_at(let.pattern->span.end);
  while (tokens[at].kind != TokenKind::Assign) ++at;
  return std::string(pass.text({tokens[at + 1].start, let.span.end}));
}

// A call that is returned takes the place of the function that makes it, which is then missing in traces of errors.
bool cannot_be_tail_call(const Node& value) {
  switch (value.kind) {
    case NodeKind::Binary: return value.as<Binary>().op > BinaryOp::And && value.as<Binary>().op != BinaryOp::Coalesce;
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Pipe:
    case NodeKind::Ternary:
    case NodeKind::TryUnwrap:
    case NodeKind::TryStar: return false;
    default: return value.kind < NodeKind::Block;
  }
}

void check(Pass& pass, const Node& node) {
  auto& statements = node.as<Block>().statements;
  if (statements.size() < 2) return;
  const Node& before = *statements[statements.size() - 2];
  const Node& last = *statements.back();
  if (!before.is(NodeKind::Let) || !last.is(NodeKind::Return)) return;
  auto& let = before.as<Let>();
  const Node* value = last.as<Return>().value;
  // A type says more than the value does, and is checked.
  if (!value || !value->is(NodeKind::Identifier) || let.pattern->kind != PatternKind::Name || let.type) return;
  const compile::Variable* variable = pass.variable(let.pattern->fields[0]);
  if (!variable || variable != pass.variable(value->as<Identifier>())) return;
  const Use& use = pass.uses().of(variable);
  if (use.reads != 1 || use.writes > 0 || use.declarations != 1 || variable->captured) return;
  auto report = pass.report(let.pattern->span, variable->name);
  Span both{let.span.start, last.span.end};
  if (pass.has_comment(both)) return;
  report.fix({"return the value", both, "return " + value_text(pass, let), cannot_be_tail_call(*let.value)});
}

constexpr NodeKind kKinds[] = {NodeKind::Block};

}  // namespace

extern const Rule kLetThenReturn = {
    .name = "let-then-return",
    .code = diag::Code::LetThenReturn,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
