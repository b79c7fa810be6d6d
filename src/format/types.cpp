#include "base/text.h"
#include "format/lists.h"

namespace harn::formatter {

using namespace syntax;

static bool is_nil(const TypeNode* type) { return type->kind == TypeKind::Named && type->name.text == "nil"; }

static bool is_compound(const TypeNode* type) {
  return type->kind == TypeKind::Union || type->kind == TypeKind::Intersection || type->kind == TypeKind::Function;
}

// `T | nil`, which is written `T?`.
static bool is_optional_union(const TypeNode* type) {
  if (type->kind != TypeKind::Union || type->items.size() != 2) return false;
  const TypeNode* inner = type->items[0];
  return is_nil(type->items[1]) && !is_nil(inner) && !is_compound(inner) && inner->kind != TypeKind::Optional;
}

void Printer::type_operand(const TypeNode* operand, bool parens) {
  if (parens) text("(");
  type(operand);
  if (parens) text(")");
}

void Printer::type(const TypeNode* value) {
  inner_comments(value->span.start);
  switch (value->kind) {
    case TypeKind::Named:
      text(value->name.text);
      types("<", value->items, ">");
      return;
    case TypeKind::List:
      text("[");
      type(value->items[0]);
      text("]");
      return;
    case TypeKind::Function:
      text("fn");
      comma_list(
          {"(", ")"}, value->items.size(),
          find_char(')', value->items.empty() ? value->span.start : value->items.back()->span.end, value->span.end),
          [&](size_t i) { return value->items[i]->span.start; }, [&](size_t i) { type(value->items[i]); });
      text(" -> ");
      type(value->result);
      return;
    case TypeKind::Shape: shape(value); return;
    case TypeKind::Union:
      if (is_optional_union(value)) {
        type(value->items[0]);
        text("?");
        return;
      }
      layout_.begin_group();
      for (size_t i = 0; i < value->items.size(); ++i) {
        const TypeNode* item = value->items[i];
        if (i > 0) {
          comments_before_link(item->span.start);
          layout_.line();
          text("| ");
        }
        bool parens = item->kind == TypeKind::Function || item->kind == TypeKind::Union;
        type_operand(item, parens && !is_optional_union(item));
      }
      layout_.end_group();
      return;
    case TypeKind::Intersection:
      layout_.begin_group();
      for (size_t i = 0; i < value->items.size(); ++i) {
        const TypeNode* item = value->items[i];
        if (i > 0) {
          comments_before_link(item->span.start);
          layout_.line();
          text("& ");
        }
        type_operand(item, is_compound(item) && !is_optional_union(item));
      }
      layout_.end_group();
      return;
    case TypeKind::Optional: {
      const TypeNode* inner = value->items[0];
      type_operand(inner, is_compound(inner));
      text("?");
      return;
    }
    case TypeKind::StringLiteral:
    case TypeKind::BoolLiteral: text(source(value->span)); return;
    case TypeKind::IntLiteral:
      if (value->number < 0) text("-");
      text(source({source_[value->span.start] == '-' ? value->span.end : value->span.start, value->span.end}));
      if (source_[value->span.start] == '-') {
        size_t digits = source_.find_first_of("0123456789", value->span.start);
        text(source_.substr(digits, value->span.end - digits));
      }
      return;
    case TypeKind::Error: return;
  }
}

// Fields and `...` tails in the order they were written.
void Printer::shape(const TypeNode* value) {
  size_t count = value->fields.size() + value->row_tails.size();
  size_t field = 0;
  size_t tail = 0;
  auto tail_is_next = [&] {
    if (field == value->fields.size()) return true;
    if (tail == value->row_tails.size()) return false;
    return value->row_tails[tail]->span.start < value->fields[field].name.span.start;
  };
  comma_list(
      {"{", "}"}, count, value->span.end - 1,
      [&](size_t) {
        return tail_is_next() ? value->row_tails[tail]->span.start : value->fields[field].name.span.start;
      },
      [&](size_t) {
        if (tail_is_next()) {
          text("...");
          type(value->row_tails[tail++]);
          return;
        }
        const ShapeField& item = value->fields[field++];
        key(item.name, item.quoted);
        text(item.optional ? "?: " : ": ");
        type(item.type);
      });
}

void Printer::types(std::string_view open, List<const TypeNode*> items, std::string_view close) {
  if (items.empty()) return;
  text(open);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text(", ");
    type(items[i]);
  }
  text(close);
}

void Printer::return_type(const TypeNode* value) {
  if (!value) return;
  text(" -> ");
  type(value);
}

}  // namespace harn::formatter
