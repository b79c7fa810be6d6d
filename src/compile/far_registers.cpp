#include "compile/far_registers.h"

#include <algorithm>
#include <optional>

#include "base/assert.h"

namespace harn::compile {

using namespace bytecode;

namespace {

class FarRegisters {
 public:
  FarRegisters(Code& code, const WideMap& wide, uint32_t near, bool clears)
      : code_(code),
        wide_(wide),
        clears_(clears),
        near_(std::min(near, code.registers)),
        holder_(near_),
        scratch_(near_ + 1) {}

  void run() {
    most_used_ = scratch_;
    places_.assign(code_.words.size() + 1, 0);
    collect_handlers();
    collect_clean_up_code();
    emit(Op::NewFar, holder_, 0, 0, code_.registers - near_);
    for (uint32_t at = 0; at < code_.words.size(); at += length(row(op_of(code_.words[at])).format)) rewrite(at);
    places_[code_.words.size()] = here();
    patch_jumps();
    move_tables();
    code_.words = std::move(out_);
    code_.far_register = static_cast<uint8_t>(holder_);
    code_.registers = std::max(most_used_, static_cast<uint32_t>(code_.param_names.size()) + 1);
    HARN_ASSERT(most_used_ <= 256, "an instruction touches more registers than there is room for");
  }

 private:
  struct Store {
    uint32_t from;  // near
    uint32_t to;    // as the code generator numbered it
  };
  struct Jump {
    uint32_t word;
    uint32_t target;  // the old place
    bool is_short;    // in the instruction's own word
  };

  uint32_t here() const { return static_cast<uint32_t>(out_.size()); }
  bool is_far(uint32_t reg) const { return reg >= near_; }

  void put(Op op, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    HARN_ASSERT((a | b | c) <= 0xFF, "an operand does not fit its field");
    out_.push_back(encode(op, a, b, c));
  }
  void emit(Op op, uint32_t a, uint32_t b, uint32_t c, uint32_t x) {
    put(op, a, b, c);
    out_.push_back(x);
  }

  // ---- copies ----

  void load(uint32_t to, uint32_t from, bool take) {
    if (!is_far(from)) put(take ? Op::Steal : Op::Move, to, from);
    else emit(take ? Op::TakeFar : Op::GetFar, to, holder_, 0, from - near_);
  }

  void store(const Store& one) {
    if (!is_far(one.to)) put(Op::Steal, one.to, one.from);
    else emit(Op::SetFar, one.from, holder_, 0, one.to - near_);
  }

  uint32_t room(uint32_t count) {
    uint32_t first = next_;
    next_ += count;
    most_used_ = std::max(most_used_, next_);
    return first;
  }

  // ---- one instruction ----

  void rewrite(uint32_t at) {
    places_[at] = here();
    next_ = scratch_;
    stores_.clear();
    jump_stores_.clear();
    store_on_entry(at);
    Word word = code_.words[at];
    Op op = op_of(word);
    WideOperands operands = operands_at(code_, wide_, at);
    switch (op) {
      case Op::Clear: return clear(operands);
      case Op::BeginGenerator:
        // The registers go to the generator, the far ones with them; what follows returns it.
        direct_ = Store{room(1), operands.a};
        operands.a = direct_->from;
        next_ = scratch_;  // not a copy
        break;
      case Op::MakeClosure: use_far_captures(*code_.functions[operands.b]); break;
      default: break;
    }
    std::optional<Store> direct = op == Op::Return ? std::exchange(direct_, std::nullopt) : std::nullopt;
    if (op == Op::Gosub && is_far(operands.a)) operands.a = scratch_;
    if (direct && operands.a == direct->to) operands.a = direct->from;
    else if (op != Op::BeginGenerator && op != Op::Gosub) bring_near(op, operands);
    uint32_t extra = extra_word(op, at);
    bool returns = op == Op::Return || op == Op::ReturnNil;
    if (returns && clears_ && !direct) clear_far(near_, code_.registers);  // from the last to the first, as Return does
    write(op, at, operands, extra);
  }

  // Handlers put the error into a register: the first thing their code does is to store it.
  void collect_handlers() {
    for (Handler& handler : code_.handlers) {
      if (!is_far(handler.reg)) continue;
      arrives_far(handler.target, handler.reg);
      handler.reg = scratch_;
    }
  }

  // Likewise clean-up code and where it goes back to.
  void collect_clean_up_code() {
    for (uint32_t at = 0; at < code_.words.size(); at += length(row(op_of(code_.words[at])).format)) {
      if (op_of(code_.words[at]) != Op::Gosub) continue;
      uint32_t reg = operands_at(code_, wide_, at).a;
      if (is_far(reg)) arrives_far(at + length(Format::AJump) + code_.words[at + 1], reg);
    }
  }

