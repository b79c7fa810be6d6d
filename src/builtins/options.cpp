// Options and other dicts that programs write: names that do not exist and values of the wrong type are refused, with the name.
//
// What may be in such a dict is itself a dict of the prelude: `{title: "string", limit: "count", tags: "texts", on: "closure|bool"}`.
// Kinds are the names that type_of gives, and the words below; nil always fits, because it is the same as nothing.
#include "builtins/options.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "vm/dict.h"
#include "vm/ops.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr size_t kMostListed = 24;  // nobody looks for a name in a longer list

struct Word {
  std::string_view name, shown;
  bool (*fits)(const Value&);
};

bool is_texts(const Value& value) {
  if (!value.is_list()) return false;
  for (const Value& item : value.as_list()->values()) {
    if (!item.is_string()) return false;
  }
  return true;
}

constexpr Word kWords[] = {
    {"any", "any value", [](const Value&) { return true; }},
    {"closure", "a closure", [](const Value& value) { return value.is_callable(); }},
    {"count", "an int of 0 or more", [](const Value& value) { return value.is_int() && value.as_int() >= 0; }},
    {"number", "a number", [](const Value& value) { return value.is_number(); }},
    {"positive", "an int of 1 or more", [](const Value& value) { return value.is_int() && value.as_int() >= 1; }},
    {"texts", "a list of strings", is_texts},
};

const Word* word_named(std::string_view name) {
  for (const Word& word : kWords) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

std::vector<std::string_view> kinds_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('|', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool fits(const Value& value, std::string_view kinds) {
  if (value.is_nil()) return true;
  for (std::string_view kind : kinds_of(kinds)) {
    const Word* word = word_named(kind);
    if (word ? word->fits(value) : type_name(value) == kind) return true;
  }
  return false;
}

std::string shown(std::string_view kinds) {
  std::string out;
  for (std::string_view kind : kinds_of(kinds)) {
    if (!out.empty()) out += " or ";
    const Word* word = word_named(kind);
    bool has_vowel = std::string_view("aeiou").find(kind.front()) != std::string_view::npos;
    out += word ? std::string(word->shown) : fmt::format("{} {}", has_vowel ? "an" : "a", kind);
  }
  return out;
}

// A number out of range is told as it is; of everything else the type says what is wrong.
std::string told(const Value& value) { return value.is_number() ? display(value) : std::string(type_name(value)); }

std::unexpected<Thrown> unknown_name(std::string_view by, std::string_view noun, std::string_view given,
                                     std::span<const std::string_view> known) {
  auto close = text::close_names(given, known, 1);
  std::string hint;
  if (!close.empty()) hint = fmt::format("; did you mean '{}'?", close[0]);
  else if (known.size() <= kMostListed) hint = fmt::format("; known are {}", fmt::join(known, ", "));
  return runtime_error(ErrorKind::Invalid, "{}: unknown {} '{}'{}", by, noun, given, hint);
}

std::vector<std::string_view> names_of(const Value& dict) {
  std::vector<std::string_view> out;
  for (auto [key, value] : dict.as_dict()->entries()) {
    if (!key->view().starts_with("_")) out.push_back(key->view());
  }
  return out;
}

// Names that begin with `_` are the runtime's own: they are checked, and never offered.
Outcome<Value> check_fields(Call& call) {
  auto by = HARN_TRY(call.text(0));
  (void)HARN_TRY(call.dict(1));
  (void)HARN_TRY(call.dict(2));
  std::string_view noun = call.count() > 3 && call.arg(3).is_string() ? call.arg(3).as_string()->view() : "option";
  const Value &given = call.arg(1), &known = call.arg(2);
  for (auto [key, value] : given.as_dict()->entries()) {
    const Value* kinds = known.as_dict()->find(key->view());
    if (!kinds) return unknown_name(by, noun, key->view(), names_of(known));
    if (fits(*value, kinds->as_string()->view())) continue;
    return type_error("{}: {} must be {}, got {}", by, key->view(), shown(kinds->as_string()->view()), told(*value));
  }
  return Value();
}

Outcome<Value> close_name(Call& call) {
  auto name = HARN_TRY(call.text(0));
  (void)HARN_TRY(call.dict(1));
  auto names = names_of(call.arg(1));
  auto close = text::close_names(name, names, 1);
  return close.empty() ? Value() : text_value(close[0]);
}

Outcome<Value> raise_denied(Call& call) { return runtime_error(ErrorKind::Denied, "{}", HARN_TRY(call.text(0))); }
Outcome<Value> raise_invalid(Call& call) { return runtime_error(ErrorKind::Invalid, "{}", HARN_TRY(call.text(0))); }

constinit const Builtin kRows[] = {
    {.name = "__check_fields",
     .signature = "(by: string, given: dict, known: dict<string, string>, noun?: string) -> nil",
     .doc = "Refuses names that are not known, and values that are not of the kinds that `known` says.",
     .example = R"(__check_fields("f", {a: 1}, {a: "int|string", b: "texts"}) == nil)",
     .call = check_fields},
    {.name = "__close_name",
     .signature = "(name: string, known: dict) -> string?",
     .doc = "The key of `known` that was meant, where one is close to the name.",
     .example = R"(__close_name("toools", {tools: 1, model: 1}) == "tools")",
     .call = close_name},
    {.name = "__denied_error",
     .signature = "(text: string) -> never",
     .doc = "Raises an error of the kind `denied`.",
     .example = R"(is_err(try { __denied_error("x") }))",
     .call = raise_denied},
    {.name = "__invalid_error",
     .signature = "(text: string) -> never",
     .doc = "Raises an error of the kind `invalid`.",
     .example = R"(is_err(try { __invalid_error("x") }))",
     .call = raise_invalid},
};

}  // namespace

Outcome<void> check_names(std::string_view by, std::string_view noun, const DictObject* given,
                          std::span<const std::string_view> known) {
  for (auto [key, value] : given->entries()) {
    bool is_known = std::find(known.begin(), known.end(), key->view()) != known.end();
    if (!is_known) return unknown_name(by, noun, key->view(), known);
  }
  return {};
}

Outcome<const DictObject*> options_of(Call& call, uint32_t i) {
  if (call.arg(i).is_nil()) return nullptr;
  const DictObject* given = HARN_TRY(call.dict(i));
  if (given->size() == 0) return given;
  auto known = call.row().signature.field_names(i);
  // `__walk_dir` is what `walk_dir` does, without what the prelude adds.
  std::string_view by = call.row().name;
  if (by.starts_with("__")) by.remove_prefix(2);
  if (!known.empty()) HARN_CHECK(check_names(by, "option", given, known));
  return given;
}

std::span<const Builtin> option_rows() { return kRows; }

}  // namespace harn::builtins
