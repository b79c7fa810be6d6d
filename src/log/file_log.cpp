// A log of text files in a folder, which people can read and other programs can follow: `lock`, and a folder for each topic
// (file_topic.h) in `topics`.
//
// What is written together (written_log.h) is one sync for each topic. The turnstile keeps other processes out while lines are
// written, and while those of others are read: nobody sees an event that is not on the disk yet, or might be undone. What is
// known of the topics only ever comes from the files, also of what was written by this process.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/fmt.h"
#include "base/mutex.h"
#include "log/file_topic.h"
#include "log/turnstile.h"
#include "log/written_log.h"

namespace harn::log {

namespace {

constexpr int64_t kPatienceMilliseconds = 10'000;

class Turn {
 public:
  static Result<Turn> take(Turnstile& turnstile) {
    HARN_CHECK(turnstile.enter(kPatienceMilliseconds));
    return Turn(turnstile);
  }
  Turn(Turn&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
  ~Turn() {
    if (turnstile_) turnstile_->leave();
  }

 private:
  explicit Turn(Turnstile& turnstile) : turnstile_(&turnstile) {}
  Turnstile* turnstile_;
};

// A name that any topic can have in a file system. Long ones are cut, and told apart by a number; what the topic is really called
// is in its files.
std::string folder_name(const std::string& topic) {
  constexpr size_t kMost = 200, kCut = 120;
  std::string out;
  uint64_t number = 14695981039346656037u;
  for (unsigned char c : topic) {
    number = (number ^ c) * 1099511628211u;
    bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                    c == '_' || (c == '.' && !out.empty());
    if (is_plain) out += static_cast<char>(c);
    else out += fmt::format("%{:02X}", c);
  }
  return out.size() <= kMost ? out : fmt::format("{}~{:016x}", out.substr(0, kCut), number);
}

// ---- a batch ----

// The topics of a log, by the names of their folders; and the lock of what is known of them.
struct FileTopics {
  explicit FileTopics(std::string folder) : folder(std::move(folder)) {}

  FileTopic& at(const std::string& name) { return known.try_emplace(name, folder + "/" + name).first->second; }
  FileTopic& of(const std::string& topic) { return at(folder_name(topic)); }

  const std::string folder;
  Mutex lock;
  std::map<std::string, FileTopic> known;
};

// Everything that is written in one turn: what the topics would be, before they are.
class FileBatch {
 public:
  explicit FileBatch(FileTopics& topics) : topics_(topics) {}

  Result<Appended> append(const NewEvent& event) {
    Change& change = *HARN_TRY(change_of(event.topic));
    if (auto known = known_id(change, event.key)) return Appended{Appended::How::Known, *known};
    if (event.expected_last && *event.expected_last != change.kept.last) {
      return Appended{Appended::How::Conflict, change.kept.last};
    }
    uint64_t id = ++change.kept.last;
    uint64_t bytes = size_of(event.kind, event.payload, event.headers, event.key);
    change.kept.bytes += bytes;
    change.added.push_back({bytes, event.at_ms});
    if (!event.key.empty()) change.ids[event.key] = id;
    change.lines += event_line({id, event.kind, event.payload, event.headers, event.key, event.at_ms});
    trim(change, event.at_ms);
    return Appended{Appended::How::New, id};
  }

  Result<uint64_t> retain(const std::string& topic, const Retention& retention, int64_t now_ms) {
    Change& change = *HARN_TRY(change_of(topic));
    change.retention = retention;
    change.keeps_other = true;
    return trim(change, now_ms);
  }

  Result<void> commit() {
    for (auto change = changes_.begin(); change != changes_.end(); ++change) {
      if (auto written = write(change->first, change->second); !written) {
        for (auto done = changes_.begin(); done != std::next(change); ++done) {
          if (done->second.is_begun) done->second.topic->undo();
        }
        return written;
      }
    }
    std::lock_guard guard(topics_.lock);
    for (auto& [name, change] : changes_) {
      if (!change.is_begun) continue;
      HARN_CHECK(change.topic->refresh());
      change.topic->remove_old();
    }
    return {};
  }

  // Topics that have new events, with the number of the last.
  std::vector<std::pair<std::string, uint64_t>> grown() const {
    std::vector<std::pair<std::string, uint64_t>> out;
    for (const auto& [name, change] : changes_) {
      if (!change.added.empty()) out.emplace_back(name, change.kept.last);
    }
    return out;
  }

 private:
  struct Change {
    FileTopic* topic = nullptr;
    Kept kept;
    Retention retention;
    std::vector<FileTopic::Fact> added;
    std::map<std::string, uint64_t> ids;  // by key, of those
    std::string lines;
    bool keeps_other = false;
    bool is_begun = false;
  };

  Result<Change*> change_of(const std::string& name) {
    auto [at, is_new] = changes_.try_emplace(name);
    Change& change = at->second;
    if (!is_new) return &change;
    std::lock_guard guard(topics_.lock);
    FileTopic& topic = topics_.of(name);
    if (auto read = topic.refresh(); !read) {
      changes_.erase(at);
      return std::unexpected(read.error());
    }
    if (!topic.name().empty() && topic.name() != name) {
      changes_.erase(at);
      return log_damaged(topics_.folder + "/" + folder_name(name), "it has another topic");
    }
    change.topic = &topic;
    change.kept = topic.kept();
    change.retention = topic.retention();
    return &change;
  }

  static std::optional<uint64_t> known_id(const Change& change, const std::string& key) {
    if (key.empty()) return std::nullopt;
    auto added = change.ids.find(key);
    auto id = added != change.ids.end() ? std::optional(added->second) : change.topic->id_of(key);
    return id && *id >= change.kept.first ? id : std::nullopt;
  }

