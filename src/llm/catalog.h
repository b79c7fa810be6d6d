#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/provider.h"
#include "vm/value.h"

// What is known about providers and models: rows that come with `harn` (*.toml here), and what users and projects say on top of
// them. Plain data: once it is made, any thread may read it.
//
//   Catalog catalog = *builtin_catalog();
//   if (auto added = catalog.add(toml); !added) ... added.error() says what is wrong with it
namespace harn::llm {

struct ProviderRow {
  std::string name;
  Settings settings;                           // by the names of providers.toml
  std::map<std::string, std::string> headers;  // extra_headers
  std::map<std::string, std::string> tiers;    // models by tier
};

// Of a million tokens, in US dollars.
struct Price {
  double input = 0;
  double output = 0;
  std::optional<double> cache_read, cache_write;  // nothing: as `input`
  std::string as_of;                              // when it was looked up
};

struct Model {
  std::string id, provider, name;
  std::string tier;  // empty: as the rules say
  std::optional<int64_t> context_window, max_output_tokens, latency_p50_ms;
  std::optional<Price> price;  // nothing: unknown, which is not free
};

struct Alias {
  std::string id, provider, tool_format;
};

struct PatternRule {
  std::string pattern;
  std::string except;  // a pattern of what it is not about
  std::string value;   // provider or tier
  std::string strip;   // left out of a model's name
  bool fits(std::string_view model) const;
};

struct CapabilityRule {
  std::string provider;
  std::string model_match = "*";
  std::string except;
  std::optional<std::pair<int, int>> version_min, version_max;
  Settings says;
  bool fits(std::string_view model) const;
};

// The version in a model's name: {4, 7} for claude-opus-4-7; {0, 0}: there is none.
std::pair<int, int> version_of(std::string_view model);

class Catalog {
 public:
  using Added = std::expected<void, std::string>;

  // A file like providers.toml, or the table [llm] of a manifest. What it says wins over what was there.
  Added add(const vm::Value& config);
  // [[provider.NAME]] rules, which come before those that were there.
  Added add_capabilities(const vm::Value& config);
  // A provider that nothing is known about yet.
  void add_provider(std::string_view name);

  const std::map<std::string, ProviderRow>& providers() const { return providers_; }
  const std::map<std::string, Alias>& aliases() const { return aliases_; }
  const std::vector<Model>& models() const { return models_; }
  const std::map<std::string, std::string>& qc_defaults() const { return qc_defaults_; }
  const ProviderRow* find_provider(std::string_view name) const;
  const Alias* find_alias(std::string_view name) const;
  // Of that provider; an empty one stands for the first that has it.
  const Model* find_model(std::string_view provider, std::string_view id) const;

  std::string tier_of(std::string_view model) const;
  // Whose model it is, and its name there.
  struct Inferred {
    std::string provider, model;
    bool is_certain = true;  // false: by the look of the name alone
  };
  std::optional<Inferred> infer(std::string_view model) const;
  // Options that a model is called with where the program says nothing: those of the pattern that fits best.
  Settings model_defaults(std::string_view model) const;

  // Everything that src/llm/capability_rows.h lists.
  Settings capabilities(std::string_view provider, std::string_view model) const;
  // The price of a model, or that of its provider; nothing: unknown.
  std::optional<Price> price(std::string_view provider, std::string_view model) const;
  std::optional<int64_t> latency_ms(std::string_view provider, std::string_view model) const;

 private:
  Added add_provider_row(std::string_view name, const vm::Value& row);
  Added add_aliases(const vm::Value& table);
  Added add_models(const vm::Value& list, std::string_view as_of);
  Added add_model(const vm::Value& row, std::string_view as_of);
  Added add_rules(const vm::Value& list, std::string_view name, std::string_view key, std::vector<PatternRule>& rules);
  Added add_texts(const vm::Value& table, std::string_view name, std::map<std::string, std::string>& to);
  Added add_model_defaults(const vm::Value& table);

  std::map<std::string, ProviderRow> providers_;
  std::map<std::string, Alias> aliases_;
  std::vector<Model> models_;
  std::vector<PatternRule> inference_rules_, tier_rules_;
  std::map<std::string, std::string> tier_defaults_, qc_defaults_, families_;
  std::map<std::string, Settings> model_defaults_;
  std::vector<CapabilityRule> capability_rules_;  // the first that says something holds
};

// What comes with `harn`; read when first asked for.
const std::shared_ptr<const Catalog>& builtin_catalog();

// A value of a configuration; nothing: it is none that a setting can have.
std::optional<Setting> setting_of(const vm::Value& value);
vm::Value value_of(const Setting& setting);

// "local" to a provider with a price of its own: what one call costs. Nothing: the price is unknown.
struct TokenCounts {
  int64_t input = 0;  // with what the cache had or got
  int64_t output = 0;
  int64_t cache_read = 0;
  int64_t cache_write = 0;
};
double cost_of(const Price& price, const TokenCounts& tokens);

}  // namespace harn::llm
