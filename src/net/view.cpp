#include "net/view.h"

#include <fcntl.h>
#include <climits>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "base/fmt.h"

namespace harn::net {

namespace {

// What a child may write to a covered folder, which is in memory.
constexpr const char* kCover = "mode=0755,size=64m";

std::unexpected<Error> cannot(std::string_view what) {
  return fail(ErrorKind::Unsupported, fmt::format("{}: {}", what, strerror(errno)));
}

Result<void> write_line(const char* path, const std::string& line) {
  Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return cannot(path);
  return {};
}

// Root has what it takes. Others have it in a user namespace, in which they are who they were.
Result<void> own_namespace() {
  if (unshare(CLONE_NEWNS) == 0) return {};
  auto user = getuid();
  auto group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return cannot("there is no mount namespace");
  HARN_CHECK(write_line("/proc/self/setgroups", "deny"));
  HARN_CHECK(write_line("/proc/self/uid_map", fmt::format("{} {} 1", user, user)));
  return write_line("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
}

bool is_folder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<void> cover_folders(const std::vector<std::string>& folders) {
  HARN_CHECK(own_namespace());
  // What is mounted here is not mounted for others.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return cannot("the view is not private");
  for (const std::string& folder : folders) {
    if (!is_folder(folder)) continue;
    if (mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, kCover) != 0) return cannot(folder);
  }
  return {};
}

// A view that is not the owner's must leave on what is on.
static unsigned long flags_of(const std::string& path) {
  struct statvfs info;
  if (statvfs(path.c_str(), &info) != 0) return 0;
  constexpr std::pair<unsigned long, unsigned long> kFlags[] = {
      {ST_NOSUID, MS_NOSUID},   {ST_NODEV, MS_NODEV},           {ST_NOEXEC, MS_NOEXEC},
      {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME}, {ST_RELATIME, MS_RELATIME}};
  unsigned long flags = 0;
  for (auto [has, flag] : kFlags) {
    if (info.f_flag & has) flags |= flag;
  }
  return flags;
}

Result<void> keep_paths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    // Something that is mounted somewhere cannot be renamed or removed.
    if (mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) return cannot(path);
    auto is_below = [&](const std::string& other) { return other.starts_with(path + "/"); };
    if (std::any_of(paths.begin(), paths.end(), is_below)) continue;
    if (mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | flags_of(path), nullptr) != 0)
      return cannot(path);
  }
  return {};
}

bool can_cover_folders() {
  static const bool can = [] {
    pid_t child = fork();
    if (child == 0) _exit(cover_folders({"/tmp"}) ? 0 : 1);
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }();
  return can;
}

Result<void> enter_folder(int directory_fd) {
  char path[PATH_MAX];
  ssize_t size = readlink(fmt::format("/proc/self/fd/{}", directory_fd).c_str(), path, sizeof path - 1);
  if (size < 0) return cannot("its folder");
  path[size] = 0;
  struct stat wanted, found;
  Descriptor folder(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  bool is_same = folder.is_open() && fstat(directory_fd, &wanted) == 0 && fstat(folder.get(), &found) == 0 &&
                 wanted.st_dev == found.st_dev && wanted.st_ino == found.st_ino;
  if (!is_same) return fail(ErrorKind::NotFound, fmt::format("`{}` is not there any more, or is closed to it", path));
  if (fchdir(folder.get()) != 0) return cannot(path);
  return {};
}

}  // namespace harn::net
