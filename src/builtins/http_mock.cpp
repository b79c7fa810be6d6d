// Answers that a test puts in the place of servers.
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/url.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/transport_mocks.h"
#include "builtins/options.h"
#include "data/json.h"
#include "effects/http_stream.h"
#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;
using effects::CloseHttp;
using effects::HttpExchange;
using effects::HttpHeader;
using effects::OpenHttp;
using effects::ReadHttp;
using effects::SendHttp;

namespace {

struct MockAnswer {
  int status = 200;
  std::vector<HttpHeader> headers;
  std::string body;
};

struct MockRule {
  std::string method;  // "*": any
  std::string pattern;
  std::vector<MockAnswer> answers;  // one after the other; the last one stays
  size_t told = 0;
};

struct MockCall {
  std::string method, url;
  std::vector<HttpHeader> headers;
  std::string body;
};

// What a program's tests have set up. Shared by its tasks.
class HttpMocks {
 public:
  void add(MockRule rule) {
    std::lock_guard guard(lock_);
    for (MockRule& known : rules_) {
      if (known.method != rule.method || known.pattern != rule.pattern) continue;
      known = std::move(rule);
      return;
    }
    rules_.push_back(std::move(rule));
  }

  // The first rule that fits answers; nothing: none does.
  std::optional<MockAnswer> answer(const HttpExchange& request) {
    std::lock_guard guard(lock_);
    auto fits = [&](const MockRule& rule) {
      return (rule.method == "*" || rule.method == request.method) && text::matches_stars(rule.pattern, request.url);
    };
    auto rule = std::find_if(rules_.begin(), rules_.end(), fits);
    if (rule == rules_.end()) return std::nullopt;
    calls_.push_back({request.method, request.url, request.headers, request.body});
    size_t number = std::min(rule->told++, rule->answers.size() - 1);
    return rule->answers[number];
  }

  uint64_t open(std::string body) {
    std::lock_guard guard(lock_);
    streams_[++last_stream_] = std::move(body);
    return last_stream_;
  }
  // Nothing: it is no stream of ours.
  std::optional<ReadHttp::Answer> read(uint64_t stream, uint64_t most) {
    std::lock_guard guard(lock_);
    auto found = streams_.find(stream);
    if (found == streams_.end()) return std::nullopt;
    ReadHttp::Answer piece;
    piece.is_end = found->second.empty();
    piece.bytes = found->second.substr(0, most);
    found->second.erase(0, most);
    return piece;
  }
  bool close(uint64_t stream) {
    std::lock_guard guard(lock_);
    return streams_.erase(stream) > 0;
  }

  void note(TransportCall call) {
    std::lock_guard guard(lock_);
    if (has_streams_) transport_calls_.push_back(std::move(call));
  }
  void has_streams() {
    std::lock_guard guard(lock_);
    has_streams_ = true;
  }
  std::vector<TransportCall> transport_calls() {
    std::lock_guard guard(lock_);
    return transport_calls_;
  }

  std::vector<MockCall> calls() {
    std::lock_guard guard(lock_);
    return calls_;
  }
  bool is_empty() {
    std::lock_guard guard(lock_);
    return rules_.empty() && calls_.empty() && streams_.empty();
  }
  void clear() {
    std::lock_guard guard(lock_);
    rules_.clear();
    calls_.clear();
    streams_.clear();
    transport_calls_.clear();
    has_streams_ = false;
  }

