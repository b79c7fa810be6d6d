#pragma once

#include <string>
#include <string_view>

#include "data/json_writer.h"

// JSON that commands print with `--json`.
namespace harn::cli {

using data::JsonWriter;

struct Problem {
  std::string code;     // a stable identifier: "check_failed"
  std::string message;  // empty: nothing went wrong
};
// {schemaVersion, ok, data, error, warnings} on one line of standard output. `data` is JSON.
void print_envelope(int schema_version, std::string_view data, const Problem& problem = {});
std::string envelope(int schema_version, std::string_view data, const Problem& problem = {});

}  // namespace harn::cli
