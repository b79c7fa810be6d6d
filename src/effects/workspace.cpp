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
  workspace->roots_ = {real_paths(roots.roots), real_paths(roots.read_only), real_paths(roots.hidden)};
  return workspace;
}

bool Workspace::allows(std::string_view real_path, Access access) const {
  if (outer_ && !outer_->allows(real_path, access)) return false;
  if (closest(real_path, roots_.hidden)) return false;
  // The closest root decides: what is read-only may be part of what is not, and the other way round.
  size_t writable = closest(real_path, roots_.roots), read_only = closest(real_path, roots_.read_only);
  return access == Access::Read ? writable || read_only : writable > read_only;
}

bool Workspace::holds(const std::string& folder) const {
  auto real = real_paths({folder});
  return !real.empty() && allows(real[0], Access::Read);
}

// Of the folders of one, those that are inside the other's; of the other's, those that are inside of it.
static std::vector<std::string> common(const std::vector<std::string>& inner, const std::vector<std::string>& outer) {
  std::vector<std::string> out;
  for (const std::string& root : inner) {
    if (closest(root, outer)) out.push_back(root);
    for (const std::string& other : outer) {
      if (other != root && is_inside(other, root)) out.push_back(other);
    }
  }
  return out;
}

WorkspaceRoots Workspace::reachable() const {
  if (!outer_) return roots_;
  WorkspaceRoots around = outer_->reachable();
  std::vector<std::string> all = around.roots;
  all.insert(all.end(), around.read_only.begin(), around.read_only.end());
  std::vector<std::string> readable = roots_.roots;
  readable.insert(readable.end(), roots_.read_only.begin(), roots_.read_only.end());
  std::vector<std::string> hidden = roots_.hidden;
  hidden.insert(hidden.end(), around.hidden.begin(), around.hidden.end());
  return {common(roots_.roots, around.roots), common(readable, all), std::move(hidden)};
}

std::vector<WorkspaceRoots> Workspace::all_roots() const {
  std::vector<WorkspaceRoots> all;
  for (const Workspace* at = this; at; at = at->outer_.get()) all.push_back(at->roots_);
  return all;
}

std::string Workspace::shown() const { return fmt::format("[{}]", fmt::join(roots_.roots, ", ")); }

}  // namespace harn::effects
