#include "bytecode/liveness.h"

#include <algorithm>
#include <map>

namespace harn::bytecode {

namespace {

constexpr uint32_t kMostRegisters = 256;
constexpr uint32_t kMostFields = 192;

bool is_jump(Format format) { return format == Format::AJump || format == Format::ABCJump || format == Format::AXJump; }

bool goes_on(Flow flow) {
  switch (flow) {
    case Flow::Next:
    case Flow::Branch:
    case Flow::Loop:
    case Flow::Arms:  // the arms are behind it, one after the other
    case Flow::Generator: return true;
    case Flow::Always:
    case Flow::Jump:
    case Flow::End:
    case Flow::Gosub:
    case Flow::EndGosub: return false;
  }
  return true;
}

void set_bit(uint64_t* set, uint32_t bit) { set[bit / 64] |= uint64_t{1} << (bit % 64); }
void clear_bit(uint64_t* set, uint32_t bit) { set[bit / 64] &= ~(uint64_t{1} << (bit % 64)); }
bool has_bit(const uint64_t* set, uint32_t bit) { return set[bit / 64] >> (bit % 64) & 1; }

}  // namespace

bool Liveness::may_fail(uint32_t number) const {
  Word word = code_.words[starts_[number]];
  Fails fails = row(op_of(word)).fails;
  return fails == Fails::May || (fails == Fails::Back && sj_of(word) < 0);
}

Liveness::Liveness(const Code& code, const WideMap& wide, Fields fields)
    : code_(code), wide_(wide), fields_apart_(fields) {
  registers_ = std::min(std::max(code.registers, 1u), kMostRegisters);
  decode();
  find_edges();
  number_fields();
  width_ = (registers_ + static_cast<uint32_t>(fields_.size()) + 63) / 64;
  find_handlers();
  find_clean_up_code();
  collect_touched();
  solve();
}

void Liveness::decode() {
  starting_at_.assign(code_.words.size() + 1, 0);
  ending_at_.assign(code_.words.size() + 1, 0);
  for (uint32_t at = 0; at < code_.words.size();) {
    auto number = static_cast<uint32_t>(starts_.size());
    starting_at_[at] = number;
    starts_.push_back(at);
    at += length(row(op_of(code_.words[at])).format);
    ending_at_[at] = number;
  }
}

// ---- fields ----

uint32_t Liveness::field_of(uint32_t reg, std::string_view name, uint32_t key, uint32_t number) const {
  if (reg >= registers_) return kNone;
  for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) {
    if (fields_[at].name == name && fields_[at].key == key && fields_[at].number == number) return at;
  }
  return kNone;
}

uint32_t Liveness::add_field(uint32_t reg, std::string_view name, uint32_t key, uint32_t number) {
  fields_.push_back({reg, name, key, number, first_field_[reg]});
  return first_field_[reg] = static_cast<uint32_t>(fields_.size() - 1);
}

// `x[i] = v`. Only those count: an item that is never written is never dead.
void Liveness::number_item(uint32_t reg, uint32_t key) {
  if (reg >= registers_ || key >= registers_ || reg == key || fields_.size() + 2 > kMostFields) return;
  if (field_of(reg, {}, key) == kNone) {
    next_item_.resize(fields_.size() + 1, kNone);
    next_item_[fields_.size()] = first_item_[key];
    first_item_[key] = add_field(reg, {}, key);
  }
  if (field_of(reg, {}) == kNone) add_field(reg, {});
}

// Instructions that control comes to from elsewhere.
std::vector<bool> Liveness::entered() const {
  std::vector<bool> out(starts_.size() + 1);
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    if (jump_[number] != kNone) out[jump_[number]] = true;
    // The arms of a match are named in its words.
    if (row(op_of(code_.words[starts_[number]])).flow == Flow::Arms) out[number + 1] = true;
  }
  for (const Handler& handler : code_.handlers) {
    if (handler.target < code_.words.size()) out[starting_at_[handler.target]] = true;
  }
  return out;
}

