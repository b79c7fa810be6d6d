#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "compress/archive.h"

namespace harn::compress {

static std::unexpected<Error> refuse(std::string_view path, std::string_view why) {
  return fail(ErrorKind::Denied, fmt::format("`{}` {}", text::to_valid_utf8(path), why));
}

// On Windows `\` separates folders, too: an archive that is harmless here should be so there.
Result<void> check_entry_path(std::string_view path) {
  constexpr std::string_view kSeparators = "/\\";
  if (path.empty()) return fail(ErrorKind::Invalid, "an entry has no path");
  if (path.find('\0') != path.npos) return refuse(path.substr(0, path.find('\0')), "has a zero byte in its path");
  bool has_drive = path.size() > 1 && text::is_identifier_start(path[0]) && path[1] == ':';
  if (kSeparators.find(path[0]) != path.npos || has_drive) return refuse(path, "is an absolute path");
  for (size_t at = 0; at < path.size();) {
    size_t end = std::min(path.find_first_of(kSeparators, at), path.size());
    if (path.substr(at, end - at) == "..") return refuse(path, "leaves its folder");
    at = end + 1;
  }
  return {};
}

}  // namespace harn::compress
