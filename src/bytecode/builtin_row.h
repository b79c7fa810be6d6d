#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What both the compiler and the VM read in the row of a builtin.
namespace harn::bytecode {

// What a row says beside its signature.
enum class BuiltinFlags : uint8_t {
  None = 0,
  Constant = 1 << 0,  // a `const` may call it
  Acquires = 1 << 1,  // gives a permit that is released where the block of the call ends
  Property = 1 << 2,  // a method that `value.name` means too
  Template = 1 << 3,  // its first argument is the path of a template
};
constexpr bool has(BuiltinFlags flags, BuiltinFlags flag) {
  return (static_cast<uint8_t>(flags) & static_cast<uint8_t>(flag)) != 0;
}

// The signature of a builtin as its row writes it (syntax/signature.h): `<T>(items: list<T>, n?: int) -> T`, overloads
// separated by `; `. How many arguments it takes is known when the row is compiled; the rest of the text is read when
// somebody asks for the type (types/signature.h), never at start-up.
class Signature {
 public:
  static constexpr uint32_t kAnyNumber = UINT32_MAX;

  constexpr Signature() = default;
  constexpr Signature(const char* text) : Signature(std::string_view(text)) {}
  constexpr Signature(std::string_view text) : text_(text) {
    least_ = kAnyNumber;
    for (size_t at = 0; at < text.size();) {
      auto [least, most, end] = read_overload(text, at);
      least_ = least < least_ ? least : least_;
      most_ = most > most_ ? most : most_;
      at = end;
    }
    if (text.empty()) least_ = 0;
  }

  constexpr std::string_view text() const { return text_; }
  constexpr uint32_t least() const { return least_; }
  constexpr uint32_t most() const { return most_; }  // kAnyNumber: no limit
  constexpr bool takes(uint32_t count) const { return count >= least_ && count <= most_; }
  constexpr bool never_returns() const { return text_.ends_with("-> never"); }

  // The parameter number `index`, of the first overload that has so many; empty when none has, or when it takes all the
  // rest.
  std::string_view parameter_name(uint32_t index) const;
  // The names in the shape that it is written as, of the first overload that writes one; none when it may have any:
  // `options?: {max_bytes?: int, keys?: list}`.
  std::vector<std::string_view> field_names(uint32_t index) const;
  // For people: `first() -> T? or first(n: int) -> list<T>`.
  std::string shown(std::string_view name) const;
  // The same for messages: of shapes with many fields only the first.
  std::string brief(std::string_view name) const;

 private:
  struct Overload {
    uint32_t least = 0, most = 0;
    size_t end = 0;  // of its text: behind the `; `
  };
  struct Param {
    bool is_there = false, is_optional = false, is_rest = false, past_name = false;
  };

  // Commas outside of all brackets but the first separate parameters; `?` or `...` at a name is what matters here.
  static constexpr Overload read_overload(std::string_view text, size_t at) {
    Overload out;
    Param param;
    int depth = 0;
    bool in_params = false, had_params = false;
    for (; at < text.size(); ++at) {
      char c = text[at];
      if (c == '(' || c == '[' || c == '{' || c == '<') {
        if (depth++ > 0 || c != '(' || had_params) continue;
        in_params = had_params = true;
      } else if (c == ')' || c == ']' || c == '}' || (c == '>' && text[at - 1] != '-')) {
        if (--depth > 0 || !in_params || c != ')') continue;
        finish(param, out);
        in_params = false;
      } else if (depth == 0 && c == ';') {
        break;
      } else if (depth == 1 && in_params) {
        if (c == ',') finish(param, out);
        else read(c, param);
      }
    }
    out.end = at + 2;
    return out;
  }

  static constexpr void read(char c, Param& param) {
    if (c == ' ') return;
    param.is_there = true;
    param.past_name = param.past_name || c == ':';
    param.is_optional = param.is_optional || (c == '?' && !param.past_name);
    param.is_rest = param.is_rest || (c == '.' && !param.past_name);
  }

  static constexpr void finish(Param& param, Overload& out) {
    if (param.is_rest) {
      out.most = kAnyNumber;
    } else if (param.is_there) {
      ++out.most;
      if (!param.is_optional) out.least = out.most;
    }
    param = {};
  }

  std::string_view text_;
  uint32_t least_ = 0;
  uint32_t most_ = 0;
};

}  // namespace harn::bytecode