void Liveness::number_fields() {
  first_field_.assign(registers_, kNone);
  first_item_.assign(registers_, kNone);
  if (fields_apart_ == Fields::Whole) return;
  number_read_.assign(starts_.size(), kNone);
  std::vector<bool> entered = this->entered();
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    uint32_t at = starts_[number];
    Op op = op_of(code_.words[at]);
    WideOperands operands = operands_at(code_, wide_, at);
    if (op == Op::SetIndex) number_item(operands.a, operands.b);
    if (op == Op::GetIndex && number > 0 && !entered[number] && operands.b < registers_ &&
        fields_.size() < kMostFields) {
      uint32_t before = starts_[number - 1];
      Word load = code_.words[before];
      bool is_number =
          op_of(load) == Op::LoadInt && operands_at(code_, wide_, before).a == operands.c && sbx_of(load) >= 0;
      if (!is_number || operands.b == operands.c) continue;
      auto item = static_cast<uint32_t>(sbx_of(load));
      number_read_[number] = item;
      if (field_of(operands.b, {}, kNone, item) == kNone) add_field(operands.b, {}, kNone, item);
    }
    if (op != Op::GetField && op != Op::SetField) continue;
    uint32_t reg = op == Op::GetField ? operands.b : operands.a;
    std::string_view name = code_.caches[code_.words[at + 1]].name;
    if (reg >= registers_ || fields_.size() + 2 > kMostFields) continue;
    if (field_of(reg, name) == kNone) add_field(reg, name);
    if (op == Op::SetField && field_of(reg, {}) == kNone) add_field(reg, {});
  }
}

// ---- where control goes ----

void Liveness::find_edges() {
  next_.assign(starts_.size(), kNone);
  jump_.assign(starts_.size(), kNone);
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    uint32_t at = starts_[number];
    Word word = code_.words[at];
    Op op = op_of(word);
    Format format = row(op).format;
    uint32_t after = at + length(format);
    auto target = [&](uint32_t to) { return to < code_.words.size() ? starting_at_[to] : kNone; };
    if (goes_on(row(op).flow)) next_[number] = target(after);
    if (op == Op::Jump) jump_[number] = target(after + static_cast<uint32_t>(sj_of(word)));
    else if (is_jump(format)) jump_[number] = target(after + code_.words[after - 1]);
  }
}

// Ranges of handlers lie inside each other or apart.
void Liveness::find_handlers() {
  const auto& handlers = code_.handlers;
  innermost_.assign(starts_.size(), kNone);
  outer_.assign(handlers.size(), kNone);
  failed_.assign(handlers.size() * width_, 0);
  failed_stamp_.assign(handlers.size(), 0);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < handlers.size(); ++i) {
    if (handlers[i].start < handlers[i].end) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (handlers[a].start != handlers[b].start) return handlers[a].start < handlers[b].start;
    if (handlers[a].end != handlers[b].end) return handlers[a].end > handlers[b].end;
    return a > b;  // innermost first in the table
  });
  std::vector<uint32_t> open;
  size_t next = 0;
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    uint32_t at = starts_[number];
    while (!open.empty() && handlers[open.back()].end <= at) open.pop_back();
    for (; next < order.size() && handlers[order[next]].start <= at; ++next) {
      if (handlers[order[next]].end <= at) continue;
      outer_[order[next]] = open.empty() ? kNone : open.back();
      open.push_back(order[next]);
    }
    if (!open.empty()) innermost_[number] = open.back();
  }
}

// Clean-up code lies between the place that Gosub names and its EndGosub; other clean-up code may lie inside.
void Liveness::find_clean_up_code() {
  std::map<uint32_t, uint32_t> bodies;  // by the number of the first instruction
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    if (op_of(code_.words[starts_[number]]) != Op::Gosub) continue;
    auto [body, is_new] = bodies.try_emplace(jump_[number], static_cast<uint32_t>(returns_.size()));
    if (is_new) returns_.emplace_back();
    if (number + 1 < starts_.size()) returns_[body->second].push_back(number + 1);
  }
  if (bodies.empty()) return;
  body_of_.assign(starts_.size(), kNone);
  std::vector<uint32_t> open;
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    if (auto body = bodies.find(number); body != bodies.end()) open.push_back(body->second);
    if (op_of(code_.words[starts_[number]]) != Op::EndGosub || open.empty()) continue;
    body_of_[number] = open.back();
    open.pop_back();
  }
}

