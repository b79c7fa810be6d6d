#include "syntax/signature.h"

#include "syntax/parser.h"

namespace harn::syntax {

List<Signature> Parser::parse_signatures() {
  std::vector<Signature> all;
  do {
    all.push_back(parse_signature());
  } while (accept(TokenKind::Semicolon));
  if (!failed_ && !at_end()) fail("the end of the signature");
  return tree_.arena.copy(std::span<const Signature>(all));
}

Signature Parser::parse_signature() {
  Signature signature;
  signature.generics = parse_generics();
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftParen)) return signature;
  std::vector<SignatureParam> params;
  parse_comma_list(TokenKind::RightParen, opener, [&] { params.push_back(parse_signature_param()); });
  signature.params = tree_.arena.copy(std::span<const SignatureParam>(params));
  expect(TokenKind::Arrow, "`->` and the result type");
  signature.result = parse_type();
  return signature;
}

SignatureParam Parser::parse_signature_param() {
  SignatureParam param;
  param.rest = accept(TokenKind::Ellipsis);
  param.name = expect_word("a parameter name");
  param.optional = accept(TokenKind::Question);
  expect(TokenKind::Colon, "`:` after the parameter name");
  param.type = parse_type();
  return param;
}

SignatureTree::SignatureTree(SourcePtr source, diag::Sink& sink) {
  tree_.source = std::move(source);
  TokenList list = lex(tree_.source, sink);
  signatures_ = Parser(tree_, list, sink).parse_signatures();
}

}  // namespace harn::syntax
