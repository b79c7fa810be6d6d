#include "cli/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <set>

#include "base/fmt.h"
#include "modules/path.h"

namespace harn::cli {

using engine::io_error;

namespace {

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  ~OpenFile() { close(); }
  OpenFile(const OpenFile&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view text) {
  std::string target = real_path(path).value_or(path);
  struct stat info;
  if (stat(target.c_str(), &info) != 0) return io_error("write", path);
  // A read-only file must stay as it is, though its directory would let us replace it.
  if (access(target.c_str(), W_OK) != 0) return io_error("write", path);
  std::string temporary = target + ".harn-XXXXXX";
  OpenFile file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return io_error("write", path);
  bool owned = fchown(file.fd(), info.st_uid, info.st_gid) == 0;
  // Without the old owner the bits that act in an owner's name must not come along.
  mode_t mode = info.st_mode & (owned ? 07777 : 0777);
  if (write_all(file.fd(), text) && fchmod(file.fd(), mode) == 0 && fsync(file.fd()) == 0 && file.close() &&
      rename(temporary.c_str(), target.c_str()) == 0) {
    return {};
  }
  int saved = errno;
  unlink(temporary.c_str());
  errno = saved;
  return io_error("write", path);
}

// So that the new name is there after a crash, too.
static void sync_directory(const std::string& path) {
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  OpenFile file(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) fsync(file.fd());
}

Result<void> write_private_file(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".harn-XXXXXX";
  OpenFile file(mkostemp(temporary.data(), O_CLOEXEC));  // for its owner only
  if (!file.is_open()) return io_error("write", path);
  if (write_all(file.fd(), bytes) && fsync(file.fd()) == 0 && file.close() &&
      rename(temporary.c_str(), path.c_str()) == 0) {
    sync_directory(path);
    return {};
  }
  int saved = errno;
  unlink(temporary.c_str());
  errno = saved;
  return io_error("write", path);
}

Result<void> write_file(const std::string& path, std::string_view text) {
  OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open() || !write_all(file.fd(), text) || !file.close()) return io_error("write", path);
  return {};
}

namespace {

// Directories reached through symbolic links are not entered: they may lead back.
Result<void> add_sources_below(const std::string& directory, std::vector<std::string>& out, int depth) {
  constexpr int kDeepest = 64;
  if (depth > kDeepest) return {};
  DIR* handle = opendir(directory.c_str());
  if (!handle) return io_error("read", directory);
  std::vector<std::pair<std::string, bool>> entries;
  while (dirent* entry = readdir(handle)) {
    std::string name = entry->d_name;
    if (name.starts_with('.')) continue;
    std::string path = modules::path::join(directory, name);
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) entries.emplace_back(path, true);
    else if (name.ends_with(".harn") && !is_directory(path)) entries.emplace_back(path, false);
  }
  closedir(handle);
  std::sort(entries.begin(), entries.end());
  for (auto& [path, is_directory] : entries) {
    if (is_directory) HARN_CHECK(add_sources_below(path, out, depth + 1));
    else out.push_back(path);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> find_sources(const std::vector<std::string_view>& paths) {
  std::vector<std::string> out;
  for (std::string_view given : paths) {
    std::string path(given);
    if (!is_directory(path)) {
      if (!exists(path)) return io_error("read", path);
      out.push_back(std::move(path));
      continue;
    }
    size_t before = out.size();
    HARN_CHECK(add_sources_below(path, out, 0));
    if (out.size() == before) {
      return fail(ErrorKind::NotFound, fmt::format("no .harn files in {}", path));
    }
  }
  std::set<std::string> seen;
  std::erase_if(out, [&](const std::string& path) { return !seen.insert(modules::path::normalize(path)).second; });
  return out;
}

}  // namespace harn::cli
