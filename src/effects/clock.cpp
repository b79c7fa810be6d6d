#include "effects/clock.h"

#include "vm/clock.h"

namespace harn::effects {

vm::Outcome<int64_t> carry_out(Run& run, const ReadClock& request) {
  return request.face == ClockFace::Wall ? run.clock().wall_ms() : run.clock().elapsed_ms();
}

vm::Outcome<Done> carry_out(Run&, const Sleep&) { return Done(); }

int64_t wall_ms(Run& run) { return run.clock().wall_ms(); }

}  // namespace harn::effects
