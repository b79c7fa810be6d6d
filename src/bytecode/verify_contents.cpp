// What registers hold at every place of a function: is everything that is read there, and what the instruction takes it
// for?
//
// A forward data-flow analysis. A state says what each register holds; where ways meet, what holds on all of them. States
// are kept at places that something jumps to, and worked out again from there when they change; they only ever
// get less precise, so that ends soon. Three things besides jumps:
//
//   Handlers   begin with what holds before and after everything in their range that can fail.
//   Clean-up   code goes on behind the Gosub that called it. Registers that it leaves alone hold what they held
//              there, the others what they hold at its end: a returned value waits in one that other callers never set.
//   Calls      use the registers from their arguments on for the callee: nothing above survives.
//
// Where two states agree they share their pieces, so that time and memory go with the size of the code also in functions
// of thousands of variables. Far registers are followed like the others, behind them in the state, and so is whether a generator has begun.
#include <algorithm>
#include <queue>
#include <utility>

#include "bytecode/verify_code.h"
#include "bytecode/verify_state.h"

namespace harn::bytecode {

namespace {

std::string_view words(Holds holds) {
  switch (holds) {
    case Holds::Nothing: return "nothing";
    case Holds::Given: return "nothing any more";
    case Holds::Value: return "a value";
    case Holds::Unset: return "what may be unset";
    case Holds::Int: return "an int";
    case Holds::List: return "a list";
    case Holds::Items: return "a list or range";
    case Holds::Dict: return "a dict";
    case Holds::Record: return "a dict or struct";
    case Holds::Enum: return "an enum";
    case Holds::Cell: return "a cell";
    case Holds::Error: return "an error";
    case Holds::Far: return "far registers";
    case Holds::Counter: return "a counter";
    case Holds::Limit: return "the end of a counter";
    case Holds::Source: return "what a loop goes over";
    case Holds::Position: return "the position of a loop";
    case Holds::Permits: return "a number of permits";
    case Holds::Address: return "a place to go back to";
    case Holds::Anything: return "anything";
    case Holds::Whatever:
    case Holds::Copy:
    case Holds::Same: break;
  }
  return "whatever";
}
std::string_view words(Content one) { return words(one >= kFirstAddress ? Holds::Address : static_cast<Holds>(one)); }

// The last slot: whether the registers are a generator's by now.
constexpr Content kNotBegun = content(Holds::Int);
constexpr Content kBegun = content(Holds::Error);

class Contents {
 public:
  Contents(const Code& code, const Instructions& instructions, const Regions& regions, const KnownCode& known,
           Findings& findings)
      : code_(code),
        instructions_(instructions),
        all_(instructions.all()),
        regions_(regions),
        known_(known),
        findings_(findings) {
    slots_ = size_t{code.registers} + instructions.far_count() + 1;
  }

