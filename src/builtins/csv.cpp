#include "data/csv.h"

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/options.h"

namespace harn::builtins {
namespace {

using namespace vm;

Outcome<data::CsvOptions> read_options(Call& call) {
  data::CsvOptions options;
  const DictObject* given = HARN_TRY(options_of(call, 1));
  if (!given) return options;
  std::string_view name = call.row().name;
  if (const Value* headers = given->find("headers"); headers && !headers->is_nil()) {
    if (!headers->is_bool())
      return throw_text(ErrorKind::Type, "{}: headers must be a bool, got {}", name, type_name(*headers));
    options.headers = headers->as_bool();
  }
  if (const Value* delimiter = given->find("delimiter"); delimiter && !delimiter->is_nil()) {
    bool fits = delimiter->is_string() && delimiter->as_string()->size == 1;
    char c = fits ? delimiter->as_string()->data()[0] : 0;
    if (!fits || c == '"' || c == '\n' || c == '\r')
      return throw_text(ErrorKind::Invalid, "{}: delimiter must be a single byte", name);
    options.delimiter = c;
  }
  return options;
}

Outcome<Value> csv_parse(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return data::parse_csv(text, HARN_TRY(read_options(call)));
}

Outcome<Value> csv_stringify(Call& call) {
  if (!is_list_like(call.arg(0))) return throw_text(ErrorKind::Type, "csv_stringify: expected a list of rows");
  auto rows = HARN_TRY(call.list(0));
  auto options = HARN_TRY(read_options(call));
  std::string out;
  auto written = data::append_csv(out, rows.get(), options);
  if (!written) return throw_text(written.error().kind, "csv_stringify: {}", written.error().text());
  return text_value(out);
}

constinit const Builtin kRows[] = {
    {.name = "csv_parse",
     .signature = "(text: string, options?: {headers?: bool, delimiter?: string}) -> list<list<string>> | "
                  "list<dict<string, string>>",
     .doc = "Returns the rows of CSV text as lists, or as dicts with `{headers: true}`.",
     .example = R"(csv_parse("a,b\n1,2\n", {headers: true}) == [{a: "1", b: "2"}])",
     .call = csv_parse},
    {.name = "csv_stringify",
     .signature = "(rows: list<list> | list<dict>, options?: {headers?: bool, delimiter?: string}) -> string",
     .doc = "Returns rows of cells, or dicts, as CSV text.",
     .example = R"(csv_stringify([[1, "x,y"]]) == "1,\"x,y\"\n")",
     .call = csv_stringify},
};

}  // namespace

std::span<const vm::Builtin> csv_rows() { return kRows; }

}  // namespace harn::builtins
