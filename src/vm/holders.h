#pragma once

#include <mutex>
#include <unordered_set>

#include "base/mutex.h"
#include "vm/handle.h"

// Handles that hold values with handles in them.
//
// Handles are counted like all values, so two that hold each other (a channel in which it lies itself, a task that has
// returned itself) would never be freed. Few programs do that, so nobody looks for such cycles while a program runs. But who
// takes in something that could lead back to it says so here, and when the VM ends all of them are emptied.
namespace harn::vm {

class Holders {
 public:
  // Any thread. Its type has an `empty`; `noted_in` is the handle's own: null until it is noted.
  void note(HandleObject* handle, Holders*& noted_in);
  // The handle is about to be freed.
  void forget(HandleObject* handle);
  // When no task runs any more.
  void empty_all();

 private:
  Mutex lock_;
  std::unordered_set<HandleObject*> all_;
};

// Whether a handle can be reached from a value that was packed for another task (transfer.h); never false by mistake.
bool may_hold_handles(const Value& packed);

}  // namespace harn::vm
