#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

// Requests and answers as bytes, for tapes.
//
// A struct lists its fields once, and is written and read by the same list:
//
//   struct Line {
//     std::string text;
//     bool is_end = false;
//     template <class Visitor> void fields(Visitor& visit) { visit(text), visit(is_end); }
//   };
namespace harn::effects {

template <class T, class Visitor>
concept HasFields = requires(T& value, Visitor& visitor) {
  value.fields(visitor);
};

class FieldWriter {
 public:
  std::string out;

  template <class T>
  void operator()(T& value) {
    if constexpr (HasFields<T, FieldWriter>) value.fields(*this);
    else if constexpr (std::is_enum_v<T> || std::integral<T>) number(static_cast<uint64_t>(value));
    else if constexpr (std::same_as<T, std::string>) text(value);
    else items(value);
  }

 private:
  void number(uint64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    out += value;
  }
  template <class T>
  void items(std::vector<T>& values) {
    number(values.size());
    for (T& value : values) (*this)(value);
  }
};

// What was not written by the same list of fields is noticed, and gives `failed`.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  bool failed = false;
  bool is_at_end() const { return rest_.empty(); }

  template <class T>
  void operator()(T& value) {
    if constexpr (HasFields<T, FieldReader>) value.fields(*this);
    else if constexpr (std::is_enum_v<T> || std::integral<T>) value = static_cast<T>(number());
    else if constexpr (std::same_as<T, std::string>) value = std::string(take(number()));
    else items(value);
  }

 private:
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) {
      failed = true;
      size = 0;
    }
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  uint64_t number() {
    uint64_t value = 0;
    std::string_view bytes = take(sizeof value);
    if (!failed) bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  template <class T>
  void items(std::vector<T>& values) {
    for (uint64_t left = number(); left > 0 && !failed; --left) (*this)(values.emplace_back());
  }

  std::string_view rest_;
};

template <class T>
std::string to_bytes(T value) {
  FieldWriter writer;
  writer(value);
  return std::move(writer.out);
}

template <class T>
bool from_bytes(std::string_view bytes, T& value) {
  FieldReader reader(bytes);
  reader(value);
  return !reader.failed && reader.is_at_end();
}

}  // namespace harn::effects
