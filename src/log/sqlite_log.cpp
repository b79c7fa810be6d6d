// A log in a SQLite file.
//
// What is written together (written_log.h) is one transaction. Readers have connections of their own, each used by one thread
// at a time, and never wait for the writer (WAL mode).
#include <fcntl.h>
#include <unistd.h>

#include <mutex>

#include "base/fmt.h"
#include "base/mutex.h"
#include "log/sqlite_batch.h"
#include "log/turnstile.h"
#include "log/written_log.h"

namespace harn::log {

namespace {

// A connection that reads, with its statements.
struct Reader {
  static Result<std::unique_ptr<Reader>> open(const Sqlite& sqlite, const std::string& path) {
    auto out = std::make_unique<Reader>();
    out->connection = HARN_TRY(connect(sqlite, path));
    auto prepare = [&](std::string_view sql) { return Statement::prepare(*out->connection, sql); };
    out->find_topic = HARN_TRY(prepare("SELECT number, last FROM topics WHERE name = ?1"));
    out->events =
        HARN_TRY(prepare("SELECT place, at_ms, kind, payload, headers, key FROM events WHERE place > ?1 AND place <= "
                         "?2 ORDER BY place"));
    out->topics = HARN_TRY(
        prepare("SELECT name, first, last, bytes, max_age_ms, max_count, max_bytes FROM topics ORDER BY name"));
    return out;
  }

  Result<uint64_t> latest(const std::string& topic) {
    Statement::Use use(find_topic);
    return HARN_TRY(find_topic.bind(1, topic).step()) ? static_cast<uint64_t>(find_topic.number(1)) : 0;
  }

  std::unique_ptr<Connection> connection;
  Statement find_topic, events, topics;
};

Result<std::vector<Event>> read_events(Reader& reader, const ReadRequest& request) {
  std::vector<Event> out;
  uint64_t topic;
  {
    Statement::Use use(reader.find_topic);
    if (!HARN_TRY(reader.find_topic.bind(1, request.topic).step())) return out;
    topic = static_cast<uint64_t>(reader.find_topic.number(0));
  }
  Statement& rows = reader.events;
  Statement::Use use(rows);
  rows.bind(1, place_of(topic, std::min(request.after, kMostEvents))).bind(2, place_of(topic, kMostEvents));
  uint64_t bytes = 0;
  while (out.size() < request.most && (out.empty() || bytes < request.most_bytes) && HARN_TRY(rows.step())) {
    Event& event = out.emplace_back(Event{.id = id_at(rows.number(0)),
                                          .kind = std::string(rows.text(2)),
                                          .payload = std::string(rows.text(3)),
                                          .headers = std::string(rows.text(4)),
                                          .key = std::string(rows.text(5)),
                                          .at_ms = rows.number(1)});
    bytes += size_of(event.kind, event.payload, event.headers, event.key);
    // There are no gaps in a topic, so one is damage.
    if (out.size() > 1 && event.id != out[out.size() - 2].id + 1) {
      return fail(ErrorKind::Io, fmt::format("event log: the file is damaged (event {} of `{}` is missing)",
                                             event.id - 1, request.topic));
    }
  }
  return out;
}

class SqliteLog : public WrittenLog<Batch> {
 public:
  static Result<std::unique_ptr<EventLog>> open(const std::string& path) {
    const Sqlite* sqlite = HARN_TRY(Sqlite::load());
    auto turnstile = HARN_TRY(Turnstile::open(path + "-lock"));
    std::unique_ptr<SqliteLog> out(new SqliteLog(*sqlite, path, std::move(turnstile)));
    // New files are made by one process at a time: switching to WAL mode does not wait for others.
    HARN_CHECK(out->turnstile_.enter(Connection::kBusyMilliseconds));
    auto connected = connect(*sqlite, path);
    out->turnstile_.leave();
    out->writer_ = HARN_TRY(std::move(connected));
    out->statements_ = HARN_TRY(Statements::prepare(*out->writer_));
    out->seen_version_ = HARN_TRY(out->writer_->number("PRAGMA data_version"));
    out->start();
    return out;
  }

  ~SqliteLog() override { stop(); }

  Result<std::vector<Event>> read(const ReadRequest& request) override {
    return with_reader([&](Reader& reader) { return read_events(reader, request); });
  }

  Result<uint64_t> latest(const std::string& topic) override {
    return with_reader([&](Reader& reader) { return reader.latest(topic); });
  }

  Result<std::vector<TopicInfo>> topics() override {
    return with_reader([&](Reader& reader) -> Result<std::vector<TopicInfo>> {
      std::vector<TopicInfo> out;
      Statement& rows = reader.topics;
      Statement::Use use(rows);
      auto number = [&](int column) { return static_cast<uint64_t>(rows.number(column)); };
      while (HARN_TRY(rows.step())) {
        out.push_back({std::string(rows.text(0)), number(1), number(2), number(3),
                       Retention{rows.number(4), number(5), number(6)}});
      }
      return out;
    });
  }

 private:
  SqliteLog(const Sqlite& sqlite, std::string path, Turnstile turnstile)
      : sqlite_(sqlite), path_(std::move(path)), turnstile_(std::move(turnstile)) {}

  template <class Ask>
  auto with_reader(Ask ask) -> decltype(ask(std::declval<Reader&>())) {
    std::unique_ptr<Reader> reader;
    {
      std::lock_guard guard(lock_);
      if (!readers_.empty()) {
        reader = std::move(readers_.back());
        readers_.pop_back();
      }
    }
    if (!reader) reader = HARN_TRY(Reader::open(sqlite_, path_));
    auto answer = ask(*reader);
    std::lock_guard guard(lock_);
    if (readers_.size() < kMostReaders) readers_.push_back(std::move(reader));
    return answer;
  }

  // ---- the writer's thread ----

  Result<void> write_together(Jobs from, Jobs to) override {
    HARN_CHECK(turnstile_.enter(Connection::kBusyMilliseconds));
    struct Leave {
      ~Leave() { turnstile.leave(); }
      Turnstile& turnstile;
    } leave{turnstile_};
    Batch batch(*writer_, statements_);
    HARN_CHECK(batch.begin());
    for (; from != to; ++from) HARN_CHECK(from->apply(batch));
    HARN_CHECK(batch.commit());
    for (const auto& [topic, last] : batch.grown()) watches_.tell(topic, last);
    return {};
  }

  void look(bool is_asked) override {
    auto version = writer_->number("PRAGMA data_version");
    if (!version || (*version == seen_version_ && !is_asked)) return;
    for (const std::string& topic : watches_.topics()) {
      auto last = latest(topic);
      if (!last) return;
      watches_.tell(topic, *last);
    }
    seen_version_ = *version;
  }

  static constexpr size_t kMostReaders = 8;

  const Sqlite& sqlite_;
  const std::string path_;
  // The writer's own.
  Turnstile turnstile_;
  std::unique_ptr<Connection> writer_;
  Statements statements_;
  int64_t seen_version_ = 0;

  Mutex lock_;  // of what follows
  std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace

Result<std::unique_ptr<EventLog>> open_sqlite_log(const std::string& path) { return SqliteLog::open(path); }

}  // namespace harn::log
