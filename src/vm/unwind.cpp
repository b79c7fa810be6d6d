// Where an error goes: through the frames of the coroutine, to the first handler whose range covers the place, and from a
// generator that fails on to whoever wanted its next value.
#include <optional>

#include "vm/interpreter.h"
#include "vm/memory.h"
#include "vm/trace.h"

namespace harn::vm {

using namespace bytecode;

bool Interpreter::unwind() {
  bool stoppable = catchable(*error_);
  // Whoever waits for the end of a deadline does not wait until all that it made is freed.
  std::optional<Hurry> hurry;
  if (!stoppable || task_->deadline_passed) hurry.emplace();
  for (;;) {
    while (co_->frame_count > 0) {
      Frame& frame = co_->frames[co_->frame_count - 1];
      const Code& code = *frame.proto->code;
      uint32_t at = frame.at();
      if (!code.hidden) note_frame(*error_, {&code, at});
      Value* registers = co_->stack + frame.base;
      if (const Handler* handler = find_handler(frame, !stoppable)) {
        // A frame that goes on unwinding, after clean-up code or a `catch` of another type, enters the trace again then.
        if (!code.hidden) error_->trace->pop_back();
        registers[handler->reg] = Value(std::move(error_));
        frame.pc = frame.proto->start + handler->target;
        return true;
      }
      if (frame.after_tail_call) note_frame(*error_, {nullptr, 0, TraceFrame::Mark::TailCalls});
      if (code.far_register) drop_far_registers(registers[code.far_register]);
      for (uint32_t i = frame.proto->registers; i-- > 0;) registers[i].set_nil();
      do_duties(frame, nullptr);
      --co_->frame_count;
    }
    if (!co_->resumer) return false;
    // A generator that was closed is done. One that failed: the error goes on where its next value was wanted.
    bool is_closed = co_->is_closing && error_->error_class == ErrorClass::Closed;
    finish_generator();
    if (is_closed) {
      error_ = {};
      return true;
    }
  }
}

}  // namespace harn::vm
