#include "effects/file_io.h"

#include <fcntl.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>

#include "base/fmt.h"
#include "base/result.h"

namespace harn::effects {

namespace {

constexpr size_t kPiece = 1 << 20;  // between two looks at whether to stop

FileFailure too_large(uint64_t size, uint64_t most) {
  return {
      ErrorKind::Limit, "EFBIG",
      fmt::format("the file has {} bytes, more than the {} that a value can hold; read_file_stream reads it in pieces",
                  size, most)};
}

// After a call that failed: waits until it may be tried again.
FileResult<void> wait_again(int fd, short events, Stop& stop) {
  if (errno == EINTR) return {};
  if (errno != EAGAIN && errno != EWOULDBLOCK) return file_failed(errno);
  if (!stop.wait(fd, events)) return file_failed(ECANCELED);
  return {};
}

// Whether the next read is worth trying. A FIFO that nobody has opened for writing yet reads as ended, and is not.
FileResult<void> wait_for_data(const Descriptor& file, Stop& stop) {
  if (!stop.wait(file.get(), POLLIN)) return file_failed(ECANCELED);
  return {};
}

FileResult<size_t> read_into(const Descriptor& file, char* to, size_t most, Stop& stop) {
  for (;;) {
    if (stop.is_requested()) return file_failed(ECANCELED);
    ssize_t got = ::read(file.get(), to, std::min(most, kPiece));
    if (got >= 0) return static_cast<size_t>(got);
    HARN_CHECK(wait_again(file.get(), POLLIN, stop));
  }
}

FileResult<size_t> append_some(const Descriptor& file, std::string& text, size_t most, Stop& stop) {
  size_t before = text.size();
  FileResult<size_t> got = 0;
  text.resize_and_overwrite(before + most, [&](char* to, size_t) {
    got = read_into(file, to + before, most, stop);
    return before + got.value_or(0);
  });
  return got;
}

// ---- replacing ----

std::string fresh_name() {
  uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) < 0 && errno == EINTR) {}
  return fmt::format(".harn-{:016x}.tmp", number);
}

// A file that takes the place of another at once, or goes without a trace.
class Replacement {
 public:
  explicit Replacement(const Place& place) : place_(place), name_(fresh_name()) {}
  ~Replacement() {
    if (file_.is_open()) unlinkat(place_.directory.get(), name_.c_str(), 0);
  }
  Replacement(const Replacement&) = delete;

  FileResult<void> begin(std::optional<mode_t> mode) {
    constexpr mode_t kFresh = 0666;  // less what the user's mask takes away
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = Descriptor(openat(place_.directory.get(), name_.c_str(), flags, mode ? 0600 : kFresh));
    if (!file_.is_open()) return file_failed(errno);
    if (place_.exists && !keep_owner()) return file_failed(errno);
    if (mode && fchmod(file_.get(), *mode & 07777) != 0) return file_failed(errno);
    return {};
  }
  const Descriptor& file() const { return file_; }
  FileResult<void> finish() {
    int directory = place_.directory.get();
    if (renameat(directory, name_.c_str(), directory, place_.name.c_str()) != 0) return file_failed(errno);
    file_ = Descriptor();
    return {};
  }

 private:
  bool keep_owner() {
    struct stat fresh;
    if (fstat(file_.get(), &fresh) != 0) return false;
    bool same = fresh.st_uid == place_.info.st_uid && fresh.st_gid == place_.info.st_gid;
    return same || fchown(file_.get(), place_.info.st_uid, place_.info.st_gid) == 0;
  }

  const Place& place_;
  std::string name_;
  Descriptor file_;
};

// Opens for writing without waiting in the call: a FIFO whose other end nobody has opened is asked for again and again.
template <class Open>
FileResult<Descriptor> open_to_write(Open open, Stop& stop) {
  constexpr int kAgain = 10;  // ms
  for (;;) {
    Descriptor file(open());
    if (file.is_open()) return file;
    if (errno == EINTR) continue;
    if (errno != ENXIO) return file_failed(errno);
    if (!stop.wait(-1, 0, kAgain)) return file_failed(ECANCELED);
  }
}

FileResult<Descriptor> open_in_place(const Place& place, int flags, Stop& stop) {
  flags |= O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  return open_to_write(
      [&] {
        if (!place.object.is_open()) return openat(place.directory.get(), place.name.c_str(), flags | O_NOFOLLOW, 0666);
        auto opened = reopen(place.object, flags & ~O_CREAT);
        return opened ? opened->release() : -1;
      },
      stop);
}

FileResult<void> write_in_place(const Place& place, const Fill& fill, Stop& stop) {
  return fill(HARN_TRY(open_in_place(place, O_TRUNC, stop)));
}

