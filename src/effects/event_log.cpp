#include "effects/event_log.h"

#include <charconv>
#include <mutex>

#include "base/mutex.h"
#include "base/replace_file.h"
#include "effects/state.h"
#include "log/event_log.h"
#include "vm/fiber.h"
#include "vm/job_pool.h"

namespace harn::effects {

using namespace vm;

namespace {

std::unexpected<Thrown> failed(const Error& error) { return runtime_error(error.kind, "{}", error.message); }

// ---- which log ----

struct LogChoice {
  enum class Kind : uint8_t { Memory, Sqlite, File };
  Kind kind = Kind::Memory;
  std::string path = {};
  uint32_t read_ahead = 256;  // events of a subscription
};

std::string variable(Run& run, std::string_view name) {
  bool found = false;
  std::string value = run.host().env(name, found);
  return found ? value : "";
}

// Where a log of that kind is kept.
Outcome<std::string> path_of(Run& run, LogChoice::Kind kind) {
  bool is_sqlite = kind == LogChoice::Kind::Sqlite;
  std::string path = is_sqlite ? variable(run, "HARN_EVENT_LOG_SQLITE_PATH") : "";
  if (!path.empty()) return from_home(run, path);
  std::string folder = variable(run, "HARN_EVENT_LOG_DIR");
  std::string name = is_sqlite ? "events.sqlite" : "events";
  if (folder.empty()) return state_path(run, name);
  return HARN_TRY(from_home(run, folder)) + "/" + name;
}

Outcome<LogChoice::Kind> choose_kind(Run& run) {
  using enum LogChoice::Kind;
  std::string backend = variable(run, "HARN_EVENT_LOG_BACKEND");
  if (backend == "memory") return Memory;
  if (backend == "sqlite") return Sqlite;
  if (backend == "file") return File;
  if (!backend.empty()) {
    return runtime_error(ErrorKind::Invalid, "HARN_EVENT_LOG_BACKEND is `{}`, expected `memory`, `sqlite` or `file`",
                         backend);
  }
  bool is_given = !variable(run, "HARN_EVENT_LOG_SQLITE_PATH").empty() ||
                  !variable(run, "HARN_EVENT_LOG_DIR").empty() || !variable(run, "HARN_STATE_DIR").empty();
  bool lasts = is_given || state_home(current_vm()).kind == StateHome::Kind::Project;
  return lasts ? Sqlite : Memory;
}

Outcome<uint32_t> read_ahead(Run& run) {
  constexpr uint32_t kMost = 10'000;
  std::string text = variable(run, "HARN_EVENT_LOG_QUEUE_DEPTH");
  if (text.empty()) return LogChoice().read_ahead;
  uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && *end == '\0' && number >= 1 && number <= kMost) return number;
  return runtime_error(ErrorKind::Invalid, "HARN_EVENT_LOG_QUEUE_DEPTH is `{}`, expected a whole number from 1 to {}",
                       text, kMost);
}

Outcome<LogChoice> choose(Run& run) {
  LogChoice choice{.kind = HARN_TRY(choose_kind(run)), .read_ahead = HARN_TRY(read_ahead(run))};
  if (choice.kind != LogChoice::Kind::Memory) choice.path = HARN_TRY(path_of(run, choice.kind));
  return choice;
}

Result<std::unique_ptr<log::EventLog>> open_on_disk(const LogChoice& choice) {
  const std::string& path = choice.path;
  std::string folder = path.substr(0, path.rfind('/'));
  if (std::error_code wrong = make_folders(folder)) {
    bool is_denied = wrong == std::errc::permission_denied || wrong == std::errc::read_only_file_system;
    return fail(is_denied ? ErrorKind::Denied : ErrorKind::Io,
                fmt::format("event log {}: the folder cannot be made: {}", path, wrong.message()));
  }
  return choice.kind == LogChoice::Kind::File ? log::open_file_log(path) : log::open_sqlite_log(path);
}

// The log of a VM, opened once. Shared with the threads that open it.
struct OpenLog {
  std::shared_ptr<const void> home;  // goes after the log
  Mutex lock;                        // held while it is being opened
  std::shared_ptr<log::EventLog> log;
  std::shared_ptr<log::MemoryLog> in_memory;  // the same, if it is
  uint32_t read_ahead = 0;
  std::atomic<bool> is_open = false;  // then none of these changes any more

