#pragma once

#include "effects/perform.h"

// Time as the program sees it: a test may stop it and move it by hand (vm/clock.h).
namespace harn::effects {

enum class ClockFace : uint8_t {
  Wall,     // milliseconds since 1970
  Elapsed,  // milliseconds since the program started
};

struct ReadClock {
  using Answer = int64_t;
  static constexpr EffectRow row{.name = "clock.read", .capability = vm::Capability::ClockRead};

  ClockFace face = ClockFace::Wall;

  std::string shown() const { return ""; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(face);
  }
};
vm::Outcome<int64_t> carry_out(Run& run, const ReadClock& request);

// A pause. The builtins park the task themselves: what is performed is leave to do so.
struct Sleep {
  using Answer = Done;
  static constexpr EffectRow row{.name = "clock.sleep", .capability = vm::Capability::ClockSleep};

  int64_t ms = 0;

  std::string shown() const { return fmt::format("{} ms", ms); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(ms);
  }
};
vm::Outcome<Done> carry_out(Run& run, const Sleep& request);

// A pause is over. Performed where somebody wants to know (`tells_end_of_sleep`), so that a replay wakes tasks when the
// recording did, and not when they were meant to be woken.
struct EndSleep {
  using Answer = Done;
  static constexpr EffectRow row{.name = "clock.wake", .capability = vm::Capability::ClockSleep};

  std::string shown() const { return ""; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<Done> carry_out(Run& run, const EndSleep& request);
bool tells_end_of_sleep(Run& run);
// When the running task's pause until `due` will be over: in a replay when it was.
vm::Nanoseconds end_of_sleep(Run& run, vm::Nanoseconds due);

// A clock for what is allowed to everybody, such as the time in a log line, or how long the runtime's own work took.
int64_t read_freely(Run& run, ClockFace face);
inline int64_t wall_ms(Run& run) { return read_freely(run, ClockFace::Wall); }

}  // namespace harn::effects
