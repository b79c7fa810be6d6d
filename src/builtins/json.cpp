#include "builtins/json_text.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"

namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> json_parse(Call& call) {
  auto parsed = parse_json(HARN_TRY(call.text(0)));
  if (!parsed) return throw_text(ErrorKind::Invalid, "JSON parse error: {}", parsed.error().text());
  return std::move(*parsed);
}

Outcome<Value> json_stringify(Call& call) {
  std::string out;
  if (!append_json(out, call.arg(0))) {
    return runtime_error(ErrorKind::Limit, "json_stringify: the value is too large or nested too deeply");
  }
  return text_value(out);
}

Outcome<Value> json_stringify_pretty(Call& call) {
  int64_t indent = HARN_TRY(call.integer_or(1, 2));
  if (indent < 1 || indent > 16)
    return throw_text(ErrorKind::Invalid, "json_stringify_pretty: indent is {}, expected 1 to 16", indent);
  std::string out;
  if (!append_json(out, call.arg(0), static_cast<int>(indent))) {
    return runtime_error(ErrorKind::Limit, "json_stringify_pretty: the value is too large or nested too deeply");
  }
  return text_value(out);
}

// ---- JSON inside other text ----

// What stands in the first ``` block, without the language after the opening mark.
std::string_view fenced_block(std::string_view text) {
  size_t open = text.find("```");
  if (open == std::string_view::npos) return {};
  size_t line_end = text.find('\n', open);
  if (line_end == std::string_view::npos) return {};
  size_t close = text.find("```", line_end);
  if (close == std::string_view::npos) return {};
  return text.substr(line_end + 1, close - line_end - 1);
}

// The first part from `open` to its matching `close`; brackets inside strings do not count.
std::string_view balanced(std::string_view text, char open, char close) {
  size_t start = text.find(open);
  if (start == std::string_view::npos) return {};
  size_t depth = 0;
  bool in_string = false;
  for (size_t at = start; at < text.size(); ++at) {
    step();
    char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return text.substr(start, at - start + 1);
    }
  }
  return {};
}

}  // namespace

std::string_view find_json(std::string_view text) {
  std::string_view found = text::trim(fenced_block(text));
  if (!found.empty()) return found;
  // Whichever bracket comes first encloses the other.
  size_t brace = text.find('{');
  size_t bracket = text.find('[');
  found = bracket < brace && text::trim(text.substr(0, bracket)).empty() ? balanced(text, '[', ']')
                                                                         : balanced(text, '{', '}');
  if (found.empty()) found = balanced(text, '[', ']');
  return found.empty() ? text::trim(text) : found;
}

namespace {

Outcome<Value> json_extract(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto key = HARN_TRY(call.text_or(1, ""));
  auto parsed = parse_json(find_json(text));
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
