#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/source.h"

// Upper bounds, and why there is none.
namespace harn::audit {

// The loop or call that keeps a bound from being known.
struct Obstacle {
  SourcePtr source;
  Span span;
  std::string text;
};

// At most so much; or nobody knows, because of an obstacle.
class Bound {
 public:
  Bound() = default;
  Bound(double most) : most_(most) {}
  Bound(Obstacle obstacle) : obstacle_(std::move(obstacle)) {}

  bool is_known() const { return !obstacle_; }
  bool is_zero() const { return is_known() && most_ == 0; }
  double most() const { return most_; }
  const Obstacle& obstacle() const { return *obstacle_; }

  Bound operator+(const Bound& other) const {
    if (!is_known()) return *this;
    if (!other.is_known()) return other;
    return Bound(most_ + other.most_);
  }
  // As often as `times` says; nothing is nothing, however often.
  Bound operator*(const Bound& times) const {
    if (is_zero() || times.is_zero()) return Bound();
    if (!is_known()) return *this;
    if (!times.is_known()) return times;
    return Bound(most_ * times.most_);
  }
  static Bound larger(const Bound& a, const Bound& b) {
    if (!a.is_known()) return a;
    if (!b.is_known()) return b;
    return Bound(std::max(a.most_, b.most_));
  }
  // Two bounds on the same thing.
  static Bound tighter(const Bound& a, const Bound& b) {
    if (!a.is_known()) return b;
    if (!b.is_known()) return a;
    return Bound(std::min(a.most_, b.most_));
  }

 private:
  double most_ = 0;
  std::optional<Obstacle> obstacle_;
};

// What something may cost at most.
struct Cost {
  Bound model_calls, tool_calls, tokens, usd;

  bool is_zero() const { return model_calls.is_zero() && tool_calls.is_zero() && tokens.is_zero() && usd.is_zero(); }
  Cost operator+(const Cost& other) const {
    return {model_calls + other.model_calls, tool_calls + other.tool_calls, tokens + other.tokens, usd + other.usd};
  }
  Cost operator*(const Bound& times) const {
    return {model_calls * times, tool_calls * times, tokens * times, usd * times};
  }
  static Cost larger(const Cost& a, const Cost& b) {
    return {Bound::larger(a.model_calls, b.model_calls), Bound::larger(a.tool_calls, b.tool_calls),
            Bound::larger(a.tokens, b.tokens), Bound::larger(a.usd, b.usd)};
  }
  static Cost unknown(const Obstacle& obstacle) { return {obstacle, obstacle, obstacle, obstacle}; }
};

}  // namespace harn::audit
