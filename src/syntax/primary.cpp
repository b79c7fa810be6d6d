#include "syntax/parser.h"

#include <charconv>

#include "syntax/strings.h"

namespace harn::syntax {

Node* Parser::parse_primary() {
  using enum TokenKind;
  uint32_t start = this->start();
  if (failed_) return error_node(start);
  switch (kind()) {
    case Identifier: return parse_identifier();
    case Int: return parse_int(start, false);
    case Float: return parse_float();
    case Duration: return parse_duration();
    case String:
    case RawString:
    case MultilineString: return parse_string();
    case StringOpen:
    case MultilineOpen: return parse_interpolated();
    case BrokenString:  // reported by the lexer; what follows may have been meant to be in it
      advance();
      failed_ = true;
      return error_node(start);
    case KwTrue:
    case KwFalse:
    case KwNil: return parse_word_literal();
    case LeftParen: return parse_parens();
    case LeftBracket: return parse_list();
    case LeftBrace: return parse_braces();
    case KwFn: return parse_fn_closure();
    case KwIf: return parse_if();
    case KwMatch: return parse_match();
    case KwTry: return parse_try();
    case KwRetry: return parse_retry();
    case KwParallel: return parse_parallel();
    case KwSpawn: return parse_spawn();
    case KwDeadline: return parse_deadline();
    case KwMutex: return parse_mutex();
    case KwSelect:
      if (kind(1) == LeftParen) return parse_identifier();
      return parse_select();
    case KwAskUser:
    case KwRequestApproval:
    case KwDualControl:
    case KwEscalateTo: return parse_human_call();
    default: return fail_expression();
  }
}

Node* Parser::fail_expression() {
  using enum TokenKind;
  uint32_t start = this->start();
  std::string expected = "an expression";
  if (at_ > 0) {
    TokenKind before = tokens_[at_ - 1].kind;
    bool is_operator = before >= Assign && before <= Ampersand;
    if (is_operator || before == KwIn || before == KwReturn || before == Comma || before == LeftParen ||
        before == KwIf || before == KwWhile || before == KwTo) {
      expected = format("an expression after `{}`", spelling(before));
    }
  }
  auto report = fail(expected);
  if (at(Less) && kind(1) == Less) {
    report.help("text of several lines is written between `\"\"\"`");
  }
  return error_node(start);
}

Node* Parser::parse_parens() {
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  Node* inner = parse_expression();
  expect_close(TokenKind::RightParen, opener);
  return inner;
}

// `true`, `false` or `nil`
Node* Parser::parse_word_literal() {
  uint32_t start = this->start();
  TokenKind word = kind();
  advance();
  if (word == TokenKind::KwNil) return done(node<NilLiteral>(NodeKind::NilLiteral, start));
  auto* literal = node<BoolLiteral>(NodeKind::BoolLiteral, start);
  literal->value = word == TokenKind::KwTrue;
  return done(literal);
}

Node* Parser::parse_identifier() {
  uint32_t start = this->start();
  std::string_view name = text(token());
  if (kind(1) == TokenKind::LeftBrace && !token(1).starts_line()) {
    if (name == "cost_route" && !context_.brace_ends) return parse_cost_route();
    if (name[0] >= 'A' && name[0] <= 'Z' && !context_.brace_ends) return parse_struct_literal();
  }
  if (kind(1) == TokenKind::Less && !token(1).after_space() && name[0] >= 'A' && name[0] <= 'Z' &&
      !context_.brace_ends) {
    ++at_;
    bool is_literal = type_args_precede(TokenKind::LeftBrace);
    --at_;
    if (is_literal) return parse_struct_literal();
  }
  advance();
  if (name == "_") ++placeholders_;
  auto* identifier = node<Identifier>(NodeKind::Identifier, start);
  identifier->name = name;
  return done(identifier);
}

Node* Parser::parse_int(uint32_t start, bool negative) {
  auto* literal = node<IntLiteral>(NodeKind::IntLiteral, start);
  const Token& t = token();
  uint64_t value = 0;
  for (char c : text(t)) value = value * 10 + static_cast<uint64_t>(c - '0');
  if (!negative && (t.flags & Token::kIntMin)) {
    report(diag::Code::NumberTooLarge, t.span(), text(t)).label("the largest integer is 9223372036854775807");
  }
  literal->value = static_cast<int64_t>(negative ? 0 - value : value);
  advance();
  return done(literal);
}

Node* Parser::parse_float() {
  auto* literal = node<FloatLiteral>(NodeKind::FloatLiteral, start());
  std::string_view digits = text(token());
  std::from_chars(digits.data(), digits.data() + digits.size(), literal->value);
  advance();
  return done(literal);
}

Node* Parser::parse_duration() {
  auto* literal = node<DurationLiteral>(NodeKind::DurationLiteral, start());
  std::string_view digits = text(token());
  uint64_t value = 0;
  size_t at = 0;
  for (; at < digits.size() && digits[at] >= '0' && digits[at] <= '9'; ++at) {
    value = value * 10 + static_cast<uint64_t>(digits[at] - '0');
  }
  uint64_t unit = 1;
  switch (digits[at]) {
    case 's': unit = 1000; break;
    case 'm': unit = digits.substr(at) == "ms" ? 1 : 60'000; break;
    case 'h': unit = 3'600'000; break;
    case 'd': unit = 86'400'000; break;
    case 'w': unit = 604'800'000; break;
  }
  literal->milliseconds = static_cast<int64_t>(value * unit);
  advance();
  return done(literal);
}

std::string_view Parser::string_value(const Token& t) {
  std::string_view raw = text(t);
  switch (t.kind) {
    case TokenKind::RawString: {
      size_t quote = raw.find('"');
      return raw.substr(quote + 1, raw.size() - 2 * quote - 1);
    }
    case TokenKind::MultilineString: {
      TextPiece piece{raw.substr(3, raw.size() - 6), {}};
      decode_multiline(tree_.arena, {&piece, 1});
      return piece.value;
    }
    case TokenKind::String: raw = raw.substr(1, raw.size() - 2); break;
    default: break;
  }
  return t.flags & Token::kHasEscape ? decode_escapes(tree_.arena, raw) : raw;
}

Node* Parser::string_node(const Token& t) {
  auto* literal = node<StringLiteral>(NodeKind::StringLiteral, t.start);
  literal->span.end = t.end;
  literal->value = string_value(t);
  literal->form = t.kind == TokenKind::RawString         ? StringForm::Raw
                  : t.kind == TokenKind::MultilineString ? StringForm::Multiline
                                                         : StringForm::Plain;
  return literal;
}

Node* Parser::parse_string() {
  Node* literal = string_node(token());
  advance();
  return literal;
}

Node* Parser::parse_interpolated() {
  Deeper deeper(*this);
  auto* string = node<InterpolatedString>(NodeKind::InterpolatedString, start());
  bool multiline = at(TokenKind::MultilineOpen);
  string->form = multiline ? StringForm::Multiline : StringForm::Plain;
  advance();
  WithContext context(*this, bracket_context());

  // Text and expressions take turns: piece 0, expression 0, piece 1, ... A piece may be empty.
  size_t first = pieces_.size();
  ListBuilder<const Node*> expressions(nodes_, tree_.arena);
  pieces_.push_back({});
  while (!failed_ && !at(TokenKind::StringClose)) {
    if (at(TokenKind::StringText)) {
      std::string_view raw = text(token());
      pieces_.back() = {raw, multiline ? raw : string_value(token()), token().span()};
      advance();
    } else if (accept(TokenKind::InterpOpen)) {
      expressions.add(parse_expression());
      expect(TokenKind::InterpClose, "`}` at the end of the interpolation");
      pieces_.push_back({});
    } else {
      fail("text or `${`");
    }
  }
  if (!failed_) advance();
  auto pieces = std::span(pieces_).subspan(first);
  if (multiline) decode_multiline(tree_.arena, pieces);

  size_t count = expressions.size();
  ListBuilder<const Node*> parts(nodes_, tree_.arena);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].value.empty()) {
      auto* part = node<StringLiteral>(NodeKind::StringLiteral, pieces[i].span.start);
      part->span = pieces[i].span;
      part->value = pieces[i].value;
      part->form = string->form;
      parts.add(part);
    }
    if (i < count) parts.add(expressions[i]);
  }
  string->parts = parts.finish();
  pieces_.resize(first);
  return done(string);
}

