#include "llm/catalog.h"

#include <algorithm>

#include "base/assert.h"
#include "base/fmt.h"
#include "base/mutex.h"
#include "base/text.h"
#include "data/toml.h"
#include "llm/embedded.h"
#include "llm/fields.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::llm {

namespace {

using Added = Catalog::Added;

constexpr std::string_view kTiers[] = {"small", "mid", "frontier"};

std::unexpected<std::string> wrong(std::string_view where, std::string_view what) {
  return std::unexpected(fmt::format("[{}]: {}", where, what));
}

enum class Is : uint8_t { Text, Texts, Number, Flag };
struct ProviderKey {
  std::string_view name;
  Is kind;
};
// What a provider's table is read for. Other keys are kept, for programs that ask (`llm_config`).
constexpr ProviderKey kProviderKeys[] = {
    {"wire", Is::Text},
    {"base_url", Is::Text},
    {"chat_endpoint", Is::Text},
    {"responses_endpoint", Is::Text},
    {"completion_endpoint", Is::Text},
    {"models_endpoint", Is::Text},
    {"auth_style", Is::Text},
    {"auth_header", Is::Text},
    {"auth_env", Is::Texts},
    {"bearer_env", Is::Texts},
    {"auth_optional", Is::Flag},
    {"aws_region", Is::Text},
    {"aws_service", Is::Text},
    {"default_model", Is::Text},
    {"max_tokens_field", Is::Text},
    {"thinking_field", Is::Text},
    {"refuses", Is::Texts},
    {"stream_usage", Is::Flag},
    {"cache_marks", Is::Flag},
    {"cost_per_1k_in", Is::Number},
    {"cost_per_1k_out", Is::Number},
    {"latency_p50_ms", Is::Number},
};

bool fits(Is kind, Setting& setting) {
  switch (kind) {
    case Is::Text: return std::holds_alternative<std::string>(setting);
    case Is::Flag: return std::holds_alternative<bool>(setting);
    case Is::Number: return std::holds_alternative<int64_t>(setting) || std::holds_alternative<double>(setting);
    case Is::Texts: break;
  }
  if (auto* one = std::get_if<std::string>(&setting)) setting = std::vector<std::string>{std::move(*one)};
  return std::holds_alternative<std::vector<std::string>>(setting);
}

std::optional<double> number_of(const Settings& settings, std::string_view name) {
  auto found = settings.find(name);
  if (found == settings.end()) return std::nullopt;
  if (const double* number = std::get_if<double>(&found->second)) return *number;
  if (const int64_t* number = std::get_if<int64_t>(&found->second)) return static_cast<double>(*number);
  return std::nullopt;
}

// Files may hold keys of others, but none that is nearly one of ours.
Added check_spelling(std::string_view where, std::string_view key, const std::vector<std::string_view>& known) {
  auto close = text::close_names(key, known);
  if (close.empty()) return {};
  return wrong(where, fmt::format("`{}` is no key; did you mean `{}`?", key, close[0]));
}

Added check_provider(const ProviderRow& row) {
  std::string where = "providers." + row.name;
  if (!find_wire(text_of(row.settings, "wire"))) {
    return wrong(
        where,
        fmt::format(
            "`wire` is `{}`; there are anthropic, openai_chat, openai_responses, ollama, mock, claude_code and codex",
            text_of(row.settings, "wire")));
  }
  std::string_view style = text_of(row.settings, "auth_style");
  if (style != "none" && style != "bearer" && style != "header" && style != "aws")
    return wrong(where, fmt::format("`auth_style` is `{}`; there are none, bearer, header and aws", style));
  if (style == "header" && text_of(row.settings, "auth_header").empty())
    return wrong(where, "`auth_style` is header, and `auth_header` does not say which");
  if (style == "aws" && (text_of(row.settings, "aws_region").empty() || text_of(row.settings, "aws_service").empty()))
    return wrong(where,
                 "`auth_style` is aws, and `aws_region` and `aws_service` do not say for whom requests are signed");
  return {};
}

}  // namespace

std::optional<Setting> setting_of(const Value& value) {
  if (value.is_bool()) return Setting(value.as_bool());
  if (value.is_int()) return Setting(value.as_int());
  if (value.is_float()) return Setting(value.as_float());
  if (value.is_string()) return Setting(std::string(text_of(value)));
  if (!value.is_list()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Value& item : items(value)) {
    if (!item.is_string()) return std::nullopt;
    texts.emplace_back(text_of(item));
  }
  return Setting(std::move(texts));
}

