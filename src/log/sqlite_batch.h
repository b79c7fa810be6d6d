#pragma once

#include <map>

#include "log/event_log.h"
#include "log/retention.h"
#include "log/sqlite_schema.h"

namespace harn::log {

// The statements of a connection, prepared once.
struct Statements {
  static Result<Statements> prepare(const Connection& connection);

  Statement begin, commit, rollback;
  Statement find_topic, add_topic, change_topic;
  Statement add_event, find_key, add_key, oldest, remove_event, remove_key;
};

// Everything that is appended in one transaction, and so with one sync of the disk. What it knows of topics is true from
// `begin` to `commit`, since nobody else writes meanwhile. Used by one thread.
//
//   Batch batch(connection, statements);
//   HARN_CHECK(batch.begin());
//   Appended appended = HARN_TRY(batch.append(event));
//   HARN_CHECK(batch.commit());           // now it is durable
//
// What has not been committed is undone by the destructor.
class Batch {
 public:
  Batch(Connection& connection, Statements& statements) : connection_(connection), statements_(statements) {}
  ~Batch();
  Batch(const Batch&) = delete;

  Result<void> begin();
  Result<Appended> append(const NewEvent& event);
  Result<uint64_t> retain(const std::string& topic, const Retention& retention, int64_t now_ms);
  Result<void> commit();

  // Topics that have new events, with the number of the last.
  std::vector<std::pair<std::string, uint64_t>> grown() const;

 private:
  struct Topic {
    uint64_t number = 0;  // 0: not in the file yet
    Kept kept;
    Retention retention;
    bool is_changed = false;
    bool has_grown = false;
  };

  Result<Topic*> topic(const std::string& name);
  Result<void> ensure_number(Topic& topic, const std::string& name);
  Result<std::optional<uint64_t>> known_id(const Topic& topic, const std::string& key);
  Result<void> store(Topic& topic, const NewEvent& event);
  Result<uint64_t> trim(Topic& topic, int64_t now_ms);
  Result<void> store_topic(const Topic& topic);

  Connection& connection_;
  Statements& statements_;
  std::map<std::string, Topic> topics_;
};

}  // namespace harn::log
