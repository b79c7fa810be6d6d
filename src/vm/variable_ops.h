// Constants, copies, and variables that are not in registers: a part of the loop in interpreter.cpp, which includes it.

// clang-format off

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
