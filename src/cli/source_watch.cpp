#include "cli/source_watch.h"

#include <dirent.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fmt.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/project.h"
#include "engine/prompts.h"
#include "modules/path.h"

namespace harn::cli {

namespace {

constexpr uint32_t kChanges =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr int kSettled_ms = 50;
constexpr int kDeepest = 64;

bool is_source(std::string_view name) {
  return name.ends_with(".harn") || engine::is_template_path(name) || name == "harn.toml";
}

Error cannot_watch(const std::string& folder) {
  std::string why =
      errno == ENOSPC ? "there are more folders than fs.inotify.max_user_watches allows" : strerror(errno);
  return {ErrorKind::Runtime, fmt::format("{} cannot be watched: {}", folder, why)};
}

bool is_readable(int fd, int timeout_ms) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  int ready;
  do ready = poll(&wanted, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Result<SourceWatch> SourceWatch::over(const std::vector<std::string>& folders) {
  SourceWatch watch;
  watch.inotify_ = Descriptor(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch.inotify_.is_open()) return std::unexpected(cannot_watch(folders[0]));
  for (const std::string& folder : folders) HARN_CHECK(watch.add(folder, 0));
  return watch;
}

// Before its entries are read, so that one that comes meanwhile is told. Folders that go away meanwhile are no failure.
Result<void> SourceWatch::add(const std::string& folder, int depth) {
  if (depth > kDeepest) return {};
  if (inotify_add_watch(inotify_.get(), folder.c_str(), kChanges | IN_ONLYDIR) < 0) {
    if (depth > 0 && errno != ENOSPC) return {};
    return std::unexpected(cannot_watch(folder));
  }
  DIR* handle = opendir(folder.c_str());
  if (!handle) return {};
  std::vector<std::string> below;
  while (dirent* entry = readdir(handle)) {
    std::string_view name = entry->d_name;
    if (name.starts_with('.') || name == "node_modules") continue;
    std::string path = modules::path::join(folder, name);
    struct stat info;
    if (lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) below.push_back(path);
  }
  closedir(handle);
  for (const std::string& path : below) HARN_CHECK(add(path, depth + 1));
  return {};
}

Result<bool> SourceWatch::read_events() {
  alignas(inotify_event) char buffer[16 * 1024];
  bool matters = false;
  for (;;) {
    ssize_t size = read(inotify_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return matters;
    if (size < 0) return fail(ErrorKind::Runtime, fmt::format("changes cannot be read: {}", strerror(errno)));
    for (ssize_t at = 0; at < size;) {
      auto& event = *reinterpret_cast<const inotify_event*>(buffer + at);
      std::string_view name = event.len > 0 ? event.name : "";
      // A folder may bring sources along or take them away; too many events at once may have hidden any.
      bool is_folder = (event.mask & IN_ISDIR) && !name.starts_with('.');
      matters |= is_folder || (event.mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)) || is_source(name);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

Result<void> SourceWatch::wait() {
  bool matters = false;
  for (;;) {
    if (!is_readable(inotify_.get(), matters ? kSettled_ms : -1)) return {};
    matters |= HARN_TRY(read_events());
  }
}

// The projects: what is imported and what a manifest says counts, too. Of a path that is in none, its folder.
static Result<std::vector<std::string>> folders_of(const std::vector<std::string>& paths) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    auto real = real_path(path);
    if (!real) return fail(ErrorKind::NotFound, fmt::format("cannot read {}: {}", path, strerror(errno)));
    std::string own = is_directory(*real) ? *real : modules::path::directory(*real);
    auto project = HARN_TRY(find_project(modules::path::join(own, "main.harn")));
    bool has_manifest = exists(modules::path::join(project.root, "harn.toml"));
    folders.push_back(has_manifest ? project.root : own);
  }
  std::ranges::sort(folders);
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

int repeat_on_change(const std::vector<std::string>& paths, const std::function<void()>& once) {
  auto folders = folders_of(paths.empty() ? std::vector<std::string>{"."} : paths);
  if (!folders) return fail_with(folders.error().message);
  for (;;) {
    auto watch = SourceWatch::over(*folders);
    if (!watch) return fail_with(watch.error().message);
    once();
    write_error("harn: waiting for changes (Ctrl-C ends)\n");
    if (auto waited = watch->wait(); !waited) return fail_with(waited.error().message);
  }
}

}  // namespace harn::cli