  void arrives_far(uint32_t target, uint32_t reg) {
    arriving_.emplace(target, reg);
    most_used_ = std::max(most_used_, scratch_ + 1);
  }

  void store_on_entry(uint32_t at) {
    auto found = arriving_.find(at);
    if (found != arriving_.end()) store({scratch_, found->second});
  }

  void clear(const WideOperands& operands) {
    // The last first, as Clear does it.
    uint32_t end = operands.a + operands.b;
    uint32_t first_far = std::max(operands.a, near_);
    if (end > first_far) clear_far(first_far, end);
    for (uint32_t reg = std::min(end, near_); reg > operands.a;) put(Op::LoadNil, --reg);
  }

  void clear_far(uint32_t first, uint32_t end) {
    while (end > first) {
      uint32_t count = std::min(end - first, 255u);
      end -= count;
      emit(Op::ClearFar, holder_, holder_, count, end - near_);
    }
  }

  void use_far_captures(Code& inner) {
    for (Capture& capture : inner.captures) {
      if (capture.from != Capture::From::Register || !is_far(capture.index)) continue;
      capture.from = Capture::From::Far;
      capture.index -= near_;
    }
  }

  // Which operand an access begins at: 0 for A, 1 for B, 2 for C.
  static int field_of(Access access) {
    switch (access) {
      case Access::B:
      case Access::BPlusC:
      case Access::BThroughC: return 1;
      case Access::C: return 2;
      default: return 0;
    }
  }

  // The arguments of a call, the parts of a literal: nobody's variables, so they are used up. A single register may
  // be a variable, whose value must survive an error.
  static bool is_run(Access access) {
    return access == Access::BPlusC || access == Access::APlusB || access == Access::AThroughB ||
           access == Access::BThroughC;
  }

  // Replaces far operands by near ones: loads what the instruction reads, notes what it writes. The first operand
  // comes last: above the arguments of a call nothing may lie.
  void bring_near(Op op, WideOperands& operands) {
    const Accesses& accesses = accesses_of(op);
    const WideOperands original = operands;
    uint32_t* fields[] = {&operands.a, &operands.b, &operands.c};
    for (int field : {2, 1, 0}) {
      uint32_t first = *fields[field];
      uint32_t count = extent(accesses, original, field, first);
      bool must_move = first + count > near_ || (field == 0 && is_call(accesses));
      if (count == 0 && is_register(accesses, field)) *fields[field] = 0;  // the first of none
      if (count == 0 || !must_move) continue;
      uint32_t at = room(count);
      *fields[field] = at;
      for (Access access : accesses.reads) {
        if (access == Access::Captures || field_of(access) != field) continue;
        RegisterRange range = registers_of(access, original);
        for (uint32_t reg = range.first; reg < range.first + range.count; ++reg) {
          load(at + (reg - first), reg, is_run(access) || op == Op::Steal);
        }
      }
      for (const Write& write : facts(op).writes) {
        if (field_of(write.access) != field) continue;
        RegisterRange range = registers_of(write.access, original);
        for (uint32_t reg = range.first; reg < range.first + range.count; ++reg) {
          (write.only_jumping ? jump_stores_ : stores_).push_back({at + (reg - first), reg});
        }
      }
    }
  }

  static bool is_register(const Accesses& accesses, int field) {
    auto at_field = [&](Access access) { return access != Access::Captures && field_of(access) == field; };
    return std::any_of(accesses.reads.begin(), accesses.reads.end(), at_field) ||
           std::any_of(accesses.writes.begin(), accesses.writes.end(), at_field);
  }

  // The registers of what is called begin at its arguments: these must lie above everything else.
  static bool is_call(const Accesses& accesses) {
    return std::any_of(accesses.reads.begin(), accesses.reads.end(),
                       [](Access access) { return access == Access::AThroughB || access == Access::APlusB; });
  }

  // How many registers from this operand on the instruction touches; 0 when it is a number.
  static uint32_t extent(const Accesses& accesses, const WideOperands& original, int field, uint32_t first) {
    uint32_t most = 0;
    for (const auto* list : {&accesses.reads, &accesses.writes}) {
      for (Access access : *list) {
        if (access == Access::Captures || field_of(access) != field) continue;
        RegisterRange range = registers_of(access, original);
        most = std::max(most, range.first + range.count - first);
      }
    }
    return most;
  }

  // A cell in a register is named by the extra word.
  uint32_t extra_word(Op op, uint32_t at) {
    Word word = code_.words[at];
    Format format = row(op).format;
    if (length(format) < 2) return 0;
    uint32_t extra = code_.words[at + 1];
    bool is_cell = op == Op::SetPath && a_of(word) == static_cast<uint32_t>(Place::Cell);
    if (!is_cell || !is_far(extra)) return extra;
    uint32_t near = room(1);
    load(near, extra, false);
    return near;
  }

  // ---- writing it ----

