#include <string>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/schema_fit.h"
#include "builtins/schema_validate.h"
#include "data/json.h"
#include "data/loose_json.h"
#include "vm/vm.h"

// Checking values against schemas. The checks themselves are in schema_validate.cpp, changes of
// form in schema_convert.cpp.
namespace harn::builtins {
namespace {

using namespace vm;
using schema::Validator;

struct Checked {
  Value value;  // with defaults, when they were asked for
  std::vector<std::string> errors;

  std::string joined() const {
    std::string text;
    for (const std::string& error : errors) {
      if (!text.empty()) text += "; ";
      text += error;
    }
    return text;
  }
};

enum class Defaults : bool { No, Yes };

// A schema that makes no sense is an error of the call, not of the value.
Outcome<Checked> check_value(Call& call, const Value& value, const Value& schema, Defaults defaults) {
  if (!schema::is_schema(schema)) return throw_text(ErrorKind::Type, "{}: schema must be a dict", call.row().name);
  Validator validator(schema, RegexCache::of_thread());
  Checked checked;
  checked.value = defaults == Defaults::Yes ? validator.with_defaults(value) : value;
  validator.validate(checked.value);
  if (!validator.malformed.empty())
    return throw_text(ErrorKind::Invalid, "{}: {}", call.row().name, validator.malformed);
  checked.errors = std::move(validator.errors);
  return checked;
}

Value error_dict(const Checked& checked) {
  auto errors = new_list(checked.errors.size());
  for (const std::string& error : checked.errors) errors->push(text_value(error));
  return DictBuilder()
      .add("message", text_value(checked.errors.front()))
      .add("errors", std::move(errors))
      .add("value", checked.value)
      .done();
}

Outcome<Value> json_validate(Call& call) {
  auto checked = HARN_TRY(check_value(call, call.arg(0), call.arg(1), Defaults::No));
  if (checked.errors.empty()) return Value::boolean(true);
  return throw_text(ErrorKind::Schema, "{}", checked.joined());
}

Outcome<Value> check_result(Call& call, Defaults defaults) {
  auto checked = HARN_TRY(check_value(call, call.arg(0), call.arg(1), defaults));
  if (checked.errors.empty()) return new_ok(std::move(checked.value));
  return new_err(error_dict(checked));
}

Outcome<Value> schema_check(Call& call) { return check_result(call, Defaults::No); }
Outcome<Value> schema_parse(Call& call) { return check_result(call, Defaults::Yes); }

Outcome<Value> schema_is(Call& call) {
  auto checked = HARN_TRY(check_value(call, call.arg(0), call.arg(1), Defaults::No));
  return Value::boolean(checked.errors.empty());
}

Outcome<Value> schema_expect(Call& call) {
  bool fills = truthy(call.arg(2));
  auto checked = HARN_TRY(check_value(call, call.arg(0), call.arg(1), fills ? Defaults::Yes : Defaults::No));
  if (!checked.errors.empty()) return throw_text(ErrorKind::Schema, "{}", checked.joined());
  return std::move(checked.value);
}

Outcome<Value> schema_of(Call& call) {
  if (call.arg(0).is_dict()) return call.take(0);
  return throw_text(ErrorKind::Type, "schema_of: expected a type alias or schema dict, got {}", type_name(call.arg(0)));
}

// ---- recovery of values from text that a model wrote ----

// The text after `key` and a colon or equals sign at the start of a line, or empty.
std::string_view line_value(std::string_view text, std::string_view key) {
  for (std::string_view line : text::split(text, "\n")) {
    std::string_view rest = text::trim(line);
    while (!rest.empty() && std::string_view("-*\"'`").find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
    rest = text::trim_start(rest);
    if (!rest.starts_with(key)) continue;
    rest.remove_prefix(key.size());
    while (!rest.empty() && std::string_view("\"'`* ").find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
    if (rest.empty() || (rest[0] != ':' && rest[0] != '=')) continue;
    rest = text::trim(rest.substr(1));
    while (rest.starts_with("*")) rest = text::trim_start(rest.substr(1));
    if (rest.ends_with(',')) rest.remove_suffix(1);
    return text::trim(rest);
  }
  return {};
}

std::string_view without_quotes(std::string_view text) {
  bool quoted = text.size() >= 2 && text.front() == text.back() &&
                (text.front() == '"' || text.front() == '\'' || text.front() == '`');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Reads `key: value` lines for the scalar properties of the schema.
Value scrape_lines(std::string_view text, const Value& schema) {
  Value found = new_dict();
  const Value* properties = schema.is_dict() ? schema.as_dict()->find("properties") : nullptr;
  if (!properties || !properties->is_dict()) return found;
  for (auto [key, property] : properties->as_dict()->entries()) {
    std::string_view raw = line_value(text, key->view());
    if (raw.empty()) continue;
    const Value* type = property->is_dict() ? property->as_dict()->find("type") : nullptr;
    uint32_t bits = type && type->is_string() ? schema::type_bits(type->as_string()->view()) : schema::kString;
    auto parsed = data::parse_json(raw);
    bool fits = parsed && (bits & schema::type_bit(*parsed));
    if (fits) dict_set(found, static_cast<const StringObject*>(key), std::move(*parsed));
    else if (bits & schema::kString)
      dict_set(found, static_cast<const StringObject*>(key), text_value(without_quotes(raw)));
  }
  return found;
}

// A value that was not written as JSON has it, or not quite as the schema wants it; and what was mended.
struct Mended {
  std::optional<Value> value;
  Value repairs = new_list();
};

Mended mended_value(std::string_view text, const Value& schema) {
  auto read = data::read_loose(text, schema::wanted_brackets(schema));
  Mended mended;
  if (!read.value) return mended;
  schema::Fitter fitter(schema, RegexCache::of_thread());
  mended.value = fitter.fit(*read.value);
  for (const data::Repair& one : read.repairs) {
    Value entry = DictBuilder()
                      .add("kind", text_value(one.kind))
                      .add("offset", Value::integer(static_cast<int64_t>(one.offset)))
                      .done();
    writable_list(mended.repairs)->push(std::move(entry));
  }
  for (const schema::FitRepair& one : fitter.repairs) {
    Value entry = DictBuilder().add("kind", text_value(one.kind)).add("path", text_value(one.path)).done();
    writable_list(mended.repairs)->push(std::move(entry));
  }
  return mended;
}

struct Recovery {
  std::string stage = "failed";
  std::string error;
  std::string category;
  int64_t attempts = 0;
  Value data;
  Value repairs = new_list();

  Value to_value(std::string_view text) const {
    bool ok = stage != "failed";
    return DictBuilder()
        .add("ok", Value::boolean(ok))
        .add("data", data)
        .add("raw_text", text_value(text))
        .add("error", text_value(error))
        .add("error_category", ok ? Value() : text_value(category))
        .add("attempts", Value::integer(attempts))
        .add("stage", text_value(stage))
        .add("repaired", Value::boolean(ok && stage != "parsed"))
        .add("repairs", repairs)
        .done();
  }
};

Outcome<Value> schema_recover(Call& call) {
  auto text = HARN_TRY(call.text(0));
  Defaults defaults = Defaults::No;
  if (!call.arg(2).is_nil()) {
    const Value* fills = HARN_TRY(call.dict(2))->find("apply_defaults");
    if (fills && truthy(*fills)) defaults = Defaults::Yes;
  }
  Recovery recovery;
  recovery.error = "no JSON found in the text";
  recovery.category = "missing_json";
  // True when the candidate fits; else it remembers why not.
  auto accepts = [&](std::string_view stage, const Value& candidate) -> Outcome<bool> {
    auto checked = HARN_TRY(check_value(call, candidate, call.arg(1), defaults));
    if (checked.errors.empty()) {
      recovery.stage = stage;
      recovery.data = std::move(checked.value);
      recovery.error.clear();
      return true;
    }
    recovery.error = checked.joined();
    recovery.category = "schema_validation";
    return false;
  };
  recovery.attempts = 1;
  if (auto parsed = data::parse_json(text); parsed && HARN_TRY(accepts("parsed", *parsed)))
    return recovery.to_value(text);
  recovery.attempts = 2;
  if (call.arg(1).is_dict()) {
    Mended mended = mended_value(text, call.arg(1));
    if (mended.value && HARN_TRY(accepts("extracted", *mended.value))) {
      recovery.repairs = std::move(mended.repairs);
      return recovery.to_value(text);
    }
  }
  recovery.attempts = 3;
  Value scraped = scrape_lines(text, call.arg(1));
  if (scraped.as_dict()->size() > 0 && HARN_TRY(accepts("regex", scraped))) return recovery.to_value(text);
  return recovery.to_value(text);
}

constinit const Builtin kRows[] = {
    {.name = "__schema_recover",
     .signature = "(text: string, schema: any, options?: dict?) -> dict",
     .doc = "What `schema_recover` finds without a model.",
     .example = R"(__schema_recover("{}", {type: "dict"}).ok)",
     .call = schema_recover},
    {.name = "assert_shape",
     .signature = "<T>(value: unknown, schema: Schema<T>) -> T",
     .doc = "Returns the value when it fits the schema; throws what is wrong otherwise.",
     .example = R"(assert_shape({a: 1}, {type: "dict", required: ["a"]}) == {a: 1})",
     .call = schema_expect},
    {.name = "is_type",
     .signature = "(value: unknown, schema: Schema) -> bool",
     .doc = "Says whether the value fits the schema.",
     .example = R"(is_type(1, {type: "int"}))",
     .call = schema_is},
    {.name = "json_validate",
     .signature = "(value: unknown, schema: Schema) -> bool",
     .doc = "Returns true when the value fits the schema; throws all errors otherwise.",
     .example = R"(json_validate([1], {type: "array", items: {type: "integer"}}))",
     .call = json_validate},
    {.name = "schema_check",
     .signature = "<T>(value: unknown, schema: Schema<T>) -> Result<T, any>",
     .doc = "Returns Ok with the value when it fits the schema, else Err with what is wrong.",
     .example = R"(is_err(schema_check("a", {type: "int"})))",
     .call = schema_check},
    {.name = "schema_expect",
     .signature = "<T>(value: unknown, schema: Schema<T>, apply_defaults?: bool) -> T",
     .doc = "Returns the value when it fits the schema; throws what is wrong otherwise.",
     .example = R"(schema_expect(3, {type: "int", min: 1}) == 3)",
     .call = schema_expect},
    {.name = "schema_is",
     .signature = "(value: unknown, schema: Schema) -> bool",
     .doc = "Says whether the value fits the schema.",
     .example = R"(schema_is("a", {type: "string"}))",
     .call = schema_is},
    {.name = "schema_of",
     .signature = "<T>(type: Schema<T>) -> Schema<T>",
     .doc = "Returns the schema of a type alias; a schema is returned unchanged.",
     .example = R"(schema_of({type: "int"}) == {type: "int"})",
     .call = schema_of},
    {.name = "schema_parse",
     .signature = "<T>(value: unknown, schema: Schema<T>) -> Result<T, any>",
     .doc = "Like `schema_check`, with the schema's defaults filled in.",
     .example = R"(unwrap(schema_parse({}, {properties: {a: {default: 1}}})) == {a: 1})",
     .call = schema_parse},
    {.name = "schema_recover",
     .signature = "<T>(text: string, schema: Schema<T>, options?: {llm_repair?: bool | dict, apply_defaults?: bool, "
                  "...dict}) -> {ok: bool, data: T?, raw_text: string, error: string, error_category: string?, "
                  "attempts: int, stage: string, repaired: bool, repairs: list<dict>}",
     .doc = "Finds a value that fits the schema in text that may hold more than JSON. Where there is none a model is "
            "asked to "
            "mend it, once; `llm_repair: false` asks nobody.",
     .example = R"(schema_recover("It is {\"a\": 1}.", {type: "dict"}, nil).stage == "extracted")",
     .prelude = "llm:schema_recover"},
};

}  // namespace

std::span<const vm::Builtin> schema_rows() { return kRows; }

}  // namespace harn::builtins
