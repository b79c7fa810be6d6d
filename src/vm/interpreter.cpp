// The main loop: one label per instruction, the common kinds handled in place, everything else in a
// function of its own so that the loop stays small enough for the processor's caches.
//
// NEXT leaves a block without running the destructors of its locals (it is a computed goto), so a local
// that owns something must have given it away by then.
//
// R points at the running frame's registers. It, K, pc and the frame are reloaded whenever the frame
// changes or the stack may have moved.
#include "vm/interpreter.h"

#include <cmath>
#include <optional>

#include "vm/cycles.h"
#include "vm/dict.h"
#include "vm/fuse.h"
#include "vm/known_type.h"
#include "vm/memory.h"
#include "vm/ops.h"
#include "vm/sync.h"
#include "vm/trace.h"

namespace harn::vm {

using namespace bytecode;

namespace {

// Ints wrap around.
inline int64_t sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline double sum(double a, double b) { return a + b; }
inline double sum(double a, int64_t b) { return a + static_cast<double>(b); }
inline double difference(double a, double b) { return a - b; }
inline double product(double a, double b) { return a * b; }
// By something positive. Most numbers are small, and dividing those is quicker.
inline int64_t remainder(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) [[likely]]
    return static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
  return a % b;
}

inline Value as_value(int64_t number) { return Value::integer(number); }
inline Value as_value(double number) { return Value::number(number); }
// Into a place that holds no heap object.
inline void put(Value& to, int64_t number) { to.init_raw(Kind::Int, static_cast<uint64_t>(number)); }
inline void put(Value& to, double number) { to.init_raw(Kind::Float, std::bit_cast<uint64_t>(number)); }

// What the short ways read, or null where it takes more than a look. `own`: to be written to.
inline Value* item_at(const Value& object, const Value& key) {
  if (!object.is_list() || !key.is_int()) [[unlikely]]
    return nullptr;
  ListObject* list = object.as_list();
  auto at = static_cast<uint64_t>(key.as_int());
  return at < list->size ? list->items + at : nullptr;
}
inline Value* own_item_at(const Value& object, const Value& key) {
  return object.is_list() && object.is_unique() ? item_at(object, key) : nullptr;
}
inline Value* known_field(const Value& object, const InlineCache& cache) {
  if (!object.is(Kind::Dict) && !object.is(Kind::Struct)) [[unlikely]]
    return nullptr;
  DictObject* dict = object.as_dict();
  uint64_t key = cache.key();
  return cache_pointer(key) == dict->shape ? dict->slots() + (key & 0xFFFF) : nullptr;
}
inline Value* own_known_field(const Value& object, const InlineCache& cache) {
  return object.is_unique() ? known_field(object, cache) : nullptr;
}

// What the short ways in the loop leave over. Cold, so that the compiler puts the short ways in line.
#define HARN_COLD [[gnu::cold, gnu::noinline]]
HARN_COLD bool other_truth(const Value& value) { return truthy(value); }
HARN_COLD bool other_equal(const Value& a, const Value& b) { return equal(a, b); }
HARN_COLD bool other_less(const Value& a, const Value& b) { return less(a, b); }
HARN_COLD bool other_less_equal(const Value& a, const Value& b) { return less_equal(a, b); }

// Of a group of registers. Without a branch for each: what they hold differs from call to call.
inline bool any_heap(const Value* group) {
  constexpr auto kHeap = static_cast<uint8_t>(Kind::FirstHeap);
  static_assert(static_cast<uint8_t>(Kind::Count) <= 2 * kHeap && Prototype::kRegisterGroup == 4);
  auto kind = [&](uint32_t i) { return static_cast<uint8_t>(group[i].kind()); };
  return ((kind(0) | kind(1) | kind(2) | kind(3)) & kHeap) != 0;
}
inline void clear_group(Value* group) {
  for (uint32_t i = Prototype::kRegisterGroup; i-- > 0;) {
    if (group[i].is_heap()) group[i].set_nil();
  }
}

// The register or constant that an operand names.
template <class T>
inline T& register_at(T* first, uint32_t offset) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(first) + offset);
}

// The arguments of a call, one for each parameter.
// At least one.
inline bool are_numbers(const Value* arguments, uint32_t count) {
  static_assert(static_cast<uint8_t>(Kind::Int) < 4 && static_cast<uint8_t>(Kind::Float) < 4);
  auto kinds = static_cast<uint32_t>(arguments[0].kind());
  for (uint32_t i = 1; i < count; ++i) kinds |= static_cast<uint32_t>(arguments[i].kind());
  return kinds < 4;
}
[[gnu::noinline]] bool kinds_fit(const Prototype& callee, const Value* arguments, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!(callee.param_kinds[i] >> static_cast<unsigned>(arguments[i].kind()) & 1)) return false;
  }
  return true;
}

inline bool is_true(const Value& value) {
  if (value.is_bool()) [[likely]]
    return value.as_bool();
  return other_truth(value);
}

inline bool is_equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
  if (a.is_string() && b.is_string()) {
    return a.as_string() == b.as_string() || same_text(a.as_string(), b.as_string());
  }
  return other_equal(a, b);
}

inline bool text_less(const StringObject* a, const StringObject* b) {
  // One-character texts are compared all the time by scanners.
  if (a->size == 1 && b->size == 1) {
    return static_cast<uint8_t>(a->data()[0]) < static_cast<uint8_t>(b->data()[0]);
  }
  return a->view() < b->view();
}

