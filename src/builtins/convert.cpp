#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "vm/aside.h"
#include "vm/channel.h"
#include "vm/handle.h"
#include "vm/long_text.h"

// Conversion between kinds, and questions about a value.
namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> type_of(Call& call) { return text_value(type_name(call.arg(0))); }
Outcome<Value> to_string(Call& call) { return to_key(call.arg(0)); }

// ---- numbers ----

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T number = 0;
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  }
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if constexpr (std::is_floating_point_v<T>) {
    // Too large or too small for a float is infinity or zero, not a bad number.
    if (error == std::errc::result_out_of_range) {
      number = strtod(std::string(text).c_str(), nullptr);
      error = {};
    }
  }
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class T>
std::optional<T> number_in(const Value& value) {
  if (!value.is_string()) return std::nullopt;
  auto text = value.as_string()->view();
  return read_aside(value, [text] { return parse_number<T>(text); });
}

int64_t truncate(double number) {
  if (std::isnan(number)) return 0;
  if (number >= 9223372036854775808.0) return INT64_MAX;
  if (number <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(number);
}

Outcome<Value> to_int(Call& call) {
  const Value& value = call.arg(0);
  if (value.is_int()) return value;
  if (value.is_float()) return Value::integer(truncate(value.as_float()));
  if (value.is_bool()) return Value::integer(value.as_bool());
  auto number = number_in<int64_t>(value);
  return number ? Value::integer(*number) : Value();
}

Outcome<Value> to_float(Call& call) {
  const Value& value = call.arg(0);
  if (value.is_number()) return Value::number(value.as_number());
  auto number = number_in<double>(value);
  return number ? Value::number(*number) : Value();
}

// ---- collections ----

Outcome<Value> to_list(Call& call) {
  const Value& value = call.arg(0);
  if (is_list_like(value)) return call.take(0);
  if (value.is(Kind::Set)) return set_items(value.as_set());
  return new_list(std::span(&value, 1));
}

Outcome<Value> len(Call& call) {
  const Value& value = call.arg(0);
  switch (value.kind()) {
    case Kind::String: return Value::integer(value.as_string()->chars());
    case Kind::Bytes: return Value::integer(static_cast<int64_t>(value.as_bytes()->size));
    case Kind::List:
    case Kind::Range: return Value::integer(static_cast<int64_t>(list_size(value)));
    case Kind::Dict:
    case Kind::Struct: return Value::integer(static_cast<int64_t>(value.as_dict()->size()));
    case Kind::Set: return Value::integer(static_cast<int64_t>(value.as_set()->size));
    default: return Value::integer(0);
  }
}

Outcome<Value> chars(Call& call) {
  auto text = HARN_TRY(call.text(0));
  size_t count = call.arg(0).as_string()->chars();
  if (count > kMaxListSize) return runtime_error(ErrorKind::Limit, "list too large");
  auto list = new_list(count);
  for (size_t at = 0; at < text.size();) {
    step();
    size_t size = text::char_size(text, at);
    list->push(char_string(text.substr(at, size)));
    at += size;
  }
  return list;
}

Outcome<Value> range(Call& call) {
  if (call.count() == 1) {
    if (!call.arg(0).is_int()) return type_error("range(n): expected integer argument");
    return range_between(Value::integer(0), call.arg(0), false);
  }
  if (!call.arg(0).is_int() || !call.arg(1).is_int()) {
    return type_error("range(a, b): expected integer arguments");
  }
  return range_between(call.arg(0), call.arg(1), false);
}

Outcome<Value> iter(Call& call) {
  switch (call.arg(0).kind()) {
    case Kind::Iter: return call.take(0);
    case Kind::List:
    case Kind::Range:
    case Kind::Dict:
    case Kind::Set:
    case Kind::String:
    case Kind::Generator: return new_iter(call.take(0));
    default: break;
  }
  if (as_channel(call.arg(0))) return new_iter(call.take(0));
  return type_error("iter: value of type {} is not iterable", type_name(call.arg(0)));
}

// How often `retry count { }` may run its body.
Outcome<Value> retry_count(Call& call) {
  if (call.arg(0).is_int()) return call.take(0);
  return type_error("`retry` needs an int, got {}", type_name(call.arg(0)));
}

Outcome<Value> pair(Call& call) { return new_pair(call.take(0), call.take(1)); }

Outcome<Value> concat(Call& call) {
  if (call.count() == 0) return text_value("");
  bool lists = is_list_like(call.arg(0));
  for (uint32_t i = 0; i < call.count(); ++i) {
    bool fits = lists ? is_list_like(call.arg(i)) : call.arg(i).is_string();
    if (!fits) return call.wrong_type(i, lists ? "a list" : "a string");
  }
  Value result = call.take(0);
  for (uint32_t i = 1; i < call.count(); ++i) result = HARN_TRY(add(std::move(result), call.arg(i)));
  return result;
}

Outcome<Value> merge(Call& call) {
  for (uint32_t i = 0; i < call.count(); ++i) HARN_CHECK(call.dict(i));
  if (call.count() == 0) return new_dict();
  Value result = call.take(0);
  for (uint32_t i = 1; i < call.count(); ++i) {
    const DictObject* more = call.arg(i).as_dict();
    dict_merge(result, more);
  }
  return result;
}

// ---- identity ----

bool has_identity(const Value& value) { return value.is_heap() && !value.is_string() && !value.is(Kind::Bytes); }

bool is_same_value(const Value& a, const Value& b) {
  if (!has_identity(a) || !has_identity(b)) return equal(a, b);
  // A plain range has no identity a program could have given it.
  if (a.is(Kind::Range) && b.is(Kind::Range)) return equal(a, b);
  return a.object() == b.object();
}

Outcome<Value> is_same(Call& call) { return Value::boolean(is_same_value(call.arg(0), call.arg(1))); }

// 64-bit FNV-1a over a canonical form of the value.
class Fnv {
 public:
  void byte(uint8_t octet) { hash_ = (hash_ ^ octet) * 0x100000001B3ull; }
  void word(uint64_t word) {
    for (int i = 0; i < 8; ++i) byte(static_cast<uint8_t>(word >> (8 * i)));
  }
  void text(std::string_view text) {
    word(text.size());
    while (!text.empty()) {
      for (char c : next_piece(text)) byte(static_cast<uint8_t>(c));
    }
  }
  uint64_t result() const { return hash_; }

 private:
  uint64_t hash_ = 0xCBF29CE484222325ull;
};

constexpr int kMaxHashDepth = 200;  // what lies deeper does not count

uint64_t structural_hash(const Value& value, int depth) {
  Fnv fnv;
  Kind kind = value.is(Kind::Range) ? Kind::List : value.kind();
  fnv.text(type_name(value));
  if (depth > kMaxHashDepth) return fnv.result();
  switch (kind) {
    case Kind::Float: {
      double number = value.as_float();
      if (number == 0) number = 0;  // -0.0 equals 0.0
      fnv.word(std::isnan(number) ? 1 : std::bit_cast<uint64_t>(number));
      break;
    }
    case Kind::String: fnv.text(value.as_string()->view()); break;
    case Kind::Bytes: fnv.text(value.as_bytes()->view()); break;
    case Kind::List:
      fnv.word(list_size(value));
      for (size_t i = 0; i < list_size(value); ++i) {
        step();
        fnv.word(structural_hash(list_item(value, i), depth + 1));
      }
      break;
    case Kind::Dict:
    case Kind::Struct:
      if (kind == Kind::Struct) fnv.text(struct_type(value.as_dict())->name->view());
      for (auto [key, item] : value.as_dict()->entries()) {
        step();
        fnv.text(key->view());
        fnv.word(structural_hash(*item, depth + 1));
      }
      break;
    case Kind::Set: {
      uint64_t sum = 0;  // the order of a set does not count
      for (const Value& item : value.as_set()->values()) {
        step();
        sum += structural_hash(item, depth + 1);
      }
      fnv.word(sum);
      break;
    }
    case Kind::Enum:
      fnv.text(value.as_enum()->type->name->view());
      fnv.text(value.as_enum()->info().name->view());
      for (const Value& item : value.as_enum()->values()) {
        step();
        fnv.word(structural_hash(item, depth + 1));
      }
      break;
    case Kind::Pair:
      fnv.word(structural_hash(value.as_pair()->first, depth + 1));
      fnv.word(structural_hash(value.as_pair()->second, depth + 1));
      break;
    default: fnv.word(value.bits());
  }
  return fnv.result();
}

Outcome<Value> hash_value(Call& call) {
  if (call.arg(0).is(Kind::Range) && list_size(call.arg(0)) > kMaxListSize) {
    return runtime_error(ErrorKind::Limit, "list too large");
  }
  return Value::integer(static_cast<int64_t>(structural_hash(call.arg(0), 0)));
}

Outcome<Value> addr_of(Call& call) {
  const Value& value = call.arg(0);
  if (has_identity(value)) {
    return text_value(harn::format("{}@{:x}", type_name(value), reinterpret_cast<uintptr_t>(value.object())));
  }
  return text_value(harn::format("{}:{:x}", type_name(value), structural_hash(value, 0)));
}

bool is_named(const Value& value, std::string_view name) {
  if (name == "any" || name == type_name(value)) return true;
  if (name == "number") return value.is_number();
  if (name == "range") return value.is(Kind::Range);
  if (value.is(Kind::Struct)) return struct_type(value.as_dict())->name->view() == name;
  if (value.is(Kind::Enum)) return value.as_enum()->type->name->view() == name;
  return false;
}

Outcome<Value> is_a(Call& call) {
  const Value& value = call.arg(0);
  const Value& type = call.arg(1);
  switch (type.kind()) {
    case Kind::String: return Value::boolean(is_named(value, type.as_string()->view()));
    case Kind::StructType:
      return Value::boolean(value.is(Kind::Struct) && struct_type(value.as_dict()) == type.object());
    case Kind::EnumType: return Value::boolean(value.is(Kind::Enum) && value.as_enum()->type == type.object());
    default: return call.wrong_type(1, "a type or the name of one");
  }
}

// ---- the rest ----

Outcome<Value> unreachable(Call& call) {
  if (!call.has(0)) return throw_text(ErrorKind::Assertion, "unreachable code was reached");
  return throw_text(ErrorKind::Assertion, "unreachable code was reached: {}", display(call.arg(0)));
}

// Handles that hold something open are released; other values need no dropping.
Outcome<Value> drop(Call& call) {
  drop_value(call.arg(0));
  return Value();
}

Outcome<Value> ok(Call& call) { return new_ok(call.take(0)); }
Outcome<Value> err(Call& call) { return new_err(call.take(0)); }
Outcome<Value> is_ok_value(Call& call) { return Value::boolean(is_ok(call.arg(0))); }
Outcome<Value> is_err_value(Call& call) { return Value::boolean(is_err(call.arg(0))); }

Outcome<Value> unwrap(Call& call) {
  const Value& value = call.arg(0);
  if (is_err(value)) {
    const Value& payload = result_payload(value);
    return caused_by(runtime_error("unwrap called on Err: {}", display(payload)), payload);
  }
  return is_ok(value) ? result_payload(value) : value;
}

Outcome<Value> unwrap_or(Call& call) {
  const Value& value = call.arg(0);
  if (is_err(value)) return call.take(1);
  return is_ok(value) ? result_payload(value) : value;
}

Outcome<Value> unwrap_err(Call& call) {
  if (!is_err(call.arg(0))) return runtime_error("unwrap_err called on non-Err");
  return result_payload(call.arg(0));
}

constinit const Builtin kRows[] = {
    {.name = "Err",
     .signature = "<E>(value?: E) -> Result<never, E>",
     .doc = "Returns the failed result that holds `value`.",
     .example = R"(is_err(Err("no")))",
     .call = err},
    {.name = "Ok",
     .signature = "<T>(value?: T) -> Result<T, never>",
     .doc = "Returns the successful result that holds `value`.",
     .example = "unwrap(Ok(1)) == 1",
     .call = ok},
    {.name = "__retry_count",
     .signature = "(count: any) -> int",
     .doc = "How often a retry block may run.",
     .call = retry_count},
    {.name = "addr_of",
     .signature = "(value: any) -> string",
     .doc = "Returns a text that is the same for the same object.",
     .example = "addr_of(1) == addr_of(1)",
     .call = addr_of},
    {.name = "chars",
     .signature = "(text: string) -> list<string>",
     .doc = "Returns the characters of the text.",
     .example = R"(chars("aé") == ["a", "é"])",
     .call = chars},
    {.name = "concat",
     .signature = "(...parts: string) -> string; <T>(...parts: list<T>) -> list<T>",
     .doc = "Joins strings into one string, or lists into one list.",
     .example = "concat([1], [2, 3]) == [1, 2, 3]",
     .flags = BuiltinFlags::Constant,
     .call = concat},
    {.name = "drop",
     .signature = "(handle: any) -> nil",
     .doc = "Releases what a handle holds open; does nothing for other values.",
     .example = "drop(1) == nil",
     .call = drop},
    {.name = "hash_value",
     .signature = "(value: any) -> int",
     .doc = "Returns a hash of the content: equal structures have equal hashes.",
     .example = "hash_value([1, 2]) == hash_value([1, 2])",
     .call = hash_value},
    {.name = "is_a",
     .signature = "(value: any, type: any) -> bool",
     .doc = "Says whether the value has a type, given by name or as a struct or enum.",
     .example = R"(is_a(1, "int"))",
     .call = is_a},
    {.name = "is_err",
     .signature = "(value: any) -> bool",
     .doc = "Says whether the value is a failed result.",
     .example = "is_err(Err(1))",
     .call = is_err_value},
    {.name = "is_ok",
     .signature = "(value: any) -> bool",
     .doc = "Says whether the value is a successful result.",
     .example = "is_ok(Ok(1))",
     .call = is_ok_value},
    {.name = "is_same",
     .signature = "(a: any, b: any) -> bool",
     .doc = "Says whether two collections are one object; compares scalars and strings by value.",
     .example = R"(is_same("a", "a"))",
     .call = is_same},
    {.name = "iter",
     .signature = "<T>(source: Iterable<T>) -> Iter<T>",
     .doc = "Returns a lazy iterator over the source.",
     .example = R"(type_of(iter([1])) == "iter")",
     .call = iter},
    {.name = "len",
     .signature = "(value: any) -> int",
     .doc = "Returns the number of characters, octets, items or keys; 0 for other values.",
     .example = R"(len("abc") == 3)",
     .flags = BuiltinFlags::Constant,
     .call = len},
    {.name = "merge",
     .signature = "<V>(...dicts: dict<string, V>) -> dict<string, V>",
     .doc = "Returns the entries of all dicts; later ones win.",
     .example = "merge({a: 1}, {a: 2, b: 3}) == {a: 2, b: 3}",
     .call = merge},
    {.name = "pair",
     .signature = "<A, B>(first: A, second: B) -> Pair<A, B>",
     .doc = "Returns the pair of two values.",
     .example = "pair(1, 2).second == 2",
     .call = pair},
    {.name = "range",
     .signature = "(start: int, end?: int) -> list<int>",
     .doc = "Returns the ints from 0 up to but not including the argument, or from the first to "
            "the second.",
     .example = "range(1, 4) == [1, 2, 3]",
     .call = range},
    {.name = "to_float",
     .signature = "(value: int | float) -> float; (value: any) -> float?",
     .doc = "Returns the number as a float; nil when the value is no number and no text of one.",
     .example = R"(to_float("2.5") == 2.5)",
     .call = to_float},
    {.name = "to_int",
     .signature = "(value: int | float | bool) -> int; (value: any) -> int?",
     .doc = "Returns the number as an int; nil when the value is no number and no text of one.",
     .example = R"(to_int("42") == 42)",
     .call = to_int},
    {.name = "to_list",
     .signature = "<T>(value: set<T> | list<T>) -> list<T>; <T>(value: T) -> list<T>",
     .doc = "Returns the items of a set or list, or a list of the one value.",
     .example = "to_list(set(1, 2)) == [1, 2]",
     .call = to_list},
    {.name = "to_string",
     .signature = "(value: any) -> string",
     .doc = "Returns the print form of the value.",
     .example = R"(to_string([1, "a"]) == "[1, a]")",
     .call = to_string},
    {.name = "type_of",
     .signature = "(value?: any) -> string",
     .doc = "Returns the name of the value's type.",
     .example = R"(type_of(1.5) == "float")",
     .call = type_of},
    {.name = "unreachable",
     .signature = "(value?: any) -> never",
     .doc = "Raises an error: control must never come here.",
     .example = "is_err(try { unreachable() })",
     .call = unreachable},
    {.name = "unwrap",
     .signature = "<T, E>(result: Result<T, E>) -> T",
     .doc = "Returns what a successful result holds; a failed one is an error.",
     .example = "unwrap(Ok(1)) == 1",
     .call = unwrap},
    {.name = "unwrap_err",
     .signature = "<T, E>(result: Result<T, E>) -> E",
     .doc = "Returns what a failed result holds; anything else is an error.",
     .example = R"(unwrap_err(Err("no")) == "no")",
     .call = unwrap_err},
    {.name = "unwrap_or",
     .signature = "<T, E>(result: Result<T, E>, default: T) -> T",
     .doc = "Returns what a successful result holds, or `default` for a failed one.",
     .example = R"(unwrap_or(Err("no"), 7) == 7)",
     .call = unwrap_or},
};

}  // namespace

std::span<const vm::Builtin> convert_rows() { return kRows; }

}  // namespace harn::builtins
