// What an instruction reads for the last time may be used up. A copy of a register becomes a move, so that
// `xs = xs.push(x)` and `f(xs)` have one owner when the update happens; `xs + [x]` grows `xs` itself.
#include "bytecode/liveness.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using After = Liveness::After;

namespace {

bool is_marked(Op op) {
  switch (op) {
    case Op::Move:
    case Op::Add:
    case Op::AddConst:
    case Op::DictSpread:
    case Op::ListRest: return true;
    default: return false;
  }
}

bool has_any(const Code& code) {
  for (uint32_t at = 0; at < code.words.size();) {
    Op op = op_of(code.words[at]);
    if (is_marked(op)) return true;
    at += length(row(op).format);
  }
  return false;
}

// The same instruction where its second operand is not read afterwards.
Word using_up(Word word, bool keeps_generators) {
  constexpr uint32_t kUsedUp = 1;
  switch (op_of(word)) {
    case Op::Move: return encode(keeps_generators ? Op::StealData : Op::Steal, a_of(word), b_of(word));
    case Op::Add: return encode(Op::AddTemp, a_of(word), b_of(word), c_of(word));
    case Op::AddConst: return encode(Op::AddConstTemp, a_of(word), b_of(word), c_of(word));
    default: return encode(op_of(word), a_of(word), b_of(word), kUsedUp);
  }
}

}  // namespace

void mark_last_uses(Code& code, const WideMap& wide, bool keeps_generators) {
  constexpr size_t kLongest = 200'000;  // a function this long keeps its copies
  if (code.words.size() > kLongest || !has_any(code)) return;
  Liveness liveness(code, wide, Liveness::Fields::Whole);
  for (uint32_t number = 0; number < liveness.instructions(); ++number) {
    Word& word = code.words[liveness.start(number)];
    if (!is_marked(op_of(word))) continue;
    WideOperands operands = operands_at(code, wide, liveness.start(number));
    bool is_move = op_of(word) == Op::Move;
    // A move cannot fail. The others fail before they change anything.
    if (is_move && operands.a == operands.b) continue;
    if (op_of(word) == Op::Add && operands.b == operands.c) continue;
    bool is_overwritten = !is_move && operands.a == operands.b;
    if (is_overwritten || !liveness.is_live(number, operands.b, After::Worked)) word = using_up(word, keeps_generators);
  }
}

}  // namespace harn::compile
