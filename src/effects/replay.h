#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "effects/tape.h"
#include "vm/error.h"

// Tells a program again what it was told when it was recorded. Nothing is done to the world, except that the program's
// own output is written.
//
// Answers are told in the order of the recording, and time stands still between them: the clock moves to the time of
// each answer as that is told, and to the next timer when every task waits (vm::Clock::follow). So a run that took
// hours is replayed in the time that it computed, and tasks meet each other in the same order.
//
// A run with one worker has counted the moments at which it was told answers and times were up (vm/course.h), and they
// are brought about at the same: the order of all tasks is that of the recording. With several workers each answer still
// goes to the task and question that it belongs to.
namespace harn::effects {

class Run;

// Where a replay was no longer the recorded run.
struct Divergence {
  bool is_cut_off = false;  // there is no more of the recording: its run was killed
  std::string expected;     // "fs.exists (a.txt) in task_root", or the end of the program
  std::string found;
  std::string place;  // lines of a trace; may be empty
};

class Player : public vm::Course {
 public:
  // Of a run that was killed only its beginning is there.
  enum class Extent : uint8_t { Whole, Beginning };
  explicit Player(std::vector<TapeEntry> entries, Extent extent = Extent::Whole);

  // The recorded answer to the question of the running task, when its time has come. Fails from the first divergence
  // on, whatever is asked.
  vm::Outcome<const TapeEntry*> next_answer(Run& run, const Question& question);
  // Of a run with one worker. Otherwise time is all that is known of the order.
  bool has_moments() const { return has_moments_; }
  void note_timer(uint64_t, uint32_t, vm::Nanoseconds) override {}
  void bring_about(vm::Scheduler& scheduler) override;
  // When the running task was told its next answer, if that was to `name`; otherwise never.
  vm::Nanoseconds time_of_next(std::string_view name);
  // The program has ended: whether it should have asked for more.
  void finish();
  // The program can do nothing any more: whether that is where the recorded run was killed. Then the replay is over.
  bool note_standstill(std::string place);
  std::optional<Divergence> divergence();
  size_t told() const { return told_; }

  vm::Nanoseconds start = 0;  // on the program's clock

 private:
  struct Waiting {
    vm::Task* task;
    uint64_t ticket;
  };
  bool has_run_out() const { return extent_ == Extent::Beginning && told_ == entries_.size(); }  // under the lock
  vm::Outcome<size_t> find(const Question& question);
  void end(Divergence why);  // under the lock
  void wait_for_turn(size_t order);
  void wait_for_moment(size_t order);
  bool has_come(size_t order);
  void skip_timers();  // under the lock
  void set_time(vm::Clock& clock, const TapeAnswer& answer) const;
  void tell(size_t order);
  vm::Outcome<const TapeEntry*> cut_off(const Question& question);
  std::unexpected<vm::Thrown> diverged(std::string expected, std::string found);
  std::unexpected<vm::Thrown> divergence_error();

  const std::vector<TapeEntry> entries_;  // in the order of answers
  const Extent extent_;
  bool has_moments_ = false;
  std::map<std::pair<uint64_t, uint64_t>, size_t> by_asker_;  // task and number
  Mutex lock_;                                                // of what follows
  std::vector<bool> is_told_;
  size_t told_ = 0;                    // all before this one
  std::map<size_t, Waiting> waiting_;  // tasks whose turn it is not, by the order of their answers
  std::optional<Divergence> divergence_;
};

}  // namespace harn::effects
