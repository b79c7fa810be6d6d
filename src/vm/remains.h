#pragma once

#include <cstddef>

// Large collections that nobody needs any more.
//
// Freeing a million items takes as long as making a hundred thousand. It is done at once, except when the task has
// just been told to stop, or the worker is wanted elsewhere: then what is left of the collection is put aside, and
// freed bit by bit as memory is asked for, at checkpoints, and while the worker has nothing to do. Each thread has its own
// list.
namespace harn::vm {

// Collections with fewer items are freed in one go.
constexpr size_t kManyItems = 1024;

struct Remains {
  void* collection;
  size_t count;  // of items
  void (*drop_item)(void* collection, size_t number);
  void (*finish)(void* collection);  // frees what is left without its items
  size_t dropped = 0;
};
// Drops the items, the first first, and finishes; or puts aside what it does not get to.
void drop_items(Remains remains);

// Frees up to so many of the items that were put aside.
void work_off_remains(size_t items);
extern constinit thread_local bool has_remains;

// While one lives on the thread, what takes long is put aside: something is being stopped.
class Hurry {
 public:
  Hurry() { ++count_; }
  Hurry(const Hurry&) { ++count_; }
  ~Hurry() { --count_; }
  static bool is_on() { return count_ > 0; }

 private:
  static constinit thread_local int count_;
};

}  // namespace harn::vm
