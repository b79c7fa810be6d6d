#include "syntax/parser.h"

#include <algorithm>

namespace harn::syntax {

TypeNode* Parser::type_node(TypeKind kind, uint32_t start) {
  auto* type = tree_.arena.make<TypeNode>();
  type->id = new_id();
  type->kind = kind;
  type->span.start = start;
  return type;
}

List<const TypeNode*> Parser::one_type(const TypeNode* type) {
  return tree_.arena.copy(std::span<const TypeNode* const>(&type, 1));
}

TypeNode* Parser::parse_type() {
  Deeper deeper(*this);
  uint32_t start = this->start();
  TypeNode* first = parse_intersection_type();
  if (!at(TokenKind::Bar) || failed_) return first;
  ListBuilder<const TypeNode*> members(types_, tree_.arena);
  members.add(first);
  while (accept(TokenKind::Bar)) members.add(parse_intersection_type());
  auto* type = type_node(TypeKind::Union, start);
  type->items = members.finish();
  return done(type);
}

TypeNode* Parser::parse_intersection_type() {
  uint32_t start = this->start();
  TypeNode* first = parse_postfix_type();
  if (!at(TokenKind::Ampersand) || failed_) return first;
  ListBuilder<const TypeNode*> members(types_, tree_.arena);
  members.add(first);
  while (accept(TokenKind::Ampersand)) members.add(parse_postfix_type());
  auto* type = type_node(TypeKind::Intersection, start);
  type->items = members.finish();
  return done(type);
}

// Whether a `?` behind the type would add nothing.
static bool allows_nil(const TypeNode* type) {
  if (type->kind == TypeKind::Optional) return true;
  if (type->kind == TypeKind::Named) return type->name.text == "nil";
  if (type->kind != TypeKind::Union) return false;
  return std::any_of(type->items.begin(), type->items.end(), allows_nil);
}

TypeNode* Parser::parse_postfix_type() {
  uint32_t start = this->start();
  TypeNode* type = parse_primary_type();
  while (at(TokenKind::Question) && !token().starts_line() && !failed_) {
    advance();
    if (allows_nil(type)) continue;
    auto* optional = type_node(TypeKind::Optional, start);
    optional->items = one_type(type);
    type = done(optional);
  }
  return type;
}

TypeNode* Parser::parse_primary_type() {
  using enum TokenKind;
  uint32_t start = this->start();
  if (failed_) return done(type_node(TypeKind::Error, start));
  switch (kind()) {
    case Identifier:
    case KwNil: {
      auto* type = type_node(TypeKind::Named, start);
      type->name = take_name();
      if (at(Less) && !token().starts_line()) type->items = parse_type_args();
      return done(type);
    }
    case KwTrue:
    case KwFalse: {
      auto* type = type_node(TypeKind::BoolLiteral, start);
      type->number = at(KwTrue);
      advance();
      return done(type);
    }
    case String:
    case RawString: {
      auto* type = type_node(TypeKind::StringLiteral, start);
      type->text = string_value(token());
      advance();
      return done(type);
    }
    case Minus:
    case Int: {
      bool negative = accept(Minus);
      if (!at(Int)) break;
      auto* type = type_node(TypeKind::IntLiteral, start);
      type->number = parse_int(this->start(), negative)->as<IntLiteral>().value;
      return done(type);
    }
    case LeftBracket: {
      auto opener = static_cast<uint32_t>(at_);
      advance();
      auto* type = type_node(TypeKind::List, start);
      type->items = one_type(parse_type());
      expect_close(RightBracket, opener);
      return done(type);
    }
    case LeftParen: {
      auto opener = static_cast<uint32_t>(at_);
      advance();
      TypeNode* inner = parse_type();
      inner->parenthesized = true;
      expect_close(RightParen, opener);
      return inner;
    }
    case LeftBrace: return parse_shape_type();
    case KwFn: return parse_function_type();
    default: break;
  }
  auto report = fail("a type");
  if (at(QuestionQuestion)) report.help("one `?` makes a type optional");
  return done(type_node(TypeKind::Error, start));
}

// At `<`.
List<const TypeNode*> Parser::parse_type_args() {
  advance();
  ListBuilder<const TypeNode*> args(types_, tree_.arena);
  do {
    if (at(TokenKind::Greater) && !args.empty()) break;
    args.add(parse_type());
  } while (accept(TokenKind::Comma));
  accept_close_angle();
  return args.finish();
}

TypeNode* Parser::parse_function_type() {
  auto* type = type_node(TypeKind::Function, start());
  advance();
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftParen)) return done(type);
  ListBuilder<const TypeNode*> params(types_, tree_.arena);
  parse_comma_list(TokenKind::RightParen, opener, [&] { params.add(parse_type()); });
  type->items = params.finish();
  expect(TokenKind::Arrow, "`->` and the result type");
  type->result = parse_type();
  return done(type);
}

TypeNode* Parser::parse_shape_type() {
  auto* type = type_node(TypeKind::Shape, start());
  auto opener = static_cast<uint32_t>(at_);
  advance();
  ListBuilder<ShapeField> fields(shape_fields_, tree_.arena);
  ListBuilder<const TypeNode*> tails(types_, tree_.arena);
  parse_comma_list(TokenKind::RightBrace, opener, [&] {
    if (accept(TokenKind::Ellipsis)) {
      tails.add(parse_type());
      return;
    }
    ShapeField field{};
    if (at(TokenKind::String) || at(TokenKind::RawString)) {
      field.name = {string_value(token()), token().span()};
      field.quoted = true;
      advance();
    } else {
      field.name = expect_word("a field name");
    }
    field.optional = accept(TokenKind::Question);
    expect(TokenKind::Colon, "`:` after the field name");
    field.type = parse_type();
    fields.add(field);
  });
  type->row_tails = tails.finish();
  type->fields = fields.finish();
  return done(type);
}

}  // namespace harn::syntax