 private:
  Mutex lock_;
  std::vector<MockRule> rules_;
  std::vector<MockCall> calls_;
  std::map<uint64_t, std::string> streams_;  // what is left of them
  std::vector<TransportCall> transport_calls_;
  bool has_streams_ = false;
  uint64_t last_stream_ = uint64_t{1} << 62;  // so that no real one has the same number
};

HttpMocks& mocks_of(Call& call) { return call.vm().local<HttpMocks>(); }

// ---- in the place of the network ----

// Where a redirect leads.
std::string location_of(const std::string& url, const MockAnswer& answer) {
  if (answer.status / 100 != 3) return "";
  for (const HttpHeader& header : answer.headers) {
    if (header.name != "location") continue;
    if (split_url(header.value)) return header.value;
    auto parts = split_url(url);
    if (parts && header.value.starts_with('/'))
      return fmt::format("{}://{}{}", parts->scheme, parts->host, header.value);
    return header.value;
  }
  return "";
}

void set_head(const HttpExchange& request, const MockAnswer& answer, net::HttpResponse& head) {
  head.status = answer.status;
  head.headers = answer.headers;
  head.redirect_to = location_of(request.url, answer);
}

void set_mocks(effects::Run& run, HttpMocks& mocks) {
  effects::set_mock<SendHttp>(run, [&](const SendHttp& request) -> std::optional<Outcome<SendHttp::Answer>> {
    auto answer = mocks.answer(request);
    if (!answer) return std::nullopt;
    SendHttp::Answer told;
    set_head(request, *answer, told);
    if (request.method != "HEAD") told.body = std::move(answer->body);
    return told;
  });
  effects::set_mock<OpenHttp>(run, [&](const OpenHttp& request) -> std::optional<Outcome<OpenHttp::Answer>> {
    auto answer = mocks.answer(request);
    if (!answer) return std::nullopt;
    OpenHttp::Answer told;
    set_head(request, *answer, told);
    told.stream = mocks.open(std::move(answer->body));
    return told;
  });
  effects::set_mock<ReadHttp>(run, [&](const ReadHttp& request) -> std::optional<Outcome<ReadHttp::Answer>> {
    return mocks.read(request.stream, request.most);
  });
  effects::set_mock<CloseHttp>(run, [&](const CloseHttp& request) -> std::optional<Outcome<bool>> {
    if (mocks.close(request.stream)) return true;
    return std::nullopt;
  });
}

// ---- builtins ----

Outcome<MockAnswer> read_answer(std::string_view by, const Value& value) {
  if (!value.is_dict()) return type_error("http_mock: a response must be a dict, got {}", type_name(value));
  MockAnswer answer;
  const DictObject* dict = value.as_dict();
  constexpr std::string_view kKeys[] = {"status", "body", "headers", "responses", "events"};
  HARN_CHECK(check_names(by, "key", dict, kKeys));
  if (const Value* status = dict->find("status"); status && !status->is_nil()) {
    bool is_status = status->is_int() && status->as_int() >= 100 && status->as_int() <= 999;
    if (!is_status)
      return throw_text(ErrorKind::Invalid, "http_mock: status is {}, expected 100 to 999", display(*status));
    answer.status = static_cast<int>(status->as_int());
  }
  if (const Value* body = dict->find("body"); body && !body->is_nil())
    answer.body = body->is(Kind::Bytes) ? std::string(body->as_bytes()->view()) : display(*body);
  const Value* headers = dict->find("headers");
  if (!headers || headers->is_nil()) return answer;
  if (!headers->is_dict()) return type_error("http_mock: headers must be a dict, got {}", type_name(*headers));
  for (auto [name, text] : headers->as_dict()->entries())
    answer.headers.push_back({text::ascii_lower(name->view()), display(*text)});
  return answer;
}

Outcome<Value> http_mock(Call& call) {
  std::string method = display(call.arg(0));
  for (char& c : method) c = static_cast<char>(toupper(static_cast<unsigned char>(c)));
  MockRule rule{.method = std::move(method), .pattern = display(call.arg(1)), .answers = {}};
  const Value& response = call.arg(2);
  const Value* several = response.is_dict() ? response.as_dict()->find("responses") : nullptr;
  if (several && several->is(Kind::List)) {
    for (const Value& one : several->as_list()->values())
      rule.answers.push_back(HARN_TRY(read_answer("http_mock", one)));
    if (rule.answers.empty()) return throw_text(ErrorKind::Invalid, "http_mock: responses is an empty list");
  } else {
    rule.answers.push_back(response.is_nil() ? MockAnswer() : HARN_TRY(read_answer("http_mock", response)));
  }
  mocks_of(call).add(std::move(rule));
  set_mocks(effects::Run::current(call.vm()), mocks_of(call));
  return Value();
}

// ---- streams of events ----

// As `sse_event` writes them: {event, data, id, retry_ms}, or a text that is the data.
Outcome<std::string> event_text(const Value& value) {
  const DictObject* dict = value.is_dict() ? value.as_dict() : nullptr;
  std::string out;
  auto add = [&](std::string_view field, const std::string& text) {
    size_t start = 0;
    do {
      size_t end = std::min(text.find('\n', start), text.size());
      out += fmt::format("{}: {}\n", field, std::string_view(text).substr(start, end - start));
      start = end + 1;
    } while (start <= text.size());
  };
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"event", "event"}, {"id", "id"}, {"retry_ms", "retry"}};
  for (auto [key, field] : kFields) {
    const Value* given = dict ? dict->find(key) : nullptr;
    if (given && !given->is_nil()) add(field, display(*given));
  }
  const Value* data = dict ? dict->find("data") : &value;
  if (data && !data->is_nil()) {
    std::string text;
    bool is_json = data->is_dict() || is_list_like(*data);
    if (is_json && !data::append_json(text, *data))
      return throw_text(ErrorKind::Limit, "sse_mock: an event is too large or nested too deeply");
    add("data", is_json ? text : display(*data));
  }
  return out + "\n";
}

Outcome<Value> sse_mock(Call& call) {
  const Value& given = call.arg(1);
  const Value* listed = given.is_dict() ? given.as_dict()->find("events") : &given;
  if (!listed || !listed->is(Kind::List)) return type_error("sse_mock: expected a list of events, or {{events}}");
  MockRule rule{.method = "*", .pattern = display(call.arg(0)), .answers = {}};
  MockAnswer answer = given.is_dict() ? HARN_TRY(read_answer("sse_mock", given)) : MockAnswer();
  answer.headers.push_back({"content-type", "text/event-stream"});
  for (const Value& event : listed->as_list()->values()) answer.body += HARN_TRY(event_text(event));
  rule.answers.push_back(std::move(answer));
  mocks_of(call).add(std::move(rule));
  mock_transports(call.vm());
  set_mocks(effects::Run::current(call.vm()), mocks_of(call));
  return Value();
}