  Result<void> ensure(const LogChoice& choice, std::shared_ptr<const void> held = nullptr) {
    std::lock_guard guard(lock);
    if (log) return {};
    home = std::move(held);
    read_ahead = choice.read_ahead;
    if (choice.kind == LogChoice::Kind::Memory) log = in_memory = log::new_memory_log();
    else log = HARN_TRY(open_on_disk(choice));
    is_open.store(true, std::memory_order_release);
    return {};
  }
};

struct LogOfVm {
  std::shared_ptr<OpenLog> open = std::make_shared<OpenLog>();
};

// Runs what blocks on another thread, unless the log is in memory: then nothing does.
template <class Work>
auto on_disk(const OpenLog& open, const char* what, Work work) -> Outcome<typename decltype(work())::value_type> {
  if (open.in_memory) {
    auto answer = work();
    return answer ? Outcome<typename decltype(work())::value_type>(std::move(*answer)) : failed(answer.error());
  }
  struct Shared {
    std::optional<decltype(work())> answer;
  };
  auto shared = std::make_shared<Shared>();
  auto job = [shared, work = std::move(work)]() mutable { shared->answer.emplace(work()); };
  if (run_blocking(what, std::move(job)) == Wake::Cancelled) return stopped_error();
  if (!*shared->answer) return failed(shared->answer->error());
  return std::move(**shared->answer);
}

Outcome<std::shared_ptr<OpenLog>> log_of(Run& run) {
  std::shared_ptr<OpenLog> open = current_vm().local<LogOfVm>().open;
  if (open->is_open.load(std::memory_order_acquire)) return open;
  LogChoice choice = HARN_TRY(choose(run));
  if (choice.kind == LogChoice::Kind::Memory) {
    if (auto opened = open->ensure(choice); !opened) return failed(opened.error());
    return open;
  }
  auto ensure = [open, choice, home = hold_home()]() -> Result<bool> {
    HARN_CHECK(open->ensure(choice, home));
    return true;
  };
  HARN_CHECK(on_disk(*open, "the event log", ensure));
  return open;
}

// Starts something that answers by a function, and waits for the answer.
template <class T, class Start>
Outcome<T> answer_of(const OpenLog& open, const std::string& topic, Start start) {
  struct Shared {
    Completion completion;
    std::optional<Result<T>> answer;
  };
  auto told = [](Result<T> answer) -> Outcome<T> {
    if (!answer) return failed(answer.error());
    return *std::move(answer);
  };
  if (open.in_memory) {
    std::optional<Result<T>> answer;
    start([&](Result<T> given) { answer.emplace(std::move(given)); });
    return told(*std::move(answer));
  }
  auto shared = std::make_shared<Shared>();
  start([shared](Result<T> given) {
    shared->answer.emplace(std::move(given));
    shared->completion.finish();
  });
  if (shared->completion.wait("the event log", text_value(topic)) == Wake::Cancelled) return stopped_error();
  return told(*std::move(shared->answer));
}

// ---- reading ----

ReadEvents::Answer plain(std::vector<log::Event> events) {
  ReadEvents::Answer out;
  out.reserve(events.size());
  for (log::Event& event : events) {
    out.push_back({event.id, std::move(event.kind), std::move(event.payload), std::move(event.headers),
                   std::move(event.key), event.at_ms});
  }
  return out;
}

Outcome<std::vector<log::Event>> read_now(const OpenLog& open, const ReadEvents& request) {
  uint32_t most = request.waits ? std::min(request.most, open.read_ahead) : request.most;
  log::ReadRequest wanted{.topic = request.topic, .after = request.after, .most = most};
  return on_disk(open, "the event log", [log = open.log, wanted] { return log->read(wanted); });
}

// A watch that ends with the wait.
class Watch {
 public:
  // Nobody but its tasks can append to the log of a program that is in memory.
  Watch(const OpenLog& open, const ReadEvents& request) : log_(*open.log) {
    using By = Completion::By;
    completion_ = std::make_shared<Completion>(open.in_memory ? By::Tasks : By::Outside);
    id_ = log_.watch(request.topic, request.after, [completion = completion_] { completion->finish(); });
  }
  ~Watch() { log_.unwatch(id_); }
  Watch(const Watch&) = delete;

