// The main loop: one label per instruction, the common kinds handled in place, everything else in a
// function of its own so that the loop stays small enough for the processor's caches.
//
// NEXT leaves a block without running the destructors of its locals (it is a computed goto), so a local
// that owns something must have given it away by then.
//
// The instructions are in files by subject, which are included in the middle of the loop: they share its labels and
// locals, so the compiler sees one function. Their order is that of opcodes.def.
//
// R points at the running frame's registers. It, K, pc and the frame are reloaded whenever the frame
// changes or the stack may have moved.
#include "vm/interpreter.h"

#include "vm/course.h"
#include "vm/cycles.h"
#include "vm/dict.h"
#include "vm/fuse.h"
#include "vm/known_type.h"
#include "vm/memory.h"
#include "vm/ops.h"
#include "vm/quick_values.h"
#include "vm/sync.h"
#include "vm/trace.h"

namespace harn::vm {

using namespace bytecode;

Value* Interpreter::own_globals() {
  Globals* block = task_->globals.get();
  if (!block->is_shared()) return block->values();
  GlobalsRef own(Globals::create(block->count));
  for (uint32_t i = 0; i < block->count; ++i) own->values()[i] = block->values()[i];
  task_->globals = std::move(own);
  return task_->globals->values();
}

// Instructions are labels, and take a line or a block each.
// clang-format off
template <bool kWatching>
Interpreter::Ran Interpreter::run() {
  static const void* const kLabels[] = {
#define HARN_OPCODE(name, ...) &&op_##name,
#include "bytecode/opcodes.def"
#undef HARN_OPCODE
#define HARN_USER(first, second) &&op_##first##Then##second,
#define HARN_MAKER(first) HARN_FUSED_USERS(HARN_USER, first)
      HARN_FUSED_MAKERS(HARN_MAKER)
#undef HARN_MAKER
#undef HARN_USER
#define HARN_UPDATE(first, second, third) &&op_##first##Then##second##Then##third,
      HARN_FUSED_UPDATES(HARN_UPDATE)
#undef HARN_UPDATE
#define HARN_PATH(first, second) &&op_##first##Then##second##OfIt,
      HARN_FUSED_PATHS(HARN_PATH)
#undef HARN_PATH
#define HARN_LOAN(first) &&op_##first##ForCall,
      HARN_FUSED_LOANS(HARN_LOAN)
#undef HARN_LOAN
#define HARN_CHAIN(first, second) &&op_##first##And##second,
      HARN_FUSED_CHAINS(HARN_CHAIN)
#undef HARN_CHAIN
  };

  Frame* frame;
  Prototype* proto;
  Value* R;
  const Value* K;
  const Instruction* pc;
  const Instruction* in;  // the one that runs; pc is behind it, or behind its second words
  Value* G;
  // On its way to the caller.
  Kind returned_kind;
  uint64_t returned_bits;
  // Calls and passes of loops until the task lets others run. Counted, not timed: the order in which tasks
  // run is the same every time. It looks whether it should stop after each slice of them, and at once
  // when it is told to (see pace.h).
  constexpr int32_t kSlice = 500;
  constexpr int32_t kSlices = 10;
  constexpr int32_t kSwitchCost = 20;
  int32_t slices = kSlices;
  std::atomic<int32_t>& budget = pace_.budget;
  budget.store(task_->deadline_passed ? 0 : kSlice, std::memory_order_relaxed);

#define OPCODE static_cast<Op>(in->op)
#define A (in->a / Instruction::kScale)
#define B (in->b / Instruction::kScale)
#define C (in->c / Instruction::kScale)
#define RA register_at(R, in->a)
#define RA1 (&RA)[1]
#define RB register_at(R, in->b)
#define RC register_at(R, in->c)
#define KB register_at(K, in->b)
#define KC register_at(K, in->c)
#define OP(name) op_##name: in = pc - 1;
#define NEXT                                \
  do {                                      \
    if (kWatching && task_->first_closing) [[unlikely]] goto close; \
    goto* kLabels[(pc++)->op];              \
  } while (false)
#define LOAD_FRAME                                     \
  do {                                                 \
    frame = co_->frames + co_->frame_count - 1;        \
    proto = frame->proto;                              \
    R = co_->stack + frame->base;                      \
    K = proto->constants;                              \
    pc = frame->pc;                                    \
  } while (false)
#define LOAD_GLOBALS (G = task_->globals ? task_->globals->values() : nullptr)
#define INDEX(REG) static_cast<uint32_t>((REG) + frame->base)
#define FAIL(error)            \
  do {                         \
    fail(error);               \
    goto failure;               \
  } while (false)
// After something that may have entered another frame.
#define FINISH(status)                         \
  do {                                         \
    frame->pc = pc;                            \
    Status result_status = (status);           \
    if (result_status >= Status::Failed) [[unlikely]] { \
      if (result_status == Status::Parked) goto parked; \
      if (result_status == Status::Failed) goto unwinding; \
      if (!kWatching && task_->is_watching) return Ran::Again; \
      LOAD_GLOBALS;                            \
    }                                          \
    LOAD_FRAME;                                \
    NEXT;                                      \
  } while (false)
// After something that stays in this frame and leaves the stack where it is.
#define SETTLE(status)                                            \
  do {                                                            \
    if ((status) == Status::Failed) [[unlikely]] goto failure;     \
    NEXT;                                                         \
  } while (false)
// Between two instructions only: `pc` is where the task goes on.
#define CHECK_STOP                                    \
  do {                                                \
    int32_t left = budget.load(std::memory_order_relaxed) - 1; \
    budget.store(left, std::memory_order_relaxed);    \
    if (left < 0) [[unlikely]] goto checkpoint;       \
  } while (false)

again:
  try {
  LOAD_GLOBALS;
  if (std::exchange(failed_, false)) goto unwinding;
  LOAD_FRAME;
  NEXT;

#include "vm/variable_ops.h"
#include "vm/arithmetic_ops.h"
#include "vm/collection_ops.h"
#include "vm/call_ops.h"
#include "vm/loop_ops.h"
#include "vm/error_ops.h"
#include "vm/match_ops.h"

  // ---- generators ----
OP(BeginGenerator) {
  Value generator = begin_generator(*frame, pc->target);
  RA = std::move(generator);
  ++pc;
  NEXT;
}
OP(Yield) {
  if (co_->is_closing) [[unlikely]] FAIL(runtime_error("a generator that is being closed cannot give another value"));
  Value value = RB;
  RA.set_nil();
  frame->pc = pc;
  GeneratorObject* generator = co_->generator;
  generator->state = GeneratorObject::State::Suspended;
  if (std::exchange(co_->has_switched, false)) [[unlikely]] leave_environment();
  make_current(std::exchange(co_->resumer, nullptr));
  deliver(std::move(value), false);
  release(generator);
  LOAD_GLOBALS;
  LOAD_FRAME;
  NEXT;
}

#include "vm/fused_ops.h"

close:
  frame->pc = pc;
  start_closing();
  goto unwinding;
checkpoint:
  frame->pc = pc;
  // Long builtins have used up some of it, too.
  slices -= 1 - budget.load(std::memory_order_relaxed) / kSlice;
  budget.store(kSlice, std::memory_order_relaxed);
  let_others_in();
  if (Course* course = task_->scheduler->course()) [[unlikely]] {
    if (slices > 0 && !task_->deadline_passed) {
      course->pass();
      task_->scheduler->attend();
      if (take_requests(false) == Status::Failed) goto unwinding;
      if (task_->deadline_passed) budget.store(0, std::memory_order_relaxed);
      NEXT;
    }
  } else if (slices > 0 && !pace_.is_raised() && !task_->deadline_passed) {
    NEXT;
  }
  slices = kSlices;
  if (kWatching && task_->watched == 0) {
    task_->is_watching = false;
    return Ran::Again;
  }
  switch (checkpoint()) {
    case Status::Failed: goto unwinding;
    case Status::Parked:
      return Ran::Yielded;
    default:
      if (task_->deadline_passed) budget.store(0, std::memory_order_relaxed);
      NEXT;
  }
parked:
  worker_->let_others_in();
  if (task_->scheduler->course()) [[unlikely]] return Ran::Parked;
  // Going through the worker's loop would cost more than what many tasks do between two waits.
  for (;;) {
    budget.store(budget.load(std::memory_order_relaxed) - kSwitchCost, std::memory_order_relaxed);
    if (budget.load(std::memory_order_relaxed) < 0) {
      if (--slices <= 0 || pace_.is_raised()) return Ran::Parked;
      budget.store(kSlice, std::memory_order_relaxed);
    }
    Status status = switch_task();
    if (status == Status::Parked) return Ran::Parked;
    if (!kWatching && task_->is_watching) {
      failed_ = status == Status::Failed;
      return Ran::Again;
    }
    LOAD_GLOBALS;
    if (task_->deadline_passed) budget.store(0, std::memory_order_relaxed);
    if (status == Status::Failed) goto unwinding;
    LOAD_FRAME;
    NEXT;
  }
failure:
  frame->pc = pc;
unwinding:
  if (!unwind()) {
    if (!task_->error) task_->error = std::move(error_);
    goto finished;
  }
  if (kWatching && co_->frame_count == 0) goto finished;
  LOAD_GLOBALS;
  if (task_->deadline_passed) budget.store(0, std::memory_order_relaxed);
  is_short_of_memory_ = false;
  LOAD_FRAME;
  NEXT;

  // What C++ code that an instruction called was left by (see pace.h and memory.h).
  } catch (Stopped& stopped) {
    error_ = std::move(stopped.error);
  } catch (const std::exception&) {
    // A second time before anything was done about the first: there is not even memory to say so.
    if (std::exchange(is_short_of_memory_, true)) throw;
    error_ = error_of_exception();
  }
  // An instruction that may leave the frame has saved where it is.
  if (co_->frame_count > 0 && frame == co_->frames + co_->frame_count - 1) frame->pc = pc;
  failed_ = true;
  goto again;
}
// clang-format on

template Interpreter::Ran Interpreter::run<false>();
template Interpreter::Ran Interpreter::run<true>();

}  // namespace harn::vm
