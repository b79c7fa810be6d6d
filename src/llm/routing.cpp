#include "llm/routing.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"

namespace harn::llm {

namespace {

using Mode = RoutePolicy::Mode;

int rank_of(std::string_view tier) { return tier == "small" ? 0 : tier == "mid" ? 1 : tier == "frontier" ? 2 : -1; }

// For ordering only: questions are mostly longer than answers.
double weight_of(const Price& price) { return 3 * price.input + price.output; }

// Unknown comes last, whatever it might be.
bool is_cheaper(const Candidate& a, const Candidate& b) {
  if (!a.price || !b.price) return a.price.has_value() && !b.price;
  return weight_of(*a.price) < weight_of(*b.price);
}

bool is_faster(const Candidate& a, const Candidate& b) {
  if (!a.latency_ms || !b.latency_ms) return a.latency_ms.has_value() && !b.latency_ms;
  return *a.latency_ms < *b.latency_ms;
}

bool is_same(const Choice& a, const Choice& b) { return a.provider == b.provider && a.model == b.model; }

std::string_view mode_name(Mode mode) {
  return mode == Mode::Cheapest ? "cheapest_over_quality" : mode == Mode::Fastest ? "fastest_over_quality" : "always";
}

class Router {
 public:
  Router(const Catalog& catalog, const Variables& variables, const RouteAsk& ask)
      : catalog_(catalog), variables_(variables), ask_(ask) {}

  std::expected<Route, std::string> run() {
    RoutePolicy policy = policy_of_strategy();
    if (!ask_.prefer.empty()) {
      HARN_CHECK(by_preference());
    } else if (policy.mode == Mode::Cheapest || policy.mode == Mode::Fastest) {
      HARN_CHECK(by_quality(policy));
    } else if (policy.mode == Mode::Always) {
      route_.policy = fmt::format("always({})", policy.target);
      add_try(candidate(HARN_TRY(resolve_selector(catalog_, variables_, policy.target))));
    } else {
      route_.policy = "manual";
      add_try(candidate(HARN_TRY(resolve(catalog_, variables_, ask_.asked))));
    }
    HARN_CHECK(add_fallbacks());
    if (is_mocked()) use_mock();
    return std::move(route_);
  }

 private:
  // Without models to prefer, a strategy is a policy.
  RoutePolicy policy_of_strategy() const {
    if (ask_.policy.mode != Mode::Manual || !ask_.prefer.empty()) return ask_.policy;
    std::string tier = ask_.quality.empty() ? "mid" : ask_.quality;
    if (ask_.strategy == "cheapest_first") return {Mode::Cheapest, tier};
    if (ask_.strategy == "fastest_first") return {Mode::Fastest, tier};
    return ask_.policy;
  }

  Candidate candidate(Choice choice) const {
    Candidate out{.choice = std::move(choice)};
    const ProviderRow* row = catalog_.find_provider(out.choice.provider);
    out.tier = catalog_.tier_of(out.choice.model);
    out.price = catalog_.price(out.choice.provider, out.choice.model);
    out.latency_ms = catalog_.latency_ms(out.choice.provider, out.choice.model);
    out.is_available = row && is_set_up(*row, variables_);
    if (!out.is_available) out.note = "the provider has no key, or nobody has said where it is";
    return out;
  }

  void add_try(Candidate one) {
    for (const Choice& known : route_.tries) {
      if (is_same(known, one.choice)) return;
    }
    route_.tries.push_back(one.choice);
    one.note.clear();
    route_.considered.push_back(std::move(one));
  }

  std::expected<void, std::string> by_preference() {
    std::string strategy = ask_.strategy.empty() ? "prefer_order" : ask_.strategy;
    route_.policy = fmt::format("prefer({})", strategy);
    std::vector<Candidate> all;
    for (const std::string& selector : ask_.prefer)
      all.push_back(candidate(HARN_TRY(resolve_selector(catalog_, variables_, selector))));
    if (strategy == "cheapest_first") std::stable_sort(all.begin(), all.end(), is_cheaper);
    if (strategy == "fastest_first") std::stable_sort(all.begin(), all.end(), is_faster);
    bool is_any = std::any_of(all.begin(), all.end(), [](const Candidate& one) { return one.is_available; });
    for (Candidate& one : all) {
      // Where none has a key, asking the first one says so best.
      if (one.is_available || !is_any) add_try(std::move(one));
      else route_.considered.push_back(std::move(one));
    }
    return {};
  }

