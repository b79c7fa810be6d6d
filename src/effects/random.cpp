#include "effects/random.h"

#include <cstring>
#include <mutex>

#include "base/result.h"
#include "vm/scheduler.h"

namespace harn::effects {

namespace {

// SplitMix64, which turns any number into an even one, as the seeds of other generators should be.
uint64_t mixed(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// The next bytes of the running task's stream.
void draw_seeded(uint64_t seed, std::string& to) {
  vm::Task* task = vm::Scheduler::current_or_null();
  uint64_t state = seed;
  if (task)
    state ^= mixed(state) ^ (task->id + 1) * 0xD6E8FEB86659FD93ull ^ (uint64_t{++task->own_effects().draws} << 40);
  for (size_t at = 0; at < to.size(); at += sizeof(uint64_t)) {
    uint64_t bits = mixed(state);
    memcpy(to.data() + at, &bits, std::min(sizeof bits, to.size() - at));
  }
}

}  // namespace

vm::Outcome<std::string> carry_out(Run& run, const RandomBytes& request) {
  std::string bytes(request.count, '\0');
  if (run.world().seed) draw_seeded(*run.world().seed, bytes);
  else run.host().random_bytes(bytes.data(), bytes.size());
  return bytes;
}

vm::Outcome<std::string> carry_out(Run& run, const TimedBytes&) {
  constexpr uint32_t kMostCounted = 0xFFF;
  std::string bytes = HARN_TRY(carry_out(run, RandomBytes{16}));
  int64_t now = run.clock().wall_ms();
  auto& last = vm::Scheduler::current().scheduler->vm().local<LastTimed>();
  std::lock_guard guard(last.lock);
  // A clock that went back, or 4096 of them in a millisecond: run a little ahead of the clock.
  if (now > last.time_ms) last.set(now);
  else if (++last.counter > kMostCounted) last.set(last.time_ms + 1);
  for (size_t i = 0; i < 6; ++i) bytes[i] = static_cast<char>(last.time_ms >> (40 - 8 * i));
  bytes[6] = static_cast<char>(last.counter >> 8);
  bytes[7] = static_cast<char>(last.counter);
  return bytes;
}

vm::Outcome<std::string> carry_out(Run& run, const IdBytes&) { return carry_out(run, TimedBytes{}); }

vm::Outcome<uint64_t*> task_generator(Run& run) {
  if (!run.allows(RandomBytes::row.capability)) return denied(RandomBytes::row, "");
  vm::TaskEffects& own = vm::Scheduler::current().own_effects();
  if (!own.has_random) {
    std::string bytes = HARN_TRY(perform(run, RandomBytes{sizeof own.random}));
    bytes.copy(reinterpret_cast<char*>(own.random), sizeof own.random);
    own.random[0] |= 1;  // all zeros is the one state that xoshiro never leaves
    own.has_random = true;
  }
  return own.random;
}

double jitter(Run& run) {
  uint32_t bits = 0;
  carry_out(run, RandomBytes{sizeof bits})->copy(reinterpret_cast<char*>(&bits), sizeof bits);
  return bits / 4294967296.0;
}

}  // namespace harn::effects
