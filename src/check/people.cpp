// Questions to people: `ask_user`, `request_approval`, `dual_control`, `escalate_to`. They are syntax, and take their
// arguments by name or by position; what they give is as well known as for any builtin.
#include "check/checker.h"
#include "types/signature.h"

namespace harn::check {

using namespace syntax;
using types::argument;

static const Type* result_of(Knowledge& known, std::string_view signature) {
  const Type* type = types::parse_signature(known.table, signature);
  return type ? type->result : known.any();
}

// What `schema:` says that an answer is; as an argument, or in the options.
const Type* Checker::answer_type(const HumanCall& node) {
  if (node.type_args.size() == 1) return known_.lowering.lower(*node.type_args[0]);
  const Node* schema = nullptr;
  for (const Node* arg : node.args) {
    if (arg->is(NodeKind::NamedArgument) && arg->as<NamedArgument>().name.text == "schema") {
      schema = arg->as<NamedArgument>().value;
    }
    const Node* options = arg->is(NodeKind::NamedArgument) ? arg->as<NamedArgument>().value : arg;
    if (!options->is(NodeKind::DictLiteral)) continue;
    for (const DictEntry& entry : options->as<DictLiteral>().entries) {
      if (entry.key.text == "schema" && options != schema && !schema) schema = entry.value;
    }
  }
  return schema ? described_by(*schema, 0) : any();
}

const Type* Checker::human_call(const HumanCall& node) {
  const Type* action = nullptr;
  for (size_t i = 0; i < node.args.size(); ++i) {
    const Node& arg = *node.args[i];
    bool is_named = arg.is(NodeKind::NamedArgument);
    const Type* type = infer(arg);
    if (is_named ? arg.as<NamedArgument>().name.text == "action" : i == 2) action = type;
  }
  switch (node.which) {
    case HumanCallKind::AskUser: return answer_type(node);
    case HumanCallKind::RequestApproval:
      return result_of(known_,
                       "() -> {approved: bool, reviewers: list<string>, approved_at: string, reason: string?, "
                       "signatures: list<{reviewer: string, signed_at: string, signature: string}>}");
    case HumanCallKind::DualControl: {
      const Type* plain = action ? known_.relation.plain(action) : nullptr;
      return plain && plain->kind == Kind::Function ? plain->result : any();
    }
    case HumanCallKind::EscalateTo:
      return result_of(known_,
                       "() -> {request_id: string, role: string, reason: string, trace_id: string, status: string, "
                       "accepted_at: string?, reviewer: string?}");
  }
  return any();
}

}  // namespace harn::check
