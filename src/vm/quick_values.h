#pragma once

#include <bit>
#include <cstdint>

#include "vm/dict.h"
#include "vm/function.h"
#include "vm/ops.h"

// The short ways of the interpreter's loop: what is common, in line, and without calls. Everything they cannot do is
// left to functions elsewhere, which are marked cold so that these stay small. For interpreter.cpp alone.
namespace harn::vm {

namespace {

// Ints wrap around.
inline int64_t sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline double sum(double a, double b) { return a + b; }
inline double sum(double a, int64_t b) { return a + static_cast<double>(b); }
inline double difference(double a, double b) { return a - b; }
inline double product(double a, double b) { return a * b; }
// By something positive. Most numbers are small, and dividing those is quicker.
inline int64_t remainder(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) [[likely]]
    return static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
  return a % b;
}

inline Value as_value(int64_t number) { return Value::integer(number); }
inline Value as_value(double number) { return Value::number(number); }
// Into a place that holds no heap object.
inline void put(Value& to, int64_t number) { to.init_raw(Kind::Int, static_cast<uint64_t>(number)); }
inline void put(Value& to, double number) { to.init_raw(Kind::Float, std::bit_cast<uint64_t>(number)); }

// What the short ways read, or null where it takes more than a look. `own`: to be written to.
inline Value* item_at(const Value& object, const Value& key) {
  if (!object.is_list() || !key.is_int()) [[unlikely]]
    return nullptr;
  ListObject* list = object.as_list();
  auto at = static_cast<uint64_t>(key.as_int());
  return at < list->size ? list->items + at : nullptr;
}
inline Value* own_item_at(const Value& object, const Value& key) {
  return object.is_list() && object.is_unique() ? item_at(object, key) : nullptr;
}
inline Value* known_field(const Value& object, const InlineCache& cache) {
  if (!object.is(Kind::Dict) && !object.is(Kind::Struct)) [[unlikely]]
    return nullptr;
  DictObject* dict = object.as_dict();
  uint64_t key = cache.key();
  return cache_pointer(key) == dict->shape ? dict->slots() + (key & 0xFFFF) : nullptr;
}
inline Value* own_known_field(const Value& object, const InlineCache& cache) {
  return object.is_unique() ? known_field(object, cache) : nullptr;
}

// What the short ways in the loop leave over. Cold, so that the compiler puts the short ways in line.
#define HARN_COLD [[gnu::cold, gnu::noinline]]
HARN_COLD bool other_truth(const Value& value) { return truthy(value); }
HARN_COLD bool other_equal(const Value& a, const Value& b) { return equal(a, b); }
HARN_COLD bool other_less(const Value& a, const Value& b) { return less(a, b); }
HARN_COLD bool other_less_equal(const Value& a, const Value& b) { return less_equal(a, b); }

// Of a group of registers. Without a branch for each: what they hold differs from call to call.
inline bool any_heap(const Value* group) {
  constexpr auto kHeap = static_cast<uint8_t>(Kind::FirstHeap);
  static_assert(static_cast<uint8_t>(Kind::Count) <= 2 * kHeap && Prototype::kRegisterGroup == 4);
  auto kind = [&](uint32_t i) { return static_cast<uint8_t>(group[i].kind()); };
  return ((kind(0) | kind(1) | kind(2) | kind(3)) & kHeap) != 0;
}
inline void clear_group(Value* group) {
  for (uint32_t i = Prototype::kRegisterGroup; i-- > 0;) {
    if (group[i].is_heap()) group[i].set_nil();
  }
}

// The register or constant that an operand names.
template <class T>
inline T& register_at(T* first, uint32_t offset) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(first) + offset);
}

// The arguments of a call, one for each parameter.
// At least one.
inline bool are_numbers(const Value* arguments, uint32_t count) {
  static_assert(static_cast<uint8_t>(Kind::Int) < 4 && static_cast<uint8_t>(Kind::Float) < 4);
  auto kinds = static_cast<uint32_t>(arguments[0].kind());
  for (uint32_t i = 1; i < count; ++i) kinds |= static_cast<uint32_t>(arguments[i].kind());
  return kinds < 4;
}
[[gnu::noinline]] bool kinds_fit(const Prototype& callee, const Value* arguments, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!(callee.param_kinds[i] >> static_cast<unsigned>(arguments[i].kind()) & 1)) return false;
  }
  return true;
}

inline bool is_true(const Value& value) {
  if (value.is_bool()) [[likely]]
    return value.as_bool();
  return other_truth(value);
}

inline bool is_equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
  if (a.is_string() && b.is_string()) {
    return a.as_string() == b.as_string() || same_text(a.as_string(), b.as_string());
  }
  return other_equal(a, b);
}

inline bool text_less(const StringObject* a, const StringObject* b) {
  // One-character texts are compared all the time by scanners.
  if (a->size == 1 && b->size == 1) {
    return static_cast<uint8_t>(a->data()[0]) < static_cast<uint8_t>(b->data()[0]);
  }
  return a->view() < b->view();
}

inline bool is_less(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() < b.as_int();
  if (a.is_float() && b.is_float()) return a.as_float() < b.as_float();
  if (a.is_string() && b.is_string()) return text_less(a.as_string(), b.as_string());
  return other_less(a, b);
}

inline bool is_less_equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() <= b.as_int();
  if (a.is_float() && b.is_float()) return a.as_float() <= b.as_float();
  if (a.is_string() && b.is_string()) return !text_less(b.as_string(), a.as_string());
  return other_less_equal(a, b);
}

}  // namespace

}  // namespace harn::vm
