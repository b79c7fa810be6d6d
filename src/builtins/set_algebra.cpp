#include "builtins/set_algebra.h"

#include <algorithm>

#include "vm/pace.h"

namespace harn::builtins {

using namespace vm;

Value numeric_twin(const Value& number) {
  if (number.is_int()) return Value::number(number.as_number());
  if (!number.is_float()) return Value();
  double value = number.as_float();
  if (!(value >= -0x1p63 && value < 0x1p63)) return Value();
  auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? Value::integer(whole) : Value();
}

bool holds(const SetObject& set, const Value& item, Match match) {
  if (set.contains(item)) return true;
  if (match == Match::Structure || !item.is_number()) return false;
  Value twin = numeric_twin(item);
  return !twin.is_nil() && set.contains(twin);
}

bool holds_all(const SetObject& set, const SetObject& items, Match match) {
  auto values = items.values();
  return std::all_of(values.begin(), values.end(),
                     [&](const Value& item) { step(); return holds(set, item, match); });
}

bool holds_any(const SetObject& set, const SetObject& items, Match match) {
  auto values = items.values();
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& item) { step(); return holds(set, item, match); });
}

// Adds the items of `from` whose presence in `other` is as wanted.
static void add_where(SetObject& to, const SetObject& from, const SetObject& other, bool wanted,
                      Match match) {
  for (const Value& item : from.values()) {
    step();
    if (holds(other, item, match) == wanted) to.insert(item);
  }
}

Value set_union(const SetObject& a, const SetObject& b, Match match) {
  auto out = new_set();
  for (const Value& item : a.values()) {
    step();
    out->insert(item);
  }
  add_where(*out, b, a, false, match);
  return out;
}

Value intersection(const SetObject& a, const SetObject& b, Match match) {
  auto out = new_set();
  add_where(*out, a, b, true, match);
  return out;
}

Value difference(const SetObject& a, const SetObject& b, Match match) {
  auto out = new_set();
  add_where(*out, a, b, false, match);
  return out;
}

Value symmetric_difference(const SetObject& a, const SetObject& b, Match match) {
  auto out = new_set();
  add_where(*out, a, b, false, match);
  add_where(*out, b, a, false, match);
  return out;
}

}  // namespace harn::builtins
