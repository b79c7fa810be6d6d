// Natural blocks: which strings are some, and the names in them.
//
//   @natural_function
//   fn f(ticket) {
//     var label = ""
//     """natural
//     Read <ticket>. Set <:label>.
//     """
//   }
//
// A block is told by its shape alone: a statement that is a string literal, plain or interpolated, which begins with a line that
// says `natural` and nothing else. What interpolations put into the text is never looked at for names.
#include "syntax/natural.h"

#include "syntax/parser.h"

namespace harn::syntax {

namespace {

constexpr std::string_view kSentinel = "natural\n";

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9'); }

}  // namespace

bool is_natural_text(const Node& node) {
  const Node* first = &node;
  if (node.is(NodeKind::InterpolatedString)) {
    NodeList parts = node.as<InterpolatedString>().parts;
    if (parts.empty()) return false;
    first = parts[0];
  }
  return first->is(NodeKind::StringLiteral) && first->as<StringLiteral>().value.starts_with(kSentinel);
}

Node* Parser::natural_or(Node* expression) {
  if (!in_natural_ || !is_natural_text(*expression)) return expression;
  auto* block = node<Natural>(NodeKind::Natural, expression->span.start);
  block->program = expression;
  ListBuilder<const Node*> inputs(nodes_, tree_.arena);
  std::vector<const Node*> written;
  ListBuilder<const Node*> outputs(written, tree_.arena);
  if (expression->is(NodeKind::StringLiteral)) {
    natural_names(expression->span, inputs, outputs);
  } else {
    for (const Node* part : expression->as<InterpolatedString>().parts) {
      if (part->is(NodeKind::StringLiteral)) natural_names(part->span, inputs, outputs);
    }
  }
  block->inputs = inputs.finish();
  block->outputs = outputs.finish();
  return done(block);
}

void Parser::natural_names(Span literal, ListBuilder<const Node*>& inputs, ListBuilder<const Node*>& outputs) {
  std::string_view raw = text_.substr(0, literal.end);
  for (size_t at = raw.find('<', literal.start); at != std::string_view::npos; at = raw.find('<', at + 1)) {
    size_t from = at + 1;
    bool writes = from < raw.size() && raw[from] == ':';
    from += writes;
    size_t to = from;
    while (to < raw.size() && continues_name(raw[to])) ++to;
    if (to == from || !starts_name(raw[from]) || to >= raw.size() || raw[to] != '>') continue;
    auto* name = node<Identifier>(NodeKind::Identifier, static_cast<uint32_t>(from));
    name->span.end = static_cast<uint32_t>(to);
    name->name = raw.substr(from, to - from);
    (writes ? outputs : inputs).add(name);
  }
}

}  // namespace harn::syntax
