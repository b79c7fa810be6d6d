#pragma once

#include "base/spin_lock.h"
#include "effects/perform.h"

// Randomness. With HARN_SEED all of it follows from the seed: each task has its own stream, named by its id, so
// that workers make no difference.
namespace harn::effects {

struct RandomBytes {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "random.bytes", .capability = vm::Capability::Random};

  uint64_t count = 0;

  std::string shown() const { return ""; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(count);
  }
};
vm::Outcome<std::string> carry_out(Run& run, const RandomBytes& request);

// A UUID of version 7, but for the marks of its version: time, a counter and random bits are one answer, because they hang on
// which task asked first.
struct TimedBytes {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "random.uuid_v7", .capability = vm::Capability::Random};

  std::string shown() const { return ""; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<std::string> carry_out(Run& run, const TimedBytes& request);

// The same for ids that the runtime itself gives out: of transcripts, events, sessions. No policy forbids them, since a
// program learns nothing from them; they are recorded as all randomness is.
struct IdBytes {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "random.id", .capability = vm::Capability::None};

  std::string shown() const { return ""; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<std::string> carry_out(Run& run, const IdBytes& request);

// Of a VM: the last time and counter used, so that UUIDs made within one millisecond still ascend.
struct LastTimed {
  SpinLock lock;
  int64_t time_ms = -1;
  uint32_t counter = 0;
  void set(int64_t time) {
    time_ms = time;
    counter = 0;
  }
};

// The running task's generator (xoshiro256**), seeded by `RandomBytes` when it first draws.
vm::Outcome<uint64_t*> task_generator(Run& run);

// 0 up to, but not including, 1: for jitter, which is not the program's own randomness.
double jitter(Run& run);

}  // namespace harn::effects