Node* Parser::parse_list() {
  Deeper deeper(*this);
  auto* list = node<ListLiteral>(NodeKind::ListLiteral, start());
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  ListBuilder<const Node*> items(nodes_, tree_.arena);
  parse_comma_list(TokenKind::RightBracket, opener, [&] {
    uint32_t start = this->start();
    if (accept(TokenKind::Ellipsis)) {
      auto* spread = node<Spread>(NodeKind::Spread, start);
      spread->operand = parse_expression();
      items.add(done(spread));
    } else {
      items.add(parse_expression());
    }
  });
  list->items = items.finish();
  return done(list);
}

// `{` where a value is expected.
Node* Parser::parse_braces() {
  if (kind(1) == TokenKind::RightBrace) return parse_dict();
  if (looks_like_closure(Place::Expression)) return parse_closure();
  if (looks_like_dict() || is_word(kind(1))) {
    bool shorthand = is_word(kind(1)) && kind(2) != TokenKind::Colon;
    if (!shorthand) return parse_dict();
  }
  uint32_t start = this->start();
  advance();
  fail_plainly("a dict entry or closure parameters")
      .help("a dict is `{key: value}`, a closure is `{ x -> ... }` or `{ -> ... }`");
  return error_node(start);
}

Node* Parser::parse_dict() {
  auto* dict = node<DictLiteral>(NodeKind::DictLiteral, start());
  ListBuilder<DictEntry> entries(entries_, tree_.arena);
  parse_dict_entries(entries);
  dict->entries = entries.finish();
  return done(dict);
}