  bool run() {
    if (regions_.bodies().size() > kMostBodies)
      return findings_.report(Wrong::CleanUp, 0, "more than {} pieces of clean-up code", kMostBodies);
    find_leaders();
    find_changed();
    failed_.resize(code_.handlers.size());
    ends_.resize(regions_.bodies().size());
    start();
    while (!open_.empty()) {
      uint32_t number = open_.top();
      open_.pop();
      is_open_[leader_of_[number]] = false;
      if (!follow(number)) return false;
    }
    return true;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  size_t mode_slot() const { return slots_ - 1; }
  size_t far_slot(uint32_t far) const { return size_t{code_.registers} + far; }

  // ---- places ----

  void add_leader(uint32_t number) {
    if (number >= all_.size() || leader_of_[number] != kNone) return;
    leader_of_[number] = 0;
  }

  void find_leaders() {
    leader_of_.assign(all_.size(), kNone);
    add_leader(0);
    for (uint32_t number = 0; number < all_.size(); ++number) {
      const Decoded& one = all_[number];
      switch (row(one.op).flow) {
        case Flow::Gosub: add_leader(number + 1); [[fallthrough]];
        case Flow::Branch:
        case Flow::Loop:
        case Flow::Always:
        case Flow::Jump:
        case Flow::Generator: add_leader(instructions_.number_at(one.target)); break;
        case Flow::Arms:
          for (uint32_t target : code_.arm_tables[one.x].targets) add_leader(instructions_.number_at(target));
          break;
        case Flow::Next:
        case Flow::End:
        case Flow::EndGosub: break;
      }
      if (number > 0 && regions_.handler_of(number) != regions_.handler_of(number - 1)) add_leader(number);
    }
    for (const Handler& handler : code_.handlers) add_leader(instructions_.number_at(handler.target));
    uint32_t count = 0;
    for (uint32_t& leader : leader_of_) {
      if (leader != kNone) leader = count++;
    }
    states_.resize(count);
    is_open_.assign(count, false);
  }

  void start() {
    Pieces::Piece nothing{};
    static_assert(kNothing == 0);
    now_.load(State((slots_ + Pieces::kSize - 1) / Pieces::kSize, pieces_.number_of(nothing)));
    for (uint32_t i = 0; i < code_.param_count; ++i) {
      now_.set(i, content(i < code_.required_params ? Holds::Value : Holds::Unset));
    }
    if (code_.has_rest) now_.set(code_.param_count, content(Holds::Value));
    now_.set(mode_slot(), kNotBegun);
    enter(0, now_.state());
  }

  void enter(uint32_t number, const State& state) {
    uint32_t leader = leader_of_[number];
    if (!join(states_[leader], state, pieces_) || is_open_[leader]) return;
    is_open_[leader] = true;
    open_.push(number);
  }
  void enter_word(uint32_t word, const State& state) { enter(instructions_.number_at(word), state); }

  // ---- what clean-up code changes ----

  // Calls `visit` for the slots that an instruction may change.
  template <class Visit>
  void each_changed(const Decoded& one, Visit visit) const {
    const OpFacts& known = facts(one.op);
    auto range = [&](Access access) {
      RegisterRange registers = registers_of(access, one.operands);
      for (uint32_t i = 0; i < registers.count; ++i) visit(registers.first + i);
    };
    for (const Read& read : known.reads) {
      if (read.taken != Taken::No) range(read.access);
    }
    for (const Write& write : known.writes) range(write.access);
    if (known.is_call) {
      for (uint32_t i = one.operands.a; i < code_.registers; ++i) visit(i);
    }
    if (one.op == Op::RethrowStop) visit(one.operands.a);
    if (one.op == Op::TakeFar || one.op == Op::SetFar) visit(static_cast<uint32_t>(far_slot(one.x)));
    if (one.op != Op::ClearFar) return;
    for (uint32_t i = 0; i < one.operands.c; ++i) visit(static_cast<uint32_t>(far_slot(one.x + i)));
  }

  // Whether an instruction of clean-up code may be followed by the end of that code. What comes before a `break` out of
  // it changes nothing for those who called it.
  void find_ends() {
    reaches_end_.assign(all_.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto number = static_cast<uint32_t>(all_.size()); number-- > 0;) {
        if (reaches_end_[number] || regions_.body_around(number) == kNone || !leads_to_end(number)) continue;
        changed = reaches_end_[number] = true;
      }
    }
  }

  bool leads_to_end(uint32_t number) const {
    const Decoded& one = all_[number];
    uint32_t body = regions_.body_around(number);
    auto leads = [&](uint32_t to) { return regions_.body_around(to) == body && reaches_end_[to]; };
    auto target = [&](uint32_t word) { return leads(instructions_.number_at(word)); };
    for (uint32_t handler = regions_.handler_of(number); handler != kNone; handler = regions_.outer_handler(handler)) {
      if (target(code_.handlers[handler].target)) return true;
    }
    switch (row(one.op).flow) {
      case Flow::EndGosub: return true;
      case Flow::End: return false;
      case Flow::Next:
      case Flow::Gosub: return leads(number + 1);
      case Flow::Branch:
      case Flow::Loop:
      case Flow::Generator: return leads(number + 1) || target(one.target);
      case Flow::Always:
      case Flow::Jump: return target(one.target);
      case Flow::Arms: {
        const auto& arms = code_.arm_tables[one.x].targets;
        return leads(number + 1) || std::any_of(arms.begin(), arms.end(), target);
      }
    }
    return true;
  }

