#include "syntax/parser.h"

namespace harn::syntax {

// ---- binding patterns ----

Pattern* Parser::parse_pattern(bool in_for) {
  auto* pattern = tree_.arena.make<Pattern>();
  pattern->span.start = start();
  auto opener = static_cast<uint32_t>(at_);
  if (failed_) {
    pattern->span.end = pattern->span.start;
    return pattern;
  }
  WithContext context(*this, bracket_context());
  if (accept(TokenKind::LeftBrace)) {
    pattern->kind = PatternKind::Dict;
    pattern->fields = parse_pattern_fields(PatternKind::Dict, TokenKind::RightBrace, opener);
  } else if (accept(TokenKind::LeftBracket)) {
    pattern->kind = PatternKind::List;
    pattern->fields = parse_pattern_fields(PatternKind::List, TokenKind::RightBracket, opener);
  } else if (in_for && accept(TokenKind::LeftParen)) {
    pattern->kind = PatternKind::Pair;
    pattern->fields = parse_pattern_fields(PatternKind::Pair, TokenKind::RightParen, opener);
    if (!failed_ && pattern->fields.size() != 2) {
      sink_.report(diag::Code::UnexpectedToken, tree_.source, span_from(pattern->span.start),
                   "two names in parentheses", pattern->fields.size());
    }
  } else {
    pattern->kind = PatternKind::Name;
    PatternField field{.id = new_id()};
    field.binding = expect_declared("a name or a pattern");
    pattern->fields = tree_.arena.copy(std::span<const PatternField>(&field, 1));
  }
  pattern->span = span_from(pattern->span.start);
  return pattern;
}

List<PatternField> Parser::parse_pattern_fields(PatternKind kind, TokenKind closer, uint32_t opener) {
  ListBuilder<PatternField> fields(pattern_fields_, tree_.arena);
  parse_comma_list(closer, opener, [&] { fields.add(parse_pattern_field(kind)); });
  for (size_t i = 0; i + 1 < fields.size(); ++i) {
    if (!fields[i].rest || failed_) continue;
    report(diag::Code::RestNotLast, fields[i].binding.span, fields[i].binding.text);
    break;
  }
  return fields.finish();
}

PatternField Parser::parse_pattern_field(PatternKind kind) {
  PatternField field{.id = new_id()};
  if (accept(TokenKind::Ellipsis)) {
    field.rest = true;
    field.binding = expect_declared("a name after `...`");
    return field;
  }
  if (kind == PatternKind::Dict) {
    bool quoted = at(TokenKind::String) || at(TokenKind::RawString);
    if (quoted) {
      field.key = {string_value(token()), token().span()};
      advance();
      expect(TokenKind::Colon, "`:` and a name for the value");
      field.binding = expect_declared("a name for the value");
    } else if (is_word(this->kind()) && this->kind(1) == TokenKind::Colon) {
      field.key = take_name();
      advance();
      field.binding = expect_declared("a name for the value");
    } else {
      field.binding = expect_declared("a field name");
      field.key = field.binding;
    }
  } else {
    field.binding = expect_declared("a name");
  }
  if (accept(TokenKind::Assign)) field.default_value = parse_expression();
  return field;
}

// ---- match patterns ----

MatchPattern* Parser::match_pattern(MatchPatternKind kind, uint32_t start) {
  auto* pattern = tree_.arena.make<MatchPattern>();
  pattern->id = new_id();
  pattern->kind = kind;
  pattern->span.start = start;
  return pattern;
}

static bool is_literal(const Node* value) {
  switch (value->kind) {
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::Broken: return true;
    case NodeKind::Unary: {
      const Unary& unary = value->as<Unary>();
      return unary.op == UnaryOp::Negate &&
             (unary.operand->is(NodeKind::IntLiteral) || unary.operand->is(NodeKind::FloatLiteral));
    }
    default: return false;
  }
}

MatchPattern* Parser::parse_match_pattern() {
  uint32_t start = this->start();
  MatchPattern* first = parse_single_pattern();
  if (!at(TokenKind::Bar) || failed_) return first;
  ListBuilder<const MatchPattern*> alternatives(patterns_, tree_.arena);
  alternatives.add(first);
  while (accept(TokenKind::Bar)) alternatives.add(parse_single_pattern());
  auto* pattern = match_pattern(MatchPatternKind::Or, start);
  pattern->items = alternatives.finish();
  for (const MatchPattern* item : pattern->items) {
    if (failed_ || (item->kind == MatchPatternKind::Value && is_literal(item->value))) continue;
    report(diag::Code::BadMatchPattern, item->span, "the alternatives of an or-pattern must be literals");
    break;
  }
  pattern->span = span_from(start);
  return pattern;
}

bool Parser::ends_pattern(TokenKind k) const {
  using enum TokenKind;
  return k == Arrow || k == KwIf || k == Bar || k == Comma || k == RightBracket || k == RightParen || k == Eof ||
         k == RightBrace;
}

MatchPattern* Parser::parse_single_pattern() {
  uint32_t start = this->start();
  Deeper deeper(*this);
  if (at(TokenKind::Identifier) && ends_pattern(kind(1)) && !failed_) {
    Name name = take_name();
    bool wildcard = name.text == "_";
    auto* pattern = match_pattern(wildcard ? MatchPatternKind::Wildcard : MatchPatternKind::Bind, start);
    if (!wildcard) pattern->name = name;
    pattern->span = name.span;
    return pattern;
  }
  if ((at(TokenKind::LeftBracket) || at(TokenKind::LeftBrace)) && !failed_) {
    uint32_t after = skip_bracket(static_cast<uint32_t>(at_));
    // `{}` is the value: it names no key, so it is compared.
    bool is_value = at(TokenKind::LeftBrace) && kind(1) == TokenKind::RightBrace;
    if (ends_pattern(tokens_[after].kind) && !is_value) {
      return at(TokenKind::LeftBrace) ? parse_dict_pattern() : parse_list_pattern();
    }
  }
  if (starts_variant() && !failed_) return parse_variant_pattern();
  auto* pattern = match_pattern(MatchPatternKind::Value, start);
  pattern->value = parse_expression();
  pattern->span = span_from(start);
  return pattern;
}

// `Enum.Variant`, `Enum.Variant(...)` or `Variant(...)`, and then the pattern's end.
bool Parser::starts_variant() const {
  if (!at(TokenKind::Identifier)) return false;
  char initial = text(token())[0];
  if (initial < 'A' || initial > 'Z') return false;
  auto after = static_cast<uint32_t>(at_ + 1);
  bool qualified = kind(1) == TokenKind::Dot && is_word(kind(2));
  if (qualified) after += 2;
  bool payload = tokens_[after].kind == TokenKind::LeftParen;
  if (payload) after = skip_bracket(after);
  return (qualified || payload) && ends_pattern(tokens_[after].kind);
}

MatchPattern* Parser::parse_dict_pattern() {
  auto* pattern = match_pattern(MatchPatternKind::Dict, start());
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  ListBuilder<Name> keys(names_, tree_.arena);
  ListBuilder<const MatchPattern*> items(patterns_, tree_.arena);
  parse_comma_list(TokenKind::RightBrace, opener, [&] {
    if (pattern->has_rest) report(diag::Code::RestNotLast, pattern->name.span, pattern->name.text);
    if (accept(TokenKind::Ellipsis)) {
      pattern->has_rest = true;
      pattern->name = expect_name("a name after `...`");
      return;
    }
    bool quoted = at(TokenKind::String) || at(TokenKind::RawString);
    if (quoted || (is_word(kind()) && kind(1) == TokenKind::Colon)) {
      keys.add(quoted ? Name{string_value(token()), token().span()} : take_name());
      if (quoted) advance();
      expect(TokenKind::Colon, "`:` and a pattern for the value");
      items.add(parse_match_pattern());
    } else {
      Name name = expect_name("a key");
      auto* bound = match_pattern(MatchPatternKind::Bind, name.span.start);
      bound->span = name.span;
      bound->name = name;
      keys.add(name);
      items.add(bound);
    }
  });
  pattern->items = items.finish();
  pattern->keys = keys.finish();
  pattern->span = span_from(pattern->span.start);
  return pattern;
}

MatchPattern* Parser::parse_list_pattern() {
  auto* pattern = match_pattern(MatchPatternKind::List, start());
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  ListBuilder<const MatchPattern*> items(patterns_, tree_.arena);
  parse_comma_list(TokenKind::RightBracket, opener, [&] {
    if (pattern->has_rest) report(diag::Code::RestNotLast, pattern->name.span, pattern->name.text);
    if (accept(TokenKind::Ellipsis)) {
      pattern->has_rest = true;
      pattern->name = expect_name("a name after `...`");
    } else {
      items.add(parse_match_pattern());
    }
  });
  pattern->items = items.finish();
  pattern->span = span_from(pattern->span.start);
  return pattern;
}

MatchPattern* Parser::parse_variant_pattern() {
  auto* pattern = match_pattern(MatchPatternKind::Variant, start());
  if (kind(1) == TokenKind::Dot) {
    auto* owner = node<Identifier>(NodeKind::Identifier, start());
    owner->name = text(token());
    advance();
    pattern->value = done(owner);
    advance();
  }
  pattern->name = take_name();
  auto opener = static_cast<uint32_t>(at_);
  if (accept(TokenKind::LeftParen)) {
    WithContext context(*this, bracket_context());
    pattern->has_payload = true;
    ListBuilder<const MatchPattern*> items(patterns_, tree_.arena);
    parse_comma_list(TokenKind::RightParen, opener, [&] { items.add(parse_match_pattern()); });
    pattern->items = items.finish();
  }
  pattern->span = span_from(pattern->span.start);
  return pattern;
}

}  // namespace harn::syntax
