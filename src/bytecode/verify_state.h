#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bytecode/op_facts.h"

// Inside src/bytecode only: what the verifier knows about registers at one place (verify_contents.cpp), and what holds
// where two ways meet. All of it lives as long as the check of one function.
namespace harn::bytecode {

// What a slot holds: a Holds, or from kFirstAddress on the place where clean-up code number n goes back to. Two of those
// are two different things.
using Content = uint16_t;
constexpr Content kFirstAddress = 64;
constexpr size_t kMostBodies = UINT16_MAX - kFirstAddress;

constexpr Content content(Holds holds) { return static_cast<Content>(holds); }

constexpr Content kNothing = content(Holds::Nothing);

inline bool is_value(Content one) {
  return one == content(Holds::Value) || (one >= content(Holds::Int) && one <= content(Holds::Enum));
}

inline Content both(Content a, Content b) {
  if (a == b) return a;
  if (is_value(a) && is_value(b)) {
    auto is_pair = [&](Holds narrow, Holds wide) {
      return std::min(a, b) == content(narrow) && std::max(a, b) == content(wide);
    };
    if (is_pair(Holds::List, Holds::Items)) return content(Holds::Items);
    if (is_pair(Holds::Dict, Holds::Record)) return content(Holds::Record);
    return content(Holds::Value);
  }
  auto may_be_unset = [](Content one) { return is_value(one) || one == content(Holds::Unset); };
  if (may_be_unset(a) && may_be_unset(b)) return content(Holds::Unset);
  return kNothing;
}

inline bool fits(Content one, Holds wanted) {
  switch (wanted) {
    case Holds::Whatever: return true;
    case Holds::Anything: return one != kNothing && one != content(Holds::Given);
    case Holds::Value: return is_value(one);
    case Holds::Unset: return is_value(one) || one == content(Holds::Unset);
    case Holds::Items: return one == content(Holds::Items) || one == content(Holds::List);
    case Holds::Record: return one == content(Holds::Record) || one == content(Holds::Dict);
    case Holds::Address: return one >= kFirstAddress;
    default: return one == content(wanted);
  }
}

// Pieces of states, each there once: where two states agree they share them. A function of many thousand variables has
// as many places, and most of what is known at one of them is known at the next.
class Pieces {
 public:
  static constexpr size_t kSize = 64;
  using Piece = std::array<Content, kSize>;

  uint32_t number_of(const Piece& piece) {
    std::string_view bytes(reinterpret_cast<const char*>(piece.data()), sizeof piece);
    auto found = numbers_.find(bytes);
    if (found != numbers_.end()) return found->second;
    pieces_.push_back(piece);
    bytes = {reinterpret_cast<const char*>(pieces_.back().data()), sizeof piece};
    return numbers_.emplace(bytes, static_cast<uint32_t>(pieces_.size() - 1)).first->second;
  }
  const Piece& operator[](uint32_t number) const { return pieces_[number]; }

  // What holds of both.
  uint32_t joined(uint32_t a, uint32_t b) {
    if (a == b) return a;
    Piece piece = pieces_[a];
    for (size_t i = 0; i < kSize; ++i) piece[i] = both(piece[i], pieces_[b][i]);
    return number_of(piece);
  }

 private:
  std::deque<Piece> pieces_;  // which stay where they are
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

// By pieces. Empty: nothing leads there yet.
using State = std::vector<uint32_t>;

// Joins into `to`; whether that changed it.
inline bool join(State& to, const State& from, Pieces& pieces) {
  if (to.empty()) {
    to = from;
    return true;
  }
  bool changed = false;
  for (size_t i = 0; i < to.size(); ++i) {
    uint32_t joined = pieces.joined(to[i], from[i]);
    changed |= joined != to[i];
    to[i] = joined;
  }
  return changed;
}

// The state that is being worked out, slot by slot.
class Now {
 public:
  explicit Now(Pieces& pieces) : pieces_(pieces) {}

  Content operator[](size_t slot) const { return contents_[slot]; }
  void set(size_t slot, Content one) {
    contents_[slot] = one;
    is_changed_[slot / Pieces::kSize] = true;
  }
  void load(const State& state) {
    contents_.resize(state.size() * Pieces::kSize);
    state_.resize(state.size(), UINT32_MAX);
    is_changed_.resize(state.size(), true);
    for (size_t i = 0; i < state.size(); ++i) {
      if (state_[i] == state[i] && !is_changed_[i]) continue;
      std::copy(pieces_[state[i]].begin(), pieces_[state[i]].end(), contents_.begin() + i * Pieces::kSize);
      is_changed_[i] = false;
    }
    state_ = state;
  }
  const State& state() {
    for (size_t i = 0; i < state_.size(); ++i) {
      if (!is_changed_[i]) continue;
      Pieces::Piece piece;
      std::copy_n(contents_.begin() + i * Pieces::kSize, Pieces::kSize, piece.begin());
      state_[i] = pieces_.number_of(piece);
      is_changed_[i] = false;
    }
    return state_;
  }

 private:
  Pieces& pieces_;
  State state_;
  std::vector<Content> contents_;
  std::vector<bool> is_changed_;  // since it got its number
};

}  // namespace harn::bytecode
