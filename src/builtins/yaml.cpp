#include "data/yaml.h"

#include "base/result.h"
#include "builtins/families.h"

namespace harn::builtins {
namespace {

using namespace vm;

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