template <class Visit>
void Liveness::each_successor(uint32_t number, Visit visit) const {
  if (next_[number] != kNone) visit(next_[number]);
  if (jump_[number] != kNone) visit(jump_[number]);
  if (body_of_.empty() || body_of_[number] == kNone) return;
  for (uint32_t place : returns_[body_of_[number]]) visit(place);
}

// ---- what instructions touch ----

void Liveness::add_register(uint32_t reg, std::vector<uint32_t>& to) const {
  if (reg >= registers_) return;
  to.push_back(reg);
  for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) to.push_back(registers_ + at);
}

// All of it that is told apart, but not the register itself.
void Liveness::add_parts(uint32_t reg, std::vector<uint32_t>& to) const {
  for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) to.push_back(registers_ + at);
}

// `xs.last`, or the field of a name that is also the key of an item.
void Liveness::add_items(uint32_t reg, std::vector<uint32_t>& to) const {
  for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) {
    if (fields_[at].key != kNone) to.push_back(registers_ + at);
  }
}

// Items are known by the register with their key. Once that holds another key, anybody may read them.
void Liveness::add_renamed_items(const std::vector<Access>& writes, uint32_t at) {
  if (next_item_.empty()) return;
  WideOperands operands = operands_at(code_, wide_, at);
  for (Access access : writes) {
    RegisterRange range = registers_of(access, operands);
    for (uint32_t key = range.first; key < std::min(range.first + range.count, registers_); ++key) {
      for (uint32_t item = first_item_[key]; item != kNone; item = next_item_[item])
        touched_.push_back(registers_ + item);
    }
  }
}

// `x[0]`, where its number is known.
bool Liveness::collect_number(uint32_t at) {
  uint32_t number = number_read_.empty() ? kNone : number_read_[starting_at_[at]];
  if (number == kNone) return false;
  WideOperands operands = operands_at(code_, wide_, at);
  auto before = static_cast<uint32_t>(touched_.size());
  touched_.push_back(registers_ + field_of(operands.b, {}, kNone, number));
  add_items(operands.b, touched_);
  add_register(operands.c, touched_);
  add_renamed_items(accesses_of(Op::GetIndex).writes, at);
  reads_.push_back({before, static_cast<uint32_t>(touched_.size()) - before});
  before = static_cast<uint32_t>(touched_.size());
  add_register(operands.a, touched_);
  writes_.push_back({before, static_cast<uint32_t>(touched_.size()) - before});
  return true;
}

// An item that is read or written, of a register whose items are told apart.
bool Liveness::collect_item(uint32_t at) {
  Op op = op_of(code_.words[at]);
  if (next_item_.empty() || (op != Op::GetIndex && op != Op::SetIndex)) return false;
  WideOperands operands = operands_at(code_, wide_, at);
  bool gets = op == Op::GetIndex;
  uint32_t reg = gets ? operands.b : operands.a;
  uint32_t key = gets ? operands.c : operands.b;
  uint32_t item = field_of(reg, {}, key);
  if (reg >= registers_ || (gets ? field_of(reg, {}) == kNone : item == kNone)) return false;
  auto before = static_cast<uint32_t>(touched_.size());
  auto run = [&] { return Run{before, static_cast<uint32_t>(touched_.size()) - before}; };
  // Two keys may be the same one, so a read may be of any item.
  if (gets) add_parts(reg, touched_);
  else touched_.push_back(registers_ + field_of(reg, {}));
  add_register(key, touched_);
  if (!gets) add_register(operands.c, touched_);
  if (gets) add_renamed_items(accesses_of(op).writes, at);
  reads_.push_back(run());
  before = static_cast<uint32_t>(touched_.size());
  if (gets) add_register(operands.a, touched_);
  else touched_.push_back(registers_ + item);
  writes_.push_back(run());
  return true;
}