// At `{`; reads through `}`.
void Parser::parse_dict_entries(ListBuilder<DictEntry>& entries) {
  Deeper deeper(*this);
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  while (!at_list_end(TokenKind::RightBrace)) {
    DictEntry entry{};
    bool good = parse_dict_entry(entry);
    entries.add(entry);
    if (!good || failed_ || at(TokenKind::RightBrace)) break;
    if (accept(TokenKind::Comma)) continue;
    if (at_end()) break;
    auto report = fail("`,` or `}`");
    if (is_word(kind()) || at(TokenKind::String)) report.fix(comma_fix());
    return;
  }
  expect_close(TokenKind::RightBrace, opener);
}

bool Parser::parse_dict_entry(DictEntry& entry) {
  if (accept(TokenKind::Ellipsis)) {
    entry.form = KeyForm::Spread;
    entry.value = parse_expression();
    return !failed_;
  }
  if (at(TokenKind::LeftBracket)) {
    auto opener = static_cast<uint32_t>(at_);
    advance();
    entry.form = KeyForm::Computed;
    entry.computed = parse_expression();
    expect_close(TokenKind::RightBracket, opener);
  } else if (is_word(kind())) {
    entry.form = KeyForm::Bare;
    entry.key = take_name();
  } else if (at(TokenKind::String) || at(TokenKind::RawString)) {
    entry.form = KeyForm::Quoted;
    entry.key = {string_value(token()), token().span()};
    advance();
  } else {
    auto report = fail("a key");
    if (at(TokenKind::StringOpen)) report.help("a computed key is in brackets: `[key]: value`");
    if (at(TokenKind::Int)) report.help("keys are strings; write the number in quotes");
    entry.value = error_node(start());
    return false;
  }
  expect(TokenKind::Colon, "`:` after the key");
  entry.value = parse_expression();
  return !failed_;
}

Node* Parser::parse_struct_literal() {
  auto* literal = node<StructLiteral>(NodeKind::StructLiteral, start());
  literal->name = take_name();
  if (at(TokenKind::Less)) literal->type_args = parse_type_args();
  ListBuilder<DictEntry> fields(entries_, tree_.arena);
  if (!failed_) parse_dict_entries(fields);
  literal->fields = fields.finish();
  return done(literal);
}

// `{ params -> body }`; the caller has seen that it is one.
Closure* Parser::parse_closure() {
  auto* closure = node<Closure>(NodeKind::Closure, start());
  auto opener = static_cast<uint32_t>(at_);
  Deeper deeper(*this);
  uint32_t outside = placeholders_;
  advance();
  bool takes_placeholder = false;
  {
    WithContext context(*this, bracket_context());
    ListBuilder<Param> params(params_, tree_.arena);
    while (!at_list_end(TokenKind::Arrow)) {
      params.add(parse_param());
      takes_placeholder |= params.back().name.text == "_";
      if (!accept(TokenKind::Comma)) break;
    }
    check_params(params);
    closure->params = params.finish();
  }
  expect(TokenKind::Arrow);
  auto* body = node<Block>(NodeKind::Block, previous_end());
  {
    WithContext context(*this, block_context());
    ListBuilder<const Node*> items(nodes_, tree_.arena);
    parse_statements(items, opener);
    body->statements = items.finish();
  }
  body->span.end = start() < body->span.start ? body->span.start : start();
  closure->body = body;
  expect_close(TokenKind::RightBrace, opener);
  if (takes_placeholder) placeholders_ = outside;
  return done(closure);
}

// `fn(params) -> type { body }`
Closure* Parser::parse_fn_closure() {
  auto* closure = node<Closure>(NodeKind::Closure, start());
  closure->fn_form = true;
  uint32_t outside = placeholders_;
  advance();
  closure->params = parse_params();
  if (accept(TokenKind::Arrow)) closure->return_type = parse_type();
  closure->body = parse_block("the parameters");
  for (const Param& param : closure->params) {
    if (param.name.text == "_") placeholders_ = outside;
  }
  return done(closure);
}

}  // namespace harn::syntax
