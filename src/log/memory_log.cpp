// The log of a process that keeps nothing: for tests and programs without a project.
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "base/mutex.h"
#include "log/event_log.h"
#include "log/retention.h"
#include "log/watches.h"

namespace harn::log {

namespace {

// Nobody looks after a log in memory, so a program that runs for months must not fill it.
constexpr Retention kUnlessToldOtherwise{.max_count = 100'000};

struct KeptTopic {
  Kept kept;
  std::deque<Event> events;                       // from `kept.first` to `kept.last`
  std::unordered_map<std::string, uint64_t> ids;  // by key
  Retention retention = kUnlessToldOtherwise;

  Appended append(NewEvent event) {
    if (auto known = event.key.empty() ? ids.end() : ids.find(event.key); known != ids.end()) {
      return {Appended::How::Known, known->second};
    }
    if (event.expected_last && *event.expected_last != kept.last) return {Appended::How::Conflict, kept.last};
    uint64_t id = ++kept.last;
    kept.bytes += size_of(event.kind, event.payload, event.headers, event.key);
    if (!event.key.empty()) ids[event.key] = id;
    events.push_back({.id = id,
                      .kind = std::move(event.kind),
                      .payload = std::move(event.payload),
                      .headers = std::move(event.headers),
                      .key = std::move(event.key),
                      .at_ms = event.at_ms});
    trim(event.at_ms);
    return {Appended::How::New, id};
  }

  uint64_t trim(int64_t now_ms) {
    uint64_t before = kept.first;
    while (may_go(kept, retention) && must_go(kept, retention, events.front().at_ms, now_ms)) {
      const Event& oldest = events.front();
      kept.bytes -= size_of(oldest.kind, oldest.payload, oldest.headers, oldest.key);
      ids.erase(oldest.key);
      events.pop_front();
      ++kept.first;
    }
    return kept.first - before;
  }

  TopicInfo info(const std::string& name) const { return {name, kept.first, kept.last, kept.bytes, retention}; }

  bool fill(MemoryLog::Topic from) {
    if (from.info.first == 0 || from.info.last + 1 - from.info.first != from.events.size()) return false;
    kept = {from.info.first, from.info.last, 0};
    retention = from.info.retention;
    for (Event& event : from.events) {
      if (event.id != kept.first + events.size()) return false;
      kept.bytes += size_of(event.kind, event.payload, event.headers, event.key);
      if (!event.key.empty()) ids[event.key] = event.id;
      events.push_back(std::move(event));
    }
    return true;
  }

  void read(const ReadRequest& request, std::vector<Event>& out) const {
    uint64_t at = std::max(request.after + 1, kept.first);
    uint64_t bytes = 0;
    for (; at <= kept.last && out.size() < request.most && (out.empty() || bytes < request.most_bytes); ++at) {
      const Event& event = events[at - kept.first];
      bytes += size_of(event.kind, event.payload, event.headers, event.key);
      out.push_back(event);
    }
  }
};

class LogInMemory : public MemoryLog {
 public:
  void append(NewEvent event, AppendDone done) override {
    if (auto fits = check_size(event); !fits) return done(std::unexpected(fits.error()));
    std::string topic = event.topic;
    Appended appended;
    {
      std::lock_guard guard(lock_);
      appended = topics_[topic].append(std::move(event));
    }
    done(appended);
    if (appended.how == Appended::How::New) watches_.tell(topic, appended.id);
  }

  Result<std::vector<Event>> read(const ReadRequest& request) override {
    std::vector<Event> out;
    std::lock_guard guard(lock_);
    if (auto found = topics_.find(request.topic); found != topics_.end()) found->second.read(request, out);
    return out;
  }

  Result<uint64_t> latest(const std::string& topic) override { return last_of(topic); }

  Result<std::vector<TopicInfo>> topics() override {
    std::vector<TopicInfo> out;
    std::lock_guard guard(lock_);
    for (const auto& [name, topic] : topics_) {
      if (topic.kept.last == 0 && topic.retention == kUnlessToldOtherwise) continue;  // only looked for
      out.push_back(topic.info(name));
    }
    return out;
  }

  std::vector<Topic> contents() override {
    std::vector<Topic> out;
    std::lock_guard guard(lock_);
    for (const auto& [name, topic] : topics_) {
      out.push_back({topic.info(name), {topic.events.begin(), topic.events.end()}});
    }
    return out;
  }

  bool fill(std::vector<Topic> contents) override {
    std::lock_guard guard(lock_);
    for (Topic& from : contents) {
      if (!topics_[from.info.name].fill(std::move(from))) return false;
    }
    return true;
  }

  void retain(const std::string& topic, const Retention& retention, int64_t now_ms, RetainDone done) override {
    uint64_t gone;
    {
      std::lock_guard guard(lock_);
      KeptTopic& changed = topics_[topic];
      changed.retention = retention;
      gone = changed.trim(now_ms);
    }
    done(gone);
  }

  WatchId watch(const std::string& topic, uint64_t after, std::function<void()> changed) override {
    WatchId id = watches_.add(topic, after, std::move(changed));
    // What was appended before the watch was there has told nobody.
    watches_.tell(topic, last_of(topic));
    return id;
  }
  void unwatch(WatchId watch) override { watches_.remove(watch); }

 private:
  uint64_t last_of(const std::string& topic) {
    std::lock_guard guard(lock_);
    auto found = topics_.find(topic);
    return found == topics_.end() ? 0 : found->second.kept.last;
  }

  Mutex lock_;
  std::map<std::string, KeptTopic> topics_;
  Watches watches_;
};

}  // namespace

std::unique_ptr<MemoryLog> new_memory_log() { return std::make_unique<LogInMemory>(); }

}  // namespace harn::log