  void write(Op op, uint32_t at, const WideOperands& operands, uint32_t extra) {
    Format format = row(op).format;
    Flow flow = row(op).flow;
    // A copy of a generator would keep it from being closed in time.
    must_clear_ = clears_ && next_ > scratch_ && flow != Flow::End && flow != Flow::EndGosub;
    uint32_t after = at + length(format);
    switch (format) {
      case Format::sJ:
        jumps_.push_back({here(), after + static_cast<uint32_t>(sj_of(code_.words[at])), true});
        out_.push_back(static_cast<Word>(op));
        return;
      case Format::ABx:
        if (operands.b > 0xFFFF) emit(Op::Large, operands.a, static_cast<uint32_t>(op), 0, operands.b);
        else out_.push_back(static_cast<Word>(op) | operands.a << 8 | operands.b << 16);
        return settle();
      case Format::AsBx: out_.push_back(static_cast<Word>(op) | operands.a << 8 | operands.b << 16); return settle();
      case Format::AJump:
      case Format::ABCJump:
      case Format::AXJump:
        put(op, operands.a, operands.b, operands.c);
        if (format == Format::AXJump) out_.push_back(extra);
        return write_jump(op, after + static_cast<uint32_t>(code_.words[after - 1]));
      case Format::AB:
        if (operands.b > 0xFF) {  // a captured value far down the list
          emit(Op::Large, operands.a, static_cast<uint32_t>(op), 0, operands.b);
          return settle();
        }
        [[fallthrough]];
      default:
        put(op, operands.a, operands.b, operands.c);
        if (length(format) == 2) out_.push_back(extra);
        return settle();
    }
  }

  // After the instruction: what it has written goes where it belongs.
  void settle() {
    for (const Store& one : stores_) store(one);
    if (must_clear_) put(Op::Clear, scratch_, next_ - scratch_);
  }

  // The distance word of a jump, and what it has to do on the way. That stays at its place, where the same handlers
  // hold.
  void write_jump(Op op, uint32_t target) {
    bool is_plain = stores_.empty() && jump_stores_.empty() && !must_clear_;
    if (is_plain) {
      jumps_.push_back({here(), target, false});
      out_.push_back(0);
      return;
    }
    uint32_t distance = here();
    out_.push_back(0);
    uint32_t over = here();
    bool falls_through = row(op).flow != Flow::Always;
    if (falls_through) {
      settle();
      over = here();
    }
    out_.push_back(static_cast<Word>(Op::Jump));  // over the way of those that jump
    out_[distance] = here() - (distance + 1);
    for (const Store& one : jump_stores_) store(one);
    settle();
    jumps_.push_back({here(), target, true});
    out_.push_back(static_cast<Word>(Op::Jump));
    out_[over] |= (here() - (over + 1)) << 8;
  }

  void patch_jumps() {
    for (const Jump& jump : jumps_) {
      auto distance = static_cast<Word>(places_[jump.target] - (jump.word + 1));
      if (jump.is_short) out_[jump.word] |= distance << 8;
      else out_[jump.word] = distance;
    }
  }

  void move_tables() {
    for (Handler& handler : code_.handlers) {
      // The entry of a handler is the last word before it, wherever that instruction begins.
      bool is_entry = handler.end == handler.target && handler.start + 1 == handler.end;
      handler.start = is_entry ? places_[handler.end] - 1 : places_[handler.start];
      handler.end = places_[handler.end];
      handler.target = places_[handler.target];
      if (handler.cleanup_end > 0) handler.cleanup_end = places_[handler.cleanup_end];
    }
    for (ArmTable& table : code_.arm_tables) {
      for (uint32_t& target : table.targets) target = places_[target];
    }
    for (LineEntry& line : code_.lines) line.word = places_[line.word];
  }

  Code& code_;
  const WideMap& wide_;
  const bool clears_;  // copies are let go of at once
  const uint32_t near_;
  const uint32_t holder_;   // the register that holds the far ones
  const uint32_t scratch_;  // the first for copies
  uint32_t next_ = 0;
  uint32_t most_used_ = 0;
  bool must_clear_ = false;      // the copies, behind the instruction
  std::optional<Store> direct_;  // what the next Return takes from where it was made
  std::vector<Word> out_;
  std::vector<uint32_t> places_;  // the new place of each old one
  // Errors and places to go back to, by where they arrive: the far register that they belong in.
  std::unordered_map<uint32_t, uint32_t> arriving_;
  std::vector<Store> stores_;       // after the instruction
  std::vector<Store> jump_stores_;  // and where it jumps
  std::vector<Jump> jumps_;
};

}  // namespace

void use_far_registers(Code& code, const WideMap& wide, uint32_t near, bool clears_scopes) {
  FarRegisters(code, wide, near, clears_scopes).run();
}

}  // namespace harn::compile