FileResult<void> replace(const Place& place, std::optional<mode_t> mode, const Fill& fill, Stop& stop) {
  if (place.exists) {
    // It could be replaced without leave to write it. That is not what a write is.
    HARN_CHECK(open_in_place(place, 0, stop));
    if (!mode) mode = place.info.st_mode;
  }
  Replacement replacement(place);
  auto begun = replacement.begin(mode);
  // Not everywhere where there are files can be made others: in /proc, in the directory of somebody else. With a full disk
  // it is better to fail.
  if (!begun && place.exists && begun.error().kind != ErrorKind::Limit) return write_in_place(place, fill, stop);
  HARN_CHECK(std::move(begun));
  HARN_CHECK(fill(replacement.file()));
  if (stop.is_requested()) return file_failed(ECANCELED);
  auto finished = replacement.finish();
  // A file that is a mount of its own cannot be replaced.
  if (!finished && finished.error().code == "EBUSY") return write_in_place(place, fill, stop);
  return finished;
}

}  // namespace

FileResult<std::string> read_some(const Descriptor& file, size_t most, Stop& stop) {
  std::string text;
  struct stat info = HARN_TRY(info_of(file));
  if (!S_ISREG(info.st_mode)) HARN_CHECK(wait_for_data(file, stop));
  HARN_CHECK(append_some(file, text, most, stop));
  return text;
}

FileResult<std::string> read_all(const Descriptor& file, uint64_t most, Stop& stop) {
  struct stat info = HARN_TRY(info_of(file));
  bool is_regular = S_ISREG(info.st_mode);
  auto size = static_cast<uint64_t>(info.st_size);
  if (is_regular && size > most) return std::unexpected(too_large(size, most));
  std::string text;
  // One more than it has, so that the end is seen; files of /proc have no size.
  size_t block = is_regular && size > 0 ? static_cast<size_t>(size) + 1 : 64 * 1024;
  text.reserve(is_regular ? static_cast<size_t>(size) + 1 : 0);
  for (;;) {
    if (!is_regular) HARN_CHECK(wait_for_data(file, stop));
    size_t asked = std::min(block, kPiece);
    size_t got = HARN_TRY(append_some(file, text, asked, stop));
    if (text.size() > most) return std::unexpected(too_large(text.size(), most));
    // Of a regular file there is no more when there is less than asked for; those of /proc give what they like.
    if (got == 0 || (is_regular && size > 0 && got < asked)) return text;
  }
}

FileResult<void> write_all(const Descriptor& file, std::string_view bytes, Stop& stop) {
  while (!bytes.empty()) {
    if (stop.is_requested()) return file_failed(ECANCELED);
    ssize_t wrote = ::write(file.get(), bytes.data(), std::min(bytes.size(), kPiece));
    if (wrote >= 0) bytes.remove_prefix(static_cast<size_t>(wrote));
    else HARN_CHECK(wait_again(file.get(), POLLOUT, stop));
  }
  return {};
}

FileResult<void> read_pieces(const Descriptor& file, Stop& stop, const VisitPiece& visit) {
  // Larger ones push what is being worked on out of the processor's cache.
  constexpr size_t kRead = 256 * 1024;
  bool is_regular = S_ISREG(HARN_TRY(info_of(file)).st_mode);
  lseek(file.get(), 0, SEEK_SET);  // it may have been read before; a pipe has no start
  auto piece = std::make_unique_for_overwrite<char[]>(kRead);
  for (;;) {
    if (!is_regular) HARN_CHECK(wait_for_data(file, stop));
    size_t size = HARN_TRY(read_into(file, piece.get(), kRead, stop));
    if (size == 0) return {};
    HARN_CHECK(visit({piece.get(), size}));
  }
}

FileResult<void> copy_all(const Descriptor& from, const Descriptor& to, Stop& stop) {
  return read_pieces(from, stop, [&](std::string_view piece) { return write_all(to, piece, stop); });
}

FileResult<void> write_whole(const Place& place, std::optional<mode_t> mode, const Fill& fill, Stop& stop) {
  if (place.name == "." || (place.exists && S_ISDIR(place.info.st_mode))) return file_failed(EISDIR);
  bool is_special = place.object.is_open() || (place.exists && !S_ISREG(place.info.st_mode));
  return is_special ? write_in_place(place, fill, stop) : replace(place, mode, fill, stop);
}

FileResult<Descriptor> open_to_append(const Place& place, Stop& stop) {
  if (place.name == ".") return file_failed(EISDIR);
  return open_in_place(place, O_APPEND | O_CREAT, stop);
}

}  // namespace harn::effects
