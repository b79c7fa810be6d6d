#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

// Topics of events that are kept in order.
//
//   auto log = HARN_TRY(open_sqlite_log(path));
//   log->append({.topic = "orders", .kind = "placed", .payload = R"({"n":1})", .at_ms = now}, [](auto appended) { ... });
//   std::vector<Event> events = HARN_TRY(log->read({.topic = "orders", .after = 7}));
//
// The events of a topic are numbered 1, 2, 3, ... without gaps, in the order in which they were appended, by whatever
// process. An event never changes; the oldest go when the topic's retention says so, and their numbers are not used again.
//
// All functions may be called on any thread. Those that answer by a `Result` block on the disk; `append` and `retain` do
// not: they answer by a function, which is called once, on a thread of the log or, if nothing has to be waited for, before
// they return. Errors are of kind Io (the disk, a file that is none of ours or damaged), Denied (permissions), Timeout
// (another process has kept the file locked), Limit (the disk is full, an event is too large) and Unsupported (SQLite is
// not installed).
namespace harn::log {

// What an event may have of kind, payload, headers and key.
constexpr uint64_t kMostEventBytes = 64 << 20;

struct NewEvent {
  std::string topic;
  std::string kind;
  std::string payload;  // bytes; effects keep JSON in them
  std::string headers;  // the same
  int64_t at_ms = 0;    // when it happened
  // An event that is appended with the key of one that is there is that one: nothing is appended. Empty: none.
  std::string key = {};
  // Append only if this is the number of the topic's last event; 0: if there was none yet.
  std::optional<uint64_t> expected_last = {};
};

struct Event {
  uint64_t id = 0;  // its number in the topic
  std::string kind;
  std::string payload;
  std::string headers;
  std::string key;
  int64_t at_ms = 0;
};

struct Appended {
  enum class How : uint8_t {
    New,
    Known,     // an event with the same key was there: `id` is its number
    Conflict,  // another event than the expected one is the last: `id` is its number
  };
  How how = How::New;
  uint64_t id = 0;
};

struct ReadRequest {
  std::string topic;
  uint64_t after = 0;  // number of the last event that is not wanted
  uint32_t most = 1000;
  uint64_t most_bytes = 16 << 20;  // of what is read; at least one event is
};

// What a topic keeps; 0: no limit. The newest event is always kept.
struct Retention {
  int64_t max_age_ms = 0;
  uint64_t max_count = 0;
  uint64_t max_bytes = 0;  // of kinds, payloads, headers and keys

  bool operator==(const Retention&) const = default;
};

struct TopicInfo {
  std::string name;
  uint64_t first = 0;  // number of the oldest event that is kept
  uint64_t last = 0;
  uint64_t bytes = 0;
  Retention retention;
};

class EventLog {
 public:
  using AppendDone = std::function<void(Result<Appended>)>;
  using RetainDone = std::function<void(Result<uint64_t>)>;
  using WatchId = uint64_t;

  virtual ~EventLog() = default;

  // Before `done` is told of success the event is where the backend keeps it: on the disk. Appends of one thread to one
  // topic get their numbers in the order of the calls.
  virtual void append(NewEvent event, AppendDone done) = 0;
  // In the order of their numbers. Empty when there are none; a topic that nobody has appended to has none.
  virtual Result<std::vector<Event>> read(const ReadRequest& request) = 0;
  // The number of the last event; 0 when there was none yet.
  virtual Result<uint64_t> latest(const std::string& topic) = 0;
  // All topics in the order of their names.
  virtual Result<std::vector<TopicInfo>> topics() = 0;
  // From now on the topic keeps no more than this; the answer is how many events went at once. It is part of the log:
  // other processes and later ones keep to it.
  virtual void retain(const std::string& topic, const Retention& retention, int64_t now_ms, RetainDone done) = 0;

  // Calls `changed` once, on a thread of the log or at once, when there is an event behind `after` in the topic. Events of
  // other processes are noticed within some 20 ms. It is to wake somebody and no more: the log is not to be called from it.
  virtual WatchId watch(const std::string& topic, uint64_t after, std::function<void()> changed) = 0;
  // Afterwards `changed` is not called any more, unless it is being called.
  virtual void unwatch(WatchId watch) = 0;
};

// A log that lasts as long as the object, and can be carried elsewhere. A topic keeps its last 100,000 events unless
// `retain` says otherwise.
class MemoryLog : public EventLog {
 public:
  struct Topic {
    TopicInfo info;
    std::vector<Event> events;  // from `first` to `last`
  };
  virtual std::vector<Topic> contents() = 0;
  // Before anything was appended. False when it makes no sense.
  virtual bool fill(std::vector<Topic> contents) = 0;
};
std::unique_ptr<MemoryLog> new_memory_log();

// In a file, with others beside it (`-wal`, `-shm`), which are made if they are not there; the folder must be. Any number of
// processes may use one file at a time.
Result<std::unique_ptr<EventLog>> open_sqlite_log(const std::string& path);

// As text, in a folder of that path, which is made if it is not there; the folder it is in must be. Any number of processes may
// use it at a time.
Result<std::unique_ptr<EventLog>> open_file_log(const std::string& path);

// For those who may block: `append` and `retain` until they have answered.
Result<Appended> append_now(EventLog& log, NewEvent event);
Result<uint64_t> retain_now(EventLog& log, const std::string& topic, const Retention& retention, int64_t now_ms);

}  // namespace harn::log
