#include "effects/real_path.h"

#include <filesystem>

#include "effects/state.h"

namespace harn::effects {

namespace fs = std::filesystem;

// A link on the way that leads to nothing could lead anywhere once there is something.
static bool has_dangling_link(const fs::path& path) {
  fs::path way;
  std::error_code failed;
  for (const fs::path& part : path) {
    way /= part;
    if (fs::is_symlink(fs::symlink_status(way, failed)) && !fs::exists(way, failed)) return true;
  }
  return false;
}

vm::Outcome<FindRealPath::Answer> carry_out(Run&, const FindRealPath& request) {
  // The system would take the part before it, and nobody else would.
  if (request.path.find('\0') != std::string::npos) return FindRealPath::Answer{"", "it has a zero byte in it"};
  if (has_dangling_link(request.path)) return FindRealPath::Answer{"", "a link in it leads to nothing"};
  auto real = real_path(request.path);
  if (!real) return FindRealPath::Answer{"", real.error().message};
  return FindRealPath::Answer{real->string(), ""};
}

}  // namespace harn::effects
