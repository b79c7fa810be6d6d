#include "syntax/parser.h"

#include <array>

#include "syntax/children.h"

namespace harn::syntax {

namespace {

// Binding strength of the operators that `parse_binary` reads; 0 is none.
struct Operator {
  int8_t precedence = 0;
  BinaryOp op = BinaryOp::Or;
  bool may_start_line = true;
};

enum Precedence : int8_t {
  kNone,
  kOr,
  kAnd,
  kEquality,
  kComparison,
  kAdditive,
  kCoalesce,
  kMultiplicative,
};

consteval std::array<Operator, 256> make_operators() {
  std::array<Operator, 256> table{};
  auto set = [&](TokenKind kind, Precedence precedence, BinaryOp op, bool may_start_line = true) {
    table[static_cast<uint8_t>(kind)] = {precedence, op, may_start_line};
  };
  set(TokenKind::OrOr, kOr, BinaryOp::Or);
  set(TokenKind::AndAnd, kAnd, BinaryOp::And);
  set(TokenKind::EqualEqual, kEquality, BinaryOp::Equal);
  set(TokenKind::NotEqual, kEquality, BinaryOp::NotEqual);
  set(TokenKind::Less, kComparison, BinaryOp::Less);
  set(TokenKind::Greater, kComparison, BinaryOp::Greater);
  set(TokenKind::LessEqual, kComparison, BinaryOp::LessEqual);
  set(TokenKind::GreaterEqual, kComparison, BinaryOp::GreaterEqual);
  set(TokenKind::KwIn, kComparison, BinaryOp::In, false);
  set(TokenKind::Plus, kAdditive, BinaryOp::Add);
  set(TokenKind::Minus, kAdditive, BinaryOp::Subtract, false);
  set(TokenKind::QuestionQuestion, kCoalesce, BinaryOp::Coalesce);
  set(TokenKind::Star, kMultiplicative, BinaryOp::Multiply);
  set(TokenKind::Slash, kMultiplicative, BinaryOp::Divide);
  set(TokenKind::Percent, kMultiplicative, BinaryOp::Modulo);
  return table;
}
constexpr auto kOperators = make_operators();

// A call or an index directly behind one of these would be a new statement's bracket. `last` is the
// token before the bracket; in parentheses they are values like any other.
bool ends_in_block(const Node* node, TokenKind last) { return last != TokenKind::RightParen && ends_in_block(*node); }

}  // namespace

bool ends_in_block(const Node& node) {
  switch (node.kind) {
    case NodeKind::Block:
    case NodeKind::If:
    case NodeKind::Match:
    case NodeKind::Try:
    case NodeKind::Retry:
    case NodeKind::Parallel:
    case NodeKind::Spawn:
    case NodeKind::Deadline:
    case NodeKind::Mutex:
    case NodeKind::Select:
    case NodeKind::CostRoute: return true;
    default: return false;
  }
}

Node* Parser::parse_expression() {
  Deeper deeper(*this);
  uint32_t start = this->start();
  if (failed_) return error_node(start);
  uint32_t outer_height = height_;
  height_ = 0;
  Node* left = parse_range();
  while (accept(TokenKind::Pipe)) {
    auto* pipe = node<Pipe>(NodeKind::Pipe, start);
    pipe->left = left;
    uint32_t outside = placeholders_;
    pipe->right = parse_range();
    pipe->has_placeholder = placeholders_ > outside;
    placeholders_ = outside;
    left = done(pipe);
    grow_chain();
  }
  height_ = std::max(height_, outer_height);
  return left;
}

// An expression that a block follows.
Node* Parser::parse_condition() {
  Context inner = context_;
  inner.brace_ends = true;
  WithContext context(*this, inner);
  return parse_expression();
}

Node* Parser::parse_range() {
  uint32_t start = this->start();
  Node* from = parse_ternary();
  if (!at(TokenKind::KwTo) || failed_) return from;
  if (token().starts_line() && context_.newlines_end) return from;
  advance();
  auto* range = node<Range>(NodeKind::Range, start);
  range->start = from;
  range->end = parse_ternary();
  range->exclusive = accept(TokenKind::KwExclusive);
  return done(range);
}

Node* Parser::parse_ternary() {
  uint32_t start = this->start();
  Node* condition = parse_binary(kOr);
  if (!at(TokenKind::Question) || failed_ || !is_ternary(token())) return condition;
  Deeper deeper(*this);
  if (failed_) return condition;
  advance();
  auto* ternary = node<Ternary>(NodeKind::Ternary, start);
  ternary->condition = condition;
  ++context_.pending_ternaries;
  ternary->then_value = parse_ternary();
  --context_.pending_ternaries;
  expect(TokenKind::Colon, "`:` of the `? :` expression");
  ternary->else_value = parse_ternary();
  return done(ternary);
}

Node* Parser::parse_binary(int lowest) {
  uint32_t start = this->start();
  uint32_t outer_height = height_;
  height_ = 0;
  Node* left = parse_unary();
  while (!failed_) {
    const Token& t = token();
    Operator found = kOperators[static_cast<uint8_t>(t.kind)];
    bool negated = false;
    if (found.precedence == kNone) {
      if (t.kind != TokenKind::Identifier || kind(1) != TokenKind::KwIn || text(t) != "not") break;
      found = {kComparison, BinaryOp::NotIn, false};
      negated = true;
    }
    if (found.precedence < lowest) break;
    if (t.starts_line() && context_.newlines_end && !found.may_start_line) break;
    auto* binary = node<Binary>(NodeKind::Binary, start);
    binary->op = found.op;
    binary->left = left;
    binary->op_span = negated ? cover(t.span(), token(1).span()) : t.span();
    advance();
    if (negated) advance();
    binary->right = parse_binary(found.precedence + 1);
    left = done(binary);
    grow_chain();
  }
  height_ = std::max(height_, outer_height);
  return left;
}

// `-9223372036854775808` is one literal, unless something binds the digits more tightly.
bool Parser::at_smallest_int() const {
  if (!at(TokenKind::Minus) || kind(1) != TokenKind::Int) return false;
  if (!(token(1).flags & Token::kIntMin)) return false;
  switch (kind(2)) {
    case TokenKind::StarStar:
    case TokenKind::Dot:
    case TokenKind::QuestionDot: return false;
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket: return token(2).starts_line();
    case TokenKind::Question: return token(2).after_space();
    default: return true;
  }
}

// Kept apart from its rare cases: it is part of every level of the parser's stack.
Node* Parser::parse_unary() {
  uint32_t start = this->start();
  switch (kind()) {
    case TokenKind::Not:
    case TokenKind::Minus: return parse_prefix();
    case TokenKind::KwTry:
      if (kind(1) == TokenKind::Star || kind(1) == TokenKind::StarStar) return parse_prefix();
      break;
    default: break;
  }
  Node* base = parse_postfix();
  if (!at(TokenKind::StarStar) || failed_) return base;
  return parse_power(base, start);
}

Node* Parser::parse_prefix() {
  uint32_t start = this->start();
  if (at_smallest_int()) {
    advance();
    return parse_int(start, true);
  }
  Deeper deeper(*this);
  if (failed_) return error_node(start);
  if (accept(TokenKind::KwTry)) {
    auto* rethrow = node<TryStar>(NodeKind::TryStar, start);
    expect(TokenKind::Star);
    rethrow->operand = parse_unary();
    return done(rethrow);
  }
  if (at_decrement()) {
    fail("an expression after `-`");
    return error_node(start);
  }
  auto* unary = node<Unary>(NodeKind::Unary, start);
  unary->op = at(TokenKind::Not) ? UnaryOp::Not : UnaryOp::Negate;
  advance();
  unary->operand = parse_unary();
  return done(unary);
}

// At `**`.
Node* Parser::parse_power(Node* base, uint32_t start) {
  Deeper deeper(*this);
  if (failed_) return base;
  auto* power = node<Binary>(NodeKind::Binary, start);
  power->op = BinaryOp::Power;
  power->left = base;
  power->op_span = token().span();
  advance();
  power->right = parse_unary();
  return done(power);
}

Node* Parser::parse_postfix() {
  uint32_t start = this->start();
  Node* primary = parse_primary();
  return parse_postfix_of(primary, start);
}

Node* Parser::parse_postfix_of(Node* result, uint32_t start) {
  uint32_t outer_height = height_;
  height_ = 0;
  while (Node* longer = failed_ ? nullptr : parse_postfix_part(result, start)) {
    result = longer;
    grow_chain();
  }
  height_ = std::max(height_, outer_height);
  return result;
}

// One more `.name`, `(args)`, `[index]` or `?`; null when there is none.
Node* Parser::parse_postfix_part(Node* object, uint32_t start) {
  const Token& t = token();
  switch (t.kind) {
    case TokenKind::Dot:
    case TokenKind::QuestionDot: return parse_member(object, start);
    case TokenKind::LeftParen:
      if (t.starts_line() || ends_in_block(object, tokens_[at_ - 1].kind)) return nullptr;
      return parse_call(object, start);
    case TokenKind::LeftBracket:
      if (t.starts_line() || ends_in_block(object, tokens_[at_ - 1].kind)) return nullptr;
      return parse_index(object, start, false);
    case TokenKind::Question: {
      if ((t.starts_line() && context_.newlines_end) || is_ternary(t)) return nullptr;
      advance();
      if (at(TokenKind::LeftBracket) && !token().starts_line()) {
        return parse_index(object, start, true);
      }
      auto* unwrap = node<TryUnwrap>(NodeKind::TryUnwrap, start);
      unwrap->operand = object;
      return done(unwrap);
    }
    case TokenKind::Less:
      if (t.after_space() || !object->is(NodeKind::Identifier)) return nullptr;
      return type_args_precede(TokenKind::LeftParen) ? parse_call(object, start) : nullptr;
    default: return nullptr;
  }
}

// At `(` or the `<` of type arguments.
Node* Parser::parse_call(Node* callee, uint32_t start) {
  auto* call = node<Call>(NodeKind::Call, start);
  call->callee = callee;
  if (at(TokenKind::Less)) call->type_args = parse_type_args();
  call->args = parse_args();
  return done(call);
}

Node* Parser::parse_member(Node* object, uint32_t start) {
  bool optional = at(TokenKind::QuestionDot);
  advance();
  Name name = expect_word(optional ? "a name after `?.`" : "a name after `.`");
  if (at(TokenKind::LeftParen) && !token().starts_line() && !failed_) {
    auto* call = node<MethodCall>(NodeKind::MethodCall, start);
    call->object = object;
    call->name = name;
    call->optional = optional;
    call->args = parse_args();
    return done(call);
  }
  auto* member = node<Member>(NodeKind::Member, start);
  member->object = object;
  member->name = name;
  member->optional = optional;
  return done(member);
}

// At `[`.
Node* Parser::parse_index(Node* object, uint32_t start, bool optional) {
  Deeper deeper(*this);
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  Node* first = nullptr;
  if (!at(TokenKind::Colon) || optional) first = parse_expression();
  if (!optional && accept(TokenKind::Colon)) {
    auto* slice = node<Slice>(NodeKind::Slice, start);
    slice->object = object;
    slice->start = first;
    if (!at(TokenKind::RightBracket)) slice->end = parse_expression();
    expect_close(TokenKind::RightBracket, opener);
    return done(slice);
  }
  auto* index = node<Index>(NodeKind::Index, start);
  index->object = object;
  index->index = first;
  index->optional = optional;
  expect_close(TokenKind::RightBracket, opener);
  return done(index);
}

// At `(`.
NodeList Parser::parse_args() {
  Deeper deeper(*this);
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  ListBuilder<const Node*> args(nodes_, tree_.arena);
  parse_comma_list(TokenKind::RightParen, opener, [&] { args.add(parse_arg()); });
  return args.finish();
}

Node* Parser::parse_arg() {
  uint32_t start = this->start();
  if (accept(TokenKind::Ellipsis)) {
    auto* spread = node<Spread>(NodeKind::Spread, start);
    spread->operand = parse_expression();
    return done(spread);
  }
  if (is_word(kind()) && kind(1) == TokenKind::Colon) {
    auto* named = node<NamedArgument>(NodeKind::NamedArgument, start);
    named->name = take_name();
    advance();
    named->value = parse_expression();
    return done(named);
  }
  return parse_expression();
}

}  // namespace harn::syntax
