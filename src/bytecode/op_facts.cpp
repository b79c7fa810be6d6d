#include "bytecode/op_facts.h"

#include <string_view>
#include <utility>

namespace harn::bytecode {

namespace {

// A `throw` while the table is made at compile time ends the compilation, at the line of the problem.

constexpr std::pair<std::string_view, Access> kAccesses[] = {{"A", Access::A},
                                                             {"A1", Access::A1},
                                                             {"B", Access::B},
                                                             {"C", Access::C},
                                                             {"B+C", Access::BPlusC},
                                                             {"A+B", Access::APlusB},
                                                             {"A++B", Access::AThroughB},
                                                             {"B++C", Access::BThroughC},
                                                             {"captures", Access::Captures}};

constexpr std::pair<std::string_view, Holds> kHolds[] = {
    {"unset", Holds::Unset},     {"int", Holds::Int},           {"list", Holds::List},
    {"items", Holds::Items},     {"dict", Holds::Dict},         {"record", Holds::Record},
    {"enum", Holds::Enum},       {"cell", Holds::Cell},         {"error", Holds::Error},
    {"far", Holds::Far},         {"counter", Holds::Counter},   {"limit", Holds::Limit},
    {"source", Holds::Source},   {"position", Holds::Position}, {"permits", Holds::Permits},
    {"address", Holds::Address}, {"copy", Holds::Copy},         {"same", Holds::Same},
    {"gone", Holds::Nothing},    {"whatever", Holds::Whatever}};

constexpr std::pair<std::string_view, Meaning> kMeanings[] = {
    {"zero", Meaning::Zero},
    {"number", Meaning::Number},
    {"flag", Meaning::Flag},
    {"mode", Meaning::Mode},
    {"one", Meaning::One},
    {"three", Meaning::Three},
    {"parts", Meaning::Parts},
    {"keys", Meaning::Keys},
    {"count", Meaning::Count},
    {"constant", Meaning::Constant},
    {"text", Meaning::Text},
    {"names", Meaning::Names},
    {"names_of_c", Meaning::NamesOfC},
    {"enum_shape", Meaning::EnumShape},
    {"struct_shape", Meaning::StructShape},
    {"cache", Meaning::Cache},
    {"global", Meaning::Global},
    {"called_global", Meaning::CalledGlobal},
    {"library", Meaning::Library},
    {"capture", Meaning::Capture},
    {"cell_capture", Meaning::CellCapture},
    {"builtin", Meaning::Builtin},
    {"function", Meaning::Function},
    {"check", Meaning::Check},
    {"arms", Meaning::Arms},
    {"path", Meaning::Path},
    {"place", Meaning::Place},
    {"variable", Meaning::Variable},
    {"far_count", Meaning::FarCount},
    {"far", Meaning::Far},
    {"instruction", Meaning::Instruction},
    {"raise_kind", Meaning::RaiseKind},
};

template <class T, size_t kCount>
constexpr T find(const std::pair<std::string_view, T> (&known)[kCount], std::string_view word) {
  for (const auto& [name, value] : known) {
    if (name == word) return value;
  }
  throw "a row of opcodes.def uses a word that is not known";
}

// Calls `use` for each word of a column.
template <class Use>
constexpr void each_word(std::string_view column, Use use) {
  if (column == "-") return;
  while (!column.empty()) {
    size_t end = std::min(column.find(' '), column.size());
    use(column.substr(0, end));
    column.remove_prefix(std::min(end + 1, column.size()));
  }
}

// Cuts a mark off the end.
constexpr bool take(std::string_view& word, char mark) {
  if (!word.ends_with(mark)) return false;
  word.remove_suffix(1);
  return true;
}

// Cuts `:what` off the end.
constexpr Holds take_holds(std::string_view& word) {
  size_t colon = word.find(':');
  if (colon == std::string_view::npos) return Holds::Value;
  Holds holds = find(kHolds, word.substr(colon + 1));
  word = word.substr(0, colon);
  return holds;
}

constexpr Read read_of(std::string_view word) {
  Read read{};
  read.only_jumping = take(word, '^');
  if (take(word, '!')) read.taken = Taken::Always;
  else if (take(word, '~')) read.taken = Taken::IfItWorks;
  else if (take(word, '%')) read.taken = Taken::IfItWorksAndC;
  if (take(word, '?')) read.wants = Holds::Unset;
  else if (take(word, '*')) read.wants = Holds::Anything;
  else read.wants = take_holds(word);
  read.access = find(kAccesses, word);
  return read;
}

constexpr Write write_of(std::string_view word) {
  Write write{};
  write.only_jumping = take(word, '^');
  write.gives = take_holds(word);
  write.access = find(kAccesses, word);
  return write;
}

constexpr Number number_of(std::string_view word) {
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"A", Field::A}, {"B", Field::B}, {"C", Field::C}, {"X", Field::X}};
  return {find(kFields, word.substr(0, 1)), find(kMeanings, word.substr(2))};
}