inline bool is_less(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() < b.as_int();
  if (a.is_float() && b.is_float()) return a.as_float() < b.as_float();
  if (a.is_string() && b.is_string()) return text_less(a.as_string(), b.as_string());
  return other_less(a, b);
}

inline bool is_less_equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() <= b.as_int();
  if (a.is_float() && b.is_float()) return a.as_float() <= b.as_float();
  if (a.is_string() && b.is_string()) return !text_less(b.as_string(), a.as_string());
  return other_less_equal(a, b);
}

}  // namespace

Value* Interpreter::own_globals() {
  Globals* block = task_->globals.get();
  if (!block->is_shared()) return block->values();
  GlobalsRef own(Globals::create(block->count));
  for (uint32_t i = 0; i < block->count; ++i) own->values()[i] = block->values()[i];
  task_->globals = std::move(own);
  return task_->globals->values();
}

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

  // ---- constants and copies ----
OP(LoadNil) RA.set_nil(); NEXT;
OP(Clear)
  for (uint32_t i = B; i-- > 0;) (&RA)[i].set_nil();  // the last first: inner loops let go before outer ones
  NEXT;
OP(LoadUnset) RA = Value::unset(); NEXT;
OP(LoadBool) RA.set_bool(B != 0); NEXT;
OP(LoadInt) RA.set_int(in->number); NEXT;
OP(LoadConst) RA = K[in->index]; NEXT;
OP(Move) RA = RB; NEXT;
OP(Steal) RA = std::move(RB); NEXT;
OP(StealData) {
  Value& from = RB;
  if (from.is(Kind::Generator) || from.is(Kind::Iter) || from.is(Kind::Closure)) RA = from;
  else RA = std::move(from);
  NEXT;
}

  // ---- variables outside the registers ----
OP(GetGlobal) {
  const Value& global = G[in->index];
  if (global.is(Kind::Unset)) [[unlikely]] {
    FAIL(plain_error(ErrorKind::Name, "Undefined variable: {}", proto->unit->program->globals[in->index]));
  }
  RA = global;
  NEXT;
}
OP(SetGlobal)
  G = own_globals();
  G[in->index] = std::move(RA);
  NEXT;
OP(AssignGlobal)
  if (G[in->index].is(Kind::Unset)) [[unlikely]] {
    FAIL(plain_error(ErrorKind::Name, "Undefined variable: {}", proto->unit->program->globals[in->index]));
  }
  G = own_globals();
  G[in->index] = std::move(RA);
  NEXT;
OP(GetLibrary) RA = proto->library[in->index]; NEXT;
OP(SetLibrary) proto->library[in->index] = std::move(RA); NEXT;
OP(GetCapture) RA = frame->closure->captures()[B]; NEXT;
OP(GetCaptureCell) RA = frame->closure->captures()[B].as<CellObject>()->value; NEXT;
OP(SetCaptureCell) frame->closure->captures()[B].as<CellObject>()->value = std::move(RA); NEXT;
OP(NewCell) {
  Value cell = new_cell(std::move(RB));
  RA = std::move(cell);
  NEXT;
}
OP(GetCell) RA = RB.as<CellObject>()->value; NEXT;
OP(SetCell) RA.as<CellObject>()->value = std::move(RB); NEXT;
OP(GetSelf) RA = Value::share(frame->closure); NEXT;

  // ---- far registers and large operands ----
OP(NewFar) {
  new_far_registers(*frame, A, static_cast<uint32_t>(pc->x));
  ++pc;
  NEXT;
}
OP(GetFar) {
  auto x = static_cast<uint32_t>((pc++)->x);
  RA = RB.as_list()->items[x];
  NEXT;
}
OP(TakeFar) {
  auto x = static_cast<uint32_t>((pc++)->x);
  RA = std::move(writable_list(RB)->items[x]);
  NEXT;
}
OP(SetFar) {
  auto x = static_cast<uint32_t>((pc++)->x);
  writable_list(RB)->items[x] = std::move(RA);
  NEXT;
}
OP(ClearFar) {
  auto x = static_cast<uint32_t>((pc++)->x);
  ListObject* far = writable_list(RB);
  for (uint32_t i = C; i-- > 0;) far->items[x + i].set_nil();
  NEXT;
}
OP(Large) {
  auto x = static_cast<uint32_t>((pc++)->x);
  frame->pc = pc;
  if (large(*frame, static_cast<Op>(B), A, x) == Status::Failed) goto unwinding;
  LOAD_GLOBALS;
  NEXT;
}

  // ---- arithmetic ----
#define ARITHMETIC(LEFT, RIGHT, INT_OP, FLOAT_OP, SLOW)                       \
  {                                                                           \
    const Value& left = LEFT;                                                 \
    const Value& right = RIGHT;                                               \
    if (left.is_int() && right.is_int()) [[likely]] {                         \
      RA.set_int(INT_OP(left.as_int(), right.as_int()));                      \
      NEXT;                                                                   \
    }                                                                         \
    if (left.is_float() && right.is_float()) {                                \
      RA.set_float(left.as_float() FLOAT_OP right.as_float());                \
      NEXT;                                                                   \
    }                                                                         \
    SETTLE(other<SLOW>(left, right, RA));                                    \
  }