// `{...x, name: v}` does not read the fields that are written over it at once.
bool Liveness::collect_spread(uint32_t at) {
  if (fields_apart_ == Fields::Whole || op_of(code_.words[at]) != Op::DictSpread) return false;
  WideOperands operands = operands_at(code_, wide_, at);
  if (operands.b >= registers_) return false;
  std::vector<uint32_t> replaced;
  uint32_t next = at + length(row(Op::DictSpread).format);
  while (next < code_.words.size() && op_of(code_.words[next]) == Op::SetField &&
         operands_at(code_, wide_, next).a == operands.a) {
    replaced.push_back(field_of(operands.b, code_.caches[code_.words[next + 1]].name));
    next += length(row(Op::SetField).format);
  }
  auto before = static_cast<uint32_t>(touched_.size());
  add_register(operands.a, touched_);
  touched_.push_back(operands.b);
  for (uint32_t field = first_field_[operands.b]; field != kNone; field = fields_[field].next) {
    bool is_replaced = std::find(replaced.begin(), replaced.end(), field) != replaced.end();
    if (!is_replaced) touched_.push_back(registers_ + field);
  }
  add_renamed_items(accesses_of(Op::DictSpread).writes, at);
  reads_.push_back({before, static_cast<uint32_t>(touched_.size()) - before});
  before = static_cast<uint32_t>(touched_.size());
  add_register(operands.a, touched_);
  writes_.push_back({before, static_cast<uint32_t>(touched_.size()) - before});
  return true;
}

void Liveness::add_access(const std::vector<Access>& accesses, uint32_t at, std::vector<uint32_t>& to) {
  WideOperands operands = operands_at(code_, wide_, at);
  for (Access access : accesses) {
    RegisterRange range = registers_of(access, operands);
    for (uint32_t i = 0; i < range.count; ++i) add_register(range.first + i, to);
    if (access != Access::Captures) continue;
    for (const Capture& capture : code_.functions[operands.b]->captures) {
      if (capture.from == Capture::From::Register) add_register(capture.index, to);
    }
  }
  // A cell in a register is named by the index word.
  Word word = code_.words[at];
  if (&accesses == &accesses_of(Op::SetPath).reads && op_of(word) == Op::SetPath &&
      a_of(word) == static_cast<uint32_t>(Place::Cell)) {
    add_register(code_.words[at + 1], to);
  }
}

void Liveness::collect_touched() {
  auto run = [&](uint32_t before) { return Run{before, static_cast<uint32_t>(touched_.size()) - before}; };
  for (uint32_t at : starts_) {
    if (collect_number(at) || collect_item(at) || collect_spread(at)) continue;
    Op op = op_of(code_.words[at]);
    const Accesses& accesses = accesses_of(op);
    WideOperands operands = operands_at(code_, wide_, at);
    auto before = static_cast<uint32_t>(touched_.size());
    uint32_t reg = op == Op::GetField ? operands.b : operands.a;
    bool is_field = fields_apart_ == Fields::Apart && (op == Op::GetField || op == Op::SetField);
    uint32_t field = is_field ? field_of(reg, code_.caches[code_.words[at + 1]].name) : kNone;
    if (op == Op::SetField && field_of(reg, {}) == kNone) field = kNone;
    if (field == kNone) {
      add_access(accesses.reads, at, touched_);
      add_renamed_items(accesses.writes, at);
      reads_.push_back(run(before));
      before = static_cast<uint32_t>(touched_.size());
      add_access(accesses.writes, at, touched_);
      writes_.push_back(run(before));
      continue;
    }
    bool gets = op == Op::GetField;
    if (gets) {
      touched_.push_back(registers_ + field);
      add_items(reg, touched_);
    } else {
      touched_.push_back(registers_ + field_of(reg, {}));
      add_register(operands.b, touched_);
    }
    if (gets) add_renamed_items(accesses.writes, at);
    reads_.push_back(run(before));
    before = static_cast<uint32_t>(touched_.size());
    if (gets) add_register(operands.a, touched_);
    else touched_.push_back(registers_ + field);
    writes_.push_back(run(before));
  }
}

// ---- the analysis ----

void Liveness::after_failure(uint32_t handler) {
  std::vector<uint32_t> chain;
  for (; handler != kNone && failed_stamp_[handler] != sweep_; handler = outer_[handler]) chain.push_back(handler);
  while (!chain.empty()) {
    uint32_t one = chain.back();
    chain.pop_back();
    failed_stamp_[one] = sweep_;
    Bits* to = set_of(failed_, one);
    uint32_t target = code_.handlers[one].target;
    if (target < code_.words.size()) {
      const Bits* live = set_of(live_, starting_at_[target]);
      for (uint32_t i = 0; i < width_; ++i) to[i] |= live[i];
    }
    if (code_.handlers[one].reg < registers_) clear_bit(to, code_.handlers[one].reg);  // it gets the error
    if (outer_[one] == kNone) continue;
    const Bits* around = set_of(failed_, outer_[one]);
    for (uint32_t i = 0; i < width_; ++i) to[i] |= around[i];
  }
}

