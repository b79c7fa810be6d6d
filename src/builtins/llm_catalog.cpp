// What programs can ask about providers and models: names, prices, capabilities, and which one a call would go to.
#include <mutex>

#include "base/fmt.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "llm/capability_rows.h"
#include "llm/fields.h"
#include "llm/model_settings.h"
#include "llm/routing.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

using llm::field;
using llm::text_field;

std::unexpected<Thrown> wrong(const std::string& what) { return throw_text(ErrorKind::Invalid, "{}", what); }

template <class T>
Outcome<T> or_throw(std::expected<T, std::string> found) {
  if (!found) return wrong(found.error());
  return *std::move(found);
}

// What every answer here is made of.
struct Known {
  std::shared_ptr<const llm::Catalog> catalog;
  llm::Variables variables;
};

Outcome<Known> known_to(Call& call) {
  effects::Run& run = effects::Run::current(call.vm());
  auto catalog = HARN_TRY(llm::catalog(call.vm(), run));
  auto variables = HARN_TRY(llm::variables(run, catalog));
  return Known{std::move(catalog), std::move(variables)};
}

Value text_or_nil(std::string_view text) { return text.empty() ? Value() : text_value(text); }

template <class Number>
Value number_or_nil(const std::optional<Number>& number) {
  if (!number) return Value();
  if constexpr (std::is_floating_point_v<Number>) return Value::number(*number);
  else return Value::integer(*number);
}

// ---- capabilities ----

Value shown_capabilities(const llm::Catalog& catalog, std::string_view provider, std::string_view model) {
  llm::Settings all = catalog.capabilities(provider, model);
  DictBuilder out;
  out.add("provider", text_value(provider)).add("model", text_value(model));
  for (const llm::CapabilityRow& row : llm::kCapabilityRows) {
    if (!row.is_shown) continue;
    auto found = all.find(row.name);
    out.add(row.name, found == all.end() ? Value() : llm::value_of(found->second));
  }
  out.add("thinking", Value::boolean(llm::flag_of(all, "thinking")));
  out.add("tools", Value::boolean(llm::flag_of(all, "tools")));
  return out.done();
}

// Of a VM: what was shown last, frozen. Every call of a model wants to know.
struct LastShown {
  Mutex lock;
  std::shared_ptr<const llm::Catalog> catalog;
  std::string provider, model;
  Value capabilities;
};

Outcome<Value> provider_capabilities(Call& call) {
  std::string_view provider = HARN_TRY(call.text(0)), model = HARN_TRY(call.text(1));
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  if (const llm::Alias* alias = catalog->find_alias(model)) model = alias->id;
  auto& last = call.vm().local<LastShown>();
  {
    std::lock_guard guard(last.lock);
    if (last.catalog == catalog && last.provider == provider && last.model == model) return last.capabilities;
  }
  Value shown = shown_capabilities(*catalog, provider, model);
  if (!freeze(shown)) return shown;
  std::lock_guard guard(last.lock);
  last.catalog = std::move(catalog);
  last.provider = provider;
  last.model = model;
  std::swap(last.capabilities, shown);
  return last.capabilities;
}

Outcome<Value> install(Call& call) {
  HARN_CHECK(
      llm::install_capabilities(call.vm(), effects::Run::current(call.vm()), std::string(HARN_TRY(call.text(0)))));
  return Value::boolean(true);
}

Outcome<Value> clear(Call& call) {
  llm::clear_capabilities(call.vm());
  return Value::boolean(true);
}

Outcome<Value> register_provider(Call& call) {
  std::string name(HARN_TRY(call.text(0)));
  if (text::trim(name).empty()) return wrong("provider_register: the name is empty");
  HARN_CHECK(llm::register_provider(call.vm(), effects::Run::current(call.vm()), std::move(name)));
  return Value::boolean(true);
}

