#include "effects/places.h"

#include <fcntl.h>
#include <sys/vfs.h>

#include <cerrno>
#include <climits>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "effects/git_files.h"

namespace harn::effects {

namespace {

constexpr long kProcFileSystem = 0x9fa0;  // PROC_SUPER_MAGIC
constexpr int kMostLinks = 40;            // as the system

FileResult<void> check_text(const std::string& path) {
  if (!path.contains('\0')) return {};
  return std::unexpected(FileFailure{ErrorKind::Invalid, "EINVAL", "a path cannot hold a NUL character"});
}

std::string proc_path(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

FileResult<std::string> link_text(int directory, const char* name) {
  char text[PATH_MAX];
  ssize_t size = readlinkat(directory, name, text, sizeof text);
  if (size < 0) return file_failed(errno);
  return std::string(text, static_cast<size_t>(size));
}

FileFailure violation(const Errand& errand, const std::string& path) {
  return {ErrorKind::Denied, "sandbox",
          fmt::format("sandbox violation: builtin '{}' attempted to {} '{}' outside workspace_roots {}", errand.builtin,
                      errand.verb, text::to_valid_utf8(path), errand.workspace->shown()),
          true};
}

std::string_view parent_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// What cannot be opened has no path to check. Where the part of it that can is outside, the rest is nobody's business: neither
// whether it is there nor why not.
FileFailure why_not_found(const Errand& errand, int base, const std::string& path, int error) {
  if (!errand.workspace) return failure_of(error);
  for (std::string at = path; at != "/" && at != ".";) {
    at = parent_of(at);
    Descriptor found(openat(base, at.c_str(), O_PATH | O_CLOEXEC));
    if (!found.is_open()) continue;
    auto inside = check(errand, found, path);
    return inside ? failure_of(error) : inside.error();
  }
  return violation(errand, path);
}

// `path` is for messages.
FileResult<Descriptor> find_from(const Errand& errand, int base, const std::string& part, const std::string& path,
                                 int flags) {
  Descriptor found(openat(base, part.c_str(), O_PATH | O_CLOEXEC | flags));
  if (!found.is_open()) {
    FileFailure failure = why_not_found(errand, base, part, errno);
    return std::unexpected(failure.is_whole ? violation(errand, path) : failure);
  }
  HARN_CHECK(check(errand, found, path));
  return found;
}

bool is_on_proc(const Descriptor& directory) {
  struct statfs info;
  return fstatfs(directory.get(), &info) == 0 && info.f_type == kProcFileSystem;
}

// The entry itself. False: it is a link, to be followed.
bool look(Place& place, LastLink last) {
  place.exists = fstatat(place.directory.get(), place.name.c_str(), &place.info, AT_SYMLINK_NOFOLLOW) == 0;
  return last == LastLink::Keep || !place.exists || !S_ISLNK(place.info.st_mode);
}

// Links in /proc lead to things, not to paths: what their text says may not exist, or be something else.
FileResult<void> follow_magic(const Errand& errand, Place& place, const std::string& path) {
  place.object = HARN_TRY(find_from(errand, place.directory.get(), place.name, path, 0));
  place.info = HARN_TRY(info_of(place.object));
  return {};
}

// One step: the place at the end of `part`, which is relative to `base`.
FileResult<Place> place_of(const Errand& errand, int base, std::string_view part, const std::string& path) {
  bool ends_in_slash = part.size() > 1 && part.ends_with('/');
  while (part.size() > 1 && part.ends_with('/')) part.remove_suffix(1);
  std::string_view name = part.substr(part.rfind('/') + 1);
  Place place;
  if (name.empty() || name == "." || name == ".." || ends_in_slash) {
    // A directory by its own path. One that ends in a slash and is not there yet is a place in its parent.
    auto whole = find_from(errand, base, std::string(part.empty() ? "." : part), path, O_DIRECTORY);
    if (whole || !ends_in_slash || whole.error().code != "ENOENT") {
      place.directory = HARN_TRY(std::move(whole));
      place.name = ".";
      return place;
    }
  }
  place.directory = HARN_TRY(find_from(errand, base, std::string(parent_of(part)), path, O_DIRECTORY));
  place.name = name;
  return place;
}

}  // namespace

FileResult<struct stat> info_of(const Descriptor& file) {
  struct stat info;
  if (fstat(file.get(), &info) != 0) return file_failed(errno);
  return info;
}

FileResult<void> check(const Errand& errand, const Descriptor& found, const std::string& path) {
  if (!errand.workspace) return {};
  std::string real = HARN_TRY(link_text(AT_FDCWD, proc_path(found.get()).c_str()));
  if (errand.workspace->allows(real, errand.access)) return {};
  return std::unexpected(violation(errand, path));
}

FileResult<Descriptor> find(const Errand& errand, const std::string& path) {
  HARN_CHECK(check_text(path));
  return find_from(errand, AT_FDCWD, path, path, 0);
}

FileResult<Descriptor> reopen(const Descriptor& found, int flags) {
  Descriptor opened(open(proc_path(found.get()).c_str(), flags | O_CLOEXEC));
  if (!opened.is_open()) return file_failed(errno);
  return opened;
}

static FileResult<Descriptor> open_with(const Errand& errand, const std::string& path, int flags) {
  HARN_CHECK(check_text(path));
  if (errand.workspace) return reopen(HARN_TRY(find(errand, path)), flags);
  Descriptor opened(open(path.c_str(), flags | O_CLOEXEC));
  if (!opened.is_open()) return file_failed(errno);
  return opened;
}

FileResult<Descriptor> open_to_read(const Errand& errand, const std::string& path) {
  return open_with(errand, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

FileResult<Descriptor> open_directory(const Errand& errand, const std::string& path) {
  return open_with(errand, path, O_RDONLY | O_DIRECTORY);
}

static FileResult<Place> locate_any(const Errand& errand, const std::string& path, LastLink last) {
  HARN_CHECK(check_text(path));
  if (path.empty()) return file_failed(ENOENT);
  Descriptor base;
  std::string part = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    int from = base.is_open() ? base.get() : AT_FDCWD;
    Place place = HARN_TRY(place_of(errand, from, part, path));
    if (look(place, last)) return place;
    if (is_on_proc(place.directory)) {
      HARN_CHECK(follow_magic(errand, place, path));
      return place;
    }
    part = HARN_TRY(link_text(place.directory.get(), place.name.c_str()));
    base = std::move(place.directory);
  }
  return file_failed(ELOOP);
}

FileResult<Place> locate(const Errand& errand, const std::string& path, LastLink last) {
  Place place = HARN_TRY(locate_any(errand, path, last));
  HARN_CHECK(check_name(errand, place.directory, place.name, path));
  return place;
}

}  // namespace harn::effects