// MAY_TAKE: the left value is given up and comes back larger, so that the addition can be in place.
#define ADDITION(RIGHT, MAY_TAKE)                                             \
  {                                                                           \
    const Value& left = RB;                                                   \
    const Value& right = RIGHT;                                               \
    if (left.is_int() && right.is_int()) [[likely]] {                         \
      RA.set_int(sum(left.as_int(), right.as_int()));                    \
      NEXT;                                                                   \
    }                                                                         \
    if (left.is_float() && right.is_float()) {                                \
      RA.set_float(left.as_float() + right.as_float());                       \
      NEXT;                                                                   \
    }                                                                         \
    frame->pc = pc;                                                           \
    if (MAY_TAKE) SETTLE(add_taken(RB, right, RA));                           \
    SETTLE(other_sum(left, right, RA));                                       \
  }
OP(Add) ADDITION(RC, false)
OP(AddTemp) ADDITION(RC, true)
OP(Sub) ARITHMETIC(RB, RC, difference, -, subtract)
OP(Mul) ARITHMETIC(RB, RC, product, *, multiply)
OP(AddInt) {
  const Value& left = RB;
  if (left.is_int()) [[likely]] {
    RA.set_int(sum(left.as_int(), in->amount()));
    NEXT;
  }
  if (left.is_float()) {
    RA.set_float(left.as_float() + in->amount());
    NEXT;
  }
  // The compiler folds `x - n` into this; the error must name the operator that was written.
  int64_t amount = in->amount();
  if (amount < 0) SETTLE(other<subtract>(left, Value::integer(-amount), RA));
  SETTLE(other_sum(left, Value::integer(amount), RA));
}
OP(AddConst) ADDITION(KC, false)
OP(AddConstTemp) ADDITION(KC, true)
OP(SubConst) ARITHMETIC(RB, KC, difference, -, subtract)
OP(MulConst) ARITHMETIC(RB, KC, product, *, multiply)
#define DIVIDE(RIGHT, INT_OP, FLOAT_CODE, SLOW)                                     \
  {                                                                                 \
    const Value& left = RB;                                                         \
    const Value& right = RIGHT;                                                     \
    if (left.is_int() && right.is_int()) [[likely]] {                               \
      int64_t divisor = right.as_int();                                             \
      /* 0 fails and -1 may overflow: both take the slow way */                     \
      if (static_cast<uint64_t>(divisor) + 1 > 1) [[likely]] {                      \
        int64_t dividend = left.as_int();                                           \
        if (((dividend | divisor) >> 32) == 0) {                                    \
          RA.set_int(static_cast<uint32_t>(dividend) INT_OP static_cast<uint32_t>(divisor)); \
        } else {                                                                    \
          RA.set_int(dividend INT_OP divisor);                                      \
        }                                                                           \
        NEXT;                                                                       \
      }                                                                             \
    }                                                                               \
    FLOAT_CODE                                                                      \
    SETTLE(other<SLOW>(left, right, RA));                                          \
  }
#define FLOAT_DIVIDE                                                                \
  if (left.is_float() && right.is_float()) {                                        \
    RA.set_float(left.as_float() / right.as_float());                               \
    NEXT;                                                                           \
  }
OP(Div) DIVIDE(RC, /, FLOAT_DIVIDE, divide)
OP(Mod) DIVIDE(RC, %, , modulo)
OP(DivConst) DIVIDE(KC, /, FLOAT_DIVIDE, divide)
OP(ModConst) DIVIDE(KC, %, , modulo)
OP(Pow) SETTLE(other<power>(RB, RC, RA));
OP(Neg) {
  const Value& value = RB;
  if (value.is_int()) {
    RA.set_int(difference(0, value.as_int()));
    NEXT;
  }
  if (value.is_float()) {
    RA.set_float(-value.as_float());
    NEXT;
  }
  SETTLE(settle(negate(value), RA));
}
OP(Not) RA.set_bool(!is_true(RB)); NEXT;
OP(ToBool) RA.set_bool(is_true(RB)); NEXT;
OP(Equal) RA.set_bool(is_equal(RB, RC)); NEXT;
OP(EqualConst) RA.set_bool(is_equal(RB, KC)); NEXT;
OP(NotEqual) RA.set_bool(!is_equal(RB, RC)); NEXT;
OP(Less) RA.set_bool(is_less(RB, RC)); NEXT;
OP(LessEqual) RA.set_bool(is_less_equal(RB, RC)); NEXT;
OP(In) RA.set_bool(contains(RC, RB)); NEXT;

  // ---- jumps ----
OP(Jump) {
  int32_t distance = in->number;
  pc += distance;
  if (distance < 0) CHECK_STOP;
  NEXT;
}
#define BRANCH(condition)             \
  {                                   \
    if (condition) pc = pc->target; \
    else ++pc;                        \
    NEXT;                             \
  }
OP(JumpIf) BRANCH(is_true(RA))
OP(JumpIfNot) BRANCH(!is_true(RA))
OP(JumpIfNil) BRANCH(RA.is_nil())
OP(JumpIfNotNil) BRANCH(!RA.is_nil())
OP(JumpIfSet) BRANCH(!RA.is(Kind::Unset))
OP(JumpIfString) BRANCH(RA.is_string())
OP(JumpLess) BRANCH(is_less(RA, RB) == (C != 0))
OP(JumpLessEqual) BRANCH(is_less_equal(RA, RB) == (C != 0))
OP(JumpEqual) BRANCH(is_equal(RA, RB) == (C != 0))
OP(JumpLessConst) BRANCH(is_less(RA, KB) == (C != 0))
OP(JumpLessEqualConst) BRANCH(is_less_equal(RA, KB) == (C != 0))
OP(JumpGreaterConst) BRANCH(is_less(KB, RA) == (C != 0))
OP(JumpGreaterEqualConst) BRANCH(is_less_equal(KB, RA) == (C != 0))
OP(JumpEqualConst) BRANCH(is_equal(RA, KB) == (C != 0))

  // ---- collections and text ----
