#pragma once

#include <string>
#include <string_view>

#include "data/format_error.h"
#include "vm/value.h"

// JSON text from values and back, for everybody who needs it.
namespace harn::data {

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// The same without the quotes.
void append_json_content(std::string& out, std::string_view text);

// How a program gets from a dict to the value of a key: `.name`, `["a key"]`.
void append_key_path(std::string& path, std::string_view key);

// Appends the value as JSON; `indent` > 0 spreads it over lines. Fails when it nests too deeply or
// grows too large; `out` is then unusable.
Written append_json(std::string& out, const vm::Value& value, int indent = 0);

// Why a part of a value is in no text, and where it is.
struct JsonRefusal {
  std::string path;  // ".items[3]"; empty: the value itself
  std::string why;   // "is NaN, which JSON cannot hold"
  ErrorKind kind = ErrorKind::Invalid;
};

// Decides about the parts that JSON would change without a word.
class JsonRule {
 public:
  enum class Verdict : uint8_t {
    Usual,    // as `append_json` has it, parts and all
    Written,  // the rule has appended it to `out`
    Refused,  // and says why; a path in it begins at the part
  };
  virtual ~JsonRule() = default;
  virtual Verdict decide(std::string& out, const vm::Value& part, JsonRefusal& refusal) = 0;
};

// The same, where each part is up to the rule.
std::expected<void, JsonRefusal> append_json(std::string& out, const vm::Value& value, JsonRule& rule, int indent = 0);

// Nesting that `parse_json` accepts.
constexpr size_t kMaxJsonDepth = 1000;

// The value of a JSON document, read exactly as RFC 8259 has it.
//
// One reader of our own, on purpose: a library that is twice as fast (simdjson) comes as a shared
// object only, and loading that costs every run of `harn` more than most programs spend on JSON.
// The fuzzer compares the two.
Parsed<vm::Value> parse_json(std::string_view text);

// The part of `text` that looks like JSON: the first fenced block, else the first balanced
// brackets, else all of it.
std::string_view find_json(std::string_view text);

}  // namespace harn::data
