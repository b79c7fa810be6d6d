// Fused instructions (fuse.h): a part of the loop in interpreter.cpp, which includes it. They do what is common and
// cannot fail; everything else is left to the instructions themselves, before anything has been changed.

// clang-format off

#define SECOND_A register_at(R, second->a)
#define SECOND_B register_at(R, second->b)
#define SECOND_C register_at(R, second->c)
#define SECOND_KB register_at(K, second->b)
#define SECOND_KC register_at(K, second->c)

  // ---- one makes a number, the other uses it ----
// WORDS_x: of the instruction. READ_x: what has to be there. FITS_x, MADE_x: whether it is of a kind, and it.
#define OPERANDS_FIT(KIND) (RB.is(Kind::KIND) && RC.is(Kind::KIND))
#define CONSTANT_FITS(KIND) (RB.is(Kind::KIND) && KC.is(Kind::KIND))
#define WORDS_Add 1
#define READ_Add
#define FITS_Add(KIND) OPERANDS_FIT(KIND)
#define MADE_Add(TYPE) sum(RB.as_##TYPE(), RC.as_##TYPE())
#define WORDS_Sub 1
#define READ_Sub
#define FITS_Sub(KIND) OPERANDS_FIT(KIND)
#define MADE_Sub(TYPE) difference(RB.as_##TYPE(), RC.as_##TYPE())
#define WORDS_Mul 1
#define READ_Mul
#define FITS_Mul(KIND) OPERANDS_FIT(KIND)
#define MADE_Mul(TYPE) product(RB.as_##TYPE(), RC.as_##TYPE())
#define WORDS_AddInt 1
#define READ_AddInt
#define FITS_AddInt(KIND) RB.is(Kind::KIND)
#define MADE_AddInt(TYPE) sum(RB.as_##TYPE(), in->amount())
#define WORDS_MulConst 1
#define READ_MulConst
#define FITS_MulConst(KIND) CONSTANT_FITS(KIND)
#define MADE_MulConst(TYPE) product(RB.as_##TYPE(), KC.as_##TYPE())
#define WORDS_ModConst 1
#define READ_ModConst
#define FITS_ModConst(KIND) (Kind::KIND == Kind::Int && RB.is(Kind::KIND))
#define MADE_ModConst(TYPE) remainder(RB.as_int(), KC.as_int())
#define READ(FOUND)                          \
  const Value* item = FOUND;                 \
  if (!item) [[unlikely]] goto unfused;
#define WORDS_GetIndex 1
#define READ_GetIndex READ(item_at(RB, RC))
#define FITS_GetIndex(KIND) item->is(Kind::KIND)
#define MADE_GetIndex(TYPE) item->as_##TYPE()
#define WORDS_GetField 2
#define READ_GetField READ(known_field(RB, *in[1].cache))
#define FITS_GetField(KIND) item->is(Kind::KIND)
#define MADE_GetField(TYPE) item->as_##TYPE()
#define WORDS_GetCapture 1
#define READ_GetCapture READ(&register_at(frame->closure->captures(), in->b))
#define FITS_GetCapture(KIND) item->is(Kind::KIND)
#define MADE_GetCapture(TYPE) item->as_##TYPE()

// USE_x goes on when it was done.
#define USE_IN_ARITHMETIC(CONDITION, RESULT)        \
  if ((CONDITION) && !SECOND_A.is_heap()) [[likely]] { \
    auto result = RESULT;                           \
    GIVE(result)                                    \
  }
// To the second's register, or where the third puts it.
#define GIVE(RESULT)                                                                                      \
  if constexpr (kThird == Op::SetIndex) {                                                                 \
    PUT_IN_PLACE(SetIndex, third, RESULT, put(to, made); SECOND_A.forget();)                              \
  } else if constexpr (kThird == Op::SetField) {                                                          \
    PUT_IN_PLACE(SetField, third, RESULT, put(to, made); SECOND_A.forget();)                              \
  } else {                                                                                                \
    put(to, made);                                                                                        \
    put(SECOND_A, RESULT);                                                                                \
    pc = second + 1;                                                                                      \
    NEXT;                                                                                                 \
  }