  void find_changed() {
    const auto& bodies = regions_.bodies();
    changed_.assign(bodies.size(), {});
    if (bodies.empty()) return;
    find_ends();
    for (auto& set : changed_) set.assign(slots_, false);
    std::vector<std::vector<uint32_t>> calls(bodies.size());
    for (uint32_t number = 0; number < all_.size(); ++number) {
      if (!reaches_end_[number]) continue;
      uint32_t body = regions_.body_around(number);
      each_changed(all_[number], [&](uint32_t slot) { changed_[body][slot] = true; });
      for (uint32_t handler = regions_.handler_of(number); handler != kNone;
           handler = regions_.outer_handler(handler)) {
        changed_[body][code_.handlers[handler].reg] = true;
      }
      if (all_[number].op == Op::Gosub) calls[body].push_back(regions_.body_of(number));
    }
    // What it calls counts too. No piece calls itself, so each is settled before those that call it.
    std::vector<bool> is_done(bodies.size(), false);
    for (uint32_t i = 0; i < bodies.size(); ++i) settle(i, calls, is_done);
  }

  void settle(uint32_t first, const std::vector<std::vector<uint32_t>>& calls, std::vector<bool>& is_done) {
    std::vector<std::pair<uint32_t, size_t>> open = {{first, 0}};
    while (!open.empty()) {
      auto [body, next] = open.back();
      if (is_done[body] || next == calls[body].size()) {
        is_done[body] = true;
        open.pop_back();
        if (open.empty()) continue;
        auto& outer = changed_[open.back().first];
        for (size_t i = 0; i < slots_; ++i) outer[i] = outer[i] || changed_[body][i];
        continue;
      }
      ++open.back().second;
      open.emplace_back(calls[body][next], 0);
    }
  }

  // Behind a Gosub, when its clean-up code ends.
  void come_back(uint32_t site, uint32_t body) {
    State state = sites_.at(site);
    for (size_t i = 0; i < state.size(); ++i) {
      Pieces::Piece piece = pieces_[state[i]];
      for (size_t j = 0; j < Pieces::kSize && i * Pieces::kSize + j < slots_; ++j) {
        if (changed_[body][i * Pieces::kSize + j]) piece[j] = pieces_[ends_[body][i]][j];
      }
      state[i] = pieces_.number_of(piece);
    }
    enter(site + 1, state);
  }

  // ---- handlers ----

  // The state before something that can fail. What the block has not changed since the last time is known already.
  void may_fail_here(uint32_t handler) {
    if (!has_joined_) {
      failed_changed_ |= join(failed_[handler], now_.state(), pieces_);
      failed_now_.load(failed_[handler]);
      has_joined_ = true;
    } else {
      for (uint32_t slot : changed_now_) fail_with(slot, now_[slot]);
    }
    changed_now_.clear();
  }

  void fail_with(uint32_t slot, Content one) {
    Content joined = both(failed_now_[slot], one);
    if (joined == failed_now_[slot]) return;
    failed_now_.set(slot, joined);
    failed_changed_ = true;
  }

  // At the end of a block: hands on what its handler has learned.
  void enter_handlers(uint32_t handler) {
    if (!std::exchange(failed_changed_, false)) return;
    failed_[handler] = failed_now_.state();
    for (; handler != kNone; handler = regions_.outer_handler(handler)) {
      const Handler& row = code_.handlers[handler];
      State state = failed_[handler];
      uint32_t& piece = state[row.reg / Pieces::kSize];
      Pieces::Piece with_error = pieces_[piece];
      with_error[row.reg % Pieces::kSize] = content(Holds::Error);
      piece = pieces_.number_of(with_error);
      enter_word(row.target, state);
      uint32_t outer = regions_.outer_handler(handler);
      if (outer == kNone || !join(failed_[outer], failed_[handler], pieces_)) return;
    }
  }

  // ---- one way through the code ----

  bool follow(uint32_t first) {
    now_.load(states_[leader_of_[first]]);
    has_joined_ = false;
    changed_now_.clear();
    copies_.clear();
    uint32_t handler = regions_.handler_of(first);
    bool sound = true;
    for (uint32_t number = first;; ++number) {
      if (number != first && leader_of_[number] != kNone) {
        enter(number, now_.state());
        break;
      }
      bool goes_on = false;
      sound = step(number, handler, goes_on);
      if (!sound || !goes_on) break;
    }
    enter_handlers(handler);
    return sound;
  }

