// The instructions of a function, each by itself: does every word belong to one, and does every operand name something?
#include <algorithm>

#include "bytecode/verify_code.h"

namespace harn::bytecode {

namespace {

bool has_jump_word(Format format) {
  return format == Format::AJump || format == Format::ABCJump || format == Format::AXJump;
}
bool has_index_word(Format format) { return format == Format::ABCX || format == Format::AXJump; }

uint32_t number_in(const Decoded& one, Field field) {
  switch (field) {
    case Field::A: return one.operands.a;
    case Field::B: return one.operands.b;
    case Field::C: return one.operands.c;
    case Field::X: return one.x;
  }
  return 0;
}

// Whether a constant can be loaded: names are a builtin, then.
bool is_value(const Constant& constant) {
  if (auto* names = std::get_if<Keys>(&constant)) return names->size() == 2 && (*names)[0] == "builtin";
  return !std::holds_alternative<EnumShape>(constant) && !std::holds_alternative<StructShape>(constant);
}

}  // namespace

Instructions::Instructions(const Code& code, const WideMap& wide, const KnownCode& known, Findings& findings)
    : code_(code), wide_(wide), known_(known), findings_(findings) {}

bool Instructions::check() {
  if (!decode()) return false;
  if (known_.knows_captures) uses_.assign(code_.captures.size(), CaptureUse::None);
  for (const Decoded& one : all_) {
    if (!check_registers(one) || !check_special(one) || !check_numbers(one) || !check_jump(one)) return false;
  }
  bool has_far = far_count_ > 0;
  if (has_far != (code_.far_register != 0))
    return findings_.report(Wrong::Register, 0, "the register for far registers and NewFar do not agree");
  return true;
}

// ---- words ----

bool Instructions::decode() {
  const auto& words = code_.words;
  if (words.empty()) return findings_.report(Wrong::End, 0, "there is no code");
  numbers_.assign(words.size(), kNone);
  for (uint32_t at = 0; at < words.size();) {
    Decoded one;
    one.op = op_of(words[at]);
    one.at = at;
    if (one.op >= Op::Count) return findings_.report(Wrong::Instruction, at, "{:#x} is no instruction", words[at]);
    Format format = row(one.op).format;
    one.next = at + length(format);
    if (one.next > words.size()) return findings_.report(Wrong::Instruction, at, "half an instruction");
    one.operands = operands_at(code_, wide_, at);
    if (has_index_word(format)) one.x = words[at + 1];
    if (has_jump_word(format)) one.target = one.next + words[one.next - 1];
    if (format == Format::sJ) one.target = one.next + static_cast<uint32_t>(sj_of(words[at]));
    if (!check_fields(one)) return false;
    if (one.op == Op::Large && !decode_large(one)) return false;
    numbers_[at] = static_cast<uint32_t>(all_.size());
    all_.push_back(one);
    at = one.next;
  }
  return true;
}

// Fields that the format does not have.
bool Instructions::check_fields(const Decoded& one) {
  Word word = code_.words[one.at];
  Word unused = 0;
  switch (row(one.op).format) {
    case Format::None: unused = word >> 8; break;
    case Format::A:
    case Format::AJump:
    case Format::AXJump: unused = word >> 16; break;
    case Format::AB: unused = word >> 24; break;
    case Format::ABC:
    case Format::ABx:
    case Format::AsBx:
    case Format::sJ:
    case Format::ABCJump:
    case Format::ABCX: break;
  }
  if (unused == 0) return true;
  return findings_.report(Wrong::Operand, one.at, "{} has operands that it does not take", row(one.op).name);
}

// The interpreter knows these (vm/far.cpp).
bool Instructions::decode_large(Decoded& one) {
  auto op = static_cast<Op>(one.operands.b);
  bool fits = op < Op::Count && op != Op::GetLibrary && op != Op::SetLibrary && one.operands.c == 0;
  if (fits) {
    const OpFacts& known = facts(op);
    bool is_capture = known.has(Field::B, Meaning::Capture) || known.has(Field::B, Meaning::CellCapture);
    fits = row(op).format == Format::ABx || is_capture;
  }
  if (!fits) return findings_.report(Wrong::Operand, one.at, "Large cannot stand for instruction {}", one.operands.b);
  one.is_large = true;
  one.op = op;
  one.operands = {one.operands.a, one.x, 0};
  one.x = 0;
  return true;
}

// ---- registers ----

bool Instructions::check_registers(const Decoded& one) {
  auto check = [&](Access access) {
    RegisterRange range = registers_of(access, one.operands);
    // The first of none may be the one behind the last.
    bool exists = uint64_t{range.first} + range.count <= code_.registers;
    if (exists) return true;
    return findings_.report(Wrong::Register, one.at, "{} names register {}, there are {}", row(one.op).name,
                            range.first + range.count - 1, code_.registers);
  };
  const OpFacts& known = facts(one.op);
  for (const Read& read : known.reads) {
    if (!check(read.access)) return false;
  }
  for (const Write& write : known.writes) {
    if (!check(write.access)) return false;
  }
  return true;
}

// What the interpreter relies on about two operands together.
bool Instructions::check_special(const Decoded& one) {
  const WideOperands& operands = one.operands;
  switch (one.op) {
    case Op::Steal:
    case Op::StealData:
      if (operands.a != operands.b) return true;
      return findings_.report(Wrong::Register, one.at, "register {} is moved to itself", operands.a);
    case Op::CallLocal:
      // It keeps the closure alive while it runs.
      if (operands.c < operands.a) return true;
      return findings_.report(Wrong::Register, one.at, "the callee's register lies in its own frame");
    case Op::PairUnpack:
      if (operands.b != operands.a && operands.b != operands.a + 1) return true;
      return findings_.report(Wrong::Register, one.at, "a pair is unpacked into its own register");
    case Op::Yield:
    case Op::BeginGenerator:
      if (code_.is_generator) return true;
      return findings_.report(Wrong::Instruction, one.at, "{} outside of a generator", row(one.op).name);
    case Op::TailCall:
    case Op::TailCallGlobal:
    case Op::TailCallLibrary:
    case Op::TailCallSelf:
      if (!code_.is_generator) return true;
      return findings_.report(Wrong::Instruction, one.at, "{} in a generator", row(one.op).name);
    default: return true;
  }
}

// ---- numbers ----

bool Instructions::below(const Decoded& one, uint32_t index, size_t size, std::string_view what) {
  if (index < size) return true;
  return findings_.report(Wrong::Operand, one.at, "{} names {} {}, there are {}", row(one.op).name, what, index, size);
}

bool Instructions::check_numbers(const Decoded& one) {
  for (const Number& number : facts(one.op).numbers) {
    if (!check_number(one, number.field, number.meaning)) return false;
  }
  return true;
}

bool Instructions::check_number(const Decoded& one, Field field, Meaning meaning) {
  uint32_t number = number_in(one, field);
  auto within = [&](uint32_t least, uint32_t most) {
    if (number >= least && number <= most) return true;
    return findings_.report(Wrong::Operand, one.at, "{} with an operand of {}, which is {} to {}", row(one.op).name,
                            number, least, most);
  };
  const Surroundings& around = known_.surroundings;
  switch (meaning) {
    case Meaning::Number: return true;
    case Meaning::Zero: return within(0, 0);
    case Meaning::Flag: return within(0, 1);
    case Meaning::Mode: return within(0, 2);
    case Meaning::One: return within(1, 1);
    case Meaning::Three: return within(3, 3);
    case Meaning::Parts: return within(1, kMostParts);
    case Meaning::Keys: return within(1, UINT32_MAX);
    case Meaning::RaiseKind: return within(0, static_cast<uint32_t>(RaiseKind::Count) - 1);
    case Meaning::Place: return within(0, static_cast<uint32_t>(Place::Cell));
    case Meaning::Constant:
    case Meaning::Text:
    case Meaning::Names:
    case Meaning::NamesOfC:
    case Meaning::EnumShape:
    case Meaning::StructShape: return check_constant(one, number, meaning);
    case Meaning::Cache: return below(one, number, code_.caches.size(), "cache");
    case Meaning::CalledGlobal: called.push_back(number); return below(one, number, around.globals, "program variable");
    case Meaning::Global:
      if (one.op == Op::AssignGlobal) assigned.push_back(number);
      if (one.op == Op::SetGlobal) defined.push_back(number);
      return below(one, number, around.globals, "program variable");
    case Meaning::Library:
      if (!around.is_library) return findings_.report(Wrong::Instruction, one.at, "a library function in a program");
      return below(one, number, around.globals, "library function");
    case Meaning::Capture: return note_capture(one, number, CaptureUse::AsValue);
    case Meaning::CellCapture: return note_capture(one, number, CaptureUse::AsCell);
    case Meaning::Builtin: return below(one, number, around.builtins, "builtin");
    case Meaning::Function:
      return below(one, number, code_.functions.size(), "function") &&
             note_inner_captures(one, *code_.functions[number]);
    case Meaning::Check: return below(one, number, code_.checks.size(), "check");
    case Meaning::Arms: return check_arms(one, number);
    case Meaning::Path: return check_path(one, number);
    case Meaning::Variable: return check_variable(one);
    case Meaning::FarCount:
    case Meaning::Far:
    case Meaning::Count: return check_far(one, meaning);
    case Meaning::Instruction: return true;  // decode_large
  }
  return true;
}

bool Instructions::check_constant(const Decoded& one, uint32_t index, Meaning meaning) {
  if (!below(one, index, code_.constants.size(), "constant")) return false;
  const Constant& constant = code_.constants[index];
  bool fits = false;
  switch (meaning) {
    case Meaning::Text: fits = std::holds_alternative<std::string>(constant); break;
    case Meaning::Names:
    case Meaning::NamesOfC: fits = std::holds_alternative<Keys>(constant); break;
    case Meaning::EnumShape: fits = std::holds_alternative<EnumShape>(constant); break;
    case Meaning::StructShape: fits = std::holds_alternative<StructShape>(constant); break;
    default: fits = is_value(constant);
  }
  if (!fits) return findings_.report(Wrong::Operand, one.at, "constant {} is of another kind", index);
  return meaning != Meaning::NamesOfC || check_names_of_c(one, index);
}

// Values go to the places of their names, which are as many.
bool Instructions::check_names_of_c(const Decoded& one, uint32_t index) {
  Keys names = std::get<Keys>(code_.constants[index]);
  std::sort(names.begin(), names.end());
  bool fits = names.size() == one.operands.c && std::adjacent_find(names.begin(), names.end()) == names.end();
  if (fits) return true;
  return findings_.report(Wrong::Operand, one.at, "{} different names for {} values", names.size(), one.operands.c);
}

bool Instructions::check_variable(const Decoded& one) {
  switch (static_cast<Place>(one.operands.a)) {
    case Place::Global:
      assigned.push_back(one.x);
      return below(one, one.x, known_.surroundings.globals, "program variable");
    case Place::Capture: return note_capture(one, one.x, CaptureUse::AsCell);
    case Place::Cell: return below(one, one.x, code_.registers, "register");
  }
  return true;
}

bool Instructions::check_arms(const Decoded& one, uint32_t index) {
  if (!below(one, index, code_.arm_tables.size(), "table of arms")) return false;
  const ArmTable& table = code_.arm_tables[index];
  auto variants = known_.variants.find(table.declaration);
  if (variants != known_.variants.end() && variants->second != table.targets.size())
    return findings_.report(Wrong::Table, one.at, "{} arms for {} variants", table.targets.size(), variants->second);
  for (uint32_t target : table.targets) {
    if (!is_start(target))
      return findings_.report(Wrong::Jump, one.at, "an arm begins at word {}, no instruction", target);
    if (target < one.next) return findings_.report(Wrong::Jump, one.at, "an arm lies before its match");
  }
  return true;
}

bool Instructions::check_path(const Decoded& one, uint32_t index) {
  if (!below(one, index, code_.paths.size(), "path")) return false;
  const auto& steps = code_.paths[index].caches;
  auto keys = static_cast<uint32_t>(std::count(steps.begin(), steps.end(), PathSteps::kKey));
  if (keys == one.operands.c) return true;
  return findings_.report(Wrong::Operand, one.at, "{} keys for a path that takes {}", one.operands.c, keys);
}

bool Instructions::check_far(const Decoded& one, Meaning meaning) {
  constexpr uint32_t kMost = 1 << 24;
  if (meaning == Meaning::FarCount) {
    if (one.at != 0 || one.x == 0 || one.x > kMost || one.operands.a != code_.far_register)
      return findings_.report(Wrong::Register, one.at, "{} far registers are made at the wrong place", one.x);
    far_count_ = one.x;
    return true;
  }
  uint64_t end = uint64_t{one.x} + (meaning == Meaning::Count ? one.operands.c : 1);
  if (end <= far_count_) return true;
  return findings_.report(Wrong::Register, one.at, "{} names far register {}, there are {}", row(one.op).name, end - 1,
                          far_count_);
}

// ---- captures ----

bool Instructions::note_capture(const Decoded& one, uint32_t index, CaptureUse use) {
  if (!known_.knows_captures) return true;
  if (!below(one, index, uses_.size(), "captured variable")) return false;
  CaptureUse& known = uses_[index];
  known = known == CaptureUse::None || known == use ? use : CaptureUse::AsBoth;
  if (known != CaptureUse::AsBoth) return true;
  return findings_.report(Wrong::Capture, one.at, "captured variable {} is used as a value and as a cell", index);
}

bool Instructions::note_inner_captures(const Decoded& one, const Code& inner) {
  auto uses = known_.captures.find(&inner);
  for (size_t i = 0; i < inner.captures.size(); ++i) {
    const Capture& capture = inner.captures[i];
    CaptureUse use = uses == known_.captures.end() ? CaptureUse::None : uses->second[i];
    switch (capture.from) {
      case Capture::From::Register:
        if (!below(one, capture.index, code_.registers, "register")) return false;
        break;
      case Capture::From::Far:
        if (!below(one, capture.index, far_count_, "far register")) return false;
        break;
      case Capture::From::Capture: {
        bool is_used = use != CaptureUse::None;
        if (is_used && !note_capture(one, capture.index, use)) return false;
        if (known_.knows_captures && !below(one, capture.index, uses_.size(), "captured variable")) return false;
        break;
      }
      case Capture::From::Self:
        if (use == CaptureUse::AsCell)
          return findings_.report(Wrong::Capture, one.at, "a function that captures itself is used as a cell");
        break;
      default: return findings_.report(Wrong::Capture, one.at, "a capture from nowhere");
    }
  }
  return true;
}

// ---- jumps ----

bool Instructions::check_jump(const Decoded& one) {
  Flow flow = row(one.op).flow;
  bool goes_on = flow == Flow::Next || flow == Flow::Branch || flow == Flow::Loop || flow == Flow::Arms ||
                 flow == Flow::Generator || flow == Flow::Gosub;
  if (goes_on && one.next == code_.words.size())
    return findings_.report(Wrong::End, one.at, "execution runs off the end behind {}", row(one.op).name);
  bool jumps = flow == Flow::Branch || flow == Flow::Loop || flow == Flow::Always || flow == Flow::Jump ||
               flow == Flow::Gosub || flow == Flow::Generator;
  if (!jumps) return true;
  if (!is_start(one.target))
    return findings_.report(Wrong::Jump, one.at, "{} jumps to word {}, where no instruction begins", row(one.op).name,
                            static_cast<int32_t>(one.target));
  bool may_go_back = flow == Flow::Loop || flow == Flow::Jump || flow == Flow::Gosub;
  if (may_go_back || one.target >= one.next) return true;
  return findings_.report(Wrong::Jump, one.at, "{} jumps back, and could not be stopped", row(one.op).name);
}

}  // namespace harn::bytecode
