#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vm/error.h"
#include "vm/globals.h"
#include "vm/value.h"

// Values on their way from one task to another.
//
// A task sees a snapshot of what it is given. Plain data is frozen: it stays where it is, is counted
// atomically from now on, and whoever wants to change it makes a copy. What has state of its own (the
// variables of a closure, generators, iterators, random number generators) is copied, for each task anew.
// Handles are shared.
namespace harn::vm {

struct Task;

// What one task is given together: what was one thing to the sender is one thing to the receiver.
class Crossing {
 public:
  enum class Variables : uint8_t {
    Shared,   // the receiver starts with the sender's program variables (Luggage below)
    Carried,  // functions take the program variables they use along, as the sender has them now
  };
  // `sender`: whose values they are; null for those that wait in a Luggage.
  Crossing(Task* sender, Variables variables);
  ~Crossing();

  // The value as the receiver may own it. Fails for a generator that is running, and for values with state
  // that are nested thousands deep.
  Outcome<Value> give(const Value& value);
  // Whether anything that was given had state.
  bool has_copied() const { return copier_ != nullptr; }

 private:
  class Copier;
  Task* sender_;
  Variables variables_;
  std::unique_ptr<Copier> copier_;  // once something must be copied
};

// Freezes a plain value; false when it has state. The first half of a Crossing.
bool freeze(const Value& value);

// For copies of what was frozen before. Whether functions are among what it was frozen with, so that they are looked for
// when it is given on; and the same again, for a value and all of its parts, and for an object alone.
bool holds_functions(const Object* object);
void freeze_again(const Value& value, bool holds_functions);
void freeze_alone(Object* object, bool holds_functions);

// A message: one value, from the running task to whichever gets it.
Outcome<Value> transfer(Value value);
// A result: the same for a task that has ended.
Outcome<Value> transfer(Value value, Task& sender);

// What a task starts with.
struct Luggage {
  Value entry;  // what to call
  std::vector<Value> args;
  Value context;  // task-local values
  GlobalsRef globals;
  bool is_plain = true;  // nothing in it has state: several tasks may have the same
};
// Takes a snapshot of the parent's for a child.
Outcome<Luggage> pack(Task& parent, const Value& entry, std::span<const Value> args = {});
// Another one like it, for one more child. The caller sees to it that nobody else reads `luggage` meanwhile.
Outcome<Luggage> repack(const Luggage& luggage);

}  // namespace harn::vm
