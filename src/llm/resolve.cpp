#include "llm/resolve.h"

#include <algorithm>
#include <set>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"

namespace harn::llm {

namespace {

constexpr std::string_view kOwnVariables[] = {
    "HARN_LLM_PROVIDER", "HARN_LLM_MODEL", "HARN_DEFAULT_PROVIDER", "LOCAL_LLM_BASE_URL", "LOCAL_LLM_MODEL",
};
constexpr std::string_view kOllamaVariables[] = {
    "HARN_OLLAMA_NUM_CTX", "OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_CTX", "HARN_OLLAMA_KEEP_ALIVE", "OLLAMA_KEEP_ALIVE",
};
constexpr int64_t kUsualContext = 32768;
constexpr std::string_view kUsualKeepAlive = "30m";

std::string_view get(const Variables& variables, std::string_view name) {
  auto found = variables.find(name);
  return found == variables.end() ? std::string_view() : text::trim(found->second);
}

// The parts of a text that are `${...}`.
template <class Each>
void each_reference(std::string_view words, Each each) {
  for (size_t at = 0; (at = words.find("${", at)) != words.npos;) {
    size_t end = words.find('}', at);
    if (end == words.npos) return;
    each(at, end + 1, words.substr(at + 2, end - at - 2));
    at = end;
  }
}

struct Reference {
  std::vector<std::string_view> names;
  std::optional<std::string_view> otherwise;
};

Reference reference_of(std::string_view words) {
  Reference out;
  size_t mark = words.find(":-");
  if (mark != words.npos) out.otherwise = words.substr(mark + 2);
  out.names = text::split(words.substr(0, mark), "|");
  return out;
}

std::unexpected<std::string> unknown_provider(const Catalog& catalog, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [known, row] : catalog.providers()) names.push_back(known);
  auto close = text::close_names(name, names);
  return std::unexpected(close.empty()
                             ? fmt::format("unknown provider `{}`; known are {}", name, fmt::join(names, ", "))
                             : fmt::format("unknown provider `{}`; did you mean `{}`?", name, close[0]));
}

bool is_tier(std::string_view word) { return word == "small" || word == "mid" || word == "frontier"; }

// The model of a provider that is as good as a tier says.
std::string tier_model(const Catalog& catalog, const ProviderRow& row, const std::string& tier) {
  if (auto found = row.tiers.find(tier); found != row.tiers.end()) return found->second;
  for (const Model& model : catalog.models()) {
    if (model.provider == row.name && catalog.tier_of(model.id) == tier) return model.id;
  }
  return "";
}

class Resolver {
 public:
  Resolver(const Catalog& catalog, const Variables& variables, const Asked& asked)
      : catalog_(catalog), variables_(variables), asked_(asked), alias_(catalog.find_alias(asked.model)) {
    // An id of the model is what the provider calls it.
    if (alias_) model_ = {alias_->provider, alias_->id};
    else if (auto inferred = catalog.infer(asked.model); inferred && !asked.model.empty())
      model_ = {inferred->provider, inferred->model};
    else model_.model = asked.model;
  }

  std::expected<Choice, std::string> run() {
    Choice choice{.provider = provider(), .alias = alias_ ? asked_.model : ""};
    const ProviderRow* row = catalog_.find_provider(choice.provider);
    if (!row) return unknown_provider(catalog_, choice.provider);
    choice.model = model(*row);
    return choice;
  }

 private:
  std::string provider() const {
    bool is_auto = asked_.provider == "auto";
    if (!asked_.provider.empty() && !is_auto) return asked_.provider;
    std::string_view said = get(variables_, "HARN_LLM_PROVIDER");
    if (!is_auto && !said.empty()) return std::string(said);
    std::string_view env_model = get(variables_, "HARN_LLM_MODEL");
    bool has_model = !asked_.model.empty() || !get(variables_, "LOCAL_LLM_MODEL").empty() || !env_model.empty();
    if (!is_auto && has_model && !get(variables_, "LOCAL_LLM_BASE_URL").empty()) return "local";
    if (!model_.provider.empty()) return model_.provider;
    if (const Alias* tier = asked_.tier.empty() ? nullptr : catalog_.find_alias(asked_.tier)) return tier->provider;
    if (auto inferred = catalog_.infer(env_model); inferred && !env_model.empty()) return inferred->provider;
    return by_default();
  }

  std::string by_default() const {
    std::string_view said = get(variables_, "HARN_DEFAULT_PROVIDER");
    std::string name(said.empty() ? "anthropic" : said);
    for (const std::string& next : {name, std::string("ollama"), std::string("local")}) {
      const ProviderRow* row = catalog_.find_provider(next);
      if (row && has_auth(*row, variables_)) return next;
    }
    return name;
  }

