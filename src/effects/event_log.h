#pragma once

#include <memory>

#include "effects/perform.h"

// The event log of a program (src/log): each request is answered from the log of its VM, which is opened by the first.
//
//   Appended appended = HARN_TRY(perform(run, AppendEvent{.topic = "orders", .kind = "placed", .payload = "{}"}));
//
// Which log that is, the environment and the home of the program say: HARN_EVENT_LOG_BACKEND (`memory`, `sqlite`, `file`),
// HARN_EVENT_LOG_SQLITE_PATH, HARN_EVENT_LOG_DIR. Without them a program of a project, or with HARN_STATE_DIR, has
// `events.sqlite` in its state root, and any other a log in memory. All requests are for tasks on a fiber: they wait for
// the disk.
namespace harn::effects {

// Payloads and headers are JSON texts. Secrets that are known are not kept.
struct AppendEvent {
  enum class How : uint8_t { New, Known, Conflict };
  struct Answer {
    How how = How::New;
    uint64_t id =
        0;  // of the event; of the one with the same key; of the topic's last one when that is not the expected one
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(how), visit(id);
    }
  };
  static constexpr EffectRow row{.name = "event_log.append", .capability = vm::Capability::EventAppend};

  std::string topic;
  std::string kind;
  std::string payload = "null";
  std::string headers = "{}";
  std::string key = {};
  bool compares = false;
  uint64_t expected_last = 0;

  std::string shown() const { return fmt::format("{} in {}", kind, topic); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(topic), visit(kind), visit(payload), visit(headers), visit(key), visit(compares), visit(expected_last);
  }
};
vm::Outcome<AppendEvent::Answer> carry_out(Run& run, const AppendEvent& request);

struct LoggedEvent {
  uint64_t id = 0;
  std::string kind;
  std::string payload;
  std::string headers;
  std::string key;
  int64_t at_ms = 0;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(id), visit(kind), visit(payload), visit(headers), visit(key), visit(at_ms);
  }
};

struct ReadEvents {
  using Answer = std::vector<LoggedEvent>;
  static constexpr EffectRow row{.name = "event_log.read", .capability = vm::Capability::EventRead};

  std::string topic;
  uint64_t after = 0;
  uint32_t most = 1000;
  bool waits = false;  // until there is one

  std::string shown() const { return fmt::format("{} after {}", topic, after); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(topic), visit(after), visit(most), visit(waits);
  }
};
vm::Outcome<ReadEvents::Answer> carry_out(Run& run, const ReadEvents& request);

// The number of the last event of a topic; 0: none yet.
struct LatestEvent {
  using Answer = uint64_t;
  static constexpr EffectRow row{.name = "event_log.latest", .capability = vm::Capability::EventRead};

  std::string topic;

  std::string shown() const { return topic; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(topic);
  }
};
vm::Outcome<uint64_t> carry_out(Run& run, const LatestEvent& request);

struct LoggedTopic {
  std::string name;
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t bytes = 0;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(name), visit(first), visit(last), visit(bytes);
  }
};

struct ListTopics {
  using Answer = std::vector<LoggedTopic>;
  static constexpr EffectRow row{.name = "event_log.topics", .capability = vm::Capability::EventRead};

  std::string shown() const { return "topics"; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<ListTopics::Answer> carry_out(Run& run, const ListTopics& request);

// What a topic keeps from now on; 0: no limit. The answer is how many events went.
struct RetainEvents {
  using Answer = uint64_t;
  static constexpr EffectRow row{.name = "event_log.retain", .capability = vm::Capability::EventAppend};

  std::string topic;
  int64_t max_age_ms = 0;
  uint64_t max_count = 0;
  uint64_t max_bytes = 0;

  std::string shown() const { return topic; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(topic), visit(max_age_ms), visit(max_count), visit(max_bytes);
  }
};
vm::Outcome<uint64_t> carry_out(Run& run, const RetainEvents& request);

// ---- programs that are put away ----

// A topic of a log in memory, which goes where its program goes.
struct CarriedTopic {
  LoggedTopic topic;
  int64_t max_age_ms = 0;
  uint64_t max_count = 0;
  uint64_t max_bytes = 0;
  std::vector<LoggedEvent> events;
};
// Empty when the VM has another log, or none yet.
std::vector<CarriedTopic> carried_topics(vm::Vm& vm);
// Gives the VM, which has no log yet, one in memory that holds them. False when they make no sense.
bool carry_topics(vm::Vm& vm, std::vector<CarriedTopic> topics);

}  // namespace harn::effects