  bool step(uint32_t number, uint32_t handler, bool& goes_on) {
    const Decoded& one = all_[number];
    if (!check_reads(one)) return false;
    Fails fails = row(one.op).fails;
    bool may_fail = handler != kNone && (fails == Fails::May || (fails == Fails::Back && one.target < one.next));
    if (may_fail) may_fail_here(handler);
    if (may_fail) fail_midway(one);
    goes_on = leave(number, one);
    if (may_fail) {
      for (uint32_t slot : changed_now_) {
        if (!keeps_on_failure(one, slot)) fail_with(slot, now_[slot]);
      }
    }
    return true;
  }

  bool check_reads(const Decoded& one) {
    for (const Read& read : facts(one.op).reads) {
      if (read.access == Access::Captures) {
        if (!check_captures(one)) return false;
        continue;
      }
      RegisterRange range = registers_of(read.access, one.operands);
      for (uint32_t reg = range.first; reg < range.first + range.count; ++reg) {
        if (!check_slot(one, reg, read.wants)) return false;
      }
    }
    switch (one.op) {
      case Op::SetPath: return static_cast<Place>(one.operands.a) != Place::Cell || check_slot(one, one.x, Holds::Cell);
      case Op::Yield: return check_mode(one, kBegun);
      case Op::BeginGenerator: return check_mode(one, kNotBegun);
      case Op::EndGosub: return check_address(one);
      default: return true;
    }
  }

  bool check_slot(const Decoded& one, size_t slot, Holds wanted) {
    if (fits(now_[slot], wanted)) return true;
    bool is_far = slot >= code_.registers;
    return findings_.report(Wrong::Content, one.at, "{} reads {}register {}, which holds {}, and not {}",
                            row(one.op).name, is_far ? "far " : "", is_far ? slot - code_.registers : slot,
                            words(now_[slot]), words(wanted));
  }

  bool check_mode(const Decoded& one, Content wanted) {
    if (now_[mode_slot()] == wanted) return true;
    return findings_.report(Wrong::Content, one.at, "{} before or after its generator", row(one.op).name);
  }

  bool check_address(const Decoded& one) {
    uint32_t body = regions_.body_of(instructions_.number_at(one.at));
    if (now_[one.operands.a] == kFirstAddress + body) return true;
    return findings_.report(Wrong::CleanUp, one.at, "clean-up code goes back to where others were called from");
  }

  bool check_captures(const Decoded& one) {
    const Code& inner = *code_.functions[one.operands.b];
    auto uses = known_.captures.find(&inner);
    for (size_t i = 0; i < inner.captures.size(); ++i) {
      const Capture& capture = inner.captures[i];
      bool is_far = capture.from == Capture::From::Far;
      if (!is_far && capture.from != Capture::From::Register) continue;
      if (is_far && !check_slot(one, code_.far_register, Holds::Far)) return false;
      size_t slot = is_far ? far_slot(capture.index) : capture.index;
      CaptureUse use = uses == known_.captures.end() ? CaptureUse::None : uses->second[i];
      if (use == CaptureUse::AsCell && !check_slot(one, slot, Holds::Cell)) return false;
      if (use == CaptureUse::AsValue && !check_slot(one, slot, Holds::Unset)) return false;
      if (use == CaptureUse::None && !check_slot(one, slot, Holds::Anything)) return false;
    }
    return true;
  }

  // ---- what an instruction changes ----

  void set(size_t slot, Content one) {
    if (!copies_.empty())
      std::erase_if(copies_, [&](const Copied& copy) { return copy.of == slot || copy.in == slot; });
    if (now_[slot] == one) return;
    now_.set(slot, one);
    changed_now_.push_back(static_cast<uint32_t>(slot));
  }
  void set(size_t slot, Holds holds) { set(slot, content(holds)); }

  // Operands that are gone even when it fails, wherever it would have gone on.
  void fail_midway(const Decoded& one) {
    for (const Read& read : facts(one.op).reads) {
      if (read.taken != Taken::Always) continue;
      RegisterRange range = registers_of(read.access, one.operands);
      for (uint32_t i = 0; i < range.count; ++i) fail_with(range.first + i, content(Holds::Given));
    }
  }

