#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace harn::modules {

// The parts of `harn.toml` that running a program needs.
struct Manifest {
  std::map<std::string, std::string> exports;      // [exports]: name to file
  std::map<std::string, std::string> asset_roots;  // [asset_roots]: name to folder
  long long while_limit = -1;                      // [runtime] while_limit; -1: not set
  long long line_width = -1;                       // [fmt] line_width
};

Result<Manifest> parse_manifest(std::string_view toml, const std::string& path);

}  // namespace harn::modules