OP(NewList) {
  uint32_t count = C;
  Value* first = &RB;
  auto list = new_list(count);
  for (uint32_t i = 0; i < count; ++i) list->push(std::move(first[i]));
  RA = Value(std::move(list));
  NEXT;
}
OP(ListPush) RA.as_list()->push(std::move(RB)); NEXT;
OP(ListSpread) {
  frame->pc = pc + 1;
  Status status = list_spread(RA, RB);
  if (status == Status::Failed) goto failure;
  BRANCH(status == Status::Done)
}
OP(NewDict) RA = new_dict(); NEXT;
OP(NewDictOf) {
  auto x = static_cast<uint32_t>((pc++)->x);
  uint32_t count = C;
  Value* values = &RB;
  if (Shape* shape = proto->shapes[x]) [[likely]] {
    auto dict = new_dict(shape);
    Value* slots = dict->slots();
    for (uint32_t i = 0; i < count; ++i) {
      slots[i].init_raw(values[i].kind(), values[i].bits());
      values[i].forget();
    }
    RA = Value(std::move(dict));
    NEXT;
  }
  const auto& keys = std::get<Keys>(proto->code->constants[x]);
  Value dict = new_dict(count);
  for (uint32_t i = 0; i < count; ++i) dict_set(dict, keys[i], std::move(values[i]));
  RA = std::move(dict);
  NEXT;
}
OP(DictPut) SETTLE(set_index(RA, RB, std::move(RC)));
OP(DictSpread)
  frame->pc = pc;
  SETTLE(dict_spread(RA, RB, C != 0));
OP(NewStruct) {
  auto x = static_cast<uint32_t>((pc++)->x);
  SETTLE(new_struct_of(RA, *proto, x, &RB, C));
}
OP(NewRange) OP(NewRangeExclusive) {
  SETTLE(settle(range_between(RB, RC, OPCODE == Op::NewRange), RA));
}
OP(Concat) {
  frame->pc = pc;
  Value text = concat(&RB, C);
  RA = std::move(text);
  NEXT;
}
OP(GetField) {
  InlineCache& cache = *(pc++)->cache;
  const Value& object = RB;
  if (object.is(Kind::Dict) || object.is(Kind::Struct)) [[likely]] {
    DictObject* dict = object.as_dict();
    if (cache_pointer(cache.key()) == dict->shape) [[likely]] {
      RA = dict->slots()[cache.key() & 0xFFFF];
      NEXT;
    }
  }
  frame->pc = pc;
  SETTLE(get_field(RA, object, cache, C));
}
OP(SetField) {
  InlineCache& cache = *(pc++)->cache;
  Value& object = RA;
  if ((object.is(Kind::Dict) || object.is(Kind::Struct)) && object.is_unique()) [[likely]] {
    DictObject* dict = object.as_dict();
    if (cache_pointer(cache.key()) == dict->shape) [[likely]] {
      Value& slot = dict->slots()[cache.key() & 0xFFFF];
      if (is_alike(dict, slot, RB)) [[likely]] {
        slot = std::move(RB);
        NEXT;
      }
    }
  }
  frame->pc = pc;
  SETTLE(set_field(object, cache, std::move(RB)));
}
OP(GetIndex) {
  const Value& object = RB;
  const Value& key = RC;
  if (object.is_list() && key.is_int()) [[likely]] {
    ListObject* list = object.as_list();
    auto at = static_cast<uint64_t>(key.as_int());
    if (at < list->size) [[likely]] {
      RA = list->items[at];
      NEXT;
    }
  } else if (object.is_dict() && key.is_string()) {
    const Value* found = object.as_dict()->find(key.as_string());
    if (found) RA = *found;
    else RA.set_nil();
    NEXT;
  }
  SETTLE(other<index>(object, key, RA));
}
OP(SetIndex) {
  Value& object = RA;
  const Value& key = RB;
  if (object.is_list() && key.is_int() && object.is_unique()) [[likely]] {
    ListObject* list = object.as_list();
    auto at = static_cast<uint64_t>(key.as_int());
    if (at < list->size && is_alike(list, list->items[at], RC)) [[likely]] {
      list->items[at] = std::move(RC);
      NEXT;
    }
  }
  frame->pc = pc;
  SETTLE(set_index(object, key, std::move(RC)));
}
OP(GetSlice) {
  Value* part = &RB;
  frame->pc = pc;
  SETTLE(settle(slice(std::move(part[0]), part[1], part[2]), RA));
}
OP(SetPath) {
  auto x = static_cast<uint32_t>((pc++)->x);
  Value* keys = &RB;
  uint32_t count = C;
  Value* target;
  switch (static_cast<Place>(A)) {
    case Place::Global:
      G = own_globals();
      target = &G[x];
      break;
    case Place::Capture: target = &frame->closure->captures()[x].as<CellObject>()->value; break;
    default: target = &R[x].as<CellObject>()->value;
  }
  if (target->is(Kind::Unset)) {
    FAIL(plain_error(ErrorKind::Name, "Undefined variable: {}",
                     static_cast<Place>(A) == Place::Global ? proto->unit->program->globals[x] : "?"));
  }
  frame->pc = pc;
  SETTLE(set_path(*target, keys, count, std::move(keys[count])));
}
OP(SetPathLocal) {
  const PathSteps& steps = proto->code->paths[(pc++)->x];
  Value* keys = &RB;
  frame->pc = pc;
  if (Value* place = place_of(RA, steps, *proto, keys)) [[likely]] {
    *place = std::move(keys[C]);
    NEXT;
  }
  SETTLE(set_steps(RA, steps, *proto, keys, std::move(keys[C])));
}
OP(DestructureCheck) {
  const Value& value = RA;
  if (B == 0 ? !(value.is(Kind::Dict) || value.is(Kind::Struct)) : !is_list_like(value)) {
    FAIL(plain_error(ErrorKind::Type, "{} destructuring requires a {} value", B ? "list" : "dict", B ? "list" : "dict"));
  }
  NEXT;
}
OP(ListRest) {
  size_t from = (pc++)->x;
  frame->pc = pc;
  Value rest = list_rest(RB, from, C != 0);
  RA = std::move(rest);
  NEXT;
}
OP(DictRest) {
  auto x = static_cast<uint32_t>((pc++)->x);
  RA = dict_rest(RB, std::get<Keys>(proto->code->constants[x]));
  NEXT;
}
OP(ListItem) {
  size_t number = (pc++)->x;
  const Value& list = RB;
  Value item = number < list_size(list) ? list_item(list, number) : Value();
  RA = std::move(item);
  NEXT;
}

  // ---- calls ----
