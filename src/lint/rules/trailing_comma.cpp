// A list over several lines whose last item has no comma behind it: adding one changes two lines.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// The bracket that closes its items; Eof when it has none.
TokenKind closer_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::ListLiteral: return node.as<ListLiteral>().items.empty() ? TokenKind::Eof : TokenKind::RightBracket;
    case NodeKind::DictLiteral: return node.as<DictLiteral>().entries.empty() ? TokenKind::Eof : TokenKind::RightBrace;
    case NodeKind::StructLiteral:
      return node.as<StructLiteral>().fields.empty() ? TokenKind::Eof : TokenKind::RightBrace;
    case NodeKind::Call: return node.as<Call>().args.empty() ? TokenKind::Eof : TokenKind::RightParen;
    default: return node.as<MethodCall>().args.empty() ? TokenKind::Eof : TokenKind::RightParen;
  }
}

void check(Pass& pass, const Node& node) {
  TokenKind wanted = closer_of(node);
  if (wanted == TokenKind::Eof) return;
  auto& tokens = pass.tokens();
  size_t closer = pass.token_at(node.span.end - 1);
  if (closer == 0 || closer >= tokens.size() || tokens[closer].kind != wanted || !tokens[closer].starts_line()) return;
  const Token& last = tokens[closer - 1];
  if (tokens[closer].end != node.span.end || last.kind == TokenKind::Comma) return;
  pass.report({last.end - 1, last.end}).fix({"add a comma", {last.end, last.end}, ",", true});
}

constexpr NodeKind kKinds[] = {NodeKind::ListLiteral, NodeKind::DictLiteral, NodeKind::StructLiteral, NodeKind::Call,
                               NodeKind::MethodCall};

}  // namespace

extern const Rule kTrailingComma = {
    .name = "trailing-comma",
    .code = diag::Code::MissingComma,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
