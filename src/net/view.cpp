#include "net/view.h"

#include <fcntl.h>
#include <climits>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
