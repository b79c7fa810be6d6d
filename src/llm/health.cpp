#include "llm/health.h"

#include "base/result.h"
#include "base/url.h"
#include "effects/http.h"
#include "effects/process.h"
#include "llm/coding_agent.h"
#include "llm/encode.h"
#include "llm/model_settings.h"

namespace harn::llm {

using namespace vm;
using effects::HttpFailure;

namespace {

constexpr size_t kMostBytes = size_t{8} << 20;

std::string_view category_of(HttpFailure failure) {
  return failure == HttpFailure::Timeout   ? "timeout"
         : failure == HttpFailure::Blocked ? "egress_blocked"
                                           : "transient_network";
}

// A failure that was thrown is an answer; every other error goes on.
Outcome<CheckProvider::Answer> told(Thrown error) {
  if (!error->value.is_dict() || !has_field(error->value, "category")) return std::unexpected(std::move(error));
  return CheckProvider::Answer{.category = std::string(text_field(error->value, "category")),
                               .message = std::string(text_field(error->value, "message"))};
}

// Whether its program is there and starts. What it is logged in to, only a call can tell.
Outcome<CheckProvider::Answer> check_agent(effects::Run& run, const Provider& provider, int64_t timeout_ms) {
  if (!run.allows(Capability::Process) || run.asks(Capability::Process))
    return effects::denied(effects::RunProcess::row, provider.name);
  effects::RunProcess process{.what = provider.name,
                              .words = {std::string(agent_program(provider.wire)), "--version"},
                              .directory = "",
                              .program = provider.name};
  process.timeout_ms = timeout_ms;
  auto done = effects::run_for_model(run, process);
  if (!done && done.error()->error_kind == ErrorKind::NotFound)
    return CheckProvider::Answer{.category = "not_found", .message = std::string(text_of(done.error()->value))};
  if (!done) return std::unexpected(std::move(done).error());
  if (done->status == 0) return CheckProvider::Answer{};
  return CheckProvider::Answer{
      .category = done->timed_out ? "timeout" : "server_error",
      .message = fmt::format("{}: `{} --version` has failed", provider.name, process.words[0])};
}

}  // namespace

Outcome<CheckProvider::Answer> carry_out(effects::Run& run, const CheckProvider& request) {
  auto known = HARN_TRY(provider_for(run, request.provider, ""));
  const Provider& provider = *known;
  if (is_coding_agent(provider.wire)) return check_agent(run, provider, request.timeout_ms);
  std::string key = request.key;
  if (key.empty()) {
    auto found = key_of(run, provider);
    if (!found) return told(std::move(found).error());
    key = *std::move(found);
  }
  if (!key.empty()) run.world().secrets.add("credential", key);
  if (provider.models_endpoint.empty() || provider.base_url.empty()) return CheckProvider::Answer{};

  effects::SendHttp ask;
  ask.method = "GET";
  ask.url = provider.base_url + provider.models_endpoint;
  ask.headers = provider_headers(provider, key);
  ask.headers.push_back({"accept", "application/json"});
  ask.timeout_ms = request.timeout_ms;
  ask.max_body = kMostBytes;
  CheckProvider::Answer out{.url = masked_url(ask.url)};
  if (auto refused = effects::egress_refusal(run, ask.targets())) {
    out.category = "egress_blocked";
    out.message = fmt::format("egress blocked: {}: {}", provider.base_url, *refused);
    return out;
  }
  auto answer = HARN_TRY(effects::answer_of(run, ask));
  out.status = answer.status;
  if (answer.failure != HttpFailure::None) {
    out.category = category_of(answer.failure);
    out.message = run.world().secrets.hidden(answer.message);
  } else if (answer.status != 200) {
    Value failed = failure_of(provider, "", answer.status, answer.headers, answer.body);
    out.category = text_field(failed, "category");
    out.message = run.world().secrets.hidden(std::string(text_field(failed, "message")));
  } else {
    out.body = std::move(answer.body);
  }
  return out;
}

}  // namespace harn::llm