// BASE: of the callee's registers, as an index into the stack.
#define HAS_ROOM(TARGET, BASE) \
  (co_->frame_count < co_->frame_capacity && (BASE) + (TARGET)->registers < co_->stack_size)
#define PUSH_FRAME(CALLEE, TARGET, ENTRY, FIRST, BASE, RESULT, OWNS) \
  do {                                                               \
    frame->pc = pc;                                                  \
    uint32_t result_index = INDEX(RESULT);                           \
    ++co_->frame_count;                                              \
    ++frame;                                                         \
    frame->proto = TARGET;                                           \
    frame->closure = CALLEE;                                         \
    frame->pc = ENTRY;                                               \
    frame->base = BASE;                                              \
    frame->result = result_index;                                    \
    frame->duties = OWNS;                                            \
    frame->after_tail_call = false;                                  \
    if (OWNS) retain(CALLEE);                                        \
    proto = TARGET;                                                  \
    R += FIRST;                                                      \
    K = (TARGET)->constants;                                         \
    pc = ENTRY;                                                      \
    CHECK_STOP;                                                      \
    NEXT;                                                            \
  } while (false)
// A method's closure is counted by its frame: the receiver, which keeps it alive, may be used up.
#define ENTER(CLOSURE, FIRST, COUNT, RESULT, OWNS)                                         \
  {                                                                                       \
    ClosureObject* callee = CLOSURE;                                                      \
    Prototype* target = callee->proto;                                                    \
    uint32_t base = INDEX(FIRST);                                                         \
    const Instruction* entry = target->start;                                             \
    bool is_plain = target->exact_args == (COUNT);                                        \
    if (!is_plain) {                                                                      \
      is_plain = target->number_args == (COUNT) && are_numbers(&R[FIRST], COUNT);         \
      if (is_plain) {                                                                     \
        entry = target->checked_start;                                                    \
      } else if (target->typed_args == (COUNT)) {                                         \
        is_plain = true;                                                                  \
        if (kinds_fit(*target, &R[FIRST], COUNT)) entry = target->checked_start;          \
      }                                                                                   \
    }                                                                                     \
    if (is_plain && HAS_ROOM(target, base)) [[likely]] {                                  \
      PUSH_FRAME(callee, target, entry, FIRST, base, RESULT, OWNS);                       \
    }                                                                                     \
    if (OWNS) retain(callee);                                                             \
    FINISH(call_closure(callee, base, COUNT, INDEX(RESULT), OWNS));                       \
  }
OP(Call) {
  const Value& callee_value = RA;
  if (callee_value.is(Kind::Closure)) [[likely]] ENTER(callee_value.as_closure(), A + 1, B, A, false)
  FINISH(call_value(callee_value, INDEX(A + 1), B, INDEX(A), C != 0));
}
OP(CallLocal) {
  const Value& callee_value = RC;  // keeps the closure meanwhile
  if (callee_value.is(Kind::Closure)) [[likely]] ENTER(callee_value.as_closure(), A, B, A, false)
  FINISH(call_value(Value(callee_value), INDEX(A), B, INDEX(A), false));
}
OP(CallGlobal) {
  auto x = static_cast<uint32_t>((pc++)->x);
  const Value& global = G[x];
  if (global.is(Kind::Closure)) [[likely]] ENTER(global.as_closure(), A, B, A, false)
  FAIL(plain_error(ErrorKind::Name, "Undefined builtin: {}", proto->unit->program->globals[x]));
}
OP(CallLibrary) {
  auto x = static_cast<uint32_t>((pc++)->x);
  ENTER(proto->library[x].as_closure(), A, B, A, false)
}
OP(CallSelf) ENTER(frame->closure, A, B, A, false)
OP(CallMethod) {
  InlineCache& cache = *(pc++)->cache;
  const Value& receiver = RA;
  if (receiver.is(Kind::Struct) && receiver.as_dict()->shape &&
      cache_pointer(cache.key()) == receiver.as_dict()->shape) [[likely]] {
    StructTypeObject* type = receiver.as_dict()->shape->owner;
    ClosureObject* closure = type->methods[cache.key() & 0xFFFF].closure.as_closure();
    ENTER(closure, A, B + 1, A, true)
  }
  FINISH(call_method(cache, INDEX(A), B, INDEX(A)));
}
#define PUSH(ITEM)                                                                                  \
  {                                                                                                 \
    ListObject* object = list.as_list();                                                            \
    bool is_like_last = object->size > 0 && is_alike(object, object->items[object->size - 1], ITEM); \
    if (!is_like_last) [[unlikely]] keep_type(object, ITEM);                                        \
    object->push(std::move(ITEM));                                                                  \
  }
