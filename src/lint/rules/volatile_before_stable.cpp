// Sections of a typed prompt whose text changes often, before sections whose text does not: a provider keeps the beginning of a prompt only as
// far as it stays the same.
//
// How often a text changes is what `stability` says, or comes from how the section's parameters are bound: a text without placeholders, or
// whose struct nobody binds, stays for the whole program; one that is bound in a loop changes with each turn; others last for a session.
#include <algorithm>
#include <optional>

#include "base/placeholders.h"
#include "compile/prompt_calls.h"
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

constexpr std::string_view kStabilities[] = {"program", "session", "turn"};

bool has_placeholders(std::string_view text) {
  PlaceholderScanner scanner(text);
  while (scanner.next()) {
    if (scanner.piece().kind == PlaceholderPiece::Kind::Name) return true;
  }
  return false;
}

bool is_bind(const Node& node, const Pass& pass) {
  if (node.is(NodeKind::MethodCall)) return node.as<MethodCall>().name.text == "bind";
  if (!node.is(NodeKind::Call) || !node.as<Call>().callee->is(NodeKind::Identifier)) return false;
  const Node* declared = pass.declaration(node.as<Call>().callee->as<Identifier>());
  return declared && declared->is(NodeKind::Function) && declared->as<Function>().name.text == "bind";
}

bool is_in_loop(const Pass& pass, uint32_t at) {
  for (uint32_t up = pass.nodes()[at].parent; up != Places::kTop; up = pass.nodes()[up].parent) {
    const Node& node = *pass.nodes()[up].node;
    if (node.is(NodeKind::For) || node.is(NodeKind::While)) return true;
  }
  return false;
}

// How instances of a struct are bound in this module; -1: they are not, as far as one can see.
int bound_as(const Pass& pass, const Struct& params) {
  int found = -1;
  for (uint32_t at = 0; at < pass.nodes().size(); ++at) {
    const Node& node = *pass.nodes()[at].node;
    if (!node.is(NodeKind::StructLiteral) || node.as<StructLiteral>().name.text != params.name.text) continue;
    uint32_t parent = pass.nodes()[at].parent;
    if (parent == Places::kTop || !is_bind(*pass.nodes()[parent].node, pass)) continue;
    found = std::max(found, is_in_loop(pass, parent) ? 2 : 1);
  }
  return found;
}

// A number of `kStabilities`; nothing where nobody can say.
std::optional<int> stability_of(const Pass& pass, const Node& item) {
  compile::PromptCall call = compile::prompt_call(item, pass.bindings());
  if (!call.is_section()) return std::nullopt;
  if (const StringLiteral* said = call.text("stability")) {
    auto found = std::ranges::find(kStabilities, said->value);
    if (found != std::end(kStabilities)) return static_cast<int>(found - std::begin(kStabilities));
    return std::nullopt;
  }
  const StringLiteral* text = call.text("template");
  if (call.kind != compile::PromptCall::Kind::MarkdownSection || !text) return std::nullopt;
  if (!has_placeholders(text->value)) return 0;
  if (!call.params) return std::nullopt;
  int bound = bound_as(pass, *call.params);
  if (bound >= 0) return bound;
  if (call.field("default_params")) return 0;
  return std::nullopt;
}

// The list with one item moved to an earlier place; what stands between items stays where it is.
std::string moved_forward(const Pass& pass, NodeList items, size_t to, size_t from) {
  std::string out(pass.text(items[from]->span));
  for (size_t i = to; i < from; ++i) {
    out += pass.text(Span{items[i]->span.end, items[i + 1]->span.start});
    out += pass.text(items[i]->span);
  }
  return out;
}

void check_list(Pass& pass, NodeList items) {
  int most = -1;
  size_t where = 0;  // the first section that changes as often as `most`
  for (size_t i = 0; i < items.size(); ++i) {
    auto own = stability_of(pass, *items[i]);
    if (!own) continue;
    if (*own >= most) {
      if (*own > most) where = i;
      most = *own;
      continue;
    }
    auto report = pass.report(items[i]->span, kStabilities[*own], kStabilities[most]);
    report.help("put what changes least first, so that providers can keep it cached");
    Span both{items[where]->span.start, items[i]->span.end};
    if (!pass.has_comment(both)) {
      report.fix({"move it in front", both, moved_forward(pass, items, where, i), false});
    }
    return;  // the others may be right then
  }
}

void check(Pass& pass, const Node& node) {
  compile::PromptCall call = compile::prompt_call(node, pass.bindings());
  const Node* list = call.field(call.kind == compile::PromptCall::Kind::Template ? "sections" : "children");
  if (list && list->is(NodeKind::ListLiteral)) check_list(pass, list->as<ListLiteral>().items);
}

constexpr NodeKind kKinds[] = {NodeKind::Call};

}  // namespace

extern const Rule kVolatileBeforeStable = {
    .name = "volatile-before-stable",
    .code = diag::Code::PromptOrder,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
