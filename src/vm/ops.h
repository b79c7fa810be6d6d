#pragma once

#include <string>
#include <string_view>

#include "vm/error.h"
#include "vm/value.h"

// What the language can ask of any value. Operands of kinds that an operator is not for are an error of the program, in
// the Outcome; nothing here looks at the task, so it is for any thread that may use the values. Long ones call `step`
// (pace.h), by which a task that has to stop leaves them.
namespace harn::vm {

bool truthy(const Value& value);
// `==`. Int and float compare by number; closures are never equal.
bool equal(const Value& a, const Value& b);
// Structural identity for sets and `unique`: like equal, but int 1 and float 1.0 differ, and NaN is NaN.
bool same(const Value& a, const Value& b);
// -1, 0 or 1. Kinds without order compare as 0; so does NaN here (see less_than for operators).
int compare(const Value& a, const Value& b);
uint64_t hash(const Value& value);

// `type_of`.
std::string_view type_name(const Value& value);
// The print form: log, to_string, interpolation, join.
std::string display(const Value& value);
void display_to(std::string& out, const Value& value);
// The print form with strings as they would be written in a program.
std::string literal(const Value& value);
// The beginning of it, for messages; and of the print form.
std::string shown(const Value& value);
std::string shortened(const Value& value);
void append_float(std::string& out, double number);
// The key a value becomes in a dict: its print form.
Ref<StringObject> to_key(const Value& value);

// Binary operators on any operands; the interpreter handles int and float itself first.
Outcome<Value> add(Value a, const Value& b);  // reuses a's storage when it can
// The same in place. When it fails, or there is no memory, `a` is what it was.
Outcome<void> add_to(Value& a, const Value& b);
Outcome<Value> subtract(const Value& a, const Value& b);
Outcome<Value> multiply(const Value& a, const Value& b);
Outcome<Value> divide(const Value& a, const Value& b);
Outcome<Value> modulo(const Value& a, const Value& b);
Outcome<Value> power(const Value& a, const Value& b);
Outcome<Value> negate(const Value& a);
bool contains(const Value& collection, const Value& item);  // `item in collection`
bool less(const Value& a, const Value& b);                  // a < b, false with NaN
bool less_equal(const Value& a, const Value& b);            // a <= b

// x[i], x.name, x[a:b] reads.
// `start to end`; fails when an end is no int, or the size does not fit one.
Outcome<Value> range_between(const Value& start, const Value& end, bool inclusive);
// The place of an item in a range, or -1. Equality is `==`, so 2.0 is found in 1 to 3.
int64_t place_in_range(const RangeObject* range, const Value& item);

Outcome<Value> index(const Value& object, const Value& key);
// Shortens the object itself when nobody else needs it.
Outcome<Value> slice(Value object, const Value& start, const Value& end);

}  // namespace harn::vm
