#include "templates/asset_path.h"

#include "base/fmt.h"
#include "base/text.h"

namespace harn::templates {

// A path that stays where it begins.
static bool is_safe(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.contains('\\') || path.contains('\0')) return false;
  for (std::string_view part : text::split(path, "/")) {
    if (part == "..") return false;
  }
  return true;
}

std::expected<std::string, std::string> resolve_asset(std::string_view path, const std::string& project,
                                                      const AssetRoots& roots) {
  size_t slash = path.find('/');
  std::string_view alias = path.substr(1, slash == path.npos ? path.npos : slash - 1);
  std::string_view rest = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  if (!is_safe(rest)) {
    return std::unexpected(fmt::format(
        "invalid asset path `{}`: behind `@/` or `@name/` there must be a path without `..` and backslashes", path));
  }
  if (alias.empty()) return fmt::format("{}/{}", project, rest);
  auto root = roots.find(std::string(alias));
  if (root == roots.end()) {
    return std::unexpected(
        fmt::format("asset root `{}` is not defined: add it to [asset_roots] in {}/harn.toml", alias, project));
  }
  if (!is_safe(root->second)) {
    return std::unexpected(
        fmt::format("invalid asset root `{}`: `{}` must be a path in the project without `..`", alias, root->second));
  }
  return fmt::format("{}/{}/{}", project, root->second, rest);
}

}  // namespace harn::templates