void installed_fields(park::Archive& archive, Vm& vm) {
  llm::InstalledModels installed = llm::installed_models(vm);
  archive.items(installed.capabilities, [&](std::string& toml) { archive.text(toml); });
  archive.items(installed.providers, [&](std::string& name) { archive.text(name); });
  if (archive.is_reading()) llm::set_installed_models(vm, std::move(installed));
}

// ---- models ----

Value resolved(const llm::Catalog& catalog, const llm::Choice& choice) {
  const llm::Alias* alias = catalog.find_alias(choice.alias);
  std::string format = alias ? alias->tool_format : "";
  if (format.empty())
    format = llm::text_of(catalog.capabilities(choice.provider, choice.model), "preferred_tool_format");
  return DictBuilder()
      .add("id", text_value(choice.model))
      .add("provider", text_value(choice.provider))
      .add("alias", text_or_nil(choice.alias))
      .add("tool_format", text_value(format))
      .add("tier", text_value(catalog.tier_of(choice.model)))
      .done();
}

// A name that nothing is known about belongs to the provider that calls go to.
Outcome<llm::Choice> choice_of(const Known& known, std::string_view model) {
  return or_throw(llm::resolve_selector(*known.catalog, known.variables, model));
}

Outcome<Value> resolve_model(Call& call) {
  Known known = HARN_TRY(known_to(call));
  return resolved(*known.catalog, HARN_TRY(choice_of(known, HARN_TRY(call.text(0)))));
}

Value price_value(const std::optional<llm::Price>& price) {
  if (!price) return Value();
  return DictBuilder()
      .add("input_per_mtok", Value::number(price->input))
      .add("output_per_mtok", Value::number(price->output))
      .add("cache_read_per_mtok", number_or_nil(price->cache_read))
      .add("cache_write_per_mtok", number_or_nil(price->cache_write))
      .add("as_of", text_or_nil(price->as_of))
      .done();
}

Value model_value(const llm::Catalog& catalog, const llm::Model& model) {
  return DictBuilder()
      .add("id", text_value(model.id))
      .add("provider", text_value(model.provider))
      .add("name", text_or_nil(model.name))
      .add("tier", text_value(catalog.tier_of(model.id)))
      .add("context_window", number_or_nil(model.context_window))
      .add("max_output_tokens", number_or_nil(model.max_output_tokens))
      .add("latency_p50_ms", number_or_nil(model.latency_p50_ms))
      .add("pricing", price_value(model.price))
      .done();
}

bool is_key_there(const Known& known, std::string_view provider) {
  const llm::ProviderRow* row = known.catalog->find_provider(provider);
  return row && llm::has_auth(*row, known.variables);
}

Value qc_model(const llm::Catalog& catalog, std::string_view provider) {
  auto found = catalog.qc_defaults().find(std::string(provider));
  return found == catalog.qc_defaults().end() ? Value() : text_value(found->second);
}

Outcome<Value> model_info(Call& call) {
  Known known = HARN_TRY(known_to(call));
  llm::Choice choice = HARN_TRY(choice_of(known, HARN_TRY(call.text(0))));
  Value info = resolved(*known.catalog, choice);
  dict_set(info, "capabilities", shown_capabilities(*known.catalog, choice.provider, choice.model));
  const llm::Model* model = known.catalog->find_model(choice.provider, choice.model);
  dict_set(info, "catalog", model ? model_value(*known.catalog, *model) : Value());
  dict_set(info, "qc_default_model", qc_model(*known.catalog, choice.provider));
  dict_set(info, "auth_available", Value::boolean(is_key_there(known, choice.provider)));
  return info;
}

