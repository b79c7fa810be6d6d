#pragma once

#include <string>
#include <string_view>

#include "data/format_error.h"
#include "vm/value.h"

// Comma-separated values, as RFC 4180 has them: a field in quotes may hold anything, a quote in it
// is doubled. Rows may differ in length, and every text is a table.
namespace harn::data {

struct CsvOptions {
  bool headers = false;  // the first row names the columns: rows are dicts
  char delimiter = ',';  // no quote and no line break
};

vm::Value parse_csv(std::string_view text, const CsvOptions& options);

// Appends rows: all lists (a list-like value each), or all dicts. Fails when they are neither, or grow too large;
// `out` is then unusable.
Written append_csv(std::string& out, const vm::ListObject* rows, const CsvOptions& options);

}  // namespace harn::data
