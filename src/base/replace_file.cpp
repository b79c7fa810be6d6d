#include "base/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/fmt.h"

namespace harn {

namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

// Closed when it goes; `close` tells what a late write has met.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Where a symbolic link leads to; the path itself when it is none, or leads nowhere.
std::string resolved(const std::string& path) {
  struct stat info;
  char real[PATH_MAX];
  if (lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode) || !realpath(path.c_str(), real)) return path;
  return real;
}

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A new file beside `path`, open for writing; `name` is set to its name.
int open_temporary(const std::string& path, std::string& name, Readers readers) {
  static std::atomic<uint64_t> count = 0;
  size_t slash = path.rfind('/');
  std::string own_name = slash == std::string::npos ? path : path.substr(slash + 1);
  // The name of a file may be as long as names can be: leave room for what is added.
  constexpr size_t kLongestName = 200;
  int opened = -1;
  do {
    name = fmt::format("{}/.{}.{}-{}.tmp", folder_of(path), own_name.substr(0, kLongestName), getpid(), ++count);
    opened = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readers == Readers::OwnerOnly ? 0600 : 0666);
  } while (opened < 0 && errno == EEXIST);
  return opened;
}

// Those of the file that is replaced, if there is one.
bool give_permissions(int to, const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return true;
  bool is_owned = fchown(to, info.st_uid, info.st_gid) == 0;
  // Without the old owner the bits that act in an owner's name must not come along.
  return fchmod(to, info.st_mode & (is_owned ? 07777 : 0777)) == 0;
}

bool sync_folder(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync folders, and say so by EINVAL; then there is nothing to do.
  return folder.is_open() && (fsync(folder.number()) == 0 || errno == EINVAL);
}

std::error_code fill_and_rename(Descriptor& file, const std::string& temporary, const std::string& path,
                                std::string_view bytes, Durability durability, Readers readers) {
  bool synced = durability == Durability::Synced;
  if (!write_all(file.number(), bytes)) return last_error();
  if (readers == Readers::AsBefore && !give_permissions(file.number(), path)) return last_error();
  if (synced && fsync(file.number()) != 0) return last_error();
  if (!file.close() || rename(temporary.c_str(), path.c_str()) != 0) return last_error();
  if (synced && !sync_folder(folder_of(path))) return last_error();
  return {};
}

}  // namespace

std::error_code replace_file(const std::string& path, std::string_view bytes, Durability durability, Readers readers) {
  std::string target = resolved(path);
  // A device or a FIFO is something else than what was written to it.
  struct stat there;
  if (lstat(target.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return std::make_error_code(S_ISDIR(there.st_mode) ? std::errc::is_a_directory
                                                       : std::errc::operation_not_supported);
  std::string temporary;
  Descriptor file(open_temporary(target, temporary, readers));
  if (!file.is_open()) return last_error();
  std::error_code failed = fill_and_rename(file, temporary, target, bytes, durability, readers);
  if (failed) unlink(temporary.c_str());  // after a rename it is not there any more
  return failed;
}

std::error_code make_folders(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  return failed;
}

FileLock::FileLock(const std::string& path, std::error_code& failed)
    : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  failed = descriptor_ < 0 ? last_error() : std::error_code();
  while (!failed && flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) failed = last_error();
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace harn
