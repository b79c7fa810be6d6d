#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/mutex.h"

// What the tasks of a program have open, by name or number: streams, sessions, files. Any thread may use it; what is found is a
// copy, so things that change are kept by `shared_ptr`.
//
//   SharedTable<uint64_t, std::shared_ptr<OpenStream>> streams;
//   uint64_t number = streams.next_number();
//   streams.put(number, stream);
namespace harn {

template <class Key, class T>
class SharedTable {
 public:
  uint64_t next_number() {
    std::lock_guard guard(lock_);
    return ++last_;
  }
  void put(Key key, T thing) {
    std::lock_guard guard(lock_);
    things_.insert_or_assign(std::move(key), std::move(thing));
  }
  std::optional<T> find(const Key& key) {
    std::lock_guard guard(lock_);
    auto found = things_.find(key);
    return found == things_.end() ? std::nullopt : std::optional(found->second);
  }
  // Nothing: there is none. The caller has the last of it, and it ends when nobody is kept waiting for the lock.
  std::optional<T> take(const Key& key) {
    std::lock_guard guard(lock_);
    auto found = things_.extract(key);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
  }
  size_t count() {
    std::lock_guard guard(lock_);
    return things_.size();
  }

 private:
  Mutex lock_;
  uint64_t last_ = 0;
  std::map<Key, T> things_;
};

}  // namespace harn
