#include "log/file_topic.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/fmt.h"

namespace harn::log {

namespace {

constexpr uint64_t kFull = 8 << 20;         // a file of this size is not added to
constexpr uint64_t kPlaceEvery = 64 << 10;  // bytes between two events whose place is known
constexpr size_t kPiece = 256 << 10;

Result<void> sync_folder(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || fsync(folder.get()) != 0) return log_failed(path, errno);
  return {};
}

Result<void> write_at(const Descriptor& file, const std::string& path, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t wrote = pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return log_failed(path, errno);
    bytes.remove_prefix(static_cast<size_t>(wrote));
    offset += static_cast<uint64_t>(wrote);
  }
  return {};
}

// Calls `use(offset, line)` for the complete lines from an offset on, until it says that it is enough. The answer is where the
// last of them ends.
template <class Use>
Result<uint64_t> each_line(const Descriptor& file, const std::string& path, uint64_t offset, Use use) {
  std::string text;
  for (;;) {
    size_t before = text.size();
    text.resize(before + kPiece);
    ssize_t got = pread(file.get(), text.data() + before, kPiece, static_cast<off_t>(offset + before));
    if (got < 0 && errno != EINTR) return log_failed(path, errno);
    text.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    size_t start = 0;
    for (size_t end; (end = text.find('\n', std::max(start, start == 0 ? before : start))) != text.npos;
         start = end + 1) {
      if (!HARN_TRY(use(offset + start, std::string_view(text).substr(start, end - start)))) return offset + end + 1;
    }
    text.erase(0, start);
    offset += start;
    if (got == 0) return offset;
  }
}

}  // namespace

std::unexpected<Error> log_failed(const std::string& path, int error_number) {
  ErrorKind kind = ErrorKind::Io;
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS) kind = ErrorKind::Denied;
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) kind = ErrorKind::Limit;
  if (error_number == ENOENT) kind = ErrorKind::NotFound;
  return fail(kind, fmt::format("event log {}: {}", path, strerror(error_number)));
}

std::unexpected<Error> log_damaged(const std::string& path, std::string_view how) {
  return fail(ErrorKind::Io, fmt::format("event log {}: the file is damaged ({})", path, how));
}

// ---- what there is ----

std::string FileTopic::path_of(const Segment& segment) const {
  return fmt::format("{}/{:020}.jsonl", folder_, segment.first);
}

bool FileTopic::is_stale() const {
  struct stat info;
  if (segments_.empty()) return stat(folder_.c_str(), &info) == 0;
  const Segment& last = segments_.back();
  if (stat(path_of(last).c_str(), &info) != 0 || static_cast<uint64_t>(info.st_size) != last.size) return true;
  Segment next{.first = kept_.last + 1};
  return next.first != last.first && stat(path_of(next).c_str(), &info) == 0;
}

Result<void> FileTopic::find_segments() {
  DIR* folder = opendir(folder_.c_str());
  if (!folder && errno == ENOENT) return {};
  if (!folder) return log_failed(folder_, errno);
  std::vector<uint64_t> firsts;
  while (dirent* entry = readdir(folder)) {
    std::string_view name = entry->d_name;
    uint64_t first = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), first);
    if (error == std::errc() && std::string_view(end) == ".jsonl") firsts.push_back(first);
  }
  closedir(folder);
  std::ranges::sort(firsts);
  for (uint64_t first : firsts) segments_.push_back({.first = first});
  return {};
}

Result<void> FileTopic::refresh() {
  struct stat info;
  bool is_new = segments_.empty();
  // A file that is shorter than it was, or gone, is another's: it has undone what it had written.
  if (!is_new && (stat(path_of(segments_.back()).c_str(), &info) != 0 ||
                  static_cast<uint64_t>(info.st_size) < segments_.back().size)) {
    *this = FileTopic(std::move(folder_));
    is_new = true;
  }
  if (is_new) {
    HARN_CHECK(find_segments());
    for (Segment& segment : segments_) HARN_CHECK(read_tail(segment));
  }
  if (segments_.empty()) return {};
  for (;;) {
    HARN_CHECK(read_tail(segments_.back()));
    Segment next{.first = kept_.last + 1};
    if (next.first == segments_.back().first || stat(path_of(next).c_str(), &info) != 0) return {};
    segments_.push_back(next);
  }
}

Result<void> FileTopic::read_tail(Segment& segment) {
  std::string path = path_of(segment);
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return log_failed(path, errno);
  segment.size =
      HARN_TRY(each_line(file, path, segment.size, [&](uint64_t offset, std::string_view text) -> Result<bool> {
        HARN_CHECK(take(segment, offset, text));
        return true;
      }));
  return {};
}

Result<void> FileTopic::take(Segment& segment, uint64_t offset, std::string_view text) {
  auto line = parse_line(text);
  if (!line) return log_damaged(path_of(segment), fmt::format("the line at byte {} is none of ours", offset));
  if ((line->what == Line::What::Head) != (offset == 0)) return log_damaged(path_of(segment), "it has no head");
  if (line->what == Line::What::Event) return take_event(line->event, segment, offset);
  if (line->what == Line::What::Head) {
    if (line->version != kLinesVersion) {
      return fail(ErrorKind::Unsupported, fmt::format("event log {}: it has version {}, and this program knows {}",
                                                      path_of(segment), line->version, kLinesVersion));
    }
    if (name_.empty()) {
      name_ = line->topic;
      kept_ = {.first = segment.first, .last = segment.first - 1};
    }
  }
  retention_ = line->retention;
  keep_from(line->first);
  return {};
}