// Of model_info, what each turn of an agent has to know.
Outcome<Value> context_window(Call& call) {
  Known known = HARN_TRY(known_to(call));
  llm::Choice choice = HARN_TRY(choice_of(known, HARN_TRY(call.text(0))));
  const llm::Model* model = known.catalog->find_model(choice.provider, choice.model);
  if (call.count() > 1 && !call.arg(1).is_nil()) {
    choice.provider = HARN_TRY(call.text(1));
    choice.model = HARN_TRY(call.text(0));
    if (const llm::Model* own = known.catalog->find_model(choice.provider, choice.model)) model = own;
  }
  Value whole = model ? number_or_nil(model->context_window) : Value();
  // A server may have loaded the model with less; what is too much it forgets without a word.
  auto provider = llm::provider_for(*known.catalog, known.variables, choice.provider, choice.model);
  if (!provider || provider->context_tokens <= 0) return whole;
  bool is_less = whole.is_nil() || (whole.is_int() && provider->context_tokens < whole.as_int());
  return is_less ? Value::integer(provider->context_tokens) : whole;
}

bool is_tier(std::string_view word) { return word == "small" || word == "mid" || word == "frontier"; }

Outcome<Value> pick_model(Call& call) {
  std::string target(HARN_TRY(call.text(0)));
  Known known = HARN_TRY(known_to(call));
  llm::Asked asked{.provider = std::string(text_field(call.arg(1), "provider"))};
  (is_tier(target) ? asked.tier : asked.model) = target;
  // A tier names a quality, whichever provider calls go to otherwise; a model belongs to somebody.
  if (asked.provider.empty()) asked.provider = "auto";
  llm::Choice choice = HARN_TRY(or_throw(llm::resolve(*known.catalog, known.variables, asked)));
  return DictBuilder()
      .add("id", text_value(choice.model))
      .add("provider", text_value(choice.provider))
      .add("tier", text_value(known.catalog->tier_of(choice.model)))
      .done();
}

Outcome<Value> infer_provider(Call& call) {
  Known known = HARN_TRY(known_to(call));
  std::string model(HARN_TRY(call.text(0)));
  if (const llm::Alias* alias = known.catalog->find_alias(model); alias && !alias->provider.empty())
    return text_value(alias->provider);
  if (auto inferred = known.catalog->infer(model)) return text_value(inferred->provider);
  llm::Choice choice = HARN_TRY(or_throw(llm::resolve_provider(*known.catalog, known.variables, {})));
  return text_value(choice.provider);
}

Outcome<Value> model_tier(Call& call) {
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  std::string model(HARN_TRY(call.text(0)));
  if (const llm::Alias* alias = catalog->find_alias(model)) model = alias->id;
  return text_value(catalog->tier_of(model));
}

// Without a provider: that of the first row with such a model, or whose it is by its name.
std::optional<llm::Price> price_of(const llm::Catalog& catalog, std::string_view provider, std::string model) {
  if (const llm::Alias* alias = catalog.find_alias(model)) {
    model = alias->id;
    if (provider.empty()) provider = alias->provider;
  }
  if (auto price = catalog.price(provider, model)) return price;
  auto inferred = catalog.infer(model);
  return provider.empty() && inferred ? catalog.price(inferred->provider, inferred->model) : std::nullopt;
}

Outcome<Value> cost(Call& call) {
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  auto price = price_of(*catalog, "", std::string(HARN_TRY(call.text(0))));
  llm::TokenCounts tokens{.input = HARN_TRY(call.integer(1)), .output = HARN_TRY(call.integer(2))};
  return Value::number(price ? llm::cost_of(*price, tokens) : 0.0);
}

// Nil where the price is unknown: budgets must not take that for nothing.
Outcome<Value> known_cost(Call& call) {
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  auto price = price_of(*catalog, HARN_TRY(call.text(0)), std::string(HARN_TRY(call.text(1))));
  llm::TokenCounts tokens{.input = HARN_TRY(call.integer(2)),
                          .output = HARN_TRY(call.integer(3)),
                          .cache_read = HARN_TRY(call.integer_or(4, 0)),
                          .cache_write = HARN_TRY(call.integer_or(5, 0))};
  return price ? Value::number(llm::cost_of(*price, tokens)) : Value();
}

// (provider, model)
Outcome<Value> longest_answer(Call& call) {
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  const llm::Model* model = catalog->find_model(HARN_TRY(call.text(0)), HARN_TRY(call.text(1)));
  return model ? number_or_nil(model->max_output_tokens) : Value();
}

