// From what a provider says to what a program is told: reference section 1.
#include "llm/failures.h"

#include <charconv>
#include <cmath>
#include <ctime>

#include "base/fmt.h"
#include "base/secrets.h"
#include "base/text.h"
#include "data/json.h"
#include "llm/fields.h"

namespace harn::llm {

namespace {

constexpr size_t kMostMessageBytes = 600;

struct Verdict {
  std::string_view category;
  std::string_view reason;
  std::string_view happened;
  std::string_view advice;
};

// What to do about it is for whoever reads the message; programs branch on category and reason.
constexpr Verdict kVerdicts[] = {
    {"context_length", "context_overflow", "the conversation is too long for the model",
     "shorten or compact it, or use a model with a larger context"},
    {"content_filter", "content_policy", "the provider refused the content", "change the request"},
    {"auth", "auth_failure", "the provider did not accept the key", "check that the key is set and valid"},
    {"rate_limit", "rate_limit", "the provider's rate limit was reached", "wait, or set `llm_retries`"},
    {"timeout", "timeout", "the answer did not come in time", "try again, or raise `timeout`"},
    {"not_found", "model_unavailable", "the provider has no such model", "check the name of the model"},
    {"overloaded", "server_error", "the provider is overloaded", "try again later"},
    {"server_error", "server_error", "the provider failed", "try again later"},
    {"transient_network", "network_error", "the connection failed", "try again"},
    {"generic", "invalid_request", "the provider did not accept the request", ""},
    {"budget_exceeded", "budget_exceeded", "the budget is used up", ""},
    {"generic", "unknown", "the call failed", ""},
};

// Of a category that no provider gives, such as "egress_blocked", no more is known.
Verdict verdict_of(std::string_view category) {
  for (const Verdict& one : kVerdicts) {
    if (one.category == category && one.reason != "invalid_request") return one;
  }
  Verdict other = kVerdicts[std::size(kVerdicts) - 1];
  other.category = category;
  return other;
}

const Verdict& verdict_by_reason(std::string_view reason) {
  for (const Verdict& one : kVerdicts) {
    if (one.reason == reason) return one;
  }
  return kVerdicts[std::size(kVerdicts) - 1];
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

bool is_context_overflow(std::string_view said) {
  return has_any(said, {"context_length_exceeded", "context length", "context window", "prompt is too long",
                        "maximum context", "too many tokens", "input is too long", "exceeds the limit of tokens",
                        "exceed context", "input length and `max_tokens` exceed", "request_too_large"});
}

bool is_content_policy(std::string_view said) {
  return has_any(said, {"content_policy", "content policy", "content_filter", "content management policy",
                        "content filtering policy", "safety system", "responsibleaipolicy", "moderation"});
}

// By the words of the provider where it has them, else by the status.
Verdict judge(const Told& told) {
  std::string said = text::ascii_lower(told.type + " " + told.message);
  bool is_success = told.status == 0 || told.status == 200;
  if (is_success || (told.status >= 400 && told.status < 500) || told.status == 500) {
    bool is_quota = told.status == 429 || told.status == 401 || told.status == 403;
    if (!is_quota && is_context_overflow(said)) return verdict_of("context_length");
    if (told.status != 429 && is_content_policy(said)) return verdict_of("content_filter");
  }
  if (has_any(said, {"overloaded_error"}) || told.status == 529) return verdict_of("overloaded");
  switch (told.status) {
    case 401:
    case 403: return verdict_of("auth");
    case 429: return verdict_of("rate_limit");
    case 408:
    case 504:
    case 522:
    case 524: return verdict_of("timeout");
    case 404:
    case 410: return verdict_of("not_found");
    case 400:
    case 405:
    case 409:
    case 413:
    case 415:
    case 422: return verdict_by_reason("invalid_request");
  }
  if (told.status >= 500 && told.status < 600) return verdict_of("server_error");
  if (has_any(told.type, {"rate_limit"})) return verdict_of("rate_limit");
  if (has_any(told.type, {"authentication", "permission", "api_key"})) return verdict_of("auth");
  if (has_any(told.type, {"not_found", "model_not_found"})) return verdict_of("not_found");
  if (has_any(told.type, {"timeout"})) return verdict_of("timeout");
  if (has_any(told.type, {"api_error", "server_error", "internal"})) return verdict_of("server_error");
  if (has_any(told.type, {"invalid", "bad_request"})) return verdict_by_reason("invalid_request");
  // It had accepted the request, and broke off.
  return verdict_of(is_success ? "server_error" : "generic");
}

bool is_transient(std::string_view category) {
  return category == "timeout" || category == "rate_limit" || category == "overloaded" || category == "server_error" ||
         category == "transient_network";
}

std::string cut(std::string_view message) {
  // Some repeat the key that they do not accept.
  std::string safe = Secrets().hidden(text::trim(message));
  if (safe.size() <= kMostMessageBytes) return safe;
  return text::to_valid_utf8(std::string_view(safe).substr(0, kMostMessageBytes)) + "...";
}

std::string message_of(const Told& told, const Verdict& verdict) {
  std::string out = fmt::format("{}: {}", told.provider, verdict.happened);
  if (told.status != 0 && told.status != 200) out += fmt::format(" (HTTP {})", told.status);
  if (!told.message.empty()) out += fmt::format(": {}", cut(told.message));
  if (told.retry_after_ms >= 0) out += fmt::format("; it asks to wait {} ms", told.retry_after_ms);
  else if (!verdict.advice.empty()) out += fmt::format("; {}", verdict.advice);
  if (!told.request_id.empty()) out += fmt::format(" [request {}]", told.request_id);
  return out;
}

Value dict_of(const Told& told, const Verdict& verdict, std::string_view message) {
  DictBuilder out;
  out.add("category", vm::text_value(verdict.category))
      .add("kind", vm::text_value(is_transient(verdict.category) ? "transient" : "terminal"))
      .add("reason", vm::text_value(verdict.reason))
      .add("message", vm::text_value(text::to_valid_utf8(message)))
      .add("provider", vm::text_value(told.provider))
      .add("model", vm::text_value(told.model));
  if (told.status != 0 && told.status != 200) out.add("status", Value::integer(told.status));
  if (!told.request_id.empty()) out.add("request_id", vm::text_value(text::to_valid_utf8(told.request_id)));
  if (told.retry_after_ms >= 0) out.add("retry_after_ms", Value::integer(told.retry_after_ms));
  return out.done();
}

std::optional<double> number_in(std::string_view words) {
  double number = 0;
  auto read = std::from_chars(words.data(), words.data() + words.size(), number);
  if (words.empty() || read.ec != std::errc() || read.ptr != words.data() + words.size()) return std::nullopt;
  return std::isfinite(number) && number >= 0 && number < 1e9 ? std::optional(number) : std::nullopt;
}

int64_t date_delay_ms(const std::string& date, int64_t now_ms) {
  tm parts{};
  if (now_ms <= 0 || !strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts)) return -1;
  return std::max<int64_t>(timegm(&parts) * 1000 - now_ms, 0);
}

void read_header(const effects::HttpHeader& header, int64_t now_ms, Told& told) {
  std::string name = text::ascii_lower(header.name);
  if (name == "retry-after-ms") {
    if (auto ms = number_in(header.value)) told.retry_after_ms = static_cast<int64_t>(*ms);
  } else if (name == "retry-after" && told.retry_after_ms < 0) {
    auto seconds = number_in(header.value);
    told.retry_after_ms = seconds ? static_cast<int64_t>(*seconds * 1000) : date_delay_ms(header.value, now_ms);
  }
}

}  // namespace

std::string request_id_of(const std::vector<effects::HttpHeader>& headers) {
  for (const effects::HttpHeader& header : headers) {
    std::string name = text::ascii_lower(header.name);
    if (name == "request-id" || name == "x-request-id" || name == "x-amzn-requestid" || name == "apim-request-id")
      return header.value;
  }
  return "";
}

void read_error(const Value& body, Told& told) {
  const Value& error = field(body, "error");
  const Value& inner = error.is_dict() ? error : body;
  if (error.is_string()) told.message = text_of(error);
  else told.message = text_field(inner, "message");
  if (told.message.empty()) told.message = text_field(body, "detail");
  told.type = fmt::format("{} {}", text_field(inner, "type"), text_field(inner, "code"));
  if (told.request_id.empty()) told.request_id = text_field(body, "request_id");
  // Routers tell the status of whom they have asked.
  auto code = int_field(inner, "code");
  if (told.status == 0 && code && *code >= 400 && *code < 600) told.status = static_cast<int>(*code);
}

Value failure_of(const Told& told) {
  const Verdict& verdict = judge(told);
  return dict_of(told, verdict, message_of(told, verdict));
}

Value failure_of(const Provider& provider, std::string_view model, int status,
                 const std::vector<effects::HttpHeader>& headers, std::string_view body, int64_t now_ms) {
  Told told{.provider = provider.name, .model = std::string(model), .status = status};
  told.request_id = request_id_of(headers);
  for (const effects::HttpHeader& header : headers) read_header(header, now_ms, told);
  if (auto parsed = data::parse_json(body)) {
    // Some wrap it in a list.
    read_error(parsed->is_list() && vm::list_size(*parsed) > 0 ? vm::list_item(*parsed, 0) : *parsed, told);
  } else {
    told.message = text::to_valid_utf8(body);
  }
  return failure_of(told);
}

Value failure(std::string_view provider, std::string_view model, std::string_view category, std::string_view message) {
  Told told{.provider = std::string(provider), .model = std::string(model)};
  return dict_of(told, verdict_of(category), message);
}

}  // namespace harn::llm
