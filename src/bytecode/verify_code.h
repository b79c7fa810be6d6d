#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/fmt.h"
#include "bytecode/verify.h"

// Inside src/bytecode only: the parts of the verifier (verify.cpp) that look at one function, in the order in which they
// do. Each may rely on what the ones before it have found to be right.
namespace harn::bytecode {

// An instruction with whole operands. What `Large` stands for is decoded as that.
struct Decoded {
  Op op = Op::Count;
  bool is_large = false;
  uint32_t at = 0;
  uint32_t next = 0;  // the word behind it
  WideOperands operands;
  uint32_t x = 0;
  uint32_t target = 0;  // of its jump
};

// How a function uses what it captures.
enum class CaptureUse : uint8_t { None, AsValue, AsCell, AsBoth };
using CaptureUses = std::vector<CaptureUse>;

// What was found out about functions that others refer to.
struct KnownCode {
  Surroundings surroundings;
  std::unordered_map<const Code*, CaptureUses> captures;  // of functions inside this one
  std::unordered_map<DeclarationId, size_t> variants;     // of the enums that the program declares
  bool knows_captures = true;                             // of this function
};

// The first problem that was found. Whoever reports one stops.
class Findings {
 public:
  explicit Findings(const Code& code) : code_(code) {}
  template <class... Args>
  bool report(Wrong wrong, uint32_t word, fmt::format_string<Args...> what, Args&&... args) {
    if (!fault_) fault_ = Fault{wrong, code_.name, word, fmt::format(what, std::forward<Args>(args)...)};
    return false;
  }
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  const Code& code_;
  std::optional<Fault> fault_;
};

// The instructions of a function, each by itself: verify_operands.cpp.
class Instructions {
 public:
  Instructions(const Code& code, const WideMap& wide, const KnownCode& known, Findings& findings);
  // Decodes and checks them all; false after a report.
  bool check();

  const std::vector<Decoded>& all() const { return all_; }
  // The number of the instruction that begins here; kNone: none does.
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t number_at(uint32_t word) const { return word < numbers_.size() ? numbers_[word] : kNone; }
  bool is_start(uint32_t word) const { return number_at(word) != kNone; }
  uint32_t far_count() const { return far_count_; }
  const CaptureUses& capture_uses() const { return uses_; }
  // The global variables that are called where they are, and those that are assigned.
  std::vector<uint32_t> called, assigned, defined;

 private:
  bool decode();
  bool decode_large(Decoded& one);
  bool check_fields(const Decoded& one);
  bool check_registers(const Decoded& one);
  bool check_special(const Decoded& one);
  bool check_numbers(const Decoded& one);
  bool check_number(const Decoded& one, Field field, Meaning meaning);
  bool check_constant(const Decoded& one, uint32_t index, Meaning meaning);
  bool check_names_of_c(const Decoded& one, uint32_t index);
  bool check_variable(const Decoded& one);
  bool check_arms(const Decoded& one, uint32_t index);
  bool check_path(const Decoded& one, uint32_t index);
  bool check_far(const Decoded& one, Meaning meaning);
  bool check_jump(const Decoded& one);
  bool note_capture(const Decoded& one, uint32_t index, CaptureUse use);
  bool note_inner_captures(const Decoded& one, const Code& inner);
  bool below(const Decoded& one, uint32_t index, size_t size, std::string_view what);

  const Code& code_;
  const WideMap& wide_;
  const KnownCode& known_;
  Findings& findings_;
  std::vector<Decoded> all_;
  std::vector<uint32_t> numbers_;  // by word
  uint32_t far_count_ = 0;
  CaptureUses uses_;
};

// Where control goes besides from one instruction to the next: handlers and clean-up code. verify_regions.cpp
class Regions {
 public:
  Regions(const Code& code, const Instructions& instructions, Findings& findings);
  bool check();

  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t handler_of(uint32_t number) const { return innermost_[number]; }  // of an instruction
  uint32_t outer_handler(uint32_t handler) const { return outer_[handler]; }

  // A `finally` or `defer`: the code between the place that Gosub names and its EndGosub.
  struct Body {
    uint32_t first;  // instructions
    uint32_t last;
    uint32_t parent = kNone;
    std::vector<uint32_t> sites;  // Gosubs
    std::vector<uint32_t> calls;  // bodies that are called from here
  };
  const std::vector<Body>& bodies() const { return bodies_; }
  // Which one a Gosub calls, or an EndGosub ends.
  uint32_t body_of(uint32_t number) const { return body_of_.empty() ? kNone : body_of_[number]; }
  // The innermost one around an instruction.
  uint32_t body_around(uint32_t number) const { return around_.empty() ? kNone : around_[number]; }

 private:
  bool check_handlers();
  bool check_handler(const Handler& handler);
  bool nest_handlers();
  bool collect_bodies();
  bool nest_bodies();
  bool check_entries();
  bool check_entry(uint32_t from, uint32_t to);
  bool check_recursion();

  const Code& code_;
  const Instructions& instructions_;
  Findings& findings_;
  std::vector<uint32_t> innermost_, outer_;
  std::vector<Body> bodies_;
  std::vector<uint32_t> body_of_, around_;
};

// What registers hold at every place: verify_contents.cpp
bool check_contents(const Code& code, const Instructions& instructions, const Regions& regions, const KnownCode& known,
                    Findings& findings);

}  // namespace harn::bytecode