Value value_of(const Setting& setting) {
  if (const bool* flag = std::get_if<bool>(&setting)) return Value::boolean(*flag);
  if (const int64_t* number = std::get_if<int64_t>(&setting)) return Value::integer(*number);
  if (const double* number = std::get_if<double>(&setting)) return Value::number(*number);
  if (const std::string* words = std::get_if<std::string>(&setting)) return vm::text_value(*words);
  const auto* list = std::get_if<std::vector<std::string>>(&setting);
  if (!list) return Value();
  Value out = vm::new_list();
  for (const std::string& one : *list) push(out, vm::text_value(one));
  return out;
}

bool PatternRule::fits(std::string_view model) const {
  return text::matches_stars(pattern, model) && (except.empty() || !text::matches_stars(except, model));
}

// ---- reading ----

void Catalog::add_provider(std::string_view name) {
  ProviderRow& row = providers_[std::string(name)];
  if (!row.name.empty()) return;
  row.name = name;
  row.settings["wire"] = std::string("openai_chat");
  row.settings["chat_endpoint"] = std::string("/chat/completions");
  row.settings["auth_style"] = std::string("none");
}

Added Catalog::add_texts(const Value& table, std::string_view name, std::map<std::string, std::string>& to) {
  if (table.is_nil()) return {};
  if (!table.is_dict()) return wrong(name, "it is no table");
  for (auto [key, value] : table.as_dict()->entries()) {
    if (!value->is_string()) return wrong(name, fmt::format("`{}` is no string", key->view()));
    to.insert_or_assign(std::string(key->view()), std::string(text_of(*value)));
  }
  return {};
}

Added Catalog::add_provider_row(std::string_view name, const Value& table) {
  std::string where = fmt::format("providers.{}", name);
  if (!table.is_dict()) return wrong(where, "it is no table");
  add_provider(name);
  ProviderRow& row = providers_[std::string(name)];
  // One that says which key it takes, and not how, sends it as most do.
  bool has_style = has_field(table, "auth_style");
  if (!has_style && has_field(table, "auth_env") && text_of(row.settings, "auth_style") == "none")
    row.settings["auth_style"] = std::string("bearer");
  for (auto [key, value] : table.as_dict()->entries()) {
    if (key->view() == "extra_headers" || key->view() == "tiers") {
      auto added =
          add_texts(*value, where + "." + std::string(key->view()), key->view() == "tiers" ? row.tiers : row.headers);
      if (!added) return added;
      continue;
    }
    auto setting = setting_of(*value);
    auto known = std::find_if(std::begin(kProviderKeys), std::end(kProviderKeys),
                              [&](const ProviderKey& one) { return one.name == key->view(); });
    if (known == std::end(kProviderKeys)) {
      std::vector<std::string_view> names{"extra_headers", "tiers"};
      for (const ProviderKey& one : kProviderKeys) names.push_back(one.name);
      if (auto spelled = check_spelling(where, key->view(), names); !spelled) return spelled;
      if (setting) row.settings.insert_or_assign(std::string(key->view()), *std::move(setting));
      continue;
    }
    if (!setting || !fits(known->kind, *setting))
      return wrong(where, fmt::format("`{}` is {}, which is of the wrong kind", key->view(), vm::shown(*value)));
    row.settings.insert_or_assign(std::string(key->view()), *std::move(setting));
  }
  return check_provider(row);
}

Added Catalog::add_aliases(const Value& table) {
  if (table.is_nil()) return {};
  if (!table.is_dict()) return wrong("aliases", "it is no table");
  for (auto [name, row] : table.as_dict()->entries()) {
    Alias alias;
    if (row->is_string()) alias.id = text_of(*row);
    else
      alias = {std::string(text_field(*row, "id")), std::string(text_field(*row, "provider")),
               std::string(text_field(*row, "tool_format"))};
    if (alias.id.empty())
      return wrong("aliases", fmt::format("`{}` names no model: write {{ id = \"...\" }}", name->view()));
    aliases_.insert_or_assign(std::string(name->view()), std::move(alias));
  }
  return {};
}

Added Catalog::add_model(const Value& row, std::string_view as_of) {
  Model model{.id = std::string(text_field(row, "id")),
              .provider = std::string(text_field(row, "provider")),
              .name = std::string(text_field(row, "name")),
              .tier = std::string(text_field(row, "tier"))};
  if (model.id.empty() || model.provider.empty()) return wrong("[models]", "a model needs an `id` and a `provider`");
  model.context_window = int_field(row, "context_window");
  model.max_output_tokens = int_field(row, "max_output_tokens");
  model.latency_p50_ms = int_field(row, "latency_p50_ms");
  if (const Value& price = field(row, "price"); !price.is_nil()) {
    const Value& input = field(price, "input");
    const Value& output = field(price, "output");
    if (!input.is_number() || !output.is_number())
      return wrong("[models]", fmt::format("the price of `{}` needs `input` and `output`", model.id));
    model.price = Price{.input = input.as_number(), .output = output.as_number(), .as_of = std::string(as_of)};
    if (const Value& read = field(price, "cache_read"); read.is_number()) model.price->cache_read = read.as_number();
    if (const Value& write = field(price, "cache_write"); write.is_number())
      model.price->cache_write = write.as_number();
    if (std::string_view own = text_field(price, "as_of"); !own.empty()) model.price->as_of = own;
  }
  auto same = std::find_if(models_.begin(), models_.end(),
                           [&](const Model& one) { return one.id == model.id && one.provider == model.provider; });
  if (same != models_.end()) *same = std::move(model);
  else models_.push_back(std::move(model));
  return {};
}

