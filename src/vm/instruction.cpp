#include "vm/instruction.h"

#include "bytecode/op_facts.h"
#include "vm/builtin.h"
#include "vm/function.h"
#include "vm/fuse.h"

namespace harn::vm {

using namespace bytecode;

namespace {

class Widener {
 public:
  Widener(const Code& code, InlineCache* caches, const BuiltinTable& builtins)
      : code_(code), words_(code.words), caches_(caches), builtins_(builtins), out_(code.words.size()) {}

  std::vector<Instruction> run() {
    for (uint32_t at = 0; at < words_.size();) at = widen(at);
    return std::move(out_);
  }

 private:
  // Gives where the next instruction is.
  uint32_t widen(uint32_t at) {
    Word word = words_[at];
    Op op = op_of(word);
    Format format = row(op).format;
    uint32_t next = at + length(format);
    Instruction& to = out_[at];
    to.op = fused_op(code_, at);
    to.a = scaled(a_of(word));
    switch (format) {
      case Format::ABx: to.index = bx_of(word); break;
      case Format::AsBx: to.number = sbx_of(word); break;
      case Format::sJ: to.number = sj_of(word); break;
      default:
        to.b = scaled(b_of(word));
        to.c = op == Op::AddInt ? static_cast<uint16_t>(sc_of(word)) : scaled(c_of(word));
    }
    if (format == Format::ABCX || format == Format::AXJump) widen_index(op, at + 1);
    if (format == Format::AJump || format == Format::ABCJump || format == Format::AXJump) {
      out_[next - 1].target = out_.data() + next + static_cast<int32_t>(words_[next - 1]);
    }
    return next;
  }

  void widen_index(Op op, uint32_t at) {
    const OpFacts& known = facts(op);
    if (known.has(Field::X, Meaning::Cache)) out_[at].cache = caches_ + words_[at];
    else if (known.has(Field::X, Meaning::Builtin)) out_[at].builtin = builtins_.by_id()[words_[at]];
    else out_[at].x = words_[at];
  }

  static uint16_t scaled(uint32_t operand) { return static_cast<uint16_t>(operand * Instruction::kScale); }

  const Code& code_;
  const std::vector<Word>& words_;
  InlineCache* caches_;
  const BuiltinTable& builtins_;
  std::vector<Instruction> out_;
};

}  // namespace

std::vector<Instruction> widen(const Code& code, InlineCache* caches, const BuiltinTable& builtins) {
  return Widener(code, caches, builtins).run();
}

}  // namespace harn::vm
