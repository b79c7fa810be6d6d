#include "templates/values.h"

#include "base/text.h"
#include "vm/dict.h"
#include "vm/ops.h"

namespace harn::templates {

using vm::Value;

bool is_true(const Value& value) {
  if (value.is_string()) return !text::trim(value.as_string()->view()).empty();
  return vm::truthy(value);
}

Value part_of(const Value& value, const std::string& key) {
  if (!value.is_dict() && !value.is(vm::Kind::Struct)) return {};
  const Value* found = value.as_dict()->find(key);
  return found ? *found : Value();
}

Value part_of(const Value& value, int64_t index) {
  bool is_text = value.is_string();
  if (!is_text && !vm::is_list_like(value)) return {};
  auto size = static_cast<int64_t>(is_text ? value.as_string()->chars() : vm::list_size(value));
  if (index < 0) index += size;
  if (index < 0 || index >= size) return {};
  if (!is_text) return vm::list_item(value, static_cast<size_t>(index));
  const vm::StringObject* text = value.as_string();
  size_t at = text->char_offset(static_cast<size_t>(index));
  return vm::text_value(text->view().substr(at, text::char_size(text->view(), at)));
}

static bool is_number(const Value& value) { return value.is_int() || value.is_float(); }

bool holds(Comparison op, const Value& left, const Value& right) {
  if (op == Comparison::Equal) return vm::equal(left, right);
  if (op == Comparison::NotEqual) return !vm::equal(left, right);
  bool has_order = (is_number(left) && is_number(right)) || (left.is_string() && right.is_string());
  if (!has_order) return false;
  switch (op) {
    case Comparison::Less: return vm::less(left, right);
    case Comparison::LessEqual: return vm::less_equal(left, right);
    case Comparison::Greater: return vm::less(right, left);
    case Comparison::GreaterEqual: return vm::less_equal(right, left);
    case Comparison::Equal:
    case Comparison::NotEqual: break;
  }
  return false;
}

Value value_of(const Literal& literal) {
  struct {
    Value operator()(std::monostate) { return {}; }
    Value operator()(bool is_true) { return Value::boolean(is_true); }
    Value operator()(int64_t number) { return Value::integer(number); }
    Value operator()(double number) { return Value::number(number); }
    Value operator()(const std::string& text) { return vm::text_value(text); }
  } to_value;
  return std::visit(to_value, literal.value);
}

}  // namespace harn::templates