  std::string model(const ProviderRow& row) const {
    if (!asked_.model.empty()) {
      // Only its own provider knows what a prefix means.
      bool is_own = alias_ || model_.provider == row.name;
      return is_own ? model_.model : asked_.model;
    }
    if (!asked_.tier.empty()) {
      std::string found = tier_model(catalog_, row, asked_.tier);
      if (!found.empty()) return found;
    }
    std::string env(get(variables_, "HARN_LLM_MODEL"));
    if (!env.empty()) {
      if (const Alias* alias = catalog_.find_alias(env)) {
        if (alias->provider.empty() || alias->provider == row.name) return alias->id;
      } else {
        auto inferred = catalog_.infer(env);
        // The model of another provider is no use here.
        if (!inferred || !inferred->is_certain) return env;
        if (inferred->provider == row.name) return inferred->model;
      }
    }
    return default_model(row, variables_);
  }

  const Catalog& catalog_;
  const Variables& variables_;
  const Asked& asked_;
  const Alias* alias_;
  Catalog::Inferred model_;
};

// A base and an endpoint may both name the version: "http://host/v1" and "/v1/chat/completions".
std::string without_overlap(std::string base, std::string_view endpoint) {
  while (base.ends_with('/')) base.pop_back();
  size_t host = base.find("://");
  size_t path = base.find('/', host == base.npos ? 0 : host + 3);
  for (size_t at = path; at != base.npos; at = base.find('/', at + 1)) {
    std::string_view end = std::string_view(base).substr(at);
    if (endpoint.starts_with(end) && endpoint.substr(end.size()).starts_with('/')) {
      base.resize(at);
      break;
    }
  }
  return base;
}

// "0.0.0.0:11434", as servers are told where to listen.
std::string ollama_address(std::string address) {
  if (address.find("://") == address.npos) address = "http://" + address;
  size_t start = address.find("://") + 3;
  if (address.compare(start, 7, "0.0.0.0") == 0) address.replace(start, 7, "127.0.0.1");
  size_t path = address.find('/', start);
  std::string host = address.substr(start, path - start);
  bool has_port = host.rfind(':') != host.npos && host.rfind(':') > host.rfind(']') + (host.rfind(']') == host.npos);
  bool is_plain = address.starts_with("http://");
  if (!has_port && is_plain) address.insert(path == address.npos ? address.size() : path, ":11434");
  return address;
}

void set_up_ollama(Provider& provider, const Variables& variables) {
  provider.base_url = ollama_address(provider.base_url);
  provider.context_tokens = kUsualContext;
  for (std::string_view name : {"HARN_OLLAMA_NUM_CTX", "OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_CTX"}) {
    std::string_view said = get(variables, name);
    if (said.empty() || said.size() > 12 || !std::all_of(said.begin(), said.end(), text::is_digit)) continue;
    int64_t tokens = std::stoll(std::string(said));
    if (tokens <= 0) continue;
    provider.context_tokens = tokens;
    break;
  }
  std::string_view keep = get(variables, "HARN_OLLAMA_KEEP_ALIVE");
  if (keep.empty()) keep = get(variables, "OLLAMA_KEEP_ALIVE");
  if (keep == "forever" || keep == "infinite") keep = "-1";
  provider.keep_alive = keep.empty() || keep == "default" ? kUsualKeepAlive : keep;
}

}  // namespace

std::expected<std::string, std::string> expanded(std::string_view words, const Variables& variables) {
  std::string out;
  size_t done = 0;
  std::string missing;
  each_reference(words, [&](size_t at, size_t end, std::string_view inside) {
    out += words.substr(done, at - done);
    done = end;
    Reference reference = reference_of(inside);
    for (std::string_view name : reference.names) {
      std::string_view value = get(variables, name);
      if (value.empty()) continue;
      out += value;
      return;
    }
    if (reference.otherwise) out += *reference.otherwise;
    else if (missing.empty()) missing = reference.names[0];
  });
  if (!missing.empty()) return std::unexpected(missing);
  out += words.substr(done);
  return out;
}

static void add_referred(const ProviderRow& row, std::set<std::string>& names) {
  for (const auto& [key, setting] : row.settings) {
    const std::string* words = std::get_if<std::string>(&setting);
    if (!words) continue;
    each_reference(*words, [&](size_t, size_t, std::string_view inside) {
      for (std::string_view one : reference_of(inside).names) names.emplace(one);
    });
  }
}

WantedVariables wanted_variables(const Catalog& catalog) {
  std::set<std::string> names(std::begin(kOwnVariables), std::end(kOwnVariables)), keys;
  names.insert(std::begin(kOllamaVariables), std::end(kOllamaVariables));
  for (const auto& [name, row] : catalog.providers()) {
    add_referred(row, names);
    for (const std::string& key : texts_of(row.settings, "auth_env")) keys.insert(key);
  }
  return {{names.begin(), names.end()}, {keys.begin(), keys.end()}};
}

WantedVariables wanted_variables(const ProviderRow& row) {
  std::set<std::string> names;
  if (text_of(row.settings, "wire") == wire_name(Wire::Ollama))
    names.insert(std::begin(kOllamaVariables), std::end(kOllamaVariables));
  add_referred(row, names);
  return {{names.begin(), names.end()}, texts_of(row.settings, "auth_env")};
}

std::string default_model(const ProviderRow& row, const Variables& variables) {
  return expanded(text_of(row.settings, "default_model"), variables).value_or("");
}

