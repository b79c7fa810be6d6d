#include "effects/git_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/fmt.h"
#include "base/text.h"

namespace harn::effects {

bool is_run_by_git(std::string_view real_path) {
  bool is_in_repository = false;
  while (!real_path.empty()) {
    size_t slash = std::min(real_path.find('/'), real_path.size());
    std::string_view name = real_path.substr(0, slash);
    real_path.remove_prefix(std::min(slash + 1, real_path.size()));
    if (is_in_repository && (name == "hooks" || name == "config" || name == "config.worktree")) return true;
    if (name != ".git") continue;
    if (real_path.empty()) return true;
    is_in_repository = true;
  }
  return false;
}

std::vector<std::string> files_run_by_git(const Workspace& workspace) {
  std::vector<std::string> all;
  for (const std::string& root : workspace.reachable().roots) {
    for (std::string_view name : {".git", ".git/hooks", ".git/config", ".git/config.worktree"}) {
      std::string path = fmt::format("{}/{}", root, name);
      char real[PATH_MAX];
      if (realpath(path.c_str(), real) && path == real) all.push_back(std::move(path));
    }
  }
  return all;
}

FileResult<void> check_name(const Errand& errand, const Descriptor& directory, const std::string& name,
                            const std::string& path) {
  if (!errand.workspace || errand.access != Access::Write) return {};
  char text[PATH_MAX];
  ssize_t size = readlink(fmt::format("/proc/self/fd/{}", directory.get()).c_str(), text, sizeof text);
  if (size < 0) return file_failed(errno);
  std::string real(text, static_cast<size_t>(size));
  if (name != ".") real += "/" + name;
  if (!is_run_by_git(real)) return {};
  return std::unexpected(FileFailure{
      ErrorKind::Denied, "sandbox",
      fmt::format("sandbox violation: builtin '{}' attempted to {} '{}', which git would run commands from later",
                  errand.builtin, errand.verb, text::to_valid_utf8(path)),
      true});
}

}  // namespace harn::effects
