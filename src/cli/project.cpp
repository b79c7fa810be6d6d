#include "cli/project.h"

#include <climits>
#include <cstdlib>
#include <unistd.h>

#include "base/fmt.h"
#include "cli/files.h"
#include "cli/options.h"
#include "modules/path.h"

namespace harn::cli {

Result<Project> find_project(const std::string& path) {
  std::string start = real_path(path.empty() ? "." : modules::path::directory(path)).value_or("/");
  for (std::string at = start;; at = modules::path::directory(at)) {
    std::string manifest = modules::path::join(at, "harn.toml");
    if (exists(manifest)) {
      std::string text = HARN_TRY(read_file(manifest));
      auto parsed = HARN_TRY(modules::parse_manifest(text, manifest));
      return Project{at, std::move(parsed), {effects::StateHome::Kind::Project, at}};
    }
    if (at == "/" || exists(modules::path::join(at, ".git"))) break;
  }
  return Project{real_path(".").value_or("/"), {}, {effects::StateHome::Kind::Script, start}};
}

Result<int64_t> while_limit(const Project& project, std::optional<int64_t> flag) {
  if (flag) return *flag;
  if (const char* variable = getenv("HARN_WHILE_LIMIT"); variable && *variable) {
    auto number = parse_number(variable);
    if (number && *number >= 0) return *number;
    return fail(ErrorKind::Invalid,
                fmt::format("HARN_WHILE_LIMIT is `{}`, expected a whole number of 0 or more", variable));
  }
  if (project.manifest.while_limit >= 0) return project.manifest.while_limit;
  return vm::Limits{}.while_limit;
}

Result<unsigned> worker_count(std::optional<int64_t> flag) {
  constexpr int64_t kMost = 1024;
  std::string_view name = "--workers";
  if (!flag) {
    const char* variable = getenv("HARN_WORKERS");
    if (!variable || !*variable) return 0u;
    name = "HARN_WORKERS";
    flag = parse_number(variable).value_or(-1);
  }
  if (*flag < 0 || *flag > kMost) {
    return fail(ErrorKind::Invalid, fmt::format("{} must be a whole number from 0 to {}", name, kMost));
  }
  return static_cast<unsigned>(*flag);
}

engine::Settings settings(vm::Limits limits, unsigned workers) {
  return {.limits = limits, .workers = workers ? workers : worker_count(std::nullopt).value_or(0)};
}

}  // namespace harn::cli