#define USE_Add(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_C.is(Kind::KIND), sum(made, SECOND_C.as_##TYPE()))
#define USE_AddOf(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_B.is(Kind::KIND), sum(SECOND_B.as_##TYPE(), made))
#define USE_Sub(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_C.is(Kind::KIND), difference(made, SECOND_C.as_##TYPE()))
#define USE_SubOf(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_B.is(Kind::KIND), difference(SECOND_B.as_##TYPE(), made))
#define USE_Mul(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_C.is(Kind::KIND), product(made, SECOND_C.as_##TYPE()))
#define USE_MulOf(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_B.is(Kind::KIND), product(SECOND_B.as_##TYPE(), made))
#define USE_AddInt(KIND, TYPE) USE_IN_ARITHMETIC(true, sum(made, second->amount()))
#define USE_MulConst(KIND, TYPE) USE_IN_ARITHMETIC(SECOND_KC.is(Kind::KIND), product(made, SECOND_KC.as_##TYPE()))
#define USE_ModConst(KIND, TYPE) USE_IN_ARITHMETIC(Kind::KIND == Kind::Int, remainder(static_cast<int64_t>(made), SECOND_KC.as_int()))
#define USE_Return(KIND, TYPE)               \
  returned_kind = Kind::KIND;                \
  returned_bits = std::bit_cast<uint64_t>(made); \
  goto returning;
#define USE_GetIndex(KIND, TYPE)                                                      \
  if (Kind::KIND == Kind::Int && SECOND_B.is_list()) {                                \
    ListObject* list = SECOND_B.as_list();                                            \
    auto at = std::bit_cast<uint64_t>(made);                                          \
    if (at < list->size) [[likely]] {                                                 \
      put(to, made);                                                                  \
      SECOND_A = list->items[at];                                                     \
      pc = second + 1;                                                                \
      NEXT;                                                                           \
    }                                                                                 \
  }
// The value moves from its register to where it is put by instruction AT.
#define PLACE_SetIndex(AT) own_item_at(register_at(R, AT->a), register_at(R, AT->b))
#define PLACE_SetField(AT) own_known_field(register_at(R, AT->a), *AT[1].cache)
#define WORDS_SetIndex 1
#define WORDS_SetField 2
#define PUT_IN_PLACE(SETTER, AT, NUMBER, EMPTY)                                                           \
  Value* place = PLACE_##SETTER(AT);                                                                      \
  if (place && !place->is_heap() && is_alike(register_at(R, AT->a).object(), *place, as_value(NUMBER))) [[likely]] { \
    EMPTY                                                                                                 \
    put(*place, NUMBER);                                                                                  \
    pc = AT + WORDS_##SETTER;                                                                             \
    NEXT;                                                                                                 \
  }
#define USE_SetIndex(KIND, TYPE) PUT_IN_PLACE(SetIndex, second, made, to.forget();)
#define USE_SetField(KIND, TYPE) PUT_IN_PLACE(SetField, second, made, to.forget();)
#define USE_IN_JUMP(CONDITION, HOLDS)                                       \
  if (CONDITION) [[likely]] {                                               \
    bool holds = HOLDS;                                                     \
    put(to, made);                                                          \
    pc = holds == (second->c != 0) ? second[1].target : second + 2;         \
    NEXT;                                                                   \
  }
#define USE_JumpLess(KIND, TYPE) USE_IN_JUMP(SECOND_B.is(Kind::KIND), made < SECOND_B.as_##TYPE())
#define USE_JumpLessOf(KIND, TYPE) USE_IN_JUMP(SECOND_A.is(Kind::KIND), SECOND_A.as_##TYPE() < made)
#define USE_JumpLessConst(KIND, TYPE) USE_IN_JUMP(SECOND_KB.is(Kind::KIND), made < SECOND_KB.as_##TYPE())
#define USE_JumpGreaterConst(KIND, TYPE) USE_IN_JUMP(SECOND_KB.is(Kind::KIND), made > SECOND_KB.as_##TYPE())
#define USE_JumpEqualConst(KIND, TYPE) USE_IN_JUMP(SECOND_KB.is(Kind::KIND), made == SECOND_KB.as_##TYPE())

#define MAKE_AND_USE(FIRST, SECOND, THIRD)                              \
  {                                                                     \
    if (kWatching) goto unfused;                                        \
    READ_##FIRST                                                        \
    Value& to = RA;                                                     \
    if (to.is_heap()) [[unlikely]] goto unfused;                        \
    [[maybe_unused]] constexpr Op kThird = THIRD;                       \
    [[maybe_unused]] const Instruction* second = in + WORDS_##FIRST;    \
    [[maybe_unused]] const Instruction* third = second + 1;             \
    if (FITS_##FIRST(Int)) [[likely]] {                                 \
      int64_t made = MADE_##FIRST(int);                                 \
      USE_##SECOND(Int, int)                                            \
    } else if (FITS_##FIRST(Float)) {                                   \
      double made = MADE_##FIRST(float);                                \
      USE_##SECOND(Float, float)                                        \
    }                                                                   \
    goto unfused;                                                       \
  }
