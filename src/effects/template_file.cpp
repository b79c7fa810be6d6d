#include "effects/template_file.h"

#include <fcntl.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/text.h"
#include "effects/file_io.h"

namespace harn::effects {

namespace {

constexpr uint64_t kMostBytes = 64 << 20;  // of one template

// What the kernel calls a file that is open.
FileResult<std::string> path_of(const Descriptor& file) {
  char path[PATH_MAX];
  std::string link = fmt::format("/proc/self/fd/{}", file.get());
  ssize_t size = readlink(link.c_str(), path, sizeof path);
  if (size < 0) return file_failed(errno);
  return std::string(path, static_cast<size_t>(size));
}

FileResult<std::string> without_links(const std::string& folder) {
  char path[PATH_MAX];
  if (!realpath(folder.c_str(), path)) return file_failed(errno);
  return std::string(path);
}

bool is_inside(const std::string& file, std::string folder) {
  if (!folder.ends_with('/')) folder += '/';
  return file.starts_with(folder);
}

FileResult<ReadTemplate::Answer> read(const Errand& errand, const ReadTemplate& request) {
  auto file = std::make_shared<Descriptor>(HARN_TRY(open_to_read(errand, request.path)));
  struct stat info = HARN_TRY(info_of(*file));
  if (S_ISDIR(info.st_mode)) return file_failed(EISDIR);
  ReadTemplate::Answer answer;
  answer.path = HARN_TRY(path_of(*file));
  if (!request.within.empty() && !is_inside(answer.path, HARN_TRY(without_links(request.within)))) {
    return std::unexpected(
        FileFailure{.kind = ErrorKind::Invalid, .code = "escape", .reason = "it escapes template root"});
  }
  answer.text = HARN_TRY(
      on_file_thread("a template", leave_of(info), [file](Stop& stop) { return read_all(*file, kMostBytes, stop); }));
  if (!text::is_valid_utf8(answer.text)) {
    return std::unexpected(FileFailure{.kind = ErrorKind::Invalid, .code = "utf8", .reason = "it is not UTF-8"});
  }
  return answer;
}

}  // namespace

vm::Outcome<ReadTemplate::Answer> carry_out(Run& run, const ReadTemplate& request) {
  auto answer = read(errand(run, request, "read", Access::Read), request);
  if (!answer) return file_error(request.failure, request.path, answer.error());
  return *std::move(answer);
}

}  // namespace harn::effects
