#include "modules/path.h"

#include <vector>

#include "base/text.h"

namespace harn::modules::path {

std::string join(std::string_view directory, std::string_view path) {
  if (path.starts_with('/') || directory.empty() || directory == ".") return std::string(path);
  std::string out(directory);
  if (!out.ends_with('/')) out += '/';
  return out.append(path);
}

std::string normalize(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::string_view part : text::split(path, "/")) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") parts.pop_back();
    else if (part != ".." || !path.starts_with('/')) parts.push_back(part);
  }
  std::string out = path.starts_with('/') ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '/';
    out += parts[i];
  }
  return out.empty() ? "." : out;
}

std::string directory(std::string_view path) {
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return path == "." || path.empty() ? "" : ".";
  if (slash == 0) return "/";
  return std::string(path.substr(0, slash));
}

std::string parent(std::string_view folder) {
  if (folder == "." || folder.empty()) return "..";
  if (folder == ".." || folder.ends_with("/..")) return std::string(folder) + "/..";
  std::string above = directory(folder);
  return above.empty() ? "." : above;
}

}  // namespace harn::modules::path