  std::vector<Candidate> candidates(int least_rank) const {
    std::vector<Candidate> found;
    auto add = [&](const Choice& choice) {
      bool is_known = std::any_of(found.begin(), found.end(), [&](auto& one) { return is_same(one.choice, choice); });
      if (is_known || choice.provider == "mock" || rank_of(catalog_.tier_of(choice.model)) < least_rank) return;
      found.push_back(candidate(choice));
    };
    for (const Model& model : catalog_.models()) add({model.provider, model.id, ""});
    for (const auto& [name, alias] : catalog_.aliases()) {
      if (catalog_.find_provider(alias.provider)) add({alias.provider, alias.id, name});
    }
    return found;
  }

  std::expected<void, std::string> by_quality(const RoutePolicy& policy) {
    route_.policy = fmt::format("{}({})", mode_name(policy.mode), policy.target);
    auto all = candidates(rank_of(policy.target));
    std::stable_sort(all.begin(), all.end(), policy.mode == Mode::Cheapest ? is_cheaper : is_faster);
    std::stable_partition(all.begin(), all.end(), [](const Candidate& one) { return one.is_available; });
    if (!is_mocked() && (all.empty() || !all[0].is_available)) {
      return std::unexpected(
          fmt::format("route_policy {}: no model of that quality can be asked: set the key of a provider that has one",
                      route_.policy));
    }
    if (!all.empty() && all[0].is_available) {
      add_try(std::move(all[0]));
      all.erase(all.begin());
    }
    std::move(all.begin(), all.end(), std::back_inserter(route_.considered));
    return {};
  }

  std::expected<void, std::string> add_fallbacks() {
    std::string tier = route_.tries.empty() ? "" : catalog_.tier_of(route_.tries[0].model);
    for (const std::string& name : ask_.fallback_chain) {
      Candidate one = candidate(HARN_TRY(resolve_provider(catalog_, variables_, {.provider = name, .tier = tier})));
      if (!one.choice.model.empty()) {
        add_try(std::move(one));
        continue;
      }
      one.note = "the provider has no default model";
      route_.considered.push_back(std::move(one));
    }
    return {};
  }

  // Tests run without keys: who says that all is mocked means all.
  bool is_mocked() const {
    auto said = variables_.find("HARN_LLM_PROVIDER");
    bool is_free = ask_.policy.mode != Mode::Manual || !ask_.prefer.empty() || !ask_.strategy.empty();
    return is_free && said != variables_.end() && said->second == "mock";
  }
  void use_mock() {
    Choice mock{.provider = "mock", .model = route_.tries.empty() ? "mock" : route_.tries[0].model};
    route_.tries = {std::move(mock)};
  }

  const Catalog& catalog_;
  const Variables& variables_;
  const RouteAsk& ask_;
  Route route_;
};

}  // namespace

std::expected<RoutePolicy, std::string> route_policy_of(std::string_view text) {
  constexpr Mode kModes[] = {Mode::Always, Mode::Cheapest, Mode::Fastest};
  text = text::trim(text);
  if (text.empty() || text == "manual") return RoutePolicy{};
  for (Mode mode : kModes) {
    std::string_view name = mode_name(mode);
    if (!text.starts_with(name)) continue;
    std::string_view rest = text.substr(name.size());
    if (!rest.starts_with('(') || !rest.ends_with(')')) break;
    std::string target(text::trim(rest.substr(1, rest.size() - 2)));
    if (mode != Mode::Always && rank_of(target) < 0) {
      return std::unexpected(fmt::format("route_policy: `{}` is no tier; there are small, mid and frontier", target));
    }
    if (target.empty()) break;
    return RoutePolicy{mode, std::move(target)};
  }
  return std::unexpected(
      fmt::format("route_policy: `{}` is none of manual, always(id), cheapest_over_quality(tier) and "
                  "fastest_over_quality(tier)",
                  text));
}

std::expected<Route, std::string> route(const Catalog& catalog, const Variables& variables, const RouteAsk& ask) {
  return Router(catalog, variables, ask).run();
}

}  // namespace harn::llm
