#include "effects/clock.h"

#include "vm/clock.h"

namespace harn::effects {

vm::Outcome<int64_t> carry_out(Run& run, const ReadClock& request) {
  return request.face == ClockFace::Wall ? run.clock().wall_ms() : run.clock().elapsed_ms();
}

vm::Outcome<Done> carry_out(Run&, const Sleep&) { return Done(); }

vm::Outcome<Done> carry_out(Run&, const EndSleep&) { return Done(); }

bool tells_end_of_sleep(Run& run) {
  if (run.is_direct(vm::Capability::ClockSleep) || run.clock().is_mocked()) return false;
  Run::Attending attending = run.attending();
  // Otherwise moments are counted (vm/course.h), and say it.
  if (attending.recorder) return attending.recorder->moment() == 0;
  return attending.player && !attending.player->has_moments();
}

vm::Nanoseconds end_of_sleep(Run& run, vm::Nanoseconds due) {
  if (run.is_direct(vm::Capability::ClockSleep) || run.clock().is_mocked()) return due;
  auto player = run.attending().player;
  return player && !player->has_moments() ? player->time_of_next(EndSleep::row.name) : due;
}

int64_t read_freely(Run& run, ClockFace face) {
  ReadClock request{face};
  if (run.is_direct(vm::Capability::ClockRead)) return *carry_out(run, request);
  Run::Attending attending = run.attending();
  auto read = [&] { return carry_out(run, request); };
  auto answer = attending.player     ? replayed(run, *attending.player, request, read)
                : attending.recorder ? recorded(run, *attending.recorder, request, read)
                                     : read();
  return answer ? *answer : 0;
}

}  // namespace harn::effects