  bool keeps_on_failure(const Decoded& one, uint32_t slot) const {
    for (const Read& read : facts(one.op).reads) {
      if (read.taken != Taken::IfItWorks && read.taken != Taken::IfItWorksAndC) continue;
      RegisterRange range = registers_of(read.access, one.operands);
      if (slot >= range.first && slot < range.first + range.count && now_[slot] == content(Holds::Given)) return true;
    }
    return false;
  }

  void take_operands(const Decoded& one, bool jumping) {
    for (const Read& read : facts(one.op).reads) {
      if (read.taken == Taken::No || read.only_jumping != jumping) continue;
      if (read.taken == Taken::IfItWorksAndC && one.operands.c == 0) continue;
      RegisterRange range = registers_of(read.access, one.operands);
      for (uint32_t i = 0; i < range.count; ++i) set(range.first + i, Holds::Given);
    }
  }

  void write_results(const Decoded& one, Content copied, bool jumping) {
    for (const Write& write : facts(one.op).writes) {
      if (write.only_jumping != jumping || write.gives == Holds::Same) continue;
      Content gives = write.gives == Holds::Copy ? copied : content(write.gives);
      if (write.gives == Holds::Address)
        gives = static_cast<Content>(kFirstAddress + regions_.body_of(instructions_.number_at(one.at)));
      RegisterRange range = registers_of(write.access, one.operands);
      for (uint32_t i = 0; i < range.count; ++i) set(range.first + i, gives);
    }
  }

  // On the way on and on the way of the jump alike.
  void apply(const Decoded& one) {
    Content copied = kNothing;
    switch (one.op) {
      case Op::Move:
      case Op::Steal:
      case Op::StealData: copied = now_[one.operands.b]; break;
      case Op::GetFar:
      case Op::TakeFar: copied = now_[far_slot(one.x)]; break;
      case Op::SetFar: set(far_slot(one.x), now_[one.operands.a]); break;
      case Op::ClearFar:
        for (uint32_t i = 0; i < one.operands.c; ++i) set(far_slot(one.x + i), Holds::Nothing);
        break;
      case Op::NewFar: move_arguments(one); break;
      case Op::RethrowStop:
        if (now_[one.operands.a] == content(Holds::Error)) set(one.operands.a, Holds::Given);
        break;
      default: break;
    }
    if (one.op == Op::TakeFar) set(far_slot(one.x), Holds::Given);
    take_operands(one, false);
    if (facts(one.op).is_call) {
      for (uint32_t reg = one.operands.a; reg < code_.registers; ++reg) set(reg, Holds::Nothing);
    }
    write_results(one, copied, false);
    if (one.op == Op::Move && one.operands.a != one.operands.b) copies_.push_back({one.operands.a, one.operands.b});
    if (one.op == Op::GetFar) copies_.push_back({one.operands.a, static_cast<uint32_t>(far_slot(one.x))});
  }

  // Those that lie behind the near registers.
  void move_arguments(const Decoded& one) {
    auto arguments = static_cast<uint32_t>(code_.param_names.size());
    for (uint32_t i = one.operands.a; i < arguments; ++i) {
      if (i - one.operands.a < instructions_.far_count()) set(far_slot(i - one.operands.a), now_[i]);
      set(i, Holds::Nothing);
    }
  }

  // What a test has shown of the register it looked at, and of the one that this is a copy of.
  void narrow(size_t slot, Holds shown) {
    size_t of = original(slot);
    for (size_t one : {slot, of}) {
      if (fits(now_[one], shown)) continue;
      now_.set(one, content(shown));
      changed_now_.push_back(static_cast<uint32_t>(one));
    }
  }

  size_t original(size_t slot) const {
    for (const Copied& copy : copies_) {
      if (copy.in == slot) return copy.of;
    }
    return slot;
  }

  void narrow_behind(const Decoded& one) {
    switch (one.op) {
      case Op::JumpIfNotVariant: return narrow(one.operands.a, Holds::Enum);
      case Op::JumpIfNotList: return narrow(one.operands.a, Holds::Items);
      case Op::JumpIfNoKeys: return narrow(one.operands.a, Holds::Record);
      case Op::DestructureCheck: return narrow(one.operands.a, one.operands.b ? Holds::Items : Holds::Record);
      default: return;
    }
  }

