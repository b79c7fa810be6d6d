#include "effects/files.h"

#include <fcntl.h>

#include <cerrno>
#include <climits>

#include "effects/file_io.h"

namespace harn::effects {

namespace {

// What is read and written without another thread.
constexpr size_t kSmall = 64 * 1024;

bool is_small(const struct stat& info) { return S_ISREG(info.st_mode) && info.st_size <= static_cast<off_t>(kSmall); }

FileResult<std::string> read(const Errand& errand, const std::string& path) {
  auto file = std::make_shared<Descriptor>(HARN_TRY(open_to_read(errand, path)));
  struct stat info = HARN_TRY(info_of(*file));
  if (S_ISDIR(info.st_mode)) return file_failed(EISDIR);
  auto work = [file](Stop& stop) { return read_all(*file, vm::kMaxStringSize, stop); };
  Stop never;
  return is_small(info) ? work(never) : on_file_thread("a file", leave_of(info), work);
}

// Not where the task is, however little it is: where one file takes another's place, file systems like to write to the disk at
// once.
FileResult<void> write(const Errand& errand, const WriteFile& request) {
  auto place = std::make_shared<Place>(HARN_TRY(locate(errand, request.path, LastLink::Follow)));
  return on_file_thread("a file", Leave::AfterTheEnd, [place, bytes = request.bytes](Stop& stop) {
    return write_whole(
        *place, std::nullopt, [&](const Descriptor& to) { return write_all(to, bytes, stop); }, stop);
  });
}

FileResult<void> append(const Errand& errand, const WriteFile& request) {
  auto place = std::make_shared<Place>(HARN_TRY(locate(errand, request.path, LastLink::Follow)));
  auto work = [place, bytes = request.bytes](Stop& stop) -> FileResult<void> {
    return write_all(HARN_TRY(open_to_append(*place, stop)), bytes, stop);
  };
  bool is_usual = !place->object.is_open() && (!place->exists || S_ISREG(place->info.st_mode));
  Stop never;
  if (is_usual && request.bytes.size() <= kSmall) return work(never);
  return on_file_thread("a file", Leave::AfterTheEnd, work);
}

int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

}  // namespace

vm::Outcome<std::string> carry_out(Run& run, const ReadFile& request) {
  auto text = read(errand(run, request, "read", Access::Read), request.path);
  if (!text) return file_error(request.failure, request.path, text.error());
  return std::move(*text);
}

vm::Outcome<Done> carry_out(Run& run, const WriteFile& request) {
  Errand who = errand(run, request, "write", Access::Write);
  auto written = request.appends ? append(who, request) : write(who, request);
  if (written) return Done();
  return file_error(request.appends ? "Failed to append to file" : "Failed to write file", request.path,
                    written.error());
}

vm::Outcome<bool> carry_out(Run& run, const PathExists& request) {
  auto found = find(errand(run, request, "stat", Access::Read), request.path);
  if (found || !found.error().is_whole || request.outside_is_missing) return found.has_value();
  return file_error("", request.path, found.error());
}

vm::Outcome<AskFile::Answer> carry_out(Run& run, const AskFile& request) {
  auto found = find(errand(run, request, "stat", Access::Read), request.path);
  if (!found) return file_error("Failed to stat", request.path, found.error());
  auto info = info_of(*found);
  if (!info) return file_error("Failed to stat", request.path, info.error());
  return AskFile::Answer{.size = info->st_size,
                         .modified_ns = nanoseconds(info->st_mtim),
                         .is_file = S_ISREG(info->st_mode),
                         .is_directory = S_ISDIR(info->st_mode),
                         .is_read_only = (info->st_mode & 0222) == 0};
}

vm::Outcome<std::string> carry_out(Run&, const CurrentDirectory&) {
  char path[PATH_MAX];
  if (getcwd(path, sizeof path)) return std::string(path);
  return vm::runtime_error(ErrorKind::Io, "the current directory cannot be read: {}", reason_of(errno));
}

}  // namespace harn::effects
