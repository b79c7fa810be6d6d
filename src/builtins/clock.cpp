// The clock as a program sees it, and how a test stops it and moves it by hand.
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/sleep.h"
#include "effects/clock.h"
#include "effects/stdio.h"

namespace harn::builtins {

using namespace vm;

namespace {

Clock& clock_of(Call& call) { return call.vm().scheduler().clock(); }

// ---- reading ----

Outcome<int64_t> read(Call& call, effects::ClockFace face) {
  return effects::perform(effects::Run::current(call.vm()), effects::ReadClock{face});
}

Outcome<Value> timestamp(Call& call) {
  return Value::number(static_cast<double>(HARN_TRY(read(call, effects::ClockFace::Wall))) / 1000);
}

Outcome<Value> elapsed(Call& call) { return Value::integer(HARN_TRY(read(call, effects::ClockFace::Elapsed))); }

Outcome<Value> now_ms(Call& call) { return Value::integer(HARN_TRY(read(call, effects::ClockFace::Wall))); }

// For what the runtime does itself: no policy forbids it, and recordings have it.
Outcome<Value> own_now_ms(Call& call) { return Value::integer(effects::wall_ms(effects::Run::current(call.vm()))); }

Outcome<Value> own_elapsed(Call& call) {
  return Value::integer(effects::read_freely(effects::Run::current(call.vm()), effects::ClockFace::Elapsed));
}

// ---- a clock that is moved by hand ----

// Some 285,000 years either way: sums of such times and what the clock counts never wrap around.
constexpr int64_t kMaxMockMs = int64_t{9'000'000'000'000'000};

Outcome<Value> mock_time(Call& call) {
  const Value& ms = call.arg(0);
  if (!ms.is_int() || ms.as_int() > kMaxMockMs || ms.as_int() < -kMaxMockMs) {
    return throw_text(ErrorKind::Type, "mock_time(ms): expected an integer millisecond timestamp");
  }
  clock_of(call).mock(ms.as_int());
  call.vm().scheduler().note_time();
  return Value();
}

Outcome<Value> unmock_time(Call& call) {
  clock_of(call).unmock();
  call.vm().scheduler().note_time();
  // What was due by the moved clock happens before the program goes on.
  call.vm().scheduler().fire_timers();
  return Value();
}

// Moves the mocked clock and wakes who waited for that; the new wall clock.
Outcome<Value> advance(Call& call, int64_t ms) {
  let_others_in();
  Clock& clock = clock_of(call);
  Nanoseconds by, end;
  if (__builtin_mul_overflow(ms, kMillisecond, &by) || __builtin_add_overflow(clock.now(), by, &end)) {
    return runtime_error(ErrorKind::Invalid, "{}: {} ms is further than the clock can count", call.row().name, ms);
  }
  int64_t wall = clock.advance(by);
  call.vm().scheduler().note_time();
  call.vm().scheduler().fire_timers();
  return Value::integer(wall);
}

Outcome<Value> move_clock(Call& call) {
  int64_t ms = HARN_TRY(call.integer(0));
  if (!clock_of(call).is_mocked()) {
    return throw_text(ErrorKind::Invalid, "advance_time: no mock active. Call mock_time(ms) first.");
  }
  // Timers rely on a clock that never goes back.
  if (ms < 0) return runtime_error(ErrorKind::Invalid, "advance_time: the clock cannot go back, got {} ms", ms);
  return advance(call, ms);
}

// Tasks that can run do so first: those that are about to sleep should be asleep when the time passes.
Step advance_time(WaitCall& call) {
  if (call.scheduler().has_others()) {
    uint64_t ticket = call.task().begin_wait("advance_time");
    call.scheduler().wake(call.task(), ticket, Wake::Retry);
    return Step::Parked;
  }
  return blocking<move_clock>(call);
}

Step sleep_ms(WaitCall& call) {
  Task& task = call.task();
  // An interrupted sleep goes on to the time it was meant for.
  if (!call.is_retry()) {
    if (!call.arg(0).is_int()) return call.fail(call.wrong_type(0, "an int"));
    int64_t ms = call.arg(0).as_int();
    auto leave = effects::perform(effects::Run::current(call.vm()), effects::Sleep{ms});
    if (!leave) return call.fail(std::move(leave).error());
    if (ms <= 0) return call.done({});
    plan_sleep(call, due_in(call.scheduler(), ms));
    if (clock_of(call).is_mocked()) {
      auto moved = advance(call, ms);
      if (!moved) return call.fail(std::move(moved).error());
      // Unless a deadline passed on the way: that is noticed where a task waits.
      if (task.requests.load() == 0) return call.done({});
    }
  }
  return go_to_sleep(call, "sleep_ms");
}

// ---- timers ----

Outcome<Value> timer_start(Call& call) {
  auto name = HARN_TRY(call.text_or(0, "default"));
  return DictBuilder()
      .add("name", text_value(name))
      .add("start_ms", Value::integer(HARN_TRY(read(call, effects::ClockFace::Elapsed))))
      .done();
}

Outcome<Value> timer_end(Call& call) {
  const Value& timer = call.arg(0);
  const Value* name = timer.is_dict() ? timer.as_dict()->find("name") : nullptr;
  const Value* start = timer.is_dict() ? timer.as_dict()->find("start_ms") : nullptr;
  if (!name || !start || !start->is_int()) {
    return throw_text(ErrorKind::Type, "timer_end: argument must be a timer dict from timer_start");
  }
  // mock_time starts the count at 0 again, maybe between start and end.
  int64_t now = HARN_TRY(read(call, effects::ClockFace::Elapsed));
  int64_t took = std::max<int64_t>(0, now - start->as_int());
  std::string line = fmt::format("[timer] {}: {}ms\n", display(*name), took);
  HARN_CHECK(effects::perform(effects::Run::current(call.vm()), effects::Write{Stream::Out, std::move(line)}));
  return Value::integer(took);
}

constinit const Builtin kRows[] = {
    {.name = "__monotonic_ms",
     .signature = "() -> int",
     .doc = "The same as elapsed, for what the runtime does: no policy forbids it.",
     .call = own_elapsed},
    {.name = "__now_ms",
     .signature = "() -> int",
     .doc = "The same as now_ms, for what the runtime does: no policy forbids it.",
     .call = own_now_ms},
    {.name = "advance_time",
     .signature = "(ms: int) -> int",
     .doc = "Moves the clock that mock_time stopped, wakes who waited for that, and gives the new wall clock.",
     .example = "{ -> mock_time(100); advance_time(50) }() == 150",
     .wait = advance_time},
    {.name = "elapsed",
     .signature = "() -> int",
     .doc = "Milliseconds since the program started, or since mock_time.",
     .example = "elapsed() >= 0",
     .needs = Capability::ClockRead,
     .call = elapsed},
    {.name = "mock_time",
     .signature = "(ms: int) -> nil",
     .doc = "Stops the clock at this time of the wall clock; only advance_time and sleep_ms move it.",
     .example = "{ -> mock_time(100); now_ms() }() == 100",
     .call = mock_time},
    {.name = "monotonic_ms",
     .signature = "() -> int",
     .doc = "The same as elapsed.",
     .example = "monotonic_ms() >= 0",
     .needs = Capability::ClockRead,
     .call = elapsed},
    {.name = "now_ms",
     .signature = "() -> int",
     .doc = "The wall clock: milliseconds since 1970.",
     .example = "now_ms() > 1600000000000",
     .needs = Capability::ClockRead,
     .call = now_ms},
    {.name = "sleep_ms",
     .signature = "(ms: int) -> nil",
     .doc = "Waits like sleep; under mock_time it moves the clock instead and goes on at once.",
     .example = "sleep_ms(1) == nil",
     .needs = Capability::ClockSleep,
     .wait = sleep_ms},
    {.name = "timer_end",
     .signature = "(timer: dict) -> int",
     .doc = "Prints and gives the milliseconds since timer_start.",
     .example = "timer_end(timer_start(\"load\")) >= 0",
     .needs = Capability::ClockRead,
     .call = timer_end},
    {.name = "timer_start",
     .signature = "(name?: string) -> dict",
     .doc = "Starts a timer for timer_end: {name, start_ms}.",
     .example = "timer_start(\"load\").name == \"load\"",
     .needs = Capability::ClockRead,
     .call = timer_start},
    {.name = "timestamp",
     .signature = "() -> float",
     .doc = "The wall clock: seconds since 1970, with a fraction.",
     .example = "{ -> mock_time(1500); timestamp() }() == 1.5",
     .needs = Capability::ClockRead,
     .call = timestamp},
    {.name = "unmock_time",
     .signature = "() -> nil",
     .doc = "Lets the clock run again after mock_time.",
     .example = "unmock_time() == nil",
     .call = unmock_time},
};

}  // namespace

std::span<const Builtin> clock_rows() { return kRows; }

}  // namespace harn::builtins