  // Enters the target with what holds only there.
  void jump(const Decoded& one) {
    size_t before = changed_now_.size();
    undo_.clear();
    auto remember = [&](Access access) {
      RegisterRange range = registers_of(access, one.operands);
      for (uint32_t i = 0; i < range.count; ++i) undo_.emplace_back(range.first + i, now_[range.first + i]);
    };
    for (const Read& read : facts(one.op).reads) {
      if (read.only_jumping) remember(read.access);
    }
    for (const Write& write : facts(one.op).writes) {
      if (write.only_jumping) remember(write.access);
    }
    if (one.op == Op::JumpIfSet) {
      for (size_t slot : {size_t{one.operands.a}, original(one.operands.a)}) {
        undo_.emplace_back(slot, now_[slot]);
        narrow(slot, Holds::Value);
      }
    }
    take_operands(one, true);
    write_results(one, kNothing, true);
    enter_word(one.target, now_.state());
    for (auto one = undo_.rbegin(); one != undo_.rend(); ++one) now_.set(one->first, one->second);
    changed_now_.resize(before);
  }

  // Applies the instruction and goes wherever it leads but to the next one; whether it goes on there.
  bool leave(uint32_t number, const Decoded& one) {
    switch (row(one.op).flow) {
      case Flow::Next:
        apply(one);
        narrow_behind(one);
        return true;
      case Flow::Branch:
      case Flow::Loop:
        apply(one);
        jump(one);
        narrow_behind(one);
        return true;
      case Flow::Always:
      case Flow::Jump:
        apply(one);
        jump(one);
        return false;
      case Flow::End: return false;
      case Flow::Arms: {
        size_t of = original(one.operands.a);
        Content before = now_[one.operands.a], before_of = now_[of];
        narrow(one.operands.a, Holds::Enum);
        for (uint32_t target : code_.arm_tables[one.x].targets) enter_word(target, now_.state());
        now_.set(one.operands.a, before);
        now_.set(of, before_of);
        return true;
      }
      case Flow::Gosub: {
        apply(one);
        uint32_t body = regions_.body_of(number);
        sites_[number] = now_.state();
        enter_word(one.target, now_.state());
        if (!ends_[body].empty()) come_back(number, body);
        return false;
      }
      case Flow::EndGosub: {
        uint32_t body = regions_.body_of(number);
        if (!join(ends_[body], now_.state(), pieces_)) return false;
        for (uint32_t site : regions_.bodies()[body].sites) {
          if (sites_.contains(site)) come_back(site, body);
        }
        return false;
      }
      case Flow::Generator: {
        now_.set(mode_slot(), kBegun);
        enter_word(one.target, now_.state());
        now_.set(mode_slot(), kNotBegun);
        for (size_t i = 0; i + 1 < slots_; ++i) set(i, Holds::Nothing);
        apply(one);
        return true;
      }
    }
    return false;
  }

  const Code& code_;
  const Instructions& instructions_;
  const std::vector<Decoded>& all_;
  const Regions& regions_;
  const KnownCode& known_;
  Findings& findings_;
  size_t slots_ = 0;
  Pieces pieces_;
  std::vector<uint32_t> leader_of_;  // by instruction: where its state is, or kNone
  std::vector<State> states_;
  std::vector<bool> is_open_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> open_;  // the first in the code first
  std::vector<State> failed_;                                                  // by handler
  std::vector<bool> reaches_end_;                                              // of clean-up code
  std::vector<std::vector<bool>> changed_;                                     // by clean-up code: which slots
  std::vector<State> ends_;                                                    // by clean-up code: at its EndGosub
  std::unordered_map<uint32_t, State> sites_;                                  // at Gosubs
  // While a block is followed:
  Now now_{pieces_};
  Now failed_now_{pieces_};            // of its handler
  std::vector<uint32_t> changed_now_;  // slots, since the handler was told last
  std::vector<std::pair<size_t, Content>> undo_;
  struct Copied {
    uint32_t in, of;
  };
  std::vector<Copied> copies_;  // slots that hold the same as another one
  bool has_joined_ = false;
  bool failed_changed_ = false;
};

}  // namespace

bool check_contents(const Code& code, const Instructions& instructions, const Regions& regions, const KnownCode& known,
                    Findings& findings) {
  return Contents(code, instructions, regions, known, findings).run();
}

}  // namespace harn::bytecode