Added Catalog::add_models(const Value& list, std::string_view as_of) {
  if (list.is_nil()) return {};
  if (!list.is_list()) return wrong("models", "it is no list: write [[models]]");
  for (const Value& row : items(list)) {
    if (auto added = add_model(row, as_of); !added) return added;
  }
  return {};
}

// Rules that are added come before those that were there.
Added Catalog::add_rules(const Value& list, std::string_view name, std::string_view key,
                         std::vector<PatternRule>& rules) {
  if (list.is_nil()) return {};
  if (!list.is_list()) return wrong(name, "it is no list: write [[...]]");
  std::vector<PatternRule> added;
  for (const Value& row : items(list)) {
    PatternRule rule{.pattern = text::ascii_lower(text_field(row, "pattern")),
                     .except = text::ascii_lower(text_field(row, "except")),
                     .value = std::string(text_field(row, key)),
                     .strip = std::string(text_field(row, "strip"))};
    if (std::string_view exact = text_field(row, "exact"); !exact.empty()) rule.pattern = text::ascii_lower(exact);
    if (std::string_view part = text_field(row, "contains"); !part.empty())
      rule.pattern = fmt::format("*{}*", text::ascii_lower(part));
    if (rule.pattern.empty() || rule.value.empty())
      return wrong(name, fmt::format("a rule needs a `pattern` and a `{}`", key));
    added.push_back(std::move(rule));
  }
  rules.insert(rules.begin(), added.begin(), added.end());
  return {};
}

Added Catalog::add_model_defaults(const Value& table) {
  if (table.is_nil()) return {};
  if (!table.is_dict()) return wrong("model_defaults", "it is no table");
  for (auto [pattern, options] : table.as_dict()->entries()) {
    if (!options->is_dict()) return wrong("model_defaults", fmt::format("`{}` is no table", pattern->view()));
    Settings& known = model_defaults_[std::string(pattern->view())];
    for (auto [name, value] : options->as_dict()->entries()) {
      auto setting = setting_of(*value);
      if (!setting) return wrong("model_defaults", fmt::format("`{}` is of the wrong kind", name->view()));
      known.insert_or_assign(std::string(name->view()), *std::move(setting));
    }
  }
  return {};
}

Added Catalog::add(const Value& config) {
  if (!config.is_dict()) return std::unexpected("it is no table");
  static constexpr std::string_view kTables[] = {"providers",       "aliases",        "models",
                                                 "inference_rules", "tier_rules",     "tier_defaults",
                                                 "qc_defaults",     "model_defaults", "prices_as_of"};
  for (auto [key, value] : config.as_dict()->entries()) {
    if (std::ranges::find(kTables, key->view()) != std::end(kTables)) continue;
    if (auto spelled = check_spelling("llm", key->view(), {std::begin(kTables), std::end(kTables)}); !spelled)
      return spelled;
  }
  if (const Value& rows = field(config, "providers"); !rows.is_nil()) {
    if (!rows.is_dict()) return wrong("providers", "it is no table");
    for (auto [name, row] : rows.as_dict()->entries()) {
      if (auto added = add_provider_row(name->view(), *row); !added) return added;
    }
  }
  if (auto added = add_aliases(field(config, "aliases")); !added) return added;
  if (auto added = add_models(field(config, "models"), text_field(config, "prices_as_of")); !added) return added;
  if (auto added = add_rules(field(config, "inference_rules"), "inference_rules", "provider", inference_rules_); !added)
    return added;
  if (auto added = add_rules(field(config, "tier_rules"), "tier_rules", "tier", tier_rules_); !added) return added;
  if (auto added = add_texts(field(config, "tier_defaults"), "tier_defaults", tier_defaults_); !added) return added;
  if (auto added = add_texts(field(config, "qc_defaults"), "qc_defaults", qc_defaults_); !added) return added;
  return add_model_defaults(field(config, "model_defaults"));
}

// ---- asking ----

const ProviderRow* Catalog::find_provider(std::string_view name) const {
  auto found = providers_.find(std::string(name));
  return found == providers_.end() ? nullptr : &found->second;
}

const Alias* Catalog::find_alias(std::string_view name) const {
  auto found = aliases_.find(std::string(name));
  return found == aliases_.end() ? nullptr : &found->second;
}

