#include "syntax/parser.h"

namespace harn::syntax {

Block* Parser::parse_block(std::string_view after) {
  Deeper deeper(*this);
  if (!at(TokenKind::LeftBrace) || failed_) fail_block(after);
  if (failed_) {
    auto* empty = node<Block>(NodeKind::Block, start());
    empty->span.end = empty->span.start;
    return empty;
  }
  auto opener = static_cast<uint32_t>(at_);
  advance();
  return block_from_statements(opener);
}

void Parser::fail_block(std::string_view after) {
  if (failed_) return;
  Token found = token();
  bool is_comparison = found.kind == TokenKind::Assign && kind(1) != TokenKind::Greater;
  if (!is_comparison) {
    auto report = fail(format("`{{` after {}", after));
    if (!explained_) report.help("the body is a block in braces: `{ ... }`");
    return;
  }
  auto report = fail_plainly(format("`{{` after {}", after));
  report.fix({"did you mean `==`?", found.span(), "=="});
  // The mistake is understood: go on as if it were right.
  failed_ = gave_up_;
  advance();
  parse_condition();
  if (!failed_ && !at(TokenKind::LeftBrace)) fail(format("`{{` after {}", after));
}

// After the `{` at token `opener` was read.
Block* Parser::block_from_statements(uint32_t opener) {
  auto* block = node<Block>(NodeKind::Block, tokens_[opener].start);
  WithContext context(*this, block_context());
  ListBuilder<const Node*> items(nodes_, tree_.arena);
  parse_statements(items, opener);
  block->statements = items.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(block);
}

void Parser::parse_statements(ListBuilder<const Node*>& items, uint32_t opener) {
  size_t outer = extent_;
  extent_ = end_of(opener);
  for (;;) {
    if (failed_ || at_end() || at_ >= extent_) break;
    if (at(TokenKind::RightBrace)) {
      if (opener != kNoOpener) break;
      skip_stray_brace(items);
      continue;
    }
    if (at(TokenKind::Semicolon)) {
      fail_plainly("a statement").fix({"one `;` separates two statements; remove this one", token().span(), ""});
      failed_ = gave_up_;
      while (accept(TokenKind::Semicolon)) {}
      continue;
    }
    size_t first = at_;
    items.add(parse_statement());
    // A mistake inside it may have cost a brace, and with that its end.
    bool is_whole = tree_.broken.empty() || tree_.broken.back().end <= tokens_[first].start;
    if (is_whole) end_statement(opener == kNoOpener ? "top-level item" : "statement");
    else failed_ |= !ends_statement();
    if (failed_) recover(first, opener);
    if (at_ == first) advance();
    accept(TokenKind::Semicolon);
  }
  extent_ = outer;
}

bool Parser::ends_statement() const {
  return token().starts_line() || at(TokenKind::Semicolon) || at(TokenKind::RightBrace) || at_end() || at_ >= extent_;
}

void Parser::end_statement(std::string_view item) {
  if (failed_ || ends_statement()) return;
  fail(format("{} separator (`;` or newline)", item));
}

Node* Parser::parse_statement() {
  Deeper deeper(*this);
  uint32_t start = this->start();
  if (failed_) return error_node(start);
  switch (kind()) {
    case TokenKind::KwLet:
    case TokenKind::KwVar: return parse_let(start, false);
    case TokenKind::KwConst: return parse_const(start, false);
    case TokenKind::KwFor: return parse_for();
    case TokenKind::KwWhile: return parse_while();
    case TokenKind::KwReturn: return parse_return();
    case TokenKind::KwThrow:
    case TokenKind::KwEmit:
    case TokenKind::KwYield:
    case TokenKind::KwBreak:
    case TokenKind::KwContinue:
    case TokenKind::KwDefer: return parse_keyword_statement();
    case TokenKind::KwGuard: return parse_guard();
    case TokenKind::KwRequire: return parse_require();
    case TokenKind::At: return parse_attributed();
    case TokenKind::KwPub: return parse_pub();
    case TokenKind::LeftBrace:
      if (kind(1) != TokenKind::RightBrace && !looks_like_dict() && !looks_like_closure(Place::Statement)) {
        return parse_block_statement();
      }
      return parse_expression_statement();
    default:
      if (starts_declaration()) return parse_declaration(start);
      return parse_expression_statement();
  }
}

// A keyword and at most one thing behind it.
Node* Parser::parse_keyword_statement() {
  uint32_t start = this->start();
  TokenKind word = kind();
  advance();
  switch (word) {
    case TokenKind::KwThrow: {
      auto* statement = node<Throw>(NodeKind::Throw, start);
      statement->value = parse_expression();
      return done(statement);
    }
    case TokenKind::KwEmit: {
      auto* statement = node<Emit>(NodeKind::Emit, start);
      statement->value = parse_expression();
      return done(statement);
    }
    case TokenKind::KwYield: {
      auto* statement = node<Yield>(NodeKind::Yield, start);
      if (!ends_statement()) statement->value = parse_expression();
      return done(statement);
    }
    case TokenKind::KwDefer: {
      auto* statement = node<Defer>(NodeKind::Defer, start);
      statement->body = parse_block("`defer`");
      return done(statement);
    }
    case TokenKind::KwBreak: return done(node<Break>(NodeKind::Break, start));
    default: return done(node<Continue>(NodeKind::Continue, start));
  }
}

Node* Parser::parse_block_statement() {
  uint32_t start = this->start();
  Block* block = parse_block("");
  if (!block->statements.empty() || failed_) return block;
  // `{}` is a dict wherever it stands, also when it is written `{ ; }`.
  return done(node<DictLiteral>(NodeKind::DictLiteral, start));
}

static AssignOp assign_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::PlusAssign: return AssignOp::Add;
    case TokenKind::MinusAssign: return AssignOp::Subtract;
    case TokenKind::StarAssign: return AssignOp::Multiply;
    case TokenKind::SlashAssign: return AssignOp::Divide;
    case TokenKind::PercentAssign: return AssignOp::Modulo;
    default: return AssignOp::Set;
  }
}