Outcome<Value> transport_mock_calls(Call& call) {
  Value list = new_list();
  for (const TransportCall& made : mocks_of(call).transport_calls()) {
    writable_list(list)->push(DictBuilder()
                                  .add("kind", text_value(made.kind))
                                  .add("url", text_value(masked_url(made.url)))
                                  .add("handle", text_value(made.handle))
                                  .add("type", text_value(made.type))
                                  .add("data", text_value(made.data))
                                  .done());
  }
  return list;
}

bool flag_of(const Value& options, std::string_view name, bool otherwise) {
  const Value* given = options.is_dict() ? options.as_dict()->find(name) : nullptr;
  return given && given->is_bool() ? given->as_bool() : otherwise;
}

// A body is text where it can be.
Value body_value(const std::string& body) {
  return text::is_valid_utf8(body) ? text_value(body) : Value(new_bytes(body));
}

constexpr std::string_view kHidden = "[redacted]";

std::vector<std::string> secrets_of(const MockCall& made) {
  HttpExchange exchange;
  exchange.url = made.url;
  exchange.headers = made.headers;
  exchange.body = made.body;
  return exchange.secret_values();
}

Outcome<Value> http_mock_calls(Call& call) {
  const Value& options = call.arg(0);
  HARN_CHECK(options_of(call, 0));
  bool shows_secrets = !flag_of(options, "redact_sensitive", true) || flag_of(options, "include_sensitive", false);
  Value list = new_list();
  for (const MockCall& made : mocks_of(call).calls()) {
    DictBuilder headers;
    for (const HttpHeader& header : made.headers) {
      bool hides = !shows_secrets && effects::is_secret_header(header.name);
      headers.add(text::ascii_lower(header.name), text_value(hides ? kHidden : header.value));
    }
    std::vector<std::string> secrets = shows_secrets ? std::vector<std::string>() : secrets_of(made);
    writable_list(list)->push(DictBuilder()
                                  .add("method", text_value(made.method))
                                  .add("url", text_value(effects::without_any(made.url, secrets, kHidden)))
                                  .add("headers", headers.done())
                                  .add("body", body_value(effects::without_any(made.body, secrets, kHidden)))
                                  .done());
  }
  return list;
}

Outcome<Value> http_mock_clear(Call& call) {
  mocks_of(call).clear();
  effects::Run& run = effects::Run::current(call.vm());
  effects::clear_mock<SendHttp>(run);
  effects::clear_mock<OpenHttp>(run);
  effects::clear_mock<ReadHttp>(run);
  effects::clear_mock<CloseHttp>(run);
  clear_websocket_mocks(call.vm());
  return Value();
}

void mock_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && !vm.local<HttpMocks>().is_empty()) archive.refuse("HTTP answers are mocked");
}

constinit const Builtin kRows[] = {
    {.name = "http_mock",
     .signature = "(method: string, pattern: string, response?: dict) -> nil",
     .doc =
         "Answers requests whose URL fits the pattern (`*` stands for anything) with {status, body, headers}, or with "
         "{responses: [...]}, one after the other.",
     .example = R"(http_mock("GET", "http://x/*", {body: "hi"}) == nil)",
     .call = http_mock},
    {.name = "http_mock_calls",
     .signature = "(options?: {redact_sensitive?: bool, include_sensitive?: bool}) -> list<dict>",
     .doc =
         "Returns the requests that mocks have answered: {method, url, headers, body}. Headers with secrets are hidden "
         "unless {redact_sensitive: false}.",
     .example = "http_mock_calls() == []",
     .call = http_mock_calls},
    {.name = "http_mock_clear",
     .signature = "() -> nil",
     .doc = "Forgets all mocks, the requests they have answered, and their streams.",
     .example = "http_mock_clear() == nil",
     .call = http_mock_clear},
    {.name = "sse_mock",
     .signature = "(pattern: string, events: list | dict) -> nil",
     .doc = "Answers connections whose URL fits the pattern with these events: {event, data, id, retry_ms}, or texts.",
     .example = R"(sse_mock("http://x/*", ["a"]) == nil)",
     .call = sse_mock},
    {.name = "transport_mock_calls",
     .signature = "() -> list<dict>",
     .doc = "Returns what was done on mocked connections: {kind, url, handle, type, data}.",
     .example = "transport_mock_calls() == []",
     .call = transport_mock_calls},
    {.name = "transport_mock_clear",
     .signature = "() -> nil",
     .doc = "The same as http_mock_clear.",
     .example = "transport_mock_clear() == nil",
     .call = http_mock_clear},
};

}  // namespace

void note_transport(Vm& vm, TransportCall call) { vm.local<HttpMocks>().note(std::move(call)); }

void mock_transports(Vm& vm) { vm.local<HttpMocks>().has_streams(); }

const park::PartRow kHttpMocksPart = {"http mocks", mock_fields};

std::span<const Builtin> http_mock_rows() { return kRows; }

}  // namespace harn::builtins
