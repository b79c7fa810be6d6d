// What one call may cost. The rules are those of the prelude (llm.harn, agent_plan.harn), read as "at most":
//
//   requests = models that are tried * (1 + llm_retries) * (1 + schema_retries, if the answer has a shape)
//   tokens   = requests * (input + output)
//
// Output is bounded by `max_tokens`, which is always sent. Input is bounded by the bytes of the prompt where that is written
// out, because no token is shorter than a byte; else by the model's context window. What is not understood is an obstacle.
#include "audit/model_calls.h"

#include <algorithm>
#include <array>

#include "base/fmt.h"

namespace harn::audit {

using namespace syntax;

namespace {

constexpr int64_t kDefaultOutput = 16384;  // that llm.harn asks for where the program says nothing
constexpr int64_t kBytesAround = 256;      // of roles and marks around the texts of a prompt

// Budgets are held against an estimate before a call is made: a token for four bytes. No token is shorter than a byte, and
// what goes into a cache may cost a quarter more; so that is how far off an estimate can be.
constexpr double kBytesPerToken = 4;
constexpr double kEstimate = kBytesPerToken * 1.25;

// Where the options of a builtin are, and its texts. Builtins with a schema ask again when the answer does not fit.
struct Form {
  std::string_view name;
  int options;
  std::array<int, 3> texts;
  bool has_shape = false;
  int retries = 1;  // of the schema, where nothing is said
  bool is_loop = false;
};
constexpr Form kForms[] = {
    {"agent_loop", 2, {0, 1, -1}, false, 0, true},
    {"llm_call", 2, {0, 1, -1}},
    {"llm_call_safe", 2, {0, 1, -1}},
    {"llm_call_structured", 2, {0, -1, -1}, true, 3},
    {"llm_call_structured_result", 2, {0, -1, -1}, true, 3},
    {"llm_call_structured_safe", 2, {0, -1, -1}, true, 3},
    {"llm_completion", 3, {0, 1, 2}},
    {"llm_stream", 2, {0, 1, -1}},
    {"llm_stream_call", 2, {0, 1, -1}},
};

// Others that have models asked without needing the capability themselves: how often is not known from here.
constexpr std::string_view kUnknown[] = {
    "agent_session_compact", "command_llm_risk_scan", "daemon_resume",
    "daemon_spawn",          "daemon_trigger",        "mcp_connect",
    "resume_agent",          "schema_recover",        "send_input",
    "subagent_resume",       "tool_synthesize",       "transcript_auto_compact",
    "transcript_compact",    "transcript_summarize",  "worker_trigger",
    "workflow_execute",
};

// Options that do not change how often a model is asked, or how much it may say. Any other is an obstacle.
constexpr std::string_view kHarmless[] = {
    "provider",
    "model",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "stop",
    "system",
    "max_tokens",
    "llm_retries",
    "llm_backoff_ms",
    "schema_retries",
    "retries",
    "schema_retry_nudge",
    "output_validation",
    "response_format",
    "output_format",
    "output_schema",
    "json_schema",
    "schema",
    "budget",
    "max_cost_usd",
    "budget_usd",
    "max_input_tokens",
    "max_output_tokens",
    "total_budget_usd",
    "timeout",
    "idle_timeout",
    "stream",
    "cache",
    "thinking",
    "reasoning_effort",
    "repair",
    "tool_choice",
    "tool_format",
    "prefill",
    "vision",
    "audio",
    "pdf",
    // of loops
    "tools",
    "max_iterations",
    "max_nudges",
    "nudge",
    "loop_until_done",
    "persistent",
    "done_sentinel",
    "profile",
    "tool_retries",
    "tool_backoff_ms",
    "tool_timeout_ms",
    "token_budget",
    "policy",
    "approval_policy",
    "permissions",
    "command_policy",
    "turn_policy",
    "stop_after_successful_tools",
    "require_successful_tools",
    "loop_detect_warn",
    "loop_detect_block",
    "loop_detect_skip",
    "compaction",
    "session_id",
    "native_tool_fallback",
    "name",
    "reminders",
};

struct Profile {
  std::string_view name;
  int64_t iterations, llm_retries, schema_retries;
};
constexpr Profile kProfiles[] = {
    {"tool_using", 50, 2, 0}, {"researcher", 30, 2, 0}, {"verifier", 5, 2, 3}, {"completer", 1, 2, 0}};

template <class List>
bool is_in(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

const Form* find_form(std::string_view name) {
  auto found = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& form) { return form.name == name; });
  return found == std::end(kForms) ? nullptr : found;
}

class Estimate {
 public:
  Estimate(const ModelCall& call, const Form& form, const KnownValues& values, const llm::Catalog& catalog)
      : call_(call), form_(form), values_(values), catalog_(catalog) {}

