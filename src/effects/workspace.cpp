#include "effects/workspace.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "base/fmt.h"

namespace harn::effects {

static std::vector<std::string> real_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    char real[PATH_MAX];
    if (realpath(path.c_str(), real)) out.emplace_back(real);
  }
  return out;
}

static bool is_inside(std::string_view path, std::string_view root) {
  if (root == "/") return path.starts_with('/');
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

// How long the longest root is that the path is inside of; 0: none.
static size_t closest(std::string_view path, const std::vector<std::string>& roots) {
  size_t size = 0;
  for (const std::string& root : roots) {
    if (is_inside(path, root)) size = std::max(size, root.size());
  }
  return size;
}

std::shared_ptr<const Workspace> Workspace::within(std::shared_ptr<const Workspace> outer,
                                                   const WorkspaceRoots& roots) {
  auto workspace = std::make_shared<Workspace>();
  workspace->outer_ = std::move(outer);
  workspace->roots_ = {real_paths(roots.roots), real_paths(roots.read_only)};
  return workspace;
}

bool Workspace::allows(std::string_view real_path, Access access) const {
  if (outer_ && !outer_->allows(real_path, access)) return false;
  // The closest root decides: what is read-only may be part of what is not, and the other way round.
  size_t writable = closest(real_path, roots_.roots), read_only = closest(real_path, roots_.read_only);
  return access == Access::Read ? writable || read_only : writable > read_only;
}

std::string Workspace::shown() const { return fmt::format("[{}]", fmt::join(roots_.roots, ", ")); }

}  // namespace harn::effects