  Wake wait(const std::string& topic) { return completion_->wait("an event", text_value(topic)); }

 private:
  log::EventLog& log_;
  std::shared_ptr<Completion> completion_;
  log::EventLog::WatchId id_;
};

}  // namespace

Outcome<AppendEvent::Answer> carry_out(Run& run, const AppendEvent& request) {
  auto open = HARN_TRY(log_of(run));
  SharedSecrets& secrets = run.world().secrets;
  log::NewEvent event{.topic = request.topic,
                      .kind = request.kind,
                      .payload = secrets.hidden(request.payload),
                      .headers = secrets.hidden(request.headers),
                      .at_ms = run.clock().wall_ms(),
                      .key = request.key};
  if (request.compares) event.expected_last = request.expected_last;
  auto start = [&](auto done) { open->log->append(std::move(event), std::move(done)); };
  auto appended = HARN_TRY(answer_of<log::Appended>(*open, request.topic, start));
  return AppendEvent::Answer{static_cast<AppendEvent::How>(appended.how), appended.id};
}

Outcome<ReadEvents::Answer> carry_out(Run& run, const ReadEvents& request) {
  auto open = HARN_TRY(log_of(run));
  for (;;) {
    auto events = HARN_TRY(read_now(*open, request));
    if (!events.empty() || !request.waits) return plain(std::move(events));
    // Events that came since are told at once.
    if (Watch(*open, request).wait(request.topic) == Wake::Cancelled) return stopped_error();
  }
}

Outcome<uint64_t> carry_out(Run& run, const LatestEvent& request) {
  auto open = HARN_TRY(log_of(run));
  return on_disk(*open, "the event log", [log = open->log, topic = request.topic] { return log->latest(topic); });
}

Outcome<ListTopics::Answer> carry_out(Run& run, const ListTopics&) {
  auto open = HARN_TRY(log_of(run));
  auto topics = HARN_TRY(on_disk(*open, "the event log", [log = open->log] { return log->topics(); }));
  ListTopics::Answer out;
  for (log::TopicInfo& topic : topics) out.push_back({std::move(topic.name), topic.first, topic.last, topic.bytes});
  return out;
}

Outcome<uint64_t> carry_out(Run& run, const RetainEvents& request) {
  auto open = HARN_TRY(log_of(run));
  log::Retention retention{request.max_age_ms, request.max_count, request.max_bytes};
  auto start = [&](auto done) { open->log->retain(request.topic, retention, run.clock().wall_ms(), std::move(done)); };
  return answer_of<uint64_t>(*open, request.topic, start);
}

// ---- programs that are put away ----

std::vector<CarriedTopic> carried_topics(Vm& vm) {
  std::vector<CarriedTopic> out;
  auto open = vm.local<LogOfVm>().open;
  if (!open->in_memory) return out;
  for (log::MemoryLog::Topic& topic : open->in_memory->contents()) {
    log::TopicInfo& info = topic.info;
    out.push_back({{info.name, info.first, info.last, info.bytes},
                   info.retention.max_age_ms,
                   info.retention.max_count,
                   info.retention.max_bytes,
                   plain(std::move(topic.events))});
  }
  return out;
}

bool carry_topics(Vm& vm, std::vector<CarriedTopic> topics) {
  std::vector<log::MemoryLog::Topic> contents;
  for (CarriedTopic& topic : topics) {
    log::Retention retention{topic.max_age_ms, topic.max_count, topic.max_bytes};
    auto& to = contents.emplace_back(log::MemoryLog::Topic{
        {std::move(topic.topic.name), topic.topic.first, topic.topic.last, topic.topic.bytes, retention}, {}});
    for (LoggedEvent& event : topic.events) {
      to.events.push_back({event.id, std::move(event.kind), std::move(event.payload), std::move(event.headers),
                           std::move(event.key), event.at_ms});
    }
  }
  auto open = vm.local<LogOfVm>().open;
  return open->ensure({}) && open->in_memory && open->in_memory->fill(std::move(contents));
}

}  // namespace harn::effects
