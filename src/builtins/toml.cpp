#include "data/toml.h"

#include "base/result.h"
#include "builtins/families.h"

namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> toml_parse(Call& call) {
  HARN_CHECK(call.text(0));
  auto parsed = data::parse_toml(call.arg(0));
  if (!parsed) return throw_text(parsed.error().kind, "TOML parse error: {}", parsed.error().text());
  return std::move(*parsed);
}

Outcome<Value> toml_stringify(Call& call) {
  std::string out;
  auto written = data::append_toml(out, call.arg(0));
  if (!written) return throw_text(written.error().kind, "toml_stringify: {}", written.error().text());
  return text_value(out);
}

constinit const Builtin kRows[] = {
    {.name = "toml_parse",
     .signature = "(text: string) -> dict",
     .doc = "Returns the value of a TOML document.",
     .example = R"(toml_parse("[a]\nb = 1") == {a: {b: 1}})",
     .call = toml_parse},
    {.name = "toml_stringify",
     .signature = "(value: any) -> string",
     .doc = "Returns a dict as TOML.",
     .example = R"(toml_stringify({a: 1}) == "a = 1\n")",
     .call = toml_stringify},
};

}  // namespace

std::span<const vm::Builtin> toml_rows() { return kRows; }

}  // namespace harn::builtins
