#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "vm/ops.h"
#include "vm/value.h"

// What print forms are made of, for those who need a value's text without making a string of it.
namespace harn::vm {

// A number as a dict key, without making a string.
class IntText {
 public:
  explicit IntText(int64_t number) : size_(std::to_chars(text_, text_ + sizeof text_, number).ptr - text_) {}
  std::string_view view() const { return {text_, static_cast<size_t>(size_)}; }

 private:
  char text_[24];
  ptrdiff_t size_;
};

// Calls `use` with the dict key that a value stands for (its print form): the string itself, or a
// view of digits or of a print form that lives as long as the call.
template <class Use>
decltype(auto) with_key(const Value& key, Use use) {
  if (key.is_string()) return use(static_cast<const StringObject*>(key.as_string()));
  if (key.is_int()) return use(IntText(key.as_int()).view());
  std::string text = display(key);
  return use(std::string_view(text));
}

void append_int(std::string& out, int64_t number);
// The shortest digits that read back as the same number; `exponent` is that of the first digit.
struct FloatDigits {
  char digits[24];
  int count;
  int exponent;
  bool negative;
};
FloatDigits shortest_digits(double number);

}  // namespace harn::vm
