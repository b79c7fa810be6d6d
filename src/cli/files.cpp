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

static std::string lower_first(std::string text) {
  if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z') text[0] = static_cast<char>(tolower(text[0]));
  return text;
}

std::string reason(int error_number) { return lower_first(strerror(error_number)); }

std::string reason_of_signal(int number) {
  const char* text = sigdescr_np(number);
  return text ? lower_first(text) : fmt::format("signal {}", number);
}

namespace {

std::unexpected<Error> io_error(std::string_view action, const std::string& path) {
  ErrorKind kind = errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Io;
  return fail(kind, fmt::format("cannot {} {}: {}", action, path, reason(errno)));
}

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

// Positions in a source are 32 bits wide, and nobody writes one of this size by hand.
constexpr size_t kMostBytes = 256u << 20;

bool read_all(int fd, std::string& text) try {
  struct stat info;
  size_t block = 64 * 1024;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    block = std::min(static_cast<size_t>(info.st_size), kMostBytes) + 1;
  }
  for (;;) {
    size_t before = text.size();
    if (before > kMostBytes) {
      errno = EFBIG;  // "file too large"
      return false;
    }
    text.resize(before + block);
    ssize_t got = ::read(fd, text.data() + before, block);
    text.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    block = std::max<size_t>(4096, std::min<size_t>(text.size(), 1 << 20));
  }
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return false;
}

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

Result<std::string> read_file(const std::string& path) {
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file.is_open() || !read_all(file.fd(), text)) return io_error("read", path);
  return text;
}

Result<std::string> read_standard_input() {
  std::string text;
  if (!read_all(STDIN_FILENO, text)) return io_error("read", "standard input");
  return text;
}

std::optional<std::string> real_path(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (!real) return std::nullopt;
  std::string out = real;
  free(real);
  return out;
}

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

Result<void> write_file(const std::string& path, std::string_view text) {
  OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open() || !write_all(file.fd(), text) || !file.close()) return io_error("write", path);
  return {};
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool is_directory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
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
