#include "cli/skill_dirs.h"

#include <algorithm>
#include <cstdlib>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/files.h"

namespace harn::cli {

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void let_read(std::string_view folder, const Project& project, effects::Sandbox& sandbox) {
  if (folder.empty()) return;
  auto real = real_path(std::string(folder));
  if (!real || *real == project.root || real->starts_with(project.root + "/")) return;
  auto& open = sandbox.workspace.read_only;
  if (std::ranges::find(open, *real) == open.end()) open.push_back(*real);
}

}  // namespace

std::expected<void, UsageError> apply_skill_dirs(const Arguments& arguments, const Project& project,
                                                 effects::Sandbox& sandbox) {
  std::string listed;
  for (std::string_view folder : arguments.texts("--skill-dir")) {
    auto real = real_path(std::string(folder));
    if (!real)
      return std::unexpected(UsageError{fmt::format("`--skill-dir {}`: there is no such directory", folder), ""});
    if (!listed.empty()) listed += ':';
    listed += *real;
    let_read(*real, project, sandbox);
  }
  if (!listed.empty()) setenv("HARN_SKILL_DIRS", listed.c_str(), 1);
  for (std::string_view folder : text::split(variable("HARN_SKILLS_PATH"), ":")) let_read(folder, project, sandbox);
  // The skills, and the keys of those who may sign them.
  for (std::string_view name : {"skills", "trusted-signers"}) {
    if (std::string_view home = variable("HOME"); !home.empty())
      let_read(fmt::format("{}/.harn/{}", home, name), project, sandbox);
    let_read(fmt::format("/etc/harn/{}", name), project, sandbox);
  }
  return {};
}

}  // namespace harn::cli
