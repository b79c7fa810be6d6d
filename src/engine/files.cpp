#include "engine/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fmt.h"

namespace harn::engine {

static std::string lower_first(std::string text) {
  if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z') text[0] = static_cast<char>(tolower(text[0]));
  return text;
}

std::string reason(int error_number) { return lower_first(strerror(error_number)); }

std::string reason_of_signal(int number) {
  const char* text = sigdescr_np(number);
  return text ? lower_first(text) : fmt::format("signal {}", number);
}

std::unexpected<Error> io_error(std::string_view action, const std::string& path) {
  ErrorKind kind = errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Io;
  return fail(kind, fmt::format("cannot {} {}: {}", action, path, reason(errno)));
}

// Positions in a source are 32 bits wide, and nobody writes one of this size by hand.
static constexpr size_t kMostBytes = 256u << 20;

static bool read_all(int fd, std::string& text) try {
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

Result<std::string> read_file(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error("read", path);
  std::string text;
  bool is_read = read_all(fd, text);
  int failure = errno;
  close(fd);
  errno = failure;
  if (!is_read) return io_error("read", path);
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

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool is_directory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_left_out(const std::filesystem::path& folder) {
  std::string name = folder.filename();
  return name.starts_with('.') || name == "node_modules" || name == "build" || name == "target";
}

std::vector<std::string> programs_below(const std::string& folder, size_t most) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code failed;
  auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, skip, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    bool is_folder = at->is_directory(unknown);
    if (is_folder && is_left_out(at->path())) at.disable_recursion_pending();
    else if (!is_folder && at->path().extension() == ".harn") found.push_back(at->path());
    if (found.size() >= most) break;
  }
  std::ranges::sort(found);
  return found;
}

std::string library_folder(std::string_view version) {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return fmt::format("{}/harn/{}", cache, version);
  const char* home = getenv("HOME");
  return home && home[0] == '/' ? fmt::format("{}/.cache/harn/{}", home, version) : "";
}

bool keep_copy(const std::string& path, std::string_view text) {
  if (auto there = read_file(path); there && *there == text) return true;
  std::error_code unheard;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), unheard);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  return static_cast<bool>(out.flush());
}

}  // namespace harn::engine
