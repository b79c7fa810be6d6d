#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bytecode/accesses.h"
#include "bytecode/code.h"

namespace harn::bytecode {

// Which registers are read later, at every place of a function. The code generator turns last reads into moves with
// it; the interpreter, when it is about to copy something, finds out who holds it for nothing (vm/claim.cpp).
//
// A backward data-flow analysis over finished code: a register is live before an instruction when the instruction
// reads it, or it is live after and not written. What a handler reads is live where its range can fail. Clean-up
// code is a call that comes back: it goes on behind the places that call it, not behind all that call any.
class Liveness {
 public:
  // Whether `x.name` counts as a read of that field alone, and `x[i] = v` as a write of that item alone. Parts are told
  // apart for registers that are used so.
  enum class Fields { Whole, Apart };
  Liveness(const Code& code, const WideMap& wide, Fields fields);

  // The number of the instruction that ends before this word.
  uint32_t ending_at(uint32_t word) const { return ending_at_[word]; }
  uint32_t starting_at(uint32_t word) const { return starting_at_[word]; }
  size_t instructions() const { return starts_.size(); }
  uint32_t start(uint32_t number) const { return starts_[number]; }

  // After an instruction that has worked, or after one that may have failed as well. Registers beyond those that
  // are followed are always live.
  enum class After { Worked, Either };
  // As a whole or in part.
  bool is_live(uint32_t number, uint32_t reg, After after) const;
  bool is_live_before(uint32_t number, uint32_t reg) const;
  // The registers that the instruction itself reads.
  template <class Visit>
  void each_read(uint32_t number, Visit visit) const {
    for (uint32_t i = 0; i < reads_[number].count; ++i) {
      uint32_t bit = touched_[reads_[number].first + i];
      visit(bit < registers_ ? bit : fields_[bit - registers_].reg);
    }
  }
  // The registers that hold something else after it.
  template <class Visit>
  void each_write(uint32_t number, Visit visit) const {
    for (uint32_t i = 0; i < writes_[number].count; ++i) {
      uint32_t bit = touched_[writes_[number].first + i];
      if (bit < registers_ && !is_read_by(number, bit)) visit(bit);
    }
  }
  bool is_read_by(uint32_t number, uint32_t reg) const;
  // Whether this field of a register is written before it is read, alone or with the whole register.
  bool is_field_dead(uint32_t number, uint32_t reg, std::string_view field, After after) const;
  // Registers with keys of items that are written before they are read, in whatever way.
  template <class Visit>
  void each_dead_item(uint32_t number, uint32_t reg, After after, Visit visit) const {
    if (reg >= registers_) return;
    for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) {
      if (fields_[at].key != kNone && !is_bit_live(number, registers_ + at, after)) visit(fields_[at].key);
    }
  }
  // Numbers of items, written in the program text, that are not read again although others of the register may be.
  template <class Visit>
  void each_dead_number(uint32_t number, uint32_t reg, After after, Visit visit) const {
    if (reg >= registers_) return;
    for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) {
      if (fields_[at].number != kNone && !is_bit_live(number, registers_ + at, after)) visit(fields_[at].number);
    }
  }
  // Whether an error at the instruction is handled in this function.
  bool is_guarded(uint32_t number) const { return innermost_[number] != kNone; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  using Bits = uint64_t;

  struct Field {
    uint32_t reg;
    std::string_view name;  // empty: the register must not be emptied, but none of its fields is read
    uint32_t key;           // an item: the register with its number or name; kNone: a field
    uint32_t number;        // an item: its number; kNone: it has a name or a key
    uint32_t next;          // another one of the register
  };
  struct Run {
    uint32_t first;
    uint32_t count;
  };

  bool may_fail(uint32_t number) const;
  void decode();
  void number_fields();
  uint32_t add_field(uint32_t reg, std::string_view name, uint32_t key = kNone, uint32_t number = kNone);
  uint32_t field_of(uint32_t reg, std::string_view name, uint32_t key = kNone, uint32_t number = kNone) const;
  void number_item(uint32_t reg, uint32_t key);
  std::vector<bool> entered() const;
  void find_edges();
  void find_handlers();
  void find_clean_up_code();
  void collect_touched();
  void add_access(const std::vector<Access>& accesses, uint32_t at, std::vector<uint32_t>& to);
  void add_register(uint32_t reg, std::vector<uint32_t>& to) const;
  void add_parts(uint32_t reg, std::vector<uint32_t>& to) const;
  void add_items(uint32_t reg, std::vector<uint32_t>& to) const;
  void add_renamed_items(const std::vector<Access>& writes, uint32_t at);
  bool collect_item(uint32_t at);
  bool collect_number(uint32_t at);
  bool collect_spread(uint32_t at);
  bool is_straight() const;
  void solve();
  bool visit(uint32_t number);
  void after_failure(uint32_t handler);
  template <class Visit>
  void each_successor(uint32_t number, Visit visit) const;
  bool is_bit_live(uint32_t number, uint32_t bit, After after) const;
  Bits* set_of(std::vector<Bits>& sets, uint32_t number) const { return sets.data() + size_t{number} * width_; }
  const Bits* set_of(const std::vector<Bits>& sets, uint32_t number) const {
    return sets.data() + size_t{number} * width_;
  }

  const Code& code_;
  const WideMap& wide_;  // only while it is made
  const Fields fields_apart_;
  uint32_t registers_ = 0;             // that are followed
  uint32_t width_ = 1;                 // words of a set
  std::vector<uint32_t> starts_;       // word offset of each instruction
  std::vector<uint32_t> starting_at_;  // and back
  std::vector<uint32_t> ending_at_;
  std::vector<uint32_t> next_, jump_;  // successors of each instruction
  std::vector<uint32_t> innermost_;    // handler of each instruction
  std::vector<uint32_t> outer_;        // the handler around each handler
  std::vector<Field> fields_;
  std::vector<uint32_t> first_field_;           // of each register
  std::vector<uint32_t> first_item_;            // with this register as its key
  std::vector<uint32_t> next_item_;             // with the same key
  std::vector<uint32_t> number_read_;           // by each instruction: `x[0]`; kNone: none that is written there
  std::vector<uint32_t> body_of_;               // EndGosub: number of its clean-up code
  std::vector<std::vector<uint32_t>> returns_;  // of each clean-up code
  std::vector<uint32_t> touched_;               // bits: what instructions read, what they write, one after the other
  std::vector<Run> reads_, writes_;
  std::vector<Bits> live_;    // before each instruction
  std::vector<Bits> failed_;  // in each handler and those around it
  std::vector<uint32_t> failed_stamp_;
  std::vector<Bits> scratch_;
  uint32_t sweep_ = 0;
};

}  // namespace harn::bytecode