Result<void> FileTopic::take_event(const Event& event, const Segment& segment, uint64_t offset) {
  if (event.id != kept_.last + 1) {
    return log_damaged(path_of(segment), fmt::format("event {} is missing", kept_.last + 1));
  }
  uint64_t bytes = size_of(event.kind, event.payload, event.headers, event.key);
  kept_.last = event.id;
  kept_.bytes += bytes;
  facts_.push_back({bytes, event.at_ms});
  if (!event.key.empty()) {
    keys_[event.id] = event.key;
    ids_[event.key] = event.id;
  }
  behind_last_place_ += bytes + 64;
  if (places_.empty() || places_.rbegin()->second.first != segment.first || behind_last_place_ > kPlaceEvery) {
    places_[event.id] = {segment.first, offset};
    behind_last_place_ = 0;
  }
  return {};
}

void FileTopic::keep_from(uint64_t first) {
  for (; kept_.first < first && !facts_.empty(); ++kept_.first) {
    kept_.bytes -= facts_.front().bytes;
    facts_.pop_front();
    if (auto key = keys_.find(kept_.first); key != keys_.end()) {
      // The same key may have been used again since.
      if (auto id = ids_.find(key->second); id != ids_.end() && id->second == kept_.first) ids_.erase(id);
      keys_.erase(key);
    }
  }
}

std::optional<uint64_t> FileTopic::id_of(const std::string& key) const {
  auto found = ids_.find(key);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

FileTopic::Start FileTopic::start_of(uint64_t id) const {
  Start start{.first = kept_.first, .last = kept_.last};
  id = std::max(id, kept_.first);
  auto place = places_.upper_bound(id);
  if (id > kept_.last || place == places_.begin()) return start;
  auto [segment, offset] = std::prev(place)->second;
  start.offset = offset;
  for (const Segment& one : segments_) {
    if (one.first >= segment) start.files.push_back(path_of(one));
  }
  return start;
}

// ---- writing ----

Result<void> FileTopic::begin_segment(const std::string& topic) {
  if (segments_.empty()) {
    if (mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) return log_failed(folder_, errno);
    HARN_CHECK(sync_folder(folder_.substr(0, folder_.rfind('/'))));
    name_ = topic;
  }
  Segment segment{.first = kept_.last + 1};
  std::string path = path_of(segment), head = head_line(topic, kept_.first, retention_);
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return log_failed(path, errno);
  HARN_CHECK(write_at(file, path, head, 0));
  HARN_CHECK(sync_folder(folder_));
  segment.size = head.size();
  segments_.push_back(segment);
  return {};
}

Result<void> FileTopic::prepare(const std::string& topic) {
  // Its writer died before it had a head.
  if (!segments_.empty() && segments_.back().size == 0) segments_.pop_back();
  if (segments_.empty() || segments_.back().size >= kFull) return begin_segment(topic);
  return {};
}

Result<void> FileTopic::write(std::string_view lines) const {
  const Segment& segment = segments_.back();
  std::string path = path_of(segment);
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return log_failed(path, errno);
  // What one who died has left.
  if (ftruncate(file.get(), static_cast<off_t>(segment.size)) != 0) return log_failed(path, errno);
  HARN_CHECK(write_at(file, path, lines, segment.size));
  if (fdatasync(file.get()) != 0) return log_failed(path, errno);
  return {};
}

void FileTopic::undo() const {
  (void)!truncate(path_of(segments_.back()).c_str(), static_cast<off_t>(segments_.back().size));
}

void FileTopic::remove_old() {
  while (segments_.size() > 1 && segments_[1].first <= kept_.first) {
    unlink(path_of(segments_.front()).c_str());
    std::erase_if(places_, [&](const auto& place) { return place.second.first == segments_.front().first; });
    segments_.pop_front();
  }
}

// ---- reading ----

Result<std::vector<Event>> read_events(const FileTopic::Start& start, const ReadRequest& request) {
  std::vector<Event> out;
  uint64_t bytes = 0, offset = start.offset;
  uint64_t next = std::max(request.after + 1, start.first);
  for (const std::string& path : start.files) {
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return log_failed(path, errno);
    HARN_CHECK(each_line(file, path, std::exchange(offset, 0), [&](uint64_t at, std::string_view text) -> Result<bool> {
      if (next > start.last || out.size() >= request.most || (!out.empty() && bytes >= request.most_bytes))
        return false;
      auto line = parse_line(text);
      if (!line) return log_damaged(path, fmt::format("the line at byte {} is none of ours", at));
      if (line->what != Line::What::Event || line->event.id < next) return true;
      if (line->event.id != next) return log_damaged(path, fmt::format("event {} is missing", next));
      ++next;
      bytes += size_of(line->event.kind, line->event.payload, line->event.headers, line->event.key);
      out.push_back(std::move(line->event));
      return true;
    }));
  }
  return out;
}

}  // namespace harn::log