const Model* Catalog::find_model(std::string_view provider, std::string_view id) const {
  for (const Model& model : models_) {
    if (model.id == id && (provider.empty() || model.provider == provider)) return &model;
  }
  return nullptr;
}

std::string Catalog::tier_of(std::string_view model) const {
  const Model* known = find_model("", model);
  if (known && !known->tier.empty()) return known->tier;
  std::string name = text::ascii_lower(model);
  for (const PatternRule& rule : tier_rules_) {
    if (rule.fits(name)) return rule.value;
  }
  auto otherwise = tier_defaults_.find("default");
  return otherwise == tier_defaults_.end() ? std::string(kTiers[1]) : otherwise->second;
}

std::optional<Catalog::Inferred> Catalog::infer(std::string_view model) const {
  std::string name = text::ascii_lower(model);
  for (const PatternRule& rule : inference_rules_) {
    if (!rule.fits(name)) continue;
    size_t skipped = name.starts_with(rule.strip) ? rule.strip.size() : 0;
    return Inferred{rule.value, std::string(model.substr(skipped))};
  }
  if (const Model* known = find_model("", model)) return Inferred{known->provider, known->id};
  size_t colon = model.find(':');
  if (colon != model.npos && find_provider(model.substr(0, colon)))
    return Inferred{std::string(model.substr(0, colon)), std::string(model.substr(colon + 1))};
  if (std::count(model.begin(), model.end(), '/') == 1) return Inferred{"openrouter", std::string(model), false};
  if (colon != model.npos) return Inferred{"ollama", std::string(model), false};
  return std::nullopt;
}

Settings Catalog::model_defaults(std::string_view model) const {
  Settings found;
  std::string name = text::ascii_lower(model);
  std::vector<const std::pair<const std::string, Settings>*> fitting;
  for (const auto& row : model_defaults_) {
    if (text::matches_stars(text::ascii_lower(row.first), name)) fitting.push_back(&row);
  }
  // The longest pattern says most.
  std::stable_sort(fitting.begin(), fitting.end(), [](auto* a, auto* b) { return a->first.size() > b->first.size(); });
  for (const auto* row : fitting) found.insert(row->second.begin(), row->second.end());
  return found;
}

std::optional<Price> Catalog::price(std::string_view provider, std::string_view model) const {
  const Model* known = find_model(provider, model);
  if (known && known->price) return known->price;
  const ProviderRow* row = find_provider(provider.empty() && known ? std::string_view(known->provider) : provider);
  if (!row) return std::nullopt;
  auto input = number_of(row->settings, "cost_per_1k_in");
  auto output = number_of(row->settings, "cost_per_1k_out");
  if (!input || !output) return std::nullopt;
  return Price{.input = *input * 1000, .output = *output * 1000};
}

std::optional<int64_t> Catalog::latency_ms(std::string_view provider, std::string_view model) const {
  const Model* known = find_model(provider, model);
  if (known && known->latency_p50_ms) return known->latency_p50_ms;
  const ProviderRow* row = find_provider(provider);
  auto found = row ? number_of(row->settings, "latency_p50_ms") : std::nullopt;
  return found ? std::optional(static_cast<int64_t>(*found)) : std::nullopt;
}

double cost_of(const Price& price, const TokenCounts& tokens) {
  double plain = static_cast<double>(std::max<int64_t>(tokens.input - tokens.cache_read - tokens.cache_write, 0));
  double sum = plain * price.input + static_cast<double>(tokens.output) * price.output +
               static_cast<double>(tokens.cache_read) * price.cache_read.value_or(price.input) +
               static_cast<double>(tokens.cache_write) * price.cache_write.value_or(price.input);
  return sum / 1e6;
}

static std::shared_ptr<const Catalog> read_builtin() {
  auto catalog = std::make_shared<Catalog>();
  for (std::string_view text : {kProvidersToml, kModelsToml}) {
    auto parsed = data::parse_toml(vm::text_value(text));
    HARN_ASSERT(parsed, "a table that comes with harn is no TOML");
    auto added = catalog->add(*parsed);
    HARN_ASSERT(added, added ? "" : added.error().c_str());
  }
  auto parsed = data::parse_toml(vm::text_value(kCapabilitiesToml));
  HARN_ASSERT(parsed, "capabilities.toml is no TOML");
  auto added = catalog->add_capabilities(*parsed);
  HARN_ASSERT(added, added ? "" : added.error().c_str());
  return catalog;
}

const std::shared_ptr<const Catalog>& builtin_catalog() {
  // In one piece: another task of this thread would wait for it for ever.
  static const std::shared_ptr<const Catalog> catalog = [] {
    Undivided one_piece;
    return read_builtin();
  }();
  return catalog;
}

}  // namespace harn::llm
