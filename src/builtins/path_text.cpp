#include "builtins/path_text.h"

#include <algorithm>

#include "base/text.h"
#include "vm/pace.h"

namespace harn::builtins {

std::string to_posix(std::string_view path) {
  std::string out(path);
  std::replace(out.begin(), out.end(), '\\', '/');
  return out;
}

std::string_view root_of(std::string_view path) {
  if (path.starts_with('/')) return path.substr(0, 1);
  bool drive =
      path.size() >= 3 && path[1] == ':' && path[2] == '/' && text::is_identifier_start(path[0]) && path[0] != '_';
  return path.substr(0, drive ? 3 : 0);
}

bool is_absolute(std::string_view path) { return !root_of(path).empty(); }

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  path.remove_prefix(root_of(path).size());
  while (!path.empty()) {
    vm::step();
    size_t end = std::min(path.find('/'), path.size());
    if (end > 0) segments.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

static std::string joined(std::string_view root, const std::vector<std::string_view>& segments) {
  std::string out(root);
  for (std::string_view segment : segments) {
    vm::step();
    if (out.size() > root.size()) out += '/';
    out += segment;
  }
  return out;
}

std::string normalize(std::string_view path) {
  if (path.empty()) return "";
  std::string_view root = root_of(path);
  std::vector<std::string_view> kept;
  for (std::string_view segment : segments_of(path)) {
    vm::step();
    if (segment == ".") continue;
    if (segment != "..") kept.push_back(segment);
    else if (!kept.empty() && kept.back() != "..") kept.pop_back();
    else if (root.empty()) kept.push_back(segment);
  }
  std::string out = joined(root, kept);
  return out.empty() ? "." : out;
}

bool relative_to(std::string_view path, std::string_view base, std::string& out) {
  if (root_of(path) != root_of(base)) return false;
  auto to = segments_of(path == "." ? "" : path);
  auto from = segments_of(base == "." ? "" : base);
  auto [to_rest, from_rest] = std::mismatch(to.begin(), to.end(), from.begin(), from.end());
  std::vector<std::string_view> steps;
  for (; from_rest != from.end(); ++from_rest) {
    // The way back from `..` needs the name of a folder that is not in either path.
    if (*from_rest == "..") return false;
    steps.push_back("..");
  }
  steps.insert(steps.end(), to_rest, to.end());
  out = steps.empty() ? "." : joined("", steps);
  return true;
}

}  // namespace harn::builtins