OP(PushOr) {
  Value& list = RA;
  if (list.is_list() && list.is_unique()) [[likely]] {
    PUSH(RB)
    pc = pc->target;
    NEXT;
  }
  ++pc;
  NEXT;
}
OP(CallPush) {
  InlineCache& cache = *(pc++)->cache;
  Value& list = RA;
  if (list.is_list() && list.is_unique()) [[likely]] {
    PUSH(RA1)
    NEXT;
  }
  frame->pc = pc;
  if (push_claimed(list, RA1)) NEXT;
  FINISH(call_method(cache, INDEX(A), B, INDEX(A)));
}
OP(CallBuiltin) {
  const Builtin& row = *(pc++)->builtin;
  uint32_t count = B;
  if (!row.call || !row.signature.takes(count)) [[unlikely]] {
    if (row.quick) {
      frame->pc = pc;
      switch (row.quick(*task_, &RA, count)) {
        case Step::Done:
          for (uint32_t i = 1; i < count; ++i) (&RA)[i].set_nil();
          settle_cells(RA);
          NEXT;
        case Step::Parked:
          task_->call = {&row, INDEX(A), count, INDEX(A)};
          FINISH(after_parking());
        case Step::Failed: break;
      }
    }
    if (row.wait && row.signature.takes(count)) {
      FINISH(call_wait(row, INDEX(A), count, INDEX(A), false));
    }
    FINISH(call_builtin(row, INDEX(A), count, INDEX(A)));
  }
  // C++ functions never enter a frame: everything stays where it is.
  Value* args = &RA;
  frame->pc = pc;
  Call native(vm_, row, args, count);
  Outcome<Value> outcome = row.call(native);
  if (!outcome) [[unlikely]] FAIL(std::unexpected(std::move(outcome).error()));
  for (uint32_t i = 1; i < count; ++i) args[i].set_nil();
  args[0] = std::move(*outcome);
  NEXT;
}
OP(CallSpread) {
  uint32_t first, count;
  frame->pc = pc;
  uint32_t result = INDEX(A);
  if (call_spread(RB, 0, first, count) == Status::Failed) goto unwinding;
  FINISH(call_value(Value(co_->stack[result]), first, count, result, false));
}
OP(CallMethodSpread) {
  InlineCache& cache = *(pc++)->cache;
  uint32_t first, count;
  frame->pc = pc;
  uint32_t result = INDEX(A);
  Value receiver = RA;
  if (call_spread(RB, 1, first, count) == Status::Failed) goto unwinding;
  co_->stack[first - 1] = std::move(receiver);
  FINISH(call_method(cache, first - 1, count, result));
}
OP(CallBuiltinSpread) {
  const Builtin& row = *(pc++)->builtin;
  uint32_t first, count;
  frame->pc = pc;
  uint32_t result = INDEX(A);
  if (call_spread(RB, 0, first, count) == Status::Failed) goto unwinding;
  FINISH(call_builtin(row, first, count, result));
}
OP(TailCall) {
  // Not a function of the program: an ordinary call; the Return behind this instruction follows.
  if (!RA.is(Kind::Closure)) FINISH(call_value(Value(RA), INDEX(A + 1), B, INDEX(A), false));
  frame->pc = pc;
  ClosureObject* closure = RA.as_closure();
  RA.forget();  // its count goes over to the new frame
  if (tail_call(closure, INDEX(A + 1), B) == Status::Failed) goto unwinding;
  LOAD_GLOBALS;
  LOAD_FRAME;
  CHECK_STOP;
  NEXT;
}
OP(TailCallGlobal) OP(TailCallLibrary) OP(TailCallSelf) {
  bool self = OPCODE == Op::TailCallSelf;
  const Value* global = self ? nullptr : OPCODE == Op::TailCallLibrary ? &proto->library[pc->x] : &G[pc->x];
  if (!self) ++pc;
  if (global && !global->is(Kind::Closure)) FAIL(plain_error(ErrorKind::Name, "Undefined builtin"));
  ClosureObject* closure = self ? frame->closure : global->as_closure();
  retain(closure);
  frame->pc = pc;
  if (tail_call(closure, INDEX(A), B) == Status::Failed) goto unwinding;
  LOAD_GLOBALS;
  LOAD_FRAME;
  CHECK_STOP;
  NEXT;
}
// The last first: inner loops let go before outer ones. Most groups hold nothing that is counted.
#define CLEAR_REGISTERS                                              \
  do {                                                               \
    Value* at = R + proto->registers;                                \
    do {                                                             \
      at -= Prototype::kRegisterGroup;                               \
      if (any_heap(at)) clear_group(at);                             \
    } while (at != R);                                               \
  } while (false)
// Registers above the running frame hold nothing: the caller's frame is the one before, where it was.
#define LEAVE_FRAME                    \
  do {                                 \
    --frame;                           \
    proto = frame->proto;              \
    R = co_->stack + frame->base;      \
    K = proto->constants;              \
    pc = frame->pc;                    \
  } while (false)
