#include "bytecode/accesses.h"

#include <array>

namespace harn::bytecode {

namespace {

const std::array<Accesses, static_cast<size_t>(Op::Count)>& access_table() {
  static const auto table = [] {
    std::array<Accesses, static_cast<size_t>(Op::Count)> rows;
    for (size_t i = 0; i < rows.size(); ++i) {
      for (const Read& read : facts(static_cast<Op>(i)).reads) rows[i].reads.push_back(read.access);
      for (const Write& write : facts(static_cast<Op>(i)).writes) rows[i].writes.push_back(write.access);
    }
    return rows;
  }();
  return table;
}

}  // namespace

const Accesses& accesses_of(Op op) { return access_table()[static_cast<size_t>(op)]; }

WideOperands operands_at(const Code& code, const WideMap& wide, uint32_t at) {
  if (auto found = wide.find(at); found != wide.end()) return found->second;
  Word word = code.words[at];
  Format format = row(op_of(word)).format;
  if (format == Format::ABx || format == Format::AsBx) return {a_of(word), bx_of(word), 0};
  return {a_of(word), b_of(word), c_of(word)};
}

RegisterRange registers_of(Access access, const WideOperands& operands) {
  switch (access) {
    case Access::A: return {operands.a, 1};
    case Access::A1: return {operands.a + 1, 1};
    case Access::B: return {operands.b, 1};
    case Access::C: return {operands.c, 1};
    case Access::BPlusC: return {operands.b, operands.c};
    case Access::APlusB: return {operands.a, operands.b};
    case Access::AThroughB: return {operands.a, operands.b + 1};
    case Access::BThroughC: return {operands.b, operands.c + 1};
    case Access::Captures: return {0, 0};
  }
  return {0, 0};
}

}  // namespace harn::bytecode
