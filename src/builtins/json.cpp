#include "data/json.h"

#include "base/result.h"
#include "builtins/families.h"

namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> json_parse(Call& call) {
  auto parsed = data::parse_json(HARN_TRY(call.text(0)));
  if (!parsed) return throw_text(ErrorKind::Invalid, "JSON parse error: {}", parsed.error().text());
  return std::move(*parsed);
}

Outcome<Value> json_stringify(Call& call) {
  std::string out;
  auto written = data::append_json(out, call.arg(0));
  if (!written) return runtime_error(written.error().kind, "json_stringify: {}", written.error().text());
  return text_value(out);
}

Outcome<Value> json_stringify_pretty(Call& call) {
  int64_t indent = HARN_TRY(call.integer_or(1, 2));
  if (indent < 1 || indent > 16)
    return throw_text(ErrorKind::Invalid, "json_stringify_pretty: indent is {}, expected 1 to 16", indent);
  std::string out;
  auto written = data::append_json(out, call.arg(0), static_cast<int>(indent));
  if (!written) return runtime_error(written.error().kind, "json_stringify_pretty: {}", written.error().text());
  return text_value(out);
}

Outcome<Value> json_extract(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto key = HARN_TRY(call.text_or(1, ""));
  auto parsed = data::parse_json(data::find_json(text));
  if (!parsed) return throw_text(ErrorKind::Invalid, "json_extract: failed to parse JSON: {}", parsed.error().text());
  if (call.arg(1).is_nil()) return std::move(*parsed);
  if (!parsed->is_dict())
    return throw_text(ErrorKind::Type, "json_extract: parsed value is not a dict, cannot extract key");
  const Value* value = parsed->as_dict()->find(key);
  if (!value) return throw_text(ErrorKind::NotFound, "json_extract: key '{}' not found", key);
  return *value;
}

constinit const Builtin kRows[] = {
    {.name = "json_extract",
     .signature = "(text: string, key?: string) -> unknown",
     .doc = "Returns the JSON value found inside other text, or one key of it.",
     .example = R"(json_extract("the answer is {\"a\": 1}.") == {a: 1})",
     .call = json_extract},
    {.name = "json_parse",
     .signature = "(text: string) -> unknown",
     .doc = "Returns the value of a JSON text.",
     .example = R"(json_parse("[1, null, {\"a\": 2.5}]") == [1, nil, {a: 2.5}])",
     .call = json_parse},
    {.name = "json_stringify",
     .signature = "(value: any) -> string",
     .doc = "Returns the value as compact JSON with sorted keys.",
     .example = R"(json_stringify([1, nil]) == "[1,null]")",
     .call = json_stringify},
    {.name = "json_stringify_pretty",
     .signature = "(value: any, indent?: int) -> string",
     .doc = "Returns the value as JSON spread over indented lines.",
     .example = R"(json_stringify_pretty([1]) == "[\n  1\n]")",
     .call = json_stringify_pretty},
};

}  // namespace

std::span<const vm::Builtin> json_rows() { return kRows; }

}  // namespace harn::builtins
