// `to_string("text")`: the value is of that type already, as it is written or as its type says.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// What a cast gives, and what is that already.
bool fits(std::string_view cast, const Node& value, std::string_view inner_cast) {
  if (cast == inner_cast) return true;
  if (cast == "to_string") return value.is(NodeKind::StringLiteral) || value.is(NodeKind::InterpolatedString);
  if (cast == "to_int") return value.is(NodeKind::IntLiteral);
  if (cast == "to_float") return value.is(NodeKind::FloatLiteral);
  return cast == "to_list" && value.is(NodeKind::ListLiteral);
}

std::string_view type_of(std::string_view cast) { return cast.substr(3); }

void check(Pass& pass, const Node& node) {
  auto& call = node.as<Call>();
  std::string_view name = pass.builtin(call);
  if (!name.starts_with("to_") || call.args.size() != 1) return;
  const Node& value = *call.args[0];
  bool is_text = name == "to_string" && pass.facts().is_text(value);
  if (!is_text && !fits(name, value, pass.builtin(value))) return;
  auto report = pass.report(call.callee->span, type_of(name), name);
  if (pass.has_comment(call.span)) return;
  report.fix({fmt::format("remove `{}`", name), call.span, std::string(pass.text(value.span)), true});
}

constexpr NodeKind kKinds[] = {NodeKind::Call};

}  // namespace

extern const Rule kUnnecessaryCast = {
    .name = "unnecessary-cast",
    .code = diag::Code::UnnecessaryCast,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
