// Loops: a part of the loop in interpreter.cpp, which includes it. Ints and lists are counted here; whatever else can be
// iterated over goes through iterate.cpp, and may park the task.

// clang-format off

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