// ---- whether a row says everything ----

constexpr unsigned bit(Field field) { return 1u << static_cast<unsigned>(field); }

constexpr unsigned fields_of(Format format) {
  switch (format) {
    case Format::None:
    case Format::sJ: return 0;
    case Format::A:
    case Format::AJump: return bit(Field::A);
    case Format::AB:
    case Format::ABx:
    case Format::AsBx: return bit(Field::A) | bit(Field::B);
    case Format::ABC:
    case Format::ABCJump: return bit(Field::A) | bit(Field::B) | bit(Field::C);
    case Format::ABCX: return bit(Field::A) | bit(Field::B) | bit(Field::C) | bit(Field::X);
    case Format::AXJump: return bit(Field::A) | bit(Field::X);
  }
  throw "a format without fields";
}

constexpr unsigned fields_of(Access access) {
  switch (access) {
    case Access::A:
    case Access::A1: return bit(Field::A);
    case Access::B: return bit(Field::B);
    case Access::C: return bit(Field::C);
    case Access::BPlusC:
    case Access::BThroughC: return bit(Field::B) | bit(Field::C);
    case Access::APlusB:
    case Access::AThroughB: return bit(Field::A) | bit(Field::B);
    case Access::Captures: return 0;
  }
  throw "an access without fields";
}

constexpr bool has_jump(Format format) {
  return format == Format::sJ || format == Format::AJump || format == Format::ABCJump || format == Format::AXJump;
}

constexpr bool jumps(Flow flow) {
  switch (flow) {
    case Flow::Branch:
    case Flow::Loop:
    case Flow::Always:
    case Flow::Jump:
    case Flow::Gosub:
    case Flow::Generator: return true;
    case Flow::Next:
    case Flow::End:
    case Flow::Arms:
    case Flow::EndGosub: return false;
  }
  throw "a flow without an answer";
}

constexpr OpFacts facts_of(Format format, std::string_view reads, std::string_view writes, std::string_view numbers,
                           Flow flow) {
  OpFacts facts;
  unsigned mentioned = 0;
  each_word(reads, [&](std::string_view word) {
    facts.reads.add(read_of(word));
    Access access = read_of(word).access;
    mentioned |= fields_of(access);
    facts.is_call |= access == Access::APlusB || access == Access::AThroughB;
  });
  each_word(writes, [&](std::string_view word) {
    facts.writes.add(write_of(word));
    mentioned |= fields_of(write_of(word).access);
  });
  each_word(numbers, [&](std::string_view word) {
    facts.numbers.add(number_of(word));
    mentioned |= bit(number_of(word).field);
  });
  if (mentioned != fields_of(format)) throw "a row of opcodes.def leaves an operand out, or has one too many";
  if (has_jump(format) != jumps(flow)) throw "a row of opcodes.def has a jump that its flow does not know, or none";
  if (reads.empty() || writes.empty() || numbers.empty()) throw "a row of opcodes.def has an empty column";
  return facts;
}

constexpr OpFacts kFacts[] = {
#define HARN_OPCODE(name, format, reads, writes, numbers, flow, fails, doc) \
  facts_of(Format::format, reads, writes, numbers, Flow::flow),
#include "bytecode/opcodes.def"
#undef HARN_OPCODE
};

}  // namespace

const OpFacts& facts(Op op) { return kFacts[static_cast<size_t>(op)]; }

}  // namespace harn::bytecode