  Cost run() {
    if (auto problem = read_options()) return Cost::unknown(*problem);
    Profile profile{"", 1, 0, form_.retries};
    if (form_.is_loop) {
      auto name = has("profile") ? values_.text(given_["profile"]) : std::optional<std::string>("tool_using");
      auto row = std::find_if(std::begin(kProfiles), std::end(kProfiles), [&](auto& one) { return one.name == name; });
      if (row == std::end(kProfiles)) return Cost::unknown(obstacle("the profile of this loop is not known"));
      profile = *row;
    }
    Bound retries = count("llm_retries", profile.llm_retries);
    Bound shapes =
        asks_again() ? count(has("schema_retries") ? "schema_retries" : "retries", profile.schema_retries) : 0;
    if (has("repair")) shapes = shapes + Bound(1);
    Bound turns = form_.is_loop ? count("max_iterations", profile.iterations) : Bound(1);
    Bound requests = (retries + Bound(1)) * (form_.is_loop ? Bound(1) : shapes + Bound(1)) * turns;
    Cost out;
    out.model_calls = requests + compactions(turns);
    Bound input = input_tokens(shapes), output = output_tokens();
    out.tokens = out.model_calls * (input + output);
    out.usd = out.model_calls * money(input, output);
    if (auto most = budget("max_cost_usd"))
      out.usd = Bound::tighter(out.usd, out.model_calls * Bound(*most * kEstimate));
    if (auto most = budget("total_budget_usd")) out.usd = Bound::tighter(out.usd, Bound(*most * kEstimate));
    if (form_.is_loop && has("tools") && !is_empty_list("tools")) {
      // A call of a tool takes at least one token of an answer.
      out.tool_calls = turns * output * (count("tool_retries", 0) + Bound(1));
    }
    return out;
  }

 private:
  bool has(std::string_view name) const { return given_.contains(name); }
  Obstacle obstacle(std::string text) const { return {call_.source, call_.span, std::move(text)}; }

  std::optional<Obstacle> read_options() {
    for (const Known& around : call_.around) {
      auto fields = values_.fields(around);
      if (!fields) return obstacle("the options of the `cost_route` around this call are not known");
      for (auto& [name, value] : *fields) given_[name] = value;
    }
    const Node* options = argument(form_.options);
    if (options) {
      auto fields = values_.fields({options, call_.frame});
      if (!fields) return obstacle(fmt::format("the options of this `{}` are not known", call_.builtin));
      for (auto& [name, value] : *fields) given_[name] = value;
    }
    for (const Node* arg : call_.args) {
      if (arg->is(NodeKind::Spread)) return obstacle("the arguments of this call are not known");
    }
    for (auto& [name, value] : given_) {
      if (is_in(kHarmless, name)) continue;
      return obstacle(fmt::format("option `{}` may have models asked more often", name));
    }
    return std::nullopt;
  }

  const Node* argument(int place) const {
    if (place < 0) return nullptr;
    constexpr std::string_view kNames[] = {"prompt", "system", "options"};
    for (const Node* arg : call_.args) {
      if (!arg->is(NodeKind::NamedArgument)) continue;
      if (place < 3 && arg->as<NamedArgument>().name.text == kNames[place]) return arg->as<NamedArgument>().value;
    }
    auto index = static_cast<size_t>(place);
    return index < call_.args.size() && !call_.args[index]->is(NodeKind::NamedArgument) ? call_.args[index] : nullptr;
  }

  Bound count(std::string_view name, int64_t otherwise) const {
    auto found = given_.find(name);
    if (found == given_.end()) return Bound(static_cast<double>(otherwise));
    auto number = values_.integer(found->second);
    if (!number) return obstacle(fmt::format("`{}` of this call is not known", name));
    return Bound(static_cast<double>(std::max<int64_t>(*number, 0)));
  }

  bool is_empty_list(std::string_view name) const {
    auto items = values_.most_items(given_.at(name));
    return items && *items == 0;
  }

  bool asks_again() const {
    if (form_.has_shape) return true;
    for (std::string_view name : {"output_schema", "json_schema", "schema", "output_format"}) {
      if (has(name)) return true;
    }
    return has("response_format") && values_.text(given_.at("response_format")) != "text";
  }

  // A conversation that is too long may be summarised by a model before each turn, once.
  Bound compactions(const Bound& turns) const {
    if (!form_.is_loop) return Bound();
    auto found = given_.find("compaction");
    if (found == given_.end()) return turns;
    Known value = values_.resolve(found->second);
    auto name = values_.text(value);
    constexpr std::string_view kAlone[] = {"none", "truncate", "observation_mask"};
    if (name && is_in(kAlone, *name)) return Bound();
    if (value.node && value.node->is(NodeKind::BoolLiteral))
      return value.node->as<BoolLiteral>().value ? turns : Bound();
    return name ? turns : Bound(obstacle("`compaction` of this loop is not known"));
  }

  // ---- tokens ----

  // Which model it is, if that is written out.
  struct Chosen {
    std::string provider, model;
  };
  std::optional<Chosen> chosen() const {
    std::optional<std::string> provider = "", model = "";
    if (has("provider")) provider = values_.text(given_.at("provider"));
    if (has("model")) model = values_.text(given_.at("model"));
    if (!provider || !model) return std::nullopt;
    if (const llm::Alias* alias = catalog_.find_alias(*model)) {
      return Chosen{alias->provider.empty() ? *provider : alias->provider, alias->id};
    }
    if (provider->empty()) {
      if (model->empty()) return std::nullopt;
      if (size_t colon = model->find(':'); colon != model->npos && catalog_.find_provider(model->substr(0, colon))) {
        return Chosen{model->substr(0, colon), model->substr(colon + 1)};
      }
      auto inferred = catalog_.infer(*model);
      return inferred ? std::optional(Chosen{inferred->provider, inferred->model}) : std::nullopt;
    }
    if (model->empty()) {
      if (*provider != "mock") return std::nullopt;  // what the environment says
      model = "mock";
    }
    return Chosen{*provider, *model};
  }

