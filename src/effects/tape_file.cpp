#include "effects/tape_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/fmt.h"
#include "effects/fields.h"
#include "vm/digest.h"

namespace harn::effects {

namespace {

constexpr std::string_view kKind = "HARNTAPE";
constexpr std::string_view kMagic = "HARNTAPE3\n";
constexpr size_t kFrameHead = 9;  // kind, length, sum
constexpr size_t kBuffer = 64 << 10;

std::string system_text(int error) { return std::generic_category().message(error); }

constexpr size_t kSum = 4;
std::string sum_of(std::string_view bytes) { return vm::Digest::of(bytes).substr(0, kSum); }

void append_number(std::string& out, uint32_t number) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(number >> (8 * i));
}

uint32_t number_at(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return number;
}

Result<std::string> read_all(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(ErrorKind::Io, fmt::format("cannot read {}: {}", path, system_text(errno)));
  std::string bytes;
  char buffer[kBuffer];
  ssize_t got;
  while ((got = read(file, buffer, sizeof buffer)) > 0) bytes.append(buffer, static_cast<size_t>(got));
  int error = got < 0 ? errno : 0;
  close(file);
  if (error) return fail(ErrorKind::Io, fmt::format("cannot read {}: {}", path, system_text(error)));
  return bytes;
}

// Goes from frame to frame. A last one that is cut off is as if it were not there.
class Frames {
 public:
  explicit Frames(std::string_view bytes) : rest_(bytes) {}
  char kind = 0;
  std::string_view body;

  enum class Next { Frame, End, Damaged };
  Next next() {
    if (rest_.size() < kFrameHead) return Next::End;
    kind = rest_[0];
    size_t length = number_at(rest_.substr(1));
    if (length > rest_.size() - kFrameHead) return Next::End;
    body = rest_.substr(kFrameHead, length);
    if (sum_of(body) != rest_.substr(5, kSum)) return Next::Damaged;
    rest_ = rest_.substr(kFrameHead + length);
    return Next::Frame;
  }

 private:
  std::string_view rest_;
};

bool take(TapeFile& tape, const Frames& frame) {
  switch (frame.kind) {
    case 'H': return from_bytes(frame.body, tape.header);
    case 'E': return from_bytes(frame.body, tape.entries.emplace_back());
    case 'Z': tape.has_end = true; return from_bytes(frame.body, tape.end);
    default: return false;
  }
}

}  // namespace

Result<std::unique_ptr<TapeWriter>> TapeWriter::create(const std::string& path, const TapeHeader& header) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorKind::Io, fmt::format("cannot write {}: {}", path, system_text(errno)));
  std::unique_ptr<TapeWriter> writer(new TapeWriter(path, file));
  writer->pending_ = kMagic;
  writer->frame('H', to_bytes(header));
  writer->flush();
  if (writer->error_) return fail(ErrorKind::Io, fmt::format("cannot write {}: {}", path, system_text(writer->error_)));
  return writer;
}

TapeWriter::~TapeWriter() {
  if (file_ < 0) return;
  flush();
  close(file_);
}

void TapeWriter::add(const TapeEntry& entry) {
  frame('E', to_bytes(entry));
  flush();  // a run that is killed leaves what it was told until then
}

Result<void> TapeWriter::finish(const TapeEnd& end) {
  frame('Z', to_bytes(end));
  flush();
  if (fsync(file_) != 0 && error_ == 0 && errno != EINVAL && errno != EROFS) error_ = errno;
  close(std::exchange(file_, -1));
  if (error_) return fail(ErrorKind::Io, fmt::format("cannot write {}: {}", path_, system_text(error_)));
  return {};
}

void TapeWriter::frame(char kind, const std::string& bytes) {
  pending_ += kind;
  append_number(pending_, static_cast<uint32_t>(bytes.size()));
  pending_ += sum_of(bytes);
  pending_ += bytes;
}

void TapeWriter::flush() {
  std::string_view rest = pending_;
  while (!rest.empty() && error_ == 0) {
    ssize_t wrote = write(file_, rest.data(), rest.size());
    if (wrote >= 0) rest.remove_prefix(static_cast<size_t>(wrote));
    else if (errno != EINTR) error_ = errno;
  }
  pending_.clear();
}

Result<TapeFile> read_tape(const std::string& path) {
  std::string bytes = HARN_TRY(read_all(path));
  if (!bytes.starts_with(kMagic) && bytes.starts_with(kKind))
    return fail(ErrorKind::Unsupported,
                fmt::format("{} was recorded by another version of harn; record it again", path));
  if (!bytes.starts_with(kMagic))
    return fail(ErrorKind::Invalid, fmt::format("{} is not a recording of `harn run --record`", path));
  TapeFile tape;
  Frames frames(std::string_view(bytes).substr(kMagic.size()));
  bool has_header = false;
  for (;;) {
    Frames::Next next = frames.next();
    if (next == Frames::Next::End) break;
    bool is_sound = next == Frames::Next::Frame && has_header == (frames.kind != 'H') && take(tape, frames);
    if (!is_sound) return fail(ErrorKind::Invalid, fmt::format("{} is damaged", path));
    has_header = true;
  }
  if (!has_header) return fail(ErrorKind::Invalid, fmt::format("{} is damaged", path));
  return tape;
}

}  // namespace harn::effects
