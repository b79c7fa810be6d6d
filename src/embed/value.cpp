#include "harn/harn.h"

namespace harn::embed {

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

static const Value& nil() {
  static const Value nil;
  return nil;
}

const List& Value::items() const { return get_or<List>(); }
const Dict& Value::fields() const { return get_or<Dict>(); }

const Value& Value::operator[](std::string_view field) const {
  auto found = fields().find(std::string(field));
  return found == fields().end() ? nil() : found->second;
}

const Value& Value::operator[](size_t index) const { return index < items().size() ? items()[index] : nil(); }

bool Value::operator==(const Value& other) const { return data_ == other.data_; }

const Value& Arguments::operator[](size_t index) const { return index < values_.size() ? values_[index] : nil(); }

}  // namespace harn::embed
