#pragma once

#include <expected>
#include <string>
#include <vector>

#include "llm/resolve.h"

// Which models a call may go to, and in which order. Pure, as resolve.h.
namespace harn::llm {

struct RoutePolicy {
  enum class Mode : uint8_t { Manual, Always, Cheapest, Fastest };
  Mode mode = Mode::Manual;
  std::string target;  // Always: a selector; Cheapest, Fastest: the least tier
};
// "manual", "always(id)", "cheapest_over_quality(mid)", "fastest_over_quality(mid)"; or why it is none.
std::expected<RoutePolicy, std::string> route_policy_of(std::string_view text);

struct RouteAsk {
  Asked asked;
  RoutePolicy policy;
  std::vector<std::string> fallback_chain;  // providers
  std::vector<std::string> prefer;          // selectors
  std::string strategy;                     // prefer_order, cheapest_first, fastest_first; empty: none was given
  std::string quality;                      // the least tier where the strategy decides; empty: mid
};

struct Candidate {
  Choice choice;
  std::string tier;
  std::optional<Price> price;
  std::optional<int64_t> latency_ms;
  bool is_available = false;
  std::string note;  // why it is not among those that are tried
};

struct Route {
  std::string policy;         // as it was decided: "manual", "cheapest_over_quality(mid)", "prefer(cheapest_first)"
  std::vector<Choice> tries;  // in this order, at least one
  std::vector<Candidate> considered;
};

std::expected<Route, std::string> route(const Catalog& catalog, const Variables& variables, const RouteAsk& ask);

}  // namespace harn::llm
