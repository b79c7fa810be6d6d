// Parts of a function that control enters and leaves in ways of their own: what handlers protect, and clean-up code.
#include <algorithm>

#include "bytecode/verify_code.h"

namespace harn::bytecode {

Regions::Regions(const Code& code, const Instructions& instructions, Findings& findings)
    : code_(code), instructions_(instructions), findings_(findings) {}

bool Regions::check() {
  return check_handlers() && nest_handlers() && collect_bodies() && nest_bodies() && check_entries() &&
         check_recursion();
}

// ---- handlers ----

bool Regions::check_handlers() {
  return std::all_of(code_.handlers.begin(), code_.handlers.end(),
                     [&](const Handler& handler) { return check_handler(handler); });
}

bool Regions::check_handler(const Handler& handler) {
  auto bad = [&](std::string_view what) {
    return findings_.report(Wrong::Handler, handler.target, "the handler of words {} to {} {}", handler.start,
                            handler.end, what);
  };
  auto is_end = [&](uint32_t word) { return word == code_.words.size() || instructions_.is_start(word); };
  if (handler.start >= handler.end || !is_end(handler.end)) return bad("has no range of instructions");
  // A handler that was just entered: the last word before it counts as the place where it is.
  bool is_entry = handler.end == handler.target && handler.start + 1 == handler.end;
  if (!is_entry && !instructions_.is_start(handler.start)) return bad("begins in the middle of an instruction");
  if (!instructions_.is_start(handler.target)) return bad("leads to no instruction");
  if (handler.reg >= code_.registers) return bad("puts the error into a register that does not exist");
  bool has_code = handler.cleanup_end == 0 || (is_end(handler.cleanup_end) && handler.cleanup_end > handler.target);
  if (!has_code) return bad("has clean-up code that ends before it begins");
  if (handler.target >= handler.end) return true;
  // Its own first instructions may be protected by itself, if they cannot fail of themselves: it would go round for ever.
  for (uint32_t number = instructions_.number_at(handler.start);
       number < instructions_.all().size() && instructions_.all()[number].at < handler.end; ++number) {
    if (row(instructions_.all()[number].op).fails != Fails::Never) return bad("leads back into it");
  }
  return true;
}

// Ranges lie inside each other or apart, the inner ones before the outer ones in the table. An instruction is where its
// last word is.
bool Regions::nest_handlers() {
  const auto& handlers = code_.handlers;
  innermost_.assign(instructions_.all().size(), kNone);
  outer_.assign(handlers.size(), kNone);
  std::vector<uint32_t> order(handlers.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (handlers[a].start != handlers[b].start) return handlers[a].start < handlers[b].start;
    if (handlers[a].end != handlers[b].end) return handlers[a].end > handlers[b].end;
    return a > b;
  });
  std::vector<uint32_t> open;
  size_t next = 0;
  for (uint32_t number = 0; number < innermost_.size(); ++number) {
    uint32_t at = instructions_.all()[number].next - 1;
    for (; next < order.size() && handlers[order[next]].start <= at; ++next) {
      const Handler& handler = handlers[order[next]];
      while (!open.empty() && handlers[open.back()].end <= handler.start) open.pop_back();
      if (!open.empty() && (handlers[open.back()].end < handler.end || open.back() < order[next]))
        return findings_.report(Wrong::Handler, handler.start, "two handlers overlap, or are in the wrong order");
      outer_[order[next]] = open.empty() ? kNone : open.back();
      open.push_back(order[next]);
    }
    while (!open.empty() && handlers[open.back()].end <= at) open.pop_back();
    if (!open.empty()) innermost_[number] = open.back();
  }
  return true;
}

// ---- clean-up code ----

bool Regions::collect_bodies() {
  const auto& all = instructions_.all();
  std::unordered_map<uint32_t, uint32_t> by_first;
  for (uint32_t number = 0; number < all.size(); ++number) {
    if (all[number].op != Op::Gosub && all[number].op != Op::EndGosub) continue;
    if (body_of_.empty()) {
      body_of_.assign(all.size(), kNone);
      around_.assign(all.size(), kNone);
    }
    if (all[number].op == Op::EndGosub) continue;
    uint32_t first = instructions_.number_at(all[number].target);
    auto [found, is_new] = by_first.try_emplace(first, static_cast<uint32_t>(bodies_.size()));
    if (is_new) bodies_.push_back({first, kNone, kNone, {}, {}});
    bodies_[found->second].sites.push_back(number);
    body_of_[number] = found->second;
  }
  return true;
}

