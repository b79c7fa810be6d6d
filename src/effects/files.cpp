#include "effects/files.h"

#include <filesystem>

namespace harn::effects {

namespace fs = std::filesystem;

vm::Outcome<bool> carry_out(Run&, const PathExists& request) {
  std::error_code ignored;
  return fs::exists(fs::path(request.path), ignored);
}

vm::Outcome<std::string> carry_out(Run&, const CurrentDirectory&) {
  std::error_code failed;
  std::string path = fs::current_path(failed).string();
  if (failed) return vm::runtime_error(ErrorKind::Io, "the current directory cannot be read: {}", failed.message());
  return path;
}

}  // namespace harn::effects
