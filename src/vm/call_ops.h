// Calls, returns, and closures: a part of the loop in interpreter.cpp, which includes it. A call of a Harn function that
// needs no look at its arguments pushes a frame here; all others go through calls.cpp.

// clang-format off

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
  if (uint64_t key = cache.key(); receiver.is(Kind::Struct) && receiver.as_dict()->shape &&
                                  cache_pointer(key) == receiver.as_dict()->shape) [[likely]] {
    StructTypeObject* type = receiver.as_dict()->shape->owner;
    ClosureObject* closure = type->methods[key & 0xFFFF].closure.as_closure();
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
  frame->pc = pc;
  if (!row.call || !row.signature.takes(count)) [[unlikely]] {
    if (row.quick) {
      switch (row.quick(*task_, RA, &RA1, count, RA)) {
        case Step::Done:
          for (uint32_t i = 1; i < count; ++i) (&RA)[i].set_nil();
          settle_cells(RA);
          NEXT;
        case Step::Parked:
          task_->life->call = {&row, INDEX(A), count, INDEX(A)};
          FINISH(after_parking());
        case Step::Failed: break;
      }
    }
    FINISH(call_builtin(row, INDEX(A), count, INDEX(A)));
  }
  if (!call_native(row, &RA, count, RA)) [[unlikely]] goto failure;
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
    free_cycles(task_->life->cells);
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
