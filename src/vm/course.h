#pragma once

#include <cstdint>

#include "vm/clock.h"

// Where, in the course of a program, something happened that its text does not decide: a time was up, the world had
// answered. For recordings and replays of programs with one worker.
//
// Nobody can say when that was in nanoseconds and have it happen again. So moments are counted: a task looks up
// (after some hundred calls, or in the middle of a long builtin), asks for an effect, or stops. With one worker all else
// follows from the program, so the same count is the same place in it, and what is noted for a moment can be brought
// about there:
//
//   moment 17   the deadline of vm_task_1 passes
//   moment 18   vm_task_2 is told what `http.fetch` got; it goes on before the tasks that are in line
//
// What a task does inside an effect is not counted, because a replay does not do it.
namespace harn::vm {

class Scheduler;
struct Worker;

class Course {
 public:
  enum class Kind : uint8_t { Noted, Repeated };
  explicit Course(Kind kind) : repeats_(kind == Kind::Repeated) {}
  virtual ~Course() = default;

  // 0: nobody counts.
  uint64_t moment() const { return moment_; }
  void pass() { ++moment_; }
  bool repeats() const { return repeats_; }

  // The time of a task's wait is over (`which` is 0), or that of a `deadline` it is in (1 for the outermost).
  virtual void note_timer(uint64_t task, uint32_t which, Nanoseconds at) = 0;
  // What has been noted for the moment happens again.
  virtual void bring_about(Scheduler& scheduler) = 0;

  // Whether code of the program has run in this turn of a task, and not only what is inside an effect.
  bool has_come_further = false;

 private:
  const bool repeats_;
  uint64_t moment_ = 0;
};

// The running task asks for an effect: what it does until `end` is not counted.
class InsideEffect {
 public:
  explicit InsideEffect(Course& course);
  ~InsideEffect() { end(); }
  InsideEffect(const InsideEffect&) = delete;
  void end();

 private:
  Course* course_;
  int32_t steps_left_ = 0;
  int32_t budget_ = 0;
  uint64_t tickets_ = 0;
};

// How much a task may do until it looks up, at the beginning of its turn.
void begin_pace(Worker& worker);
// The running task is told now what was asked of it, if anything. Leaves by `Stopped`.
void take_stop();

}  // namespace harn::vm
