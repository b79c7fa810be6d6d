#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "effects/state.h"
#include "engine/machine.h"
#include "modules/manifest.h"

namespace harn::cli {

// Where a program belongs: the nearest directory upwards that holds a harn.toml, or the working
// directory when there is none before the repository ends.
struct Project {
  std::string root;  // absolute
  modules::Manifest manifest;
  effects::StateHome state;  // where its programs keep what outlives them
};
// `path` is the program's file, or empty for text that is in none.
Result<Project> find_project(const std::string& path);

// Threads that run tasks: the flag, HARN_WORKERS, or 0 for one per processor.
Result<unsigned> worker_count(std::optional<int64_t> flag);
// What a machine is set up with: `workers`, or what HARN_WORKERS says.
engine::Settings settings(vm::Limits limits, unsigned workers = 0);
// The limit of `while` passes: the flag, else HARN_WHILE_LIMIT, else harn.toml, else the default.
Result<int64_t> while_limit(const Project& project, std::optional<int64_t> flag);

}  // namespace harn::cli
