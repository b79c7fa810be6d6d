#include "sql/postgres_pool.h"

namespace harn::sql {

PgPool::PgPool(PgSettings settings, size_t most, std::function<void()> changed)
    : settings_(std::move(settings)), most_(most), changed_(std::move(changed)) {}

std::optional<PgPool::Place> PgPool::take() {
  std::lock_guard guard(lock_);
  if (in_use_ >= most_) return std::nullopt;
  ++in_use_;
  Place place;
  if (!idle_.empty()) {
    place.connection = std::move(idle_.back());
    idle_.pop_back();
  }
  return place;
}

void PgPool::give_back(Place place) {
  bool is_good = place.connection && place.connection->is_usable() && !place.connection->is_in_transaction();
  {
    std::lock_guard guard(lock_);
    --in_use_;
    if (is_good && !is_closed_) idle_.push_back(std::move(place.connection));
  }
  changed_();
}

void PgPool::close() {
  std::vector<std::unique_ptr<PgConnection>> closed;  // without the lock
  {
    std::lock_guard guard(lock_);
    is_closed_ = true;
    closed.swap(idle_);
  }
  changed_();
}

bool PgPool::is_closed() {
  std::lock_guard guard(lock_);
  return is_closed_;
}

std::vector<PgPool::Place> PgPool::take_idle() {
  std::lock_guard guard(lock_);
  std::vector<Place> taken;
  for (auto& connection : idle_) taken.push_back({std::move(connection)});
  idle_.clear();
  in_use_ += taken.size();
  return taken;
}

}  // namespace harn::sql
