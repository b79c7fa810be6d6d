// Finds, for each copy of a register, whether the original is read again. If not, the copy becomes a
// move. That is what makes `xs = xs.push(x)` and `f(xs)` on a last use work in place: the value has
// one owner when the update happens.
//
// A backward data-flow analysis over the finished code: a register is live before an instruction
// when the instruction reads it, or it is live after and not written. Errors jump to handlers from
// anywhere in their range, so what a handler reads is live in all of it.
#include <bitset>

#include "compile/accesses.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;

namespace {

using Registers = std::bitset<256>;

class Liveness {
 public:
  Liveness(Code& code, const WideMap& wide, bool keeps_generators)
      : code_(code), wide_(wide), keeps_generators_(keeps_generators) {
    decode();
  }

  void run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = starts_.size(); i-- > 0;) changed |= visit(i);
    }
    for (size_t i = 0; i < starts_.size(); ++i) mark(i);
  }

 private:
  void decode() {
    number_.assign(code_.words.size() + 1, 0);
    for (uint32_t at = 0; at < code_.words.size();) {
      number_[at] = static_cast<uint32_t>(starts_.size());
      starts_.push_back(at);
      Op op = op_of(code_.words[at]);
      at += length(row(op).format);
      if (op == Op::Gosub) gosub_returns_.push_back(at);
    }
    live_.resize(starts_.size());
    successors_.resize(starts_.size());
    for (size_t i = 0; i < starts_.size(); ++i) successors_[i] = find_successors(i);
  }

  std::vector<uint32_t> find_successors(size_t i) {
    uint32_t at = starts_[i];
    Word word = code_.words[at];
    Op op = op_of(word);
    Format format = row(op).format;
    uint32_t after = at + length(format);
    std::vector<uint32_t> out;
    auto add = [&](uint32_t target) {
      if (target < code_.words.size()) out.push_back(number_of(target));
    };
    switch (op) {
      case Op::Return: case Op::ReturnNil: case Op::Throw: case Op::Rethrow: case Op::Raise: case Op::NoMatch:
      case Op::TailCallGlobal: case Op::TailCallLibrary: case Op::TailCallSelf: break;
      case Op::Jump: add(after + sj_of(word)); break;
      case Op::Gosub: add(after + static_cast<int32_t>(code_.words[at + 1])); break;
      case Op::EndGosub:
        for (uint32_t target : gosub_returns_) add(target);
        break;
      case Op::RangePrep: case Op::RangePrepInclusive: case Op::ForPrep:
        add(after + static_cast<int32_t>(code_.words[after - 1]));
        break;
      default:
        add(after);
        if (format == Format::AJump || format == Format::ABCJump || format == Format::AXJump) {
          add(after + static_cast<int32_t>(code_.words[after - 1]));
        }
    }
    for (const Handler& handler : code_.handlers) {
      if (at >= handler.start && at < handler.end) add(handler.target);
    }
    return out;
  }

  uint32_t number_of(uint32_t word) const { return number_[word]; }

  // Registers beyond the set are never moved out of.
  static void add(uint32_t reg, Registers& to) {
    if (reg < to.size()) to.set(reg);
  }

  void collect(const std::vector<Access>& accesses, uint32_t at, Registers& to) const {
    WideOperands operands = operands_at(code_, wide_, at);
    for (Access access : accesses) {
      RegisterRange range = registers_of(access, operands);
      for (uint32_t i = 0; i < range.count; ++i) add(range.first + i, to);
      if (access != Access::Captures) continue;
      for (const Capture& capture : code_.functions[operands.b]->captures) {
        if (capture.from == Capture::From::Register) add(capture.index, to);
      }
    }
  }

  Registers live_after(size_t i) const {
    Registers out;
    for (uint32_t next : successors_[i]) out |= live_[next];
    return out;
  }

  bool visit(size_t i) {
    Word word = code_.words[starts_[i]];
    const Accesses& accesses = accesses_of(op_of(word));
    Registers reads, writes;
    collect(accesses.reads, starts_[i], reads);
    collect(accesses.writes, starts_[i], writes);
    // SetPath on a cell in a register reads the cell through its index word.
    Op op = op_of(word);
    if (op == Op::SetPath && a_of(word) == static_cast<uint32_t>(Place::Cell)) {
      add(code_.words[starts_[i] + 1], reads);
    }
    if (op == Op::ClearPlace && b_of(word) == static_cast<uint32_t>(Place::Cell)) {
      add(code_.words[starts_[i] + 1], reads);
    }
    Registers live = (live_after(i) & ~writes) | reads;
    if (live == live_[i]) return false;
    live_[i] = live;
    return true;
  }

  void mark(size_t i) {
    Word& word = code_.words[starts_[i]];
    if (op_of(word) != Op::Move) return;
    WideOperands operands = operands_at(code_, wide_, starts_[i]);
    if (operands.a == operands.b || operands.b >= Registers().size() || live_after(i).test(operands.b)) return;
    word = encode(keeps_generators_ ? Op::StealData : Op::Steal, a_of(word), b_of(word));
  }

  Code& code_;
  const WideMap& wide_;
  bool keeps_generators_;
  std::vector<uint32_t> starts_;   // word offset of each instruction
  std::vector<uint32_t> number_;   // instruction number of each word offset
  std::vector<uint32_t> gosub_returns_;
  std::vector<std::vector<uint32_t>> successors_;
  std::vector<Registers> live_;    // before each instruction
};

bool has_moves(const Code& code) {
  for (uint32_t at = 0; at < code.words.size();) {
    Op op = op_of(code.words[at]);
    if (op == Op::Move) return true;
    at += length(row(op).format);
  }
  return false;
}

}  // namespace

void mark_last_uses(Code& code, const WideMap& wide, bool keeps_generators) {
  constexpr size_t kLongest = 200'000;  // a function this long keeps its copies
  if (code.words.size() > kLongest || !has_moves(code)) return;
  Liveness(code, wide, keeps_generators).run();
}

}  // namespace harn::compile
