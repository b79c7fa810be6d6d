// Errors, clean-up code and results: a part of the loop in interpreter.cpp, which includes it. Where an error goes is
// decided in unwind.cpp.

// clang-format off

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