OP(Return)
  returned_kind = RA.kind();
  returned_bits = RA.bits();
  RA.forget();
returning: {
  Kind kind = returned_kind;
  uint64_t bits = returned_bits;
  CLEAR_REGISTERS;
  if (frame->duties == Frame::kOwnsClosure) {
    release(frame->closure);
  } else if (frame->duties) [[unlikely]] {
    Value value;
    value.init_raw(kind, bits);
    do_duties(*frame, &value);
    kind = value.kind();
    bits = value.bits();
    value.forget();
    LOAD_GLOBALS;
  }
  uint32_t result = frame->result;
  if (--co_->frame_count == 0) [[unlikely]] {
    Value value;
    value.init_raw(kind, bits);
    if (!co_->resumer) {
      co_->stack[0] = std::move(value);
      goto finished;
    }
    value.set_nil();
    goto generator_finished;
  }
  LEAVE_FRAME;
  Value& to = co_->stack[result];
  if (to.is_heap()) to.set_nil();
  to.init_raw(kind, bits);
  NEXT;
}
OP(ReturnNil) {
  CLEAR_REGISTERS;
  if (frame->duties == Frame::kOwnsClosure) {
    release(frame->closure);
  } else if (frame->duties) [[unlikely]] {
    do_duties(*frame, nullptr);
    LOAD_GLOBALS;
  }
  uint32_t result = frame->result;
  if (--co_->frame_count == 0) {
    if (!co_->resumer) {
      co_->stack[0].set_nil();
      goto finished;
    }
    goto generator_finished;
  }
  LEAVE_FRAME;
  co_->stack[result].set_nil();
  NEXT;
}
generator_finished:
  finish_generator();
  deliver(Value(), true);
  if (kWatching && co_->frame_count == 0) goto finished;
  LOAD_GLOBALS;
  LOAD_FRAME;
  NEXT;
finished:
  // The last frame is gone, its value in the first register; but generators that went with it are still to be closed.
  if (kWatching && task_->watched > 0) {
    bool has_own = !task_->is_root() && task_->globals && !task_->globals->is_shared();
    if (has_own) drop_generators(*task_->globals.get(), true);
    free_cycles(task_->cells);
  }
  if (task_->first_closing) [[unlikely]] {
    if (!kWatching) {
      task_->is_watching = failed_ = true;
      start_closing();
      return Ran::Again;
    }
    start_closing();
    goto unwinding;
  }
  if (task_->error) return Ran::Finished;
  return finished(std::move(co_->stack[0]));
OP(MakeClosure)
  RA = make_closure(*frame, in->index);
  NEXT;
OP(CheckParam) {
  if (proto->quick_checks[in->index] >> static_cast<unsigned>(RA.kind()) & 1) [[likely]] NEXT;
  const ParamCheck& check = proto->code->checks[in->index];
  SETTLE(check_param(RA, check));
}

  // ---- loops ----
OP(RangePrep) OP(RangePrepInclusive) {
  Value& start = RA;
  Value& end = RA1;
  if (!start.is_int() || !end.is_int()) {
    const Value& bad = start.is_int() ? end : start;
    FAIL(type_error("`to` needs two ints, got {}", type_name(bad)));
  }
  if (OPCODE == Op::RangePrepInclusive) {
    // Behind the largest int there is no number to stop at: RangeLoop gives it a pass of its own.
    if (end.as_int() < INT64_MAX) end.set_int(end.as_int() + 1);
    else end.init_raw(Kind::Unset, static_cast<uint64_t>(INT64_MAX));
  }
  pc = pc->target;
  NEXT;
}
OP(RangeLoop) {
  Value& counter = RA;
  int64_t at = counter.as_int();
  if (at < RA1.as_int()) [[likely]] {
    RB.set_int(at);
    counter.init_raw(Kind::Int, static_cast<uint64_t>(at + 1));
    pc = pc->target;
    CHECK_STOP;
    NEXT;
  }
  if (RA1.is(Kind::Unset)) [[unlikely]] {
    RA1.set_int(INT64_MIN);
    RB.set_int(INT64_MAX);
    pc = pc->target;
    CHECK_STOP;
    NEXT;
  }
  ++pc;
  NEXT;
}
OP(ForPrep) {
  if (for_prep(RA, RA1) == Status::Failed) goto failure;
  pc = pc->target;
  NEXT;
}
OP(ForLoop) {
  Value& source = RA;
  if (source.is_list()) [[likely]] {
    Value& position = RA1;
    auto at = static_cast<uint64_t>(position.as_int());
    ListObject* list = source.as_list();
    if (at < list->size) [[likely]] {
      RB = list->items[at];
      position.init_raw(Kind::Int, at + 1);
      pc = pc->target;
      CHECK_STOP;
      NEXT;
    }
    ++pc;
    NEXT;
  }
  bool more = false;
  frame->pc = pc + 1;
  co_->await_value = pc->target;
  co_->await_register = INDEX(B);
  switch (for_next(source, RA1, RB, more)) {
    case Status::Failed: goto unwinding;
    case Status::Parked: goto parked;
    case Status::Switched:
      if (!kWatching && task_->is_watching) return Ran::Again;
      LOAD_GLOBALS;
      break;
    case Status::Entered: break;
    case Status::Done:
      if (more) frame->pc = co_->await_value;
  }
  LOAD_FRAME;
  CHECK_STOP;
  NEXT;
}
OP(LoopTick) {
  int64_t passes = RA.as_int() + 1;
  RA.init_raw(Kind::Int, static_cast<uint64_t>(passes));
  const int64_t while_limit = vm_.limits().while_limit;
  if (passes > while_limit && while_limit > 0) [[unlikely]] {
    FAIL(runtime_error(ErrorKind::Limit, "while loop ran more than {} times; raise the limit with `while_limit` under "
                       "[runtime] in harn.toml, HARN_WHILE_LIMIT or --while-limit (0 lifts it)",
                       while_limit));
  }
  NEXT;
}
OP(PairUnpack) {
  const Value& value = RB;
  if (!value.is(Kind::Pair)) {
    FAIL(type_error("for (a, b) needs pairs, got {}", type_name(value)));
  }
  // The compiler never unpacks a pair into its own register.
  RA = value.as_pair()->first;
  RA1 = value.as_pair()->second;
  NEXT;
}

  // ---- errors and clean-up ----
