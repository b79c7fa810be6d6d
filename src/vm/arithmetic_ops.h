// Arithmetic, comparisons and jumps: a part of the loop in interpreter.cpp, which includes it. Ints and floats are dealt
// with in place; whatever else has an operator goes to ops.cpp.

// clang-format off

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