Node* Parser::parse_expression_statement() {
  uint32_t start = this->start();
  Node* expression = parse_expression();
  if (failed_ || kind() < TokenKind::Assign || kind() > TokenKind::PercentAssign) {
    return failed_ ? expression : natural_or(expression);
  }
  return finish_assign(expression, start);
}

// What an invalid target is called; empty when it is a valid one.
static std::string_view invalid_target(const Node* target) {
  switch (target->kind) {
    case NodeKind::Identifier: return {};
    case NodeKind::Member: return target->as<Member>().optional ? "an optional access" : "";
    case NodeKind::Index: return target->as<Index>().optional ? "an optional access" : "";
    case NodeKind::Call:
    case NodeKind::MethodCall: return "the result of a call";
    case NodeKind::Slice: return "a slice";
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString: return "a literal";
    case NodeKind::ListLiteral:
    case NodeKind::DictLiteral: return "a literal; destructuring needs `let` or `var`";
    case NodeKind::Broken: return {};
    default: return "this expression";
  }
}

Node* Parser::finish_assign(Node* target, uint32_t start) {
  auto* statement = node<Assign>(NodeKind::Assign, start);
  std::string_view bad = invalid_target(target);
  if (!bad.empty()) {
    report(diag::Code::InvalidAssignTarget, target->span, bad);
    failed_ = true;
  }
  statement->target = target;
  statement->op = assign_op(kind());
  advance();
  statement->value = parse_expression();
  return done(statement);
}

Node* Parser::parse_let(uint32_t start, bool is_pub) {
  auto* let = node<Let>(NodeKind::Let, start);
  let->is_pub = is_pub;
  let->is_var = at(TokenKind::KwVar);
  advance();
  let->pattern = parse_pattern(false);
  if (accept(TokenKind::Colon)) let->type = parse_type();
  if (!failed_ && !at(TokenKind::Assign)) {
    auto report = fail(let->type ? "`=` after the type" : "`=` after the name");
    if (at_end() || token().starts_line()) report.help("a binding needs a value, such as `= nil`");
  }
  accept(TokenKind::Assign);
  let->value = parse_expression();
  return done(let);
}

Node* Parser::parse_const(uint32_t start, bool is_pub) {
  auto* statement = node<Const>(NodeKind::Const, start);
  statement->is_pub = is_pub;
  advance();
  statement->name = expect_declared("a name after `const`");
  if (accept(TokenKind::Colon)) statement->type = parse_type();
  expect(TokenKind::Assign, "`=` and the value of the constant");
  statement->value = parse_expression();
  return done(statement);
}

Node* Parser::parse_for() {
  auto* loop = node<For>(NodeKind::For, start());
  advance();
  loop->pattern = parse_pattern(true);
  expect(TokenKind::KwIn, "`in` after the loop variable");
  loop->iterable = parse_condition();
  loop->body = parse_block("the value to loop over");
  return done(loop);
}

Node* Parser::parse_while() {
  auto* loop = node<While>(NodeKind::While, start());
  advance();
  loop->condition = parse_condition();
  loop->body = parse_block("the condition");
  return done(loop);
}

Node* Parser::parse_return() {
  auto* statement = node<Return>(NodeKind::Return, start());
  advance();
  if (!ends_statement()) statement->value = parse_expression();
  return done(statement);
}

Node* Parser::parse_guard() {
  auto* guard = node<Guard>(NodeKind::Guard, start());
  advance();
  guard->condition = parse_condition();
  expect(TokenKind::KwElse, "`else` after the guard's condition");
  guard->else_block = parse_block("`else`");
  return done(guard);
}

Node* Parser::parse_require() {
  auto* require = node<Require>(NodeKind::Require, start());
  advance();
  require->condition = parse_expression();
  if (accept(TokenKind::Comma)) require->message = parse_expression();
  return done(require);
}

}  // namespace harn::syntax