OP(Throw) FAIL(throw_value(RA));
OP(Rethrow) {
  error_ = Thrown::share(RA.as<ErrorObject>());
  RA.set_nil();
  goto failure;
}
OP(RethrowStop) {
  // The register holds an error only when one waits for the clean-up code that is being left.
  if (!RA.is(Kind::Error)) NEXT;
  if (!catchable(*RA.as<ErrorObject>())) goto op_Rethrow;
  RA.set_nil();
  NEXT;
}
OP(CatchValue) {
  Value caught = caught_value(*RB.as<ErrorObject>());
  RA = std::move(caught);
  NEXT;
}
OP(JumpIfNotCaught) {
  auto x = static_cast<uint32_t>((pc++)->x);
  BRANCH(!is_caught(*RA.as<ErrorObject>(), proto->code->checks[x].type))
}
OP(Gosub) {
  RA.set_int(pc + 1 - proto->start);
  pc = pc->target;
  frame->pc = pc + 1;  // whoever looks sees that clean-up code runs
  NEXT;
}
OP(EndGosub)
  pc = proto->start + RA.as_int();
  frame->pc = pc;
  NEXT;
OP(MutexEnter) {
  InlineCache& cache = *(pc++)->cache;
  frame->pc = pc;
  if (enter_quickly(*task_, cache, RA)) [[likely]] NEXT;
  if (enter_block(*task_, cache, RA)) NEXT;
  FINISH(call_wait(vm_.scheduler().locks().wait_row(), INDEX(A), 1, INDEX(A), false));
}
OP(MutexLeave)
  if (!leave_quickly(*task_, static_cast<size_t>(RA.as_int()))) leave_block(*co_, static_cast<size_t>(RA.as_int()));
  pc = pc->target;
  NEXT;
OP(WrapOk) {
  Value value = std::move(RB);
  RA = is_result(value) ? std::move(value) : new_ok(std::move(value));
  NEXT;
}
OP(WrapErr) {
  Value value = new_err(caught_value(*RB.as<ErrorObject>()));
  RB.set_nil();
  RA = std::move(value);
  NEXT;
}
OP(UnwrapOk) {
  const Value& value = RB;
  if (!is_result(value)) FAIL(type_error("? operator requires a Result value, got {}", type_name(value)));
  if (is_ok(value)) {
    RA = Value(result_payload(value));
    pc = pc->target;
    NEXT;
  }
  ++pc;
  RA = Value(value);
  NEXT;
}
OP(Raise) FAIL(fixed_error(static_cast<RaiseKind>(A), K[in->index].as_string()->view()));

  // ---- match ----
OP(NoMatch) FAIL(throw_text(ErrorKind::Runtime, "No match arm matched the value: {}", shown(RA)));
OP(FindArm) {
  const ArmTable& table = proto->code->arm_tables[(pc++)->x];
  const Value& value = RA;
  if (value.is(Kind::Enum) && value.as_enum()->type->declaration == table.declaration) {
    pc = proto->start + table.targets[value.as_enum()->variant];
  }
  NEXT;
}
OP(JumpIfNotVariant) {
  InlineCache& cache = *(pc++)->cache;
  const Value& value = RA;
  bool matches;
  if (value.is(Kind::Enum) && cache_pointer(cache.key()) == value.as_enum()->type) [[likely]] {
    matches = (cache.key() & 0xFFFF) == value.as_enum()->variant;
  } else {
    matches = is_variant(value, cache);
  }
  BRANCH(!matches)
}
OP(EnumField) {
  uint64_t number = (pc++)->x;
  const Value& value = RB;
  EnumObject* object = value.as_enum();
  if (number < object->count) RA = Value(object->fields()[number]);
  else RA.set_nil();
  NEXT;
}
OP(JumpIfNotList) {
  uint64_t wanted = (pc++)->x;
  const Value& value = RA;
  bool matches = is_list_like(value) && (wanted & 1 ? list_size(value) >= wanted / 2 : list_size(value) == wanted / 2);
  BRANCH(!matches)
}
OP(JumpIfNoKeys) {
  auto x = static_cast<uint32_t>((pc++)->x);
  BRANCH(!has_keys(RA, std::get<Keys>(proto->code->constants[x])))
}
OP(NewEnumType)
  RA = declare_enum(std::get<EnumShape>(proto->code->constants[in->index]), *proto->code);
  NEXT;
OP(NewStructType)
  RA = declare_struct(std::get<StructShape>(proto->code->constants[in->index]), *proto->code);
  NEXT;
OP(AddMethod) SETTLE(declare_method(RA, K[in->index].as_string(), RA1));

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
  if (slices > 0 && !pace_.is_raised() && !task_->deadline_passed) NEXT;
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
