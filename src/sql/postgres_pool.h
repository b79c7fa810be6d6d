#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "sql/postgres.h"

namespace harn::sql {

// The connections of one pool: at most so many, made when they are needed. Any thread; nothing blocks: whoever gets nothing
// asks again when `changed` was called, which happens without a lock.
class PgPool {
 public:
  PgPool(PgSettings settings, size_t most, std::function<void()> changed);

  const PgSettings& settings() const { return settings_; }

  // A place in the pool, with an idle connection if there is one; without one its holder may connect.
  struct Place {
    std::unique_ptr<PgConnection> connection;
  };
  // Nothing: all are in use.
  std::optional<Place> take();
  // Gives a place back. The connection is kept if it can be used again.
  void give_back(Place place);

  // Idle ones are closed, and those in use when they come back.
  void close();
  bool is_closed();
  // Taken out of the pool, to be worked on by their holder and given back each.
  std::vector<Place> take_idle();

 private:
  const PgSettings settings_;
  const size_t most_;
  const std::function<void()> changed_;

  Mutex lock_;  // guards the rest
  std::vector<std::unique_ptr<PgConnection>> idle_;
  size_t in_use_ = 0;
  bool is_closed_ = false;
};

}  // namespace harn::sql
