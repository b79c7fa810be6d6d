#include "effects/file_failure.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "vm/objects.h"

namespace harn::effects {

static ErrorKind kind_of(int error_number) {
  switch (error_number) {
    case ENOENT: return ErrorKind::NotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::Denied;
    case EINVAL:
    case ELOOP:
    case ENAMETOOLONG: return ErrorKind::Invalid;
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC: return ErrorKind::Limit;
    case EOPNOTSUPP: return ErrorKind::Unsupported;
    default: return ErrorKind::Io;
  }
}

std::string reason_of(int error_number) {
  std::string text = strerrordesc_np(error_number) ? strerrordesc_np(error_number) : "unknown error";
  bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word) text[0] = text::ascii_lower(text[0]);
  return text;
}

FileFailure failure_of(int error_number) {
  const char* name = strerrorname_np(error_number);
  return {kind_of(error_number), name ? name : "", reason_of(error_number)};
}

std::unexpected<vm::Thrown> file_error(std::string_view what, std::string_view path, const FileFailure& failure) {
  std::string shown = text::to_valid_utf8(path);
  auto error = failure.is_whole ? vm::throw_text(failure.kind, "{}", failure.reason)
                                : vm::throw_text(failure.kind, "{} {}: {}", what, shown, failure.reason);
  return vm::with_facts(std::move(error), failure.code, {{"path", vm::text_value(shown)}});
}

}  // namespace harn::effects