#define HARN_USER(FIRST, SECOND) OP(FIRST##Then##SECOND) MAKE_AND_USE(FIRST, SECOND, Op::Count)
#define HARN_MAKER(FIRST) HARN_FUSED_USERS(HARN_USER, FIRST)
HARN_FUSED_MAKERS(HARN_MAKER)
#undef HARN_MAKER
#undef HARN_USER
#define HARN_UPDATE(FIRST, SECOND, THIRD) OP(FIRST##Then##SECOND##Then##THIRD) MAKE_AND_USE(FIRST, SECOND, Op::THIRD)
HARN_FUSED_UPDATES(HARN_UPDATE)
#undef HARN_UPDATE

  // ---- one goes on from what the other has read ----
#define FROM_GetIndex(HOLDER) item_at(HOLDER, SECOND_C)
#define FROM_GetField(HOLDER) known_field(HOLDER, *second[1].cache)
#define HARN_PATH(FIRST, SECOND)                       \
  OP(FIRST##Then##SECOND##OfIt) {                      \
    if (kWatching) goto unfused;                       \
    READ_##FIRST                                       \
    const Instruction* second = in + WORDS_##FIRST;    \
    const Value* found = FROM_##SECOND(*item);         \
    if (!found) [[unlikely]] goto unfused;             \
    RA = *found;                                       \
    pc = second + WORDS_##SECOND;                      \
    NEXT;                                              \
  }
HARN_FUSED_PATHS(HARN_PATH)
#undef HARN_PATH

  // ---- a call reads its first argument where it is ----
#define LENT_Move RB
#define LENT_GetCapture register_at(frame->closure->captures(), in->b)
#define HARN_LOAN(FIRST)                                                          \
  OP(FIRST##ForCall) {                                                            \
    if (kWatching) goto unfused;                                                  \
    const Builtin& row = *in[2].builtin;                                          \
    const Value& lent = LENT_##FIRST;                                             \
    if (row.quick) {                                                              \
      uint32_t count = in[1].b / Instruction::kScale;                             \
      frame->pc = in + 3;                                                         \
      switch (row.quick(*task_, lent, &RA1, count, RA)) {                         \
        case Step::Done:                                                          \
          for (uint32_t i = 1; i < count; ++i) (&RA)[i].set_nil();                \
          settle_cells(RA);                                                       \
          pc = in + 3;                                                            \
          NEXT;                                                                   \
        case Step::Parked:                                                        \
          pc = in + 3;                                                            \
          RA = lent; /* the call has its arguments for as long as it waits */     \
          task_->waits_on = &RA;                                                  \
          task_->life->call = {&row, INDEX(A), count, INDEX(A)};                  \
          FINISH(after_parking());                                                \
        case Step::Failed: break;                                                 \
      }                                                                           \
    }                                                                             \
    RA = lent;                                                                    \
    ++pc;                                                                         \
    goto op_CallBuiltin;                                                          \
  }
HARN_FUSED_LOANS(HARN_LOAN)
#undef HARN_LOAN

  // ---- one after the other ----
#define DO_Steal RA = std::move(RB);
#define DO_Move RA = RB;
#define DO_LoadInt RA.set_int(in->number);
#define DO_LoadConst RA = K[in->index];
#define DO_AddInt                              \
  if (!RB.is_int()) [[unlikely]] goto unfused; \
  RA.set_int(sum(RB.as_int(), in->amount()));
#define DO_Jump pc += in->number;
#define DO_PushOr                                                    \
  Value& list = RA;                                                  \
  if (!list.is_list() || !list.is_unique()) [[unlikely]] goto unfused; \
  PUSH(RB)                                                           \
  pc = pc->target;
#define DO_BRANCH(CONDITION)               \
  if ((CONDITION) == (in->c != 0)) {       \
    pc = pc->target;                       \
    NEXT;                                  \
  }                                        \
  ++pc;
#define DO_JumpLessConst DO_BRANCH(is_less(RA, KB))
#define DO_JumpGreaterEqualConst DO_BRANCH(is_less_equal(KB, RA))
#define DO_GetIndex                                                      \
  if (const Value* item = item_at(RB, RC)) {                             \
    RA = *item;                                                          \
  } else {                                                               \
    if (!RB.is_dict() || !RC.is_string()) [[unlikely]] goto unfused;      \
    const Value* found = RB.as_dict()->find(RC.as_string());             \
    if (found) RA = *found;                                              \
    else RA.set_nil();                                                   \
  }
#define HARN_CHAIN(FIRST, SECOND)    \
  OP(FIRST##And##SECOND) {           \
    if (kWatching) goto unfused;     \
    DO_##FIRST                       \
    ++pc;                            \
    goto op_##SECOND;                \
  }
HARN_FUSED_CHAINS(HARN_CHAIN)
#undef HARN_CHAIN

unfused:
  pc = in + 1;
  goto* kLabels[static_cast<size_t>(op_of(proto->code->words[static_cast<size_t>(in - proto->start)]))];
