// `host_call("editor.state").path`: what comes from outside is used without a look at its shape.
#include "check/boundaries.h"
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// `toml_parse(text).mcp ?? []`
bool has_fallback(Pass& pass, const Node& node) {
  const Node* parent = pass.parent();
  if (!parent || !parent->is(NodeKind::Binary)) return false;
  return parent->as<Binary>().op == BinaryOp::Coalesce && parent->as<Binary>().left == &node;
}

// `host_call("process.exec", ...)`: Harn answers itself, always in the same shape.
bool is_own_operation(const Call& call) {
  if (call.args.empty() || !call.args[0]->is(NodeKind::StringLiteral)) return false;
  return call.args[0]->as<StringLiteral>().value.starts_with("process.");
}

void check(Pass& pass, const Node& node) {
  bool is_member = node.is(NodeKind::Member);
  // `?.` expects that it may not be there.
  if (is_member ? node.as<Member>().optional : node.as<Index>().optional) return;
  const Node& object = is_member ? *node.as<Member>().object : *node.as<Index>().object;
  std::string_view name = pass.builtin(object);
  if (!check::is_boundary(name)) return;
  if (has_fallback(pass, node) || is_own_operation(object.as<Call>())) return;
  pass.report(object.span, name).help("check the shape first, with `schema_expect` or a type, or read it with `?.`");
}

constexpr NodeKind kKinds[] = {NodeKind::Member, NodeKind::Index};

}  // namespace

extern const Rule kUntypedDictAccess = {
    .name = "untyped-dict-access",
    .code = diag::Code::UntypedAccess,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