bool Regions::nest_bodies() {
  if (body_of_.empty()) return true;
  const auto& all = instructions_.all();
  std::vector<uint32_t> by_place(bodies_.size());
  for (uint32_t i = 0; i < by_place.size(); ++i) by_place[i] = i;
  std::sort(by_place.begin(), by_place.end(),
            [&](uint32_t a, uint32_t b) { return bodies_[a].first < bodies_[b].first; });
  std::vector<uint32_t> open;
  size_t next = 0;
  for (uint32_t number = 0; number < all.size(); ++number) {
    if (next < by_place.size() && bodies_[by_place[next]].first == number) {
      bodies_[by_place[next]].parent = open.empty() ? kNone : open.back();
      open.push_back(by_place[next++]);
    }
    if (!open.empty()) around_[number] = open.back();
    if (all[number].op == Op::Gosub && !open.empty()) bodies_[open.back()].calls.push_back(body_of_[number]);
    if (all[number].op != Op::EndGosub) continue;
    if (open.empty()) return findings_.report(Wrong::CleanUp, all[number].at, "EndGosub outside of clean-up code");
    bodies_[open.back()].last = number;
    body_of_[number] = open.back();
    open.pop_back();
  }
  if (open.empty()) return true;
  return findings_.report(Wrong::CleanUp, all[bodies_[open.back()].first].at, "clean-up code without an end");
}

// Nothing but Gosub leads into clean-up code.
bool Regions::check_entry(uint32_t from, uint32_t to) {
  uint32_t body = around_[to];
  if (body == kNone || (from >= bodies_[body].first && from <= bodies_[body].last)) return true;
  return findings_.report(Wrong::CleanUp, instructions_.all()[from].at, "clean-up code is entered without Gosub");
}

bool Regions::check_entries() {
  if (bodies_.empty()) return true;
  const auto& all = instructions_.all();
  for (uint32_t number = 0; number < all.size(); ++number) {
    const Decoded& one = all[number];
    switch (row(one.op).flow) {
      case Flow::Gosub: {
        const Body& body = bodies_[body_of_[number]];
        if (body.parent != kNone && !check_entry(number, bodies_[body.parent].first)) return false;
        if (!check_entry(number, number + 1)) return false;
        break;
      }
      case Flow::Arms:
        for (uint32_t target : code_.arm_tables[one.x].targets) {
          if (!check_entry(number, instructions_.number_at(target))) return false;
        }
        [[fallthrough]];
      case Flow::Next:
        if (!check_entry(number, number + 1)) return false;
        break;
      case Flow::Branch:
      case Flow::Loop:
      case Flow::Generator:
        if (!check_entry(number, number + 1)) return false;
        [[fallthrough]];
      case Flow::Always:
      case Flow::Jump:
        if (!check_entry(number, instructions_.number_at(one.target))) return false;
        break;
      case Flow::End:
      case Flow::EndGosub: break;
    }
    uint32_t handler = innermost_[number];
    bool is_first = number == 0 || innermost_[number - 1] != handler;
    bool is_last = number + 1 == all.size() || innermost_[number + 1] != handler;
    if (handler == kNone || (!is_first && !is_last)) continue;
    for (; handler != kNone; handler = outer_[handler]) {
      if (!check_entry(number, instructions_.number_at(code_.handlers[handler].target))) return false;
    }
  }
  return true;
}

// Clean-up code that calls itself, by whatever way, would lose where it was called from.
bool Regions::check_recursion() {
  for (uint32_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].parent != kNone) bodies_[bodies_[i].parent].calls.push_back(i);
  }
  enum class Seen : uint8_t { No, Open, Done };
  std::vector<Seen> seen(bodies_.size(), Seen::No);
  std::vector<std::pair<uint32_t, size_t>> open;
  for (uint32_t start = 0; start < bodies_.size(); ++start) {
    if (seen[start] != Seen::No) continue;
    open.emplace_back(start, 0);
    seen[start] = Seen::Open;
    while (!open.empty()) {
      auto& [body, next] = open.back();
      if (next == bodies_[body].calls.size()) {
        seen[body] = Seen::Done;
        open.pop_back();
        continue;
      }
      uint32_t called = bodies_[body].calls[next++];
      if (seen[called] == Seen::Open)
        return findings_.report(Wrong::CleanUp, instructions_.all()[bodies_[called].first].at,
                                "clean-up code calls itself");
      if (seen[called] == Seen::Done) continue;
      seen[called] = Seen::Open;
      open.emplace_back(called, 0);
    }
  }
  return true;
}

}  // namespace harn::bytecode
