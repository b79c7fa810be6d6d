#include "llm/exchange.h"

#include "base/result.h"
#include "base/text.h"
#include "effects/process.h"
#include "llm/aws_signature.h"
#include "llm/coding_agent.h"
#include "llm/failures.h"
#include "llm/fields.h"
#include "llm/model_settings.h"
#include "vm/clock.h"

namespace harn::llm {

using namespace vm;
using effects::HttpFailure;

constexpr size_t kMostErrorBytes = 1 << 20;

Exchange::Exchange(effects::Run& run, const ModelRequest& request)
    : run_(run),
      request_(request.request),
      idle_timeout_ms_(request.idle_timeout_ms),
      timeout_ms_(request.timeout_ms),
      due_(run.clock().now() + request.timeout_ms * kMillisecond) {}

Exchange::~Exchange() {
  if (stream_) (void)effects::answer_of(run_, effects::CloseHttp{stream_});
}

Value Exchange::failed(std::string_view category, const std::string& message) const {
  return failure(text_field(request_, "provider"), text_field(request_, "model"), category, message);
}

Value Exchange::blocked(std::string_view reason) const {
  return failed("egress_blocked", fmt::format("egress blocked: {}: {}", provider_->base_url, reason));
}

// A server of one's own that does not answer may never have been meant: it is asked where no provider has a key.
static std::string_view advice(const Provider& provider) {
  if (provider.name != "ollama") return "";
  return ". Is Ollama running? It is asked where no other provider is named or has a key: set ANTHROPIC_API_KEY, or "
         "name a provider "
         "and its model by HARN_LLM_PROVIDER and HARN_LLM_MODEL";
}

Value Exchange::broken(HttpFailure why, const std::string& message) const {
  switch (why) {
    case HttpFailure::Timeout:
      return failed("timeout", fmt::format("{}: no answer within {} ms", provider_->name, timeout_ms_));
    case HttpFailure::Blocked: return blocked(message);
    case HttpFailure::Cancelled: return failed("cancelled", message);
    default:
      return failed("transient_network", fmt::format("{}: {}: {}{}", provider_->name, provider_->base_url, message,
                                                     has_begun_ ? "" : advice(*provider_)));
  }
}

// A failure that was thrown is an answer; every other error goes on.
static Outcome<Value> told_failure(Thrown error) {
  if (!error->value.is_dict() || !has_field(error->value, "category")) return std::unexpected(std::move(error));
  return error->value;
}

int64_t Exchange::time_left_ms() const { return std::max<int64_t>((due_ - run_.clock().now()) / kMillisecond, 0); }

static std::string content_type(const std::vector<effects::HttpHeader>& headers) {
  for (const effects::HttpHeader& header : headers) {
    if (header.name == "content-type") return text::ascii_lower(header.value);
  }
  return "";
}

Outcome<void> Exchange::sign(WireCall& call, std::string_view key) {
  AwsCredentials credentials = aws_credentials(key);
  for (const std::string& one : {credentials.secret, credentials.session_token}) {
    if (!one.empty()) run_.world().secrets.add("credential", one);
  }
  auto headers = aws_headers(credentials, provider_->aws_region, provider_->aws_service, call.url, call.body,
                             run_.clock().wall_ms() / 1000);
  if (!headers)
    return vm::throw_text(ErrorKind::Unsupported, "{}: a request cannot be signed: {}", provider_->name,
                          headers.error());
  for (effects::HttpHeader& header : *headers) call.headers.push_back(std::move(header));
  return {};
}

// The last line that says something: what is before it is often a warning.
static std::string last_line(std::string_view text) {
  text = text::trim(text);
  size_t end = text.rfind('\n');
  return text::to_valid_utf8(end == text.npos ? text : text.substr(end + 1));
}

Outcome<Value> Exchange::run_agent() {
  AgentCall call = HARN_TRY(agent_call(*provider_, request_));
  effects::RunProcess process{.what = provider_->name,
                              .words = std::move(call.words),
                              .directory = std::move(call.directory),
                              .program = provider_->name};
  process.input = std::move(call.input);
  process.timeout_ms = timeout_ms_;
  // Whoever is asked about processes cannot be asked in the middle of a call.
  if (!run_.allows(Capability::Process) || run_.asks(Capability::Process))
    return effects::denied(effects::RunProcess::row, provider_->name);
  auto done = effects::run_for_model(run_, process);
  if (!done && done.error()->error_kind == ErrorKind::NotFound)
    return failed("not_found", std::string(text_of(done.error()->value)));
  if (!done) return std::unexpected(std::move(done).error());
  if (done->timed_out)
    return failed("timeout", fmt::format("{}: no answer within {} ms", provider_->name, timeout_ms_));
  if (text::trim(done->out).empty()) {
    return without_keys(
        failure_of({.provider = provider_->name,
                    .model = std::string(text_field(request_, "model")),
                    .type = "api_error",
                    .message = done->err.empty() ? fmt::format("it has ended with status {}", done->status)
                                                 : last_line(done->err)}));
  }
  said_ = std::move(done->out);
  decoder_ = Decoder::make(provider_->wire, false, request_);
  return Value();
}

Outcome<Value> Exchange::begin() {
  provider_ = HARN_TRY(provider_for(run_, text_field(request_, "provider"), text_field(request_, "model")));
  if (is_coding_agent(provider_->wire)) return run_agent();
  auto key = key_of(run_, *provider_);
  if (!key) return told_failure(std::move(key).error());
  if (!key->empty()) run_.world().secrets.add("credential", *key);
  bool is_signed = provider_->auth_style == "aws";
  WireCall call = HARN_TRY(encode(*provider_, request_, is_signed ? "" : *key));
  if (is_signed) HARN_CHECK(sign(call, *key));
  effects::OpenHttp open;
  open.method = "POST";
  open.url = call.url;
  open.headers = std::move(call.headers);
  open.body = std::move(call.body);
  open.timeout_ms = timeout_ms_;
  open.read_timeout_ms = idle_timeout_ms_;
  if (auto refused = effects::egress_refusal(run_, open.targets())) return blocked(*refused);
  auto head = HARN_TRY(effects::answer_of(run_, open));
  if (head.failure != HttpFailure::None) return broken(head.failure, head.message);
  stream_ = head.stream;
  request_id_ = request_id_of(head.headers);
  if (head.status != 200) return failed_answer(head);
  std::string type = content_type(head.headers);
  if (type.starts_with("text/html"))
    return failed("generic",
                  fmt::format("a web page came back, not an answer of a model; is {} the right address?", open.url));
  // Some servers answer as a whole whatever they were asked for.
  decoder_ = Decoder::make(call.wire, call.streams && !type.starts_with("application/json"), request_);
  return Value();
}

// The body says why.
Outcome<Value> Exchange::failed_answer(const effects::OpenHttp::Answer& head) {
  std::string body;
  while (body.size() < kMostErrorBytes) {
    auto piece = HARN_TRY(effects::answer_of(run_, effects::ReadHttp{.stream = stream_, .timeout_ms = time_left_ms()}));
    body += piece.bytes;
    if (piece.is_end || piece.is_late || !piece.is_known) break;
  }
  int64_t now_ms = run_.clock().wall_ms();
  // Before it is cut to what is shown: half of a key is no longer found.
  body = run_.world().secrets.hidden(body);
  return without_keys(failure_of(*provider_, text_field(request_, "model"), head.status, head.headers, body, now_ms));
}

Outcome<bool> Exchange::ended_by(Thrown error, ModelAnswer& end) const {
  end.failure = without_keys(HARN_TRY(told_failure(std::move(error))));
  return true;
}

Outcome<bool> Exchange::finish(ModelAnswer& end) {
  auto answer = decoder_->finish();
  if (!answer) return ended_by(std::move(answer).error(), end);
  end.answer = *std::move(answer);
  if (!request_id_.empty()) dict_set(end.answer, "request_id", text_value(request_id_));
  return true;
}

// Some repeat the key that they do not accept.
Value Exchange::without_keys(const Value& failure) const { return effects::hidden(run_.world().secrets, failure); }

Outcome<bool> Exchange::read(std::vector<Value>& deltas, ModelAnswer& end) {
  if (is_coding_agent(provider_->wire)) {
    if (auto fed = decoder_->feed(said_, deltas); !fed) return ended_by(std::move(fed).error(), end);
    return finish(end);
  }
  int64_t left = time_left_ms();
  int64_t wait = idle_timeout_ms_ > 0 ? std::min(idle_timeout_ms_, left) : left;
  auto piece = HARN_TRY(effects::answer_of(run_, effects::ReadHttp{.stream = stream_, .timeout_ms = wait}));
  if (piece.is_late) {
    std::string message = wait < left ? fmt::format("nothing came for {} ms", wait)
                                      : fmt::format("the answer was not complete within {} ms", timeout_ms_);
    end.failure = failed("timeout", fmt::format("{}: {}", provider_->name, message));
    return true;
  }
  has_begun_ = true;
  if (piece.failure != HttpFailure::None) {
    end.failure = broken(piece.failure, piece.message);
    return true;
  }
  if (auto fed = decoder_->feed(piece.bytes, deltas); !fed) return ended_by(std::move(fed).error(), end);
  return piece.is_end ? finish(end) : Outcome<bool>(false);
}

}  // namespace harn::llm
