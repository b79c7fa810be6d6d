#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/manifest.h"

// What a project says about the lints: `[lint]` in harn.toml.
namespace harn::diag {
class Sink;
}

namespace harn::lint {

struct Settings {
  std::vector<std::string> disabled;  // names of rules that are not to be told
  bool require_file_header = false;
  bool require_docstrings = false;
  int64_t complexity_threshold = 25;
  int64_t template_variant_branch_threshold = 3;
  std::vector<std::string> persona_step_allowlist;

  bool is_disabled(std::string_view rule) const;
};

// The settings that a manifest has. What is wrong with them (a rule that does not exist, a value of another type) goes to
// the sink, about the manifest's own text.
Settings settings_of(const modules::Manifest& manifest, const std::string& path, const std::string& text,
                     diag::Sink& sink);

}  // namespace harn::lint
