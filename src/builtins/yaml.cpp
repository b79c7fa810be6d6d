#include "data/yaml.h"

#include "base/result.h"
#include "builtins/families.h"
#include "data/front_matter.h"
#include "vm/dict.h"

namespace harn::builtins {
namespace {

using namespace vm;

Value lines_of(const data::YamlPlaces& places) {
  DictBuilder lines;
  for (const auto& place : places.all) lines.add(place.path, Value::integer(static_cast<int64_t>(place.line)));
  return lines.done();
}

Value problems_of(const data::FrontMatter& read) {
  Value out = new_list();
  for (const auto& problem : read.problems) {
    writable_list(out)->push(DictBuilder()
                                 .add("line", Value::integer(static_cast<int64_t>(problem.line)))
                                 .add("field", problem.field.empty() ? Value() : text_value(problem.field))
                                 .add("message", text_value(problem.message))
                                 .add("fix", text_value(problem.fix))
                                 .done());
  }
  return out;
}

Outcome<Value> front_matter(Call& call) {
  auto read = data::parse_front_matter(HARN_TRY(call.text(0)));
  return DictBuilder()
      .add("fields", read.fields)
      .add("body", text_value(read.body))
      .add("body_line", Value::integer(static_cast<int64_t>(read.body_line)))
      .add("lines", lines_of(read.places))
      .add("problems", problems_of(read))
      .done();
}

Outcome<Value> yaml_parse(Call& call) {
  auto parsed = data::parse_yaml(HARN_TRY(call.text(0)));
  if (!parsed) return throw_text(parsed.error().kind, "YAML parse error: {}", parsed.error().text());
  return std::move(*parsed);
}

Outcome<Value> yaml_stringify(Call& call) {
  std::string out;
  auto written = data::append_yaml(out, call.arg(0));
  if (!written) return throw_text(written.error().kind, "yaml_stringify: {}", written.error().text());
  return text_value(out);
}

constinit const Builtin kRows[] = {
    {.name = "__front_matter",
     .signature = "(text: string) -> {fields: dict?, body: string, body_line: int, lines: dict, problems: list<dict>}",
     .doc = "The fields and the text of a Markdown file with YAML at its head, where they are, and what is wrong.",
     .example = R"(__front_matter("---\na: 1\n---\nhi").body == "hi")",
     .call = front_matter},
    {.name = "yaml_parse",
     .signature = "(text: string) -> unknown",
     .doc = "Returns the value of a YAML document.",
     .example = R"(yaml_parse("a: [1, x]") == {a: [1, "x"]})",
     .call = yaml_parse},
    {.name = "yaml_stringify",
     .signature = "(value: any) -> string",
     .doc = "Returns the value as YAML.",
     .example = R"(yaml_stringify({a: 1}) == "a: 1\n")",
     .call = yaml_stringify},
};

}  // namespace

std::span<const vm::Builtin> yaml_rows() { return kRows; }

}  // namespace harn::builtins
