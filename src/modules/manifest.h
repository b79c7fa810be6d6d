#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace harn::modules {

// Something that a manifest says, and where (from 1).
struct ManifestWord {
  std::string text;
  uint32_t line = 0, column = 0;
};

// `[lint]`, as it is written; what it means is for src/lint to say.
struct LintTable {
  std::vector<ManifestWord> disabled;
  std::vector<ManifestWord> persona_step_allowlist;
  std::optional<bool> require_file_header, require_docstrings;
  std::optional<int64_t> complexity_threshold, template_variant_branch_threshold;
  std::vector<ManifestWord> unknown;  // keys that there are none of
  std::vector<ManifestWord> wrong;    // values of another type: what is expected
};

// `[check]`.
struct CheckTable {
  bool strict = false;             // warnings count as errors
  bool strict_types = false;       // values from outside must be looked at before they are taken apart
  std::optional<double> max_cost;  // what a pipeline may cost at most, in US dollars
  std::string preflight_severity;  // "error", "warning" or "off"; empty: not set
  std::vector<std::string> preflight_allow;
  std::string host_capabilities_path;  // relative to the manifest; empty: not set
  // The operations of the host, by capability; nothing: nobody has said which there are.
  std::optional<std::map<std::string, std::vector<std::string>>> host_capabilities;
  std::vector<ManifestWord> unknown;  // keys that there are none of
  std::vector<ManifestWord> wrong;    // values of another type: what is expected
};

// The parts of `harn.toml` that commands need.
struct Manifest {
  std::map<std::string, std::string> exports;      // [exports]: name to file
  std::map<std::string, std::string> asset_roots;  // [asset_roots]: name to folder
  long long while_limit = -1;                      // [runtime] while_limit; -1: not set
  long long line_width = -1;                       // [fmt] line_width
  CheckTable check;
  std::optional<std::vector<std::string>> workspace_pipelines;  // [workspace] pipelines
  LintTable lint;
};

Result<Manifest> parse_manifest(std::string_view toml, const std::string& path);

}  // namespace harn::modules