// What tokens would have cost more if they had not been read from the cache.
Outcome<Value> cache_savings(Call& call) {
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  auto price = price_of(*catalog, HARN_TRY(call.text(0)), std::string(HARN_TRY(call.text(1))));
  int64_t cached = HARN_TRY(call.integer(2));
  if (!price) return Value();
  double all = llm::cost_of(*price, {.input = cached});
  return Value::number(all - llm::cost_of(*price, {.input = cached, .cache_read = cached}));
}

// The options that a model is called with where the program says nothing.
Value model_defaults(const llm::Catalog& catalog, std::string_view model) {
  DictBuilder out;
  for (const auto& [name, setting] : catalog.model_defaults(model)) out.add(name, llm::value_of(setting));
  return out.done();
}

// ---- providers ----

Value names_list(const std::vector<std::string>& names) {
  auto list = new_list();
  for (const std::string& name : names) list->push(text_value(name));
  return list;
}

std::vector<std::string> provider_names(const Known& known, bool only_available) {
  std::vector<std::string> names;
  for (const auto& [name, row] : known.catalog->providers()) {
    if (!only_available || llm::has_auth(row, known.variables)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> model_names(const llm::Catalog& catalog) {
  std::vector<std::string> names;
  for (const llm::Model& model : catalog.models()) names.push_back(model.id);
  for (const auto& [name, alias] : catalog.aliases()) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Outcome<Value> providers(Call& call) { return names_list(provider_names(HARN_TRY(known_to(call)), false)); }
Outcome<Value> available_providers(Call& call) { return names_list(provider_names(HARN_TRY(known_to(call)), true)); }
Outcome<Value> known_models(Call& call) { return names_list(model_names(*HARN_TRY(known_to(call)).catalog)); }

Outcome<Value> qc_default_model(Call& call) {
  auto catalog = HARN_TRY(llm::catalog(call.vm(), effects::Run::current(call.vm())));
  return qc_model(*catalog, HARN_TRY(call.text(0)));
}

Value texts_value(const std::map<std::string, std::string>& texts) {
  DictBuilder out;
  for (const auto& [name, text] : texts) out.add(name, text_value(text));
  return out.done();
}

Value provider_value(const Known& known, const llm::ProviderRow& row) {
  DictBuilder out;
  out.add("name", text_value(row.name));
  for (const auto& [name, setting] : row.settings) {
    const std::string* words = std::get_if<std::string>(&setting);
    // Addresses as they are now; nil where a variable that they need is not set.
    if (words) out.add(name, text_or_nil(llm::expanded(*words, known.variables).value_or("")));
    else out.add(name == "auth_env" ? "auth_envs" : name, llm::value_of(setting));
  }
  if (!row.settings.contains("auth_env")) out.add("auth_envs", new_list());
  return out.add("auth_available", Value::boolean(llm::has_auth(row, known.variables)))
      .add("extra_headers", texts_value(row.headers))
      .add("tiers", texts_value(row.tiers))
      .done();
}

Value all_providers(const Known& known) {
  DictBuilder out;
  for (const auto& [name, row] : known.catalog->providers()) out.add(name, provider_value(known, row));
  return out.done();
}

Outcome<Value> config(Call& call) {
  Known known = HARN_TRY(known_to(call));
  if (call.arg(0).is_nil()) return all_providers(known);
  const llm::ProviderRow* row = known.catalog->find_provider(HARN_TRY(call.text(0)));
  return row ? provider_value(known, *row) : Value();
}

Outcome<Value> info(Call& call) {
  Known known = HARN_TRY(known_to(call));
  llm::Choice choice = HARN_TRY(or_throw(llm::resolve_provider(*known.catalog, known.variables, {})));
  const llm::ProviderRow* row = known.catalog->find_provider(choice.provider);
  return DictBuilder()
      .add("provider", text_value(choice.provider))
      .add("model", text_or_nil(choice.model))
      .add("api_key_set", Value::boolean(row && !llm::key_variable(*row, known.variables).empty()))
      .done();
}

Outcome<Value> provider_catalog(Call& call) {
  Known known = HARN_TRY(known_to(call));
  auto models = new_list();
  for (const llm::Model& model : known.catalog->models()) models->push(model_value(*known.catalog, model));
  DictBuilder aliases;
  for (const auto& [name, alias] : known.catalog->aliases()) {
    aliases.add(name, DictBuilder()
                          .add("id", text_value(alias.id))
                          .add("provider", text_or_nil(alias.provider))
                          .add("tool_format", text_or_nil(alias.tool_format))
                          .done());
  }
  return DictBuilder()
      .add("providers", all_providers(known))
      .add("known_model_names", names_list(model_names(*known.catalog)))
      .add("available_providers", names_list(provider_names(known, true)))
      .add("aliases", aliases.done())
      .add("models", models)
      .add("qc_defaults", texts_value(known.catalog->qc_defaults()))
      .done();
}

// ---- routes ----

Outcome<std::vector<std::string>> texts_option(const Value& options, std::string_view name) {
  const Value& value = field(options, name);
  std::vector<std::string> out;
  if (value.is_nil()) return out;
  if (value.is_string()) return text::comma_list(value.as_string()->view());
  for (const Value& item : llm::items(value)) {
    if (!item.is_string()) return wrong(fmt::format("{}: {} is no string", name, shown(item)));
    out.emplace_back(item.as_string()->view());
  }
  if (!value.is_list()) return wrong(fmt::format("{} is {}, expected a list of strings", name, shown(value)));
  return out;
}

// As a text, or {mode, target | quality | id}.
Outcome<llm::RoutePolicy> policy_option(const Value& value) {
  if (value.is_nil()) return llm::RoutePolicy{};
  if (value.is_string()) return or_throw(llm::route_policy_of(value.as_string()->view()));
  std::string_view mode = text_field(value, "mode");
  if (mode.empty()) return wrong(fmt::format("route_policy is {}, expected a string or {{mode, ...}}", shown(value)));
  if (mode == "manual") return llm::RoutePolicy{};
  std::string_view target;
  for (std::string_view name : {"target", "quality", "id"}) {
    if (target.empty()) target = text_field(value, name);
  }
  return or_throw(llm::route_policy_of(fmt::format("{}({})", mode, target)));
}

Outcome<llm::RouteAsk> route_ask(const Value& options) {
  llm::RouteAsk ask{.asked = {.provider = std::string(text_field(options, "provider")),
                              .model = std::string(text_field(options, "model")),
                              .tier = std::string(text_field(options, "model_tier"))}};
  ask.policy = HARN_TRY(policy_option(field(options, "route_policy")));
  ask.fallback_chain = HARN_TRY(texts_option(options, "fallback_chain"));
  ask.prefer = HARN_TRY(texts_option(options, "prefer"));
  ask.strategy = text_field(options, "fallback_strategy");
  if (!ask.strategy.empty() && ask.strategy != "prefer_order" && ask.strategy != "cheapest_first" &&
      ask.strategy != "fastest_first") {
    return wrong(
        fmt::format("fallback_strategy: `{}` is none of prefer_order, cheapest_first and fastest_first", ask.strategy));
  }
  ask.quality = text_field(options, "quality");
  if (ask.quality.empty()) ask.quality = text_field(options, "min_quality");
  if (!ask.quality.empty() && !is_tier(ask.quality))
    return wrong(fmt::format("quality: `{}` is no tier; there are small, mid and frontier", ask.quality));
  return ask;
}

Value choice_value(const llm::Choice& choice) {
  return DictBuilder().add("provider", text_value(choice.provider)).add("model", text_value(choice.model)).done();
}

Value candidate_value(const llm::Candidate& one) {
  Value out = choice_value(one.choice);
  dict_set(out, "tier", text_value(one.tier));
  dict_set(out, "cost_per_1k_in", one.price ? Value::number(one.price->input / 1000) : Value());
  dict_set(out, "cost_per_1k_out", one.price ? Value::number(one.price->output / 1000) : Value());
  dict_set(out, "latency_p50_ms", number_or_nil(one.latency_ms));
  dict_set(out, "available", Value::boolean(one.is_available));
  dict_set(out, "note", text_or_nil(one.note));
  return out;
}

Outcome<Value> route(Call& call) {
  llm::RouteAsk ask = HARN_TRY(route_ask(call.arg(0)));
  Known known = HARN_TRY(known_to(call));
  llm::Route route = HARN_TRY(or_throw(llm::route(*known.catalog, known.variables, ask)));
  auto alternatives = new_list(), considered = new_list();
  for (size_t i = 1; i < route.tries.size(); ++i) alternatives->push(choice_value(route.tries[i]));
  for (const llm::Candidate& one : route.considered) considered->push(candidate_value(one));
  Value out = choice_value(route.tries[0]);
  dict_set(out, "policy", text_value(route.policy));
  dict_set(out, "alternatives", alternatives);
  dict_set(out, "considered", considered);
  dict_set(out, "defaults", model_defaults(*known.catalog, route.tries[0].model));
  return out;
}

constinit const Builtin kRows[] = {
    {.name = "__llm_cache_savings",
     .signature = "(provider: string, model: string, cached_tokens: int) -> float?",
     .doc = "What reading tokens from the cache has saved in US dollars; nil where the price is unknown.",
     .example = R"(__llm_cache_savings("anthropic", "claude-haiku-4-5", 1000000) == 0.9)",
     .call = cache_savings},
    {.name = "__llm_context_window",
     .signature = "(model: string, provider?: string?) -> int?",
     .doc = "How many tokens a model can be sent, as its provider has it; nil: nobody knows.",
     .example = R"(__llm_context_window("gpt-4o") == llm_model_info("gpt-4o").catalog.context_window)",
     .call = context_window},
    {.name = "__llm_cost",
     .signature = "(provider: string, model: string, input_tokens: int, output_tokens: int, cache_read_tokens?: int, "
                  "cache_write_tokens?: int) -> float?",
     .doc = "What a call costs in US dollars; nil where the price is unknown. The input has what the cache had or got.",
     .example = R"(__llm_cost("nobody", "x", 1, 1) == nil)",
     .call = known_cost},
    {.name = "__llm_longest_answer",
     .signature = "(provider: string, model: string) -> int?",
     .doc = "How many tokens an answer of a model may have; nil: nobody knows.",
     .example = R"(__llm_longest_answer("anthropic", "claude-3-5-haiku-20241022") == 8192)",
     .call = longest_answer},
    {.name = "__llm_route",
     .signature = "(options: dict) -> {provider: string, model: string, policy: string, alternatives: list<dict>, "
                  "considered: list<dict>, defaults: dict}",
     .doc = "Which provider and model a call with these options goes to, what is tried after it, and what was weighed.",
     .example = R"(__llm_route({provider: "mock"}).model == "mock")",
     .call = route},
    {.name = "llm_available_providers",
     .signature = "() -> list<string>",
     .doc = "Returns the names of the providers that can be asked: those whose key is set, and those that need none.",
     .example = R"("ollama" in llm_available_providers())",
     .call = available_providers},
    {.name = "llm_config",
     .signature = "(provider?: string) -> dict?",
     .doc = "Returns how a provider is reached, nil when it is unknown; without a name, all of them.",
     .example = R"(llm_config("anthropic").chat_endpoint == "/v1/messages")",
     .call = config},
    {.name = "llm_cost",
     .signature = "(model: string, input_tokens: int, output_tokens: int) -> float",
     .doc = "Returns what so many tokens of a model cost in US dollars; 0.0 when its price is unknown.",
     .example = R"(llm_cost("no-such-model", 1000, 1000) == 0.0)",
     .call = cost},
    {.name = "llm_infer_provider",
     .signature = "(model_id: string) -> string",
     .doc = "Returns the provider that a model belongs to, by its name.",
     .example = R"(llm_infer_provider("gpt-4o") == "openai")",
     .call = infer_provider},
    {.name = "llm_info",
     .signature = "() -> {provider: string, model: string?, api_key_set: bool}",
     .doc = "Returns where calls go that name no provider and no model.",
     .example = R"(len(llm_info().provider) > 0)",
     .call = info},
    {.name = "llm_known_models",
     .signature = "() -> list<string>",
     .doc = "Returns the names of the models that the catalogue knows, and their aliases.",
     .example = R"("gpt-4o" in llm_known_models())",
     .call = known_models},
    {.name = "llm_model_info",
     .signature = "(model: string) -> dict",
     .doc = "Returns what is known about a model: where it is, what it can do and what it costs.",
     .example = R"(llm_model_info("gpt-4o").catalog.context_window == 128000)",
     .call = model_info},
    {.name = "llm_model_tier",
     .signature = "(model_id: string) -> string",
     .doc = "Returns how good a model is, by its name: small, mid or frontier.",
     .example = R"(llm_model_tier("gpt-4o-mini") == "small")",
     .call = model_tier},
    {.name = "llm_pick_model",
     .signature = "(target: string, options?: dict) -> {id: string, provider: string, tier: string}",
     .doc = "Returns the model for an alias, an id or a tier; option provider.",
     .example = R"(llm_pick_model("small", {provider: "openai"}).id == "gpt-4o-mini")",
     .call = pick_model},
    {.name = "llm_provider_catalog",
     .signature = "() -> dict",
     .doc = "Returns all that is known: providers, models, aliases and defaults.",
     .example = R"(llm_provider_catalog().aliases.haiku.provider == "anthropic")",
     .call = provider_catalog},
    {.name = "llm_providers",
     .signature = "() -> list<string>",
     .doc = "Returns the names of all providers.",
     .example = R"("anthropic" in llm_providers())",
     .call = providers},
    {.name = "llm_qc_default_model",
     .signature = "(provider: string) -> string?",
     .doc = "Returns the model that a provider's answers are checked with; nil when there is none.",
     .example = R"(llm_qc_default_model("openai") == "gpt-4o-mini")",
     .call = qc_default_model},
    {.name = "llm_resolve_model",
     .signature =
         "(alias: string) -> {id: string, provider: string, alias: string?, tool_format: string, tier: string}",
     .doc = "Returns what an alias or the name of a model stands for.",
     .example = R"(llm_resolve_model("gpt4o").id == "gpt-4o")",
     .call = resolve_model},
    {.name = "provider_capabilities",
     .signature = "(provider: string, model: string) -> dict",
     .doc = "Returns what a model of a provider can do.",
     .example = R"("bm25" in provider_capabilities("anthropic", "claude-opus-4-7").tool_search)",
     .call = provider_capabilities},
    {.name = "provider_capabilities_clear",
     .signature = "() -> bool",
     .doc = "Forgets what the program has installed about capabilities.",
     .example = "provider_capabilities_clear()",
     .call = clear},
    {.name = "provider_capabilities_install",
     .signature = "(toml: string) -> bool",
     .doc = "Adds rules about what models can do, as [[provider.NAME]] tables; they win over those that were there.",
     .example = R"(provider_capabilities_install("[[provider.mine]]\nmax_tools = 3"))",
     .call = install},
    {.name = "provider_register",
     .signature = "(name: string) -> bool",
     .doc = "Makes a provider known by its name; where it is, a configuration says.",
     .example = R"(provider_register("mine"))",
     .call = register_provider},
};

}  // namespace

const park::PartRow kModelSettingsPart = {"models", installed_fields};

std::span<const Builtin> llm_catalog_rows() { return kRows; }

}  // namespace harn::builtins