std::string key_variable(const ProviderRow& row, const Variables& variables) {
  for (const std::string& name : texts_of(row.settings, "auth_env")) {
    if (!get(variables, name).empty()) return name;
  }
  return "";
}

bool has_auth(const ProviderRow& row, const Variables& variables) {
  bool needs_key = text_of(row.settings, "auth_style") != "none" && !flag_of(row.settings, "auth_optional");
  return !needs_key || !key_variable(row, variables).empty();
}

bool is_set_up(const ProviderRow& row, const Variables& variables) {
  if (!key_variable(row, variables).empty()) return true;
  if (!has_auth(row, variables)) return false;
  // An address that is fixed, and needs no key, is there on purpose.
  bool has_reference = false, is_set = false;
  each_reference(text_of(row.settings, "base_url"), [&](size_t, size_t, std::string_view inside) {
    has_reference = true;
    for (std::string_view name : reference_of(inside).names) is_set = is_set || !get(variables, name).empty();
  });
  return has_reference ? is_set : !text_of(row.settings, "base_url").empty();
}

std::expected<Choice, std::string> resolve_provider(const Catalog& catalog, const Variables& variables,
                                                    const Asked& asked) {
  if (!asked.tier.empty() && !is_tier(asked.tier))
    return std::unexpected(fmt::format("unknown model tier `{}`; there are small, mid and frontier", asked.tier));
  return Resolver(catalog, variables, asked).run();
}

std::expected<Choice, std::string> resolve(const Catalog& catalog, const Variables& variables, const Asked& asked) {
  Choice choice = HARN_TRY(resolve_provider(catalog, variables, asked));
  if (!choice.model.empty()) return choice;
  return std::unexpected(fmt::format(
      "the provider `{}` has no default model: name one with `model`, or set HARN_LLM_MODEL", choice.provider));
}

std::expected<Choice, std::string> resolve_selector(const Catalog& catalog, const Variables& variables,
                                                    std::string_view selector) {
  if (const Alias* alias = catalog.find_alias(selector)) {
    std::string provider = alias->provider;
    if (auto inferred = catalog.infer(alias->id); provider.empty() && inferred) provider = inferred->provider;
    return Choice{provider, alias->id, std::string(selector)};
  }
  size_t colon = selector.find(':');
  std::string_view before = colon == selector.npos ? std::string_view() : selector.substr(0, colon);
  if (catalog.find_provider(before)) return Choice{std::string(before), std::string(selector.substr(colon + 1)), ""};
  if (auto inferred = catalog.infer(selector)) return Choice{inferred->provider, inferred->model, ""};
  return resolve(catalog, variables, {.model = std::string(selector)});
}

std::expected<Provider, std::string> provider_for(const Catalog& catalog, const Variables& variables,
                                                  std::string_view name, std::string_view model) {
  const ProviderRow* row = catalog.find_provider(name);
  if (!row) return unknown_provider(catalog, name);
  const Settings& settings = row->settings;
  auto url = [&](std::string_view key) -> std::expected<std::string, std::string> {
    auto made = expanded(text_of(settings, key), variables);
    if (made) return *made;
    return std::unexpected(fmt::format("the provider `{}` needs {}, which is not set", name, made.error()));
  };
  Provider provider{.name = row->name,
                    .model = std::string(model),
                    .wire = find_wire(text_of(settings, "wire")).value_or(Wire::OpenAiChat)};
  provider.chat_endpoint = HARN_TRY(url("chat_endpoint"));
  provider.responses_endpoint = HARN_TRY(url("responses_endpoint"));
  provider.models_endpoint = HARN_TRY(url("models_endpoint"));
  provider.base_url = without_overlap(HARN_TRY(url("base_url")), provider.chat_endpoint);
  provider.auth_style = text_of(settings, "auth_style");
  provider.auth_header = text_of(settings, "auth_header");
  provider.aws_region = HARN_TRY(url("aws_region"));
  provider.aws_service = text_of(settings, "aws_service");
  provider.auth_envs = texts_of(settings, "auth_env");
  provider.is_key_optional = flag_of(settings, "auth_optional");
  std::string key = key_variable(*row, variables);
  const auto& bearers = texts_of(settings, "bearer_env");
  if (std::find(bearers.begin(), bearers.end(), key) != bearers.end()) provider.auth_style = "bearer";
  provider.headers = row->headers;
  if (auto field = text_of(settings, "max_tokens_field"); !field.empty()) provider.max_tokens_field = field;
  if (auto field = text_of(settings, "thinking_field"); !field.empty()) provider.thinking_field = field;
  provider.refuses = texts_of(settings, "refuses");
  provider.tells_stream_usage = !settings.contains("stream_usage") || flag_of(settings, "stream_usage");
  provider.wants_cache_marks = flag_of(settings, "cache_marks");
  provider.capabilities = catalog.capabilities(name, model);
  if (provider.wire == Wire::Ollama) set_up_ollama(provider, variables);
  return provider;
}

}  // namespace harn::llm
