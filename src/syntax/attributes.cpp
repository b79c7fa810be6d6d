#include "syntax/parser.h"

namespace harn::syntax {

// Whether the strings in the body of what comes next may be Natural blocks.
bool Parser::parse_attributes(ListBuilder<Attribute>& attributes) {
  bool is_natural = false;
  while (at(TokenKind::At) && !failed_) {
    attributes.add(parse_attribute());
    is_natural |= attributes.back().name.text == "natural_function";
  }
  return is_natural;
}

Node* Parser::parse_attributed() {
  uint32_t start = this->start();
  ListBuilder<Attribute> attributes(attributes_, tree_.arena);
  bool is_natural = parse_attributes(attributes);
  if (failed_) return error_node(start);
  bool is_pub = at(TokenKind::KwPub);
  if (is_pub) advance();
  if (starts_declaration() && !at(TokenKind::KwImport)) {
    // Of an `impl` each method has the attribute, or has not.
    next_is_natural_ = is_natural && !at(TokenKind::KwImpl);
    Declaration* decl = parse_declaration(start);
    decl->is_pub = is_pub;
    decl->attributes = attributes.finish();
    return decl;
  }
  if (at_end()) {
    fail("a declaration after the attribute");
    return error_node(start);
  }
  report(diag::Code::BadAttributeTarget, attributes.back().span, describe(token()));
  if (is_pub) --at_;
  return parse_statement();
}

// At `@`.
Attribute Parser::parse_attribute() {
  Attribute attribute{};
  uint32_t start = this->start();
  advance();
  attribute.name = expect_word("an attribute name after `@`");
  auto opener = static_cast<uint32_t>(at_);
  if (!token().starts_line() && accept(TokenKind::LeftParen)) {
    WithContext context(*this, bracket_context());
    ListBuilder<AttributeArg> args(attribute_args_, tree_.arena);
    parse_comma_list(TokenKind::RightParen, opener, [&] { args.add(parse_attribute_arg()); });
    attribute.args = args.finish();
  }
  attribute.span = span_from(start);
  return attribute;
}

AttributeArg Parser::parse_attribute_arg() {
  AttributeArg arg{};
  if (is_word(kind()) && kind(1) == TokenKind::Colon) {
    arg.name = take_name();
    advance();
  }
  arg.value = parse_attribute_value();
  return arg;
}

AttributeValue* Parser::parse_attribute_value() {
  using enum TokenKind;
  Deeper deeper(*this);
  auto* value = tree_.arena.make<AttributeValue>();
  value->span = {start(), start()};
  if (failed_) return value;
  switch (kind()) {
    case String:
    case RawString:
    case MultilineString:
      value->kind = AttributeValueKind::String;
      value->text = string_value(token());
      advance();
      break;
    case Int:
    case Float:
    case Minus: return parse_attribute_number();
    case KwTrue:
    case KwFalse:
      value->kind = AttributeValueKind::Bool;
      value->integer = at(KwTrue);
      advance();
      break;
    case KwNil:
      value->kind = AttributeValueKind::Nil;
      advance();
      break;
    case LeftBracket:
      value->kind = AttributeValueKind::List;
      parse_attribute_values(value, RightBracket);
      break;
    case LeftBrace:
      value->kind = AttributeValueKind::Dict;
      parse_attribute_dict(value);
      break;
    default:
      if (is_word(kind())) return parse_attribute_symbol();
      fail("an attribute value").help("attributes take literals, names, lists and dicts");
      break;
  }
  value->span = span_from(value->span.start);
  return value;
}

AttributeValue* Parser::parse_attribute_number() {
  auto* value = tree_.arena.make<AttributeValue>();
  uint32_t start = this->start();
  bool negative = accept(TokenKind::Minus);
  value->kind = AttributeValueKind::Int;
  if (at(TokenKind::Int)) {
    value->integer = parse_int(this->start(), negative)->as<IntLiteral>().value;
  } else if (at(TokenKind::Float)) {
    value->kind = AttributeValueKind::Float;
    value->number = parse_float()->as<FloatLiteral>().value;
    if (negative) value->number = -value->number;
  } else {
    fail("a number after `-`");
  }
  value->span = span_from(start);
  return value;
}

// `a.b.c` or `a.b(value, ...)`
AttributeValue* Parser::parse_attribute_symbol() {
  auto* value = tree_.arena.make<AttributeValue>();
  uint32_t start = this->start();
  value->kind = AttributeValueKind::Symbol;
  std::string name(take_name().text);
  while (accept(TokenKind::Dot)) {
    name += '.';
    name += expect_word("a name after `.`").text;
  }
  uint32_t end = previous_end();
  std::string_view written = text_.substr(start, end - start);
  value->text = written == name ? written : tree_.arena.copy(std::string_view(name));
  if (at(TokenKind::LeftParen) && !failed_) {
    value->kind = AttributeValueKind::Call;
    parse_attribute_values(value, TokenKind::RightParen);
  }
  value->span = span_from(start);
  return value;
}

void Parser::parse_attribute_values(AttributeValue* value, TokenKind closer) {
  auto opener = static_cast<uint32_t>(at_);
  advance();
  ListBuilder<const AttributeValue*> items(attribute_values_, tree_.arena);
  parse_comma_list(closer, opener, [&] { items.add(parse_attribute_value()); });
  value->items = items.finish();
}

void Parser::parse_attribute_dict(AttributeValue* value) {
  auto opener = static_cast<uint32_t>(at_);
  advance();
  ListBuilder<Name> keys(names_, tree_.arena);
  ListBuilder<const AttributeValue*> items(attribute_values_, tree_.arena);
  parse_comma_list(TokenKind::RightBrace, opener, [&] {
    if (at(TokenKind::String) || at(TokenKind::RawString)) {
      keys.add({string_value(token()), token().span()});
      advance();
    } else {
      keys.add(expect_word("a key"));
    }
    expect(TokenKind::Colon, "`:` after the key");
    items.add(parse_attribute_value());
  });
  value->keys = keys.finish();
  value->items = items.finish();
}

}  // namespace harn::syntax
