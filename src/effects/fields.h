#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vm/objects.h"

// Requests and answers as values, and so as bytes, for tapes.
//
// A struct lists its fields once, and is written and read by the same list:
//
//   struct Line {
//     std::string text;
//     bool is_end = false;
//     template <class Visitor> void fields(Visitor& visit) { visit(text), visit(is_end); }
//   };
//
// It becomes a list of its fields: numbers are ints, texts are bytes, structs and vectors are lists, values of programs
// (plain data, without structs and enums of a program) are themselves. How a list becomes
// bytes is not known here (data/encoding.h).
namespace harn::effects {

template <class T, class Visitor>
concept HasFields = requires(T& value, Visitor& visitor) {
  value.fields(visitor);
};

class SharedSecrets;
std::string hidden(SharedSecrets& secrets, const std::string& text);
vm::Value hidden(SharedSecrets& secrets, const vm::Value& value);

class FieldWriter {
 public:
  // Texts are written without the secrets, if there are any.
  explicit FieldWriter(SharedSecrets* secrets) : secrets_(secrets) {}

  template <class T>
  vm::Value value_of(T& value) {
    if constexpr (HasFields<T, FieldWriter>) {
      FieldWriter inner(secrets_);
      value.fields(inner);
      return std::move(inner.list_);
    } else if constexpr (std::is_enum_v<T> || std::integral<T>) {
      return vm::Value::integer(static_cast<int64_t>(value));
    } else if constexpr (std::same_as<T, std::string>) {
      return vm::new_bytes(secrets_ ? hidden(*secrets_, value) : value);
    } else if constexpr (std::same_as<T, vm::Value>) {
      return secrets_ ? hidden(*secrets_, value) : value;
    } else {
      return items(value);
    }
  }

  template <class T>
  void operator()(T& value) {
    list_->push(value_of(value));
  }

 private:
  template <class T>
  vm::Value items(std::vector<T>& values) {
    auto list = vm::new_list(values.size());
    for (T& value : values) list->push(value_of(value));
    return list;
  }

  SharedSecrets* secrets_;
  vm::Ref<vm::ListObject> list_ = vm::new_list();
};

// What was not written by the same list of fields is noticed, and gives `failed`.
class FieldReader {
 public:
  bool failed = false;

  template <class T>
  void read(const vm::Value& from, T& value) {
    if constexpr (HasFields<T, FieldReader>) {
      FieldReader inner;
      if (!take(from, vm::Kind::List)) return;
      inner.list_ = from.as_list();
      value.fields(inner);
      failed |= inner.failed || inner.next_ != inner.list_->size;
    } else if constexpr (std::is_enum_v<T> || std::integral<T>) {
      if (take(from, vm::Kind::Int)) value = static_cast<T>(from.as_int());
    } else if constexpr (std::same_as<T, std::string>) {
      if (take(from, vm::Kind::Bytes)) value = from.as_bytes()->view();
    } else if constexpr (std::same_as<T, vm::Value>) {
      value = from;
    } else {
      items(from, value);
    }
  }

  template <class T>
  void operator()(T& value) {
    if (next_ < list_->size) read(list_->items[next_++], value);
    else failed = true;
  }

 private:
  bool take(const vm::Value& from, vm::Kind kind) {
    failed |= !from.is(kind);
    return from.is(kind);
  }
  template <class T>
  void items(const vm::Value& from, std::vector<T>& values) {
    if (!take(from, vm::Kind::List)) return;
    values.clear();
    for (const vm::Value& item : from.as_list()->values()) read(item, values.emplace_back());
  }

  const vm::ListObject* list_ = nullptr;
  size_t next_ = 0;
};

// fields.cpp
std::string encoded(const vm::Value& fields);
vm::Value decoded(std::string_view bytes);  // Unset when they are none

template <class T>
std::string to_bytes(T value, SharedSecrets* secrets = nullptr) {
  return encoded(FieldWriter(secrets).value_of(value));
}

template <class T>
bool from_bytes(std::string_view bytes, T& value) {
  FieldReader reader;
  reader.read(decoded(bytes), value);
  return !reader.failed;
}

}  // namespace harn::effects