  static uint64_t trim(Change& change, int64_t now_ms) {
    uint64_t before = change.kept.first;
    while (may_go(change.kept, change.retention)) {
      uint64_t oldest = change.kept.first, last = change.topic->kept().last;
      const FileTopic::Fact& fact = oldest <= last ? change.topic->fact(oldest) : change.added[oldest - last - 1];
      if (!must_go(change.kept, change.retention, fact.at_ms, now_ms)) break;
      change.kept.bytes -= fact.bytes;
      ++change.kept.first;
    }
    change.keeps_other |= change.kept.first != before;
    return change.kept.first - before;
  }

  Result<void> write(const std::string& name, Change& change) {
    if (change.keeps_other) change.lines += keeping_line(change.kept.first, change.retention);
    if (change.lines.empty()) return {};
    {
      std::lock_guard guard(topics_.lock);
      HARN_CHECK(change.topic->prepare(name));
    }
    change.is_begun = true;
    return change.topic->write(change.lines);
  }

  FileTopics& topics_;
  std::map<std::string, Change> changes_;
};

// ---- the log ----

class FileLog : public WrittenLog<FileBatch> {
 public:
  static Result<std::unique_ptr<EventLog>> open(const std::string& path) {
    HARN_CHECK(make_folder(path));
    struct stat info;
    bool is_ours = stat((path + "/lock").c_str(), &info) == 0;
    if (!is_ours && !is_empty(path)) return fail(ErrorKind::Io, fmt::format("{} is not an event log", path));
    auto writes = HARN_TRY(Turnstile::open(path + "/lock"));
    auto reads = HARN_TRY(Turnstile::open(path + "/lock"));
    HARN_CHECK(make_folder(path + "/topics"));
    std::unique_ptr<FileLog> out(new FileLog(path + "/topics", std::move(writes), std::move(reads)));
    out->start();
    return out;
  }

  ~FileLog() override { stop(); }

  Result<std::vector<Event>> read(const ReadRequest& request) override {
    // Files may go while they are about to be read: what was in them is not kept any more.
    for (;;) {
      FileTopic::Start start;
      HARN_CHECK(with_topic(request.topic, request.after, [&](FileTopic& topic) {
        start = topic.start_of(request.after == UINT64_MAX ? request.after : request.after + 1);
      }));
      auto events = read_events(start, request);
      if (events || events.error().kind != ErrorKind::NotFound) return events;
    }
  }

  Result<uint64_t> latest(const std::string& topic) override {
    uint64_t last = 0;
    HARN_CHECK(with_topic(topic, UINT64_MAX, [&](FileTopic& known) { last = known.kept().last; }));
    return last;
  }

  Result<std::vector<TopicInfo>> topics() override {
    std::vector<TopicInfo> out;
    std::lock_guard one_at_a_time(reading_);
    auto turn = HARN_TRY(Turn::take(reads_));
    std::lock_guard guard(topics_.lock);
    for (const std::string& name : HARN_TRY(names_in(topics_.folder))) {
      FileTopic& topic = topics_.at(name);
      HARN_CHECK(topic.refresh());
      if (topic.name().empty()) continue;  // it was being made when its writer died
      out.push_back({topic.name(), topic.kept().first, topic.kept().last, topic.kept().bytes, topic.retention()});
    }
    std::ranges::sort(out, {}, &TopicInfo::name);
    return out;
  }

 private:
  FileLog(std::string folder, Turnstile writes, Turnstile reads)
      : topics_(std::move(folder)), writes_(std::move(writes)), reads_(std::move(reads)) {}

  static Result<void> make_folder(const std::string& path) {
    struct stat info;
    if (mkdir(path.c_str(), 0777) == 0) return {};
    if (errno != EEXIST) return log_failed(path, errno);
    if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return fail(ErrorKind::Io, fmt::format("{} is not an event log", path));
  }

  static Result<std::vector<std::string>> names_in(const std::string& path) {
    DIR* folder = opendir(path.c_str());
    if (!folder) return log_failed(path, errno);
    std::vector<std::string> names;
    while (dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    closedir(folder);
    return names;
  }

  static bool is_empty(const std::string& path) {
    auto names = names_in(path);
    return names && names->empty();
  }

  // Asks a topic, after what others have written was read, if what is known does not go beyond `known`.
  template <class Ask>
  Result<void> with_topic(const std::string& name, uint64_t known, Ask ask) {
    {
      std::lock_guard guard(topics_.lock);
      FileTopic& topic = topics_.of(name);
      if (topic.kept().last > known || !topic.is_stale()) {
        ask(topic);
        return {};
      }
    }
    std::lock_guard one_at_a_time(reading_);
    auto turn = HARN_TRY(Turn::take(reads_));
    std::lock_guard guard(topics_.lock);
    FileTopic& topic = topics_.of(name);
    HARN_CHECK(topic.refresh());
    ask(topic);
    return {};
  }

  Result<void> write_together(Jobs from, Jobs to) override {
    auto turn = HARN_TRY(Turn::take(writes_));
    FileBatch batch(topics_);
    for (; from != to; ++from) HARN_CHECK(from->apply(batch));
    HARN_CHECK(batch.commit());
    for (const auto& [topic, last] : batch.grown()) watches_.tell(topic, last);
    return {};
  }

  void look(bool) override {
    for (const std::string& topic : watches_.topics()) {
      if (auto last = latest(topic)) watches_.tell(topic, *last);
    }
  }

  FileTopics topics_;
  Turnstile writes_;  // the writer's own
  Mutex reading_;     // of the other
  Turnstile reads_;
};

}  // namespace

Result<std::unique_ptr<EventLog>> open_file_log(const std::string& path) { return FileLog::open(path); }

}  // namespace harn::log
