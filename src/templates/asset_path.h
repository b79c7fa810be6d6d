#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

// Which file a path of a template means: plain paths begin at a folder, `@/x` at the project, `@name/x` at a folder that
// `[asset_roots]` in harn.toml names. Text only; who asks does the reading.
namespace harn::templates {

inline bool is_asset_path(std::string_view path) { return path.starts_with('@'); }
inline bool is_library_path(std::string_view path) {
  return path.starts_with("std/") && path.ends_with(".harn.prompt");
}

using AssetRoots = std::map<std::string, std::string>;

// The file that `@/x` or `@name/x` means in a project; or what is wrong: "asset root `parts` is not defined ...".
std::expected<std::string, std::string> resolve_asset(std::string_view path, const std::string& project,
                                                      const AssetRoots& roots);

}  // namespace harn::templates