bool Liveness::visit(uint32_t number) {
  std::fill(scratch_.begin(), scratch_.end(), 0);
  Bits* live = scratch_.data();
  each_successor(number, [&](uint32_t next) {
    const Bits* from = set_of(live_, next);
    for (uint32_t i = 0; i < width_; ++i) live[i] |= from[i];
  });
  for (uint32_t i = 0; i < writes_[number].count; ++i) clear_bit(live, touched_[writes_[number].first + i]);
  for (uint32_t i = 0; i < reads_[number].count; ++i) set_bit(live, touched_[reads_[number].first + i]);
  uint32_t handler = innermost_[number];
  if (handler != kNone && may_fail(number)) {
    after_failure(handler);
    const Bits* failed = set_of(failed_, handler);
    for (uint32_t i = 0; i < width_; ++i) live[i] |= failed[i];
  }
  Bits* known = set_of(live_, number);
  bool changed = false;
  for (uint32_t i = 0; i < width_; ++i) {
    changed |= known[i] != live[i];
    known[i] = live[i];
  }
  return changed;
}

// Whether control only goes forward: then what comes after an instruction is known when it is come to, from the end.
bool Liveness::is_straight() const {
  if (!body_of_.empty()) return false;
  for (uint32_t number = 0; number < starts_.size(); ++number) {
    if (jump_[number] != kNone && jump_[number] <= number) return false;
  }
  return std::all_of(code_.handlers.begin(), code_.handlers.end(),
                     [](const Handler& handler) { return handler.target >= handler.end; });
}

void Liveness::solve() {
  live_.assign(starts_.size() * width_, 0);
  scratch_.assign(width_, 0);
  bool once = is_straight();
  bool changed = true;
  for (bool is_first = true; changed && (is_first || !once); is_first = false) {
    changed = false;
    ++sweep_;
    for (auto number = static_cast<uint32_t>(starts_.size()); number-- > 0;) {
      // Where clean-up code goes back to lies before it, what follows there behind it.
      if (!body_of_.empty() && body_of_[number] != kNone) {
        for (uint32_t place : returns_[body_of_[number]]) changed |= visit(place);
      }
      changed |= visit(number);
    }
  }
}

// ---- answers ----

bool Liveness::is_bit_live(uint32_t number, uint32_t bit, After after) const {
  bool live = false;
  each_successor(number, [&](uint32_t next) { live |= has_bit(set_of(live_, next), bit); });
  if (live || after == After::Worked || innermost_[number] == kNone) return live;
  return may_fail(number) && has_bit(set_of(failed_, innermost_[number]), bit);
}

bool Liveness::is_live(uint32_t number, uint32_t reg, After after) const {
  if (reg >= registers_) return true;
  if (is_bit_live(number, reg, after)) return true;
  for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) {
    if (is_bit_live(number, registers_ + at, after)) return true;
  }
  return false;
}

bool Liveness::is_live_before(uint32_t number, uint32_t reg) const {
  if (reg >= registers_ || number >= starts_.size()) return true;
  const Bits* live = set_of(live_, number);
  if (has_bit(live, reg)) return true;
  for (uint32_t at = first_field_[reg]; at != kNone; at = fields_[at].next) {
    if (has_bit(live, registers_ + at)) return true;
  }
  return false;
}

bool Liveness::is_read_by(uint32_t number, uint32_t reg) const {
  bool found = false;
  each_read(number, [&](uint32_t read) { found |= read == reg; });
  return found;
}

bool Liveness::is_field_dead(uint32_t number, uint32_t reg, std::string_view field, After after) const {
  if (reg >= registers_) return false;
  uint32_t at = field_of(reg, field);
  return !is_bit_live(number, at == kNone ? reg : registers_ + at, after);
}

}  // namespace harn::bytecode