  std::optional<int64_t> prompt_bytes() const {
    if (form_.is_loop || has("tools") || has("prefill")) return std::nullopt;
    int64_t sum = kBytesAround;
    for (int place : form_.texts) {
      const Node* text = argument(place);
      if (!text) continue;
      auto bytes = values_.most_bytes({text, call_.frame});
      if (!bytes) return std::nullopt;
      sum += *bytes;
    }
    if (has("system")) {
      auto bytes = values_.most_bytes(given_.at("system"));
      if (!bytes) return std::nullopt;
      sum += *bytes;
    }
    return sum;
  }

  Bound input_tokens(const Bound& again) const {
    // What is asked again quotes the problem and the schema.
    auto bytes = again.is_zero() && !asks_again() ? prompt_bytes() : std::nullopt;
    Bound by_text = bytes ? Bound(static_cast<double>(*bytes))
                          : Bound(obstacle(form_.is_loop ? "how long the conversation gets is not known"
                                                         : "how long the prompt is is not known"));
    if (auto most = budget("max_input_tokens")) by_text = Bound::tighter(by_text, Bound(*most * kBytesPerToken));
    auto which = chosen();
    const llm::Model* model = which ? catalog_.find_model(which->provider, which->model) : nullptr;
    if (!model || !model->context_window) return by_text;
    return Bound::tighter(by_text, Bound(static_cast<double>(*model->context_window)));
  }

  Bound output_tokens() const {
    if (has("max_tokens")) return count("max_tokens", 0);
    if (auto most = budget("max_output_tokens")) return Bound(std::min(*most, static_cast<double>(kDefaultOutput)));
    return Bound(static_cast<double>(kDefaultOutput));
  }

  std::optional<double> budget(std::string_view name) const {
    if (auto found = given_.find("budget"); found != given_.end()) {
      auto fields = values_.fields(found->second);
      if (fields && fields->contains(name)) return values_.number(fields->at(name));
    }
    if (auto found = given_.find(name); found != given_.end()) return values_.number(found->second);
    if (name == "max_cost_usd" && has("budget_usd")) return values_.number(given_.at("budget_usd"));
    return std::nullopt;
  }

  // ---- money ----

  Bound money(const Bound& input, const Bound& output) const {
    auto which = chosen();
    if (!which) return obstacle("which model is asked is not known");
    auto price = catalog_.price(which->provider, which->model);
    if (!price) return obstacle(fmt::format("what {}:{} costs is not known", which->provider, which->model));
    // What goes through the cache may cost more than what does not.
    double in = std::max({price->input, price->cache_read.value_or(0), price->cache_write.value_or(0)});
    return input * Bound(in / 1e6) + output * Bound(price->output / 1e6);
  }

  const ModelCall& call_;
  const Form& form_;
  const KnownValues& values_;
  const llm::Catalog& catalog_;
  KnownValues::Fields given_;
};

}  // namespace

bool asks_models(std::string_view builtin, const compile::Catalog& builtins) {
  if (find_form(builtin) || is_in(kUnknown, builtin)) return true;
  auto row = builtins.find(builtin);
  return row && row->capability.starts_with("llm");
}

// Where the options say that nobody is asked: `schema_recover(text, schema, {llm_repair: false})`, a connection without `sampling`.
static bool asks_nobody(const ModelCall& call, const KnownValues& values) {
  if (call.builtin == "schema_recover") {
    auto options = call.args.size() == 3 ? values.fields({call.args[2], call.frame}) : std::nullopt;
    auto wish = options ? options->find("llm_repair") : KnownValues::Fields::iterator();
    if (!options || wish == options->end() || !wish->second.node) return false;
    const Node& value = *wish->second.node;
    return value.is(NodeKind::BoolLiteral) && !value.as<BoolLiteral>().value;
  }
  if (call.builtin != "mcp_connect") return false;
  return std::ranges::all_of(call.args, [&](const Node* arg) {
    bool is_text = arg->is(NodeKind::StringLiteral) || arg->is(NodeKind::NilLiteral);
    auto options = is_text ? std::nullopt : values.fields({arg, call.frame});
    return is_text || (options && !options->contains("sampling"));
  });
}

Cost cost_of_call(const ModelCall& call, const KnownValues& values, const llm::Catalog& catalog) {
  const Form* form = find_form(call.builtin);
  if (asks_nobody(call, values)) return {};
  if (!form) {
    return Cost::unknown(
        {call.source, call.span, fmt::format("how often `{}` asks models is not known", call.builtin)});
  }
  return Estimate(call, *form, values, catalog).run();
}

}  // namespace harn::audit
