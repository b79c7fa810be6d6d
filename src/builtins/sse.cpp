// Server-sent events that a program reads. A connection is a name to the program; behind it is a stream of the effect
// (effects/http_stream.h), so policies, mocks and recordings hold as for any other.
#include <deque>
#include <memory>
#include <mutex>

#include "base/mutex.h"
#include "base/result.h"
#include "base/shared_table.h"
#include "base/text.h"
#include "base/url.h"
#include "builtins/families.h"
#include "builtins/http_answer.h"
#include "builtins/http_options.h"
#include "builtins/parking.h"
#include "builtins/transport_mocks.h"
#include "data/server_events.h"
#include "effects/http_stream.h"
#include "vm/clock.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr size_t kMostConnections = 64;
constexpr size_t kMostBytes = 16 << 20;  // of one event
constexpr int64_t kUsualWaitMs = 30'000;

// One connection. Only one task at a time reads from it.
struct EventSource {
  uint64_t stream = 0;
  std::string url;
  Mutex lock;
  data::EventReader reader;
  std::deque<data::ServerEvent> events;
  bool is_told_open = false;
  bool is_over = false;
};

// Those of a program.
using EventSources = SharedTable<std::string, std::shared_ptr<EventSource>>;
EventSources& sources_of(Call& call) { return call.vm().local<EventSources>(); }
effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

Value add_source(Call& call, uint64_t stream, const std::string& url) {
  auto source = std::make_shared<EventSource>();
  source->stream = stream;
  source->url = url;
  std::string name = fmt::format("sse-{}", sources_of(call).next_number());
  sources_of(call).put(name, source);
  note_transport(call.vm(), {"sse", url, name, "connect", ""});
  return text_value(name);
}

// (method, url, options?) or (url, options?).
Outcome<Value> sse_connect(Call& call) {
  bool has_method = call.arg(1).is_string();
  std::string method = has_method ? display(call.arg(0)) : "GET";
  const Value& url = call.arg(has_method ? 1 : 0);
  auto wish = HARN_TRY(http_wish(call, method, display(url), call.arg(has_method ? 2 : 1)));
  auto& headers = wish.plan.request.headers;
  bool names_type = std::any_of(headers.begin(), headers.end(),
                                [](const auto& header) { return text::ascii_lower(header.name) == "accept"; });
  if (!names_type) headers.push_back({"Accept", "text/event-stream"});
  if (sources_of(call).count() >= kMostConnections)
    return throw_text(ErrorKind::Limit, "sse_connect: {} connections are open; close one first", kMostConnections);
  auto head = HARN_TRY(effects::open_stream(run_of(call), wish.plan));
  if (!is_ok_status(head.status)) {
    HARN_CHECK(effects::perform(run_of(call), effects::CloseHttp{head.stream}));
    return throw_text(ErrorKind::Network, "sse_connect: the server answered with status {} ({})", head.status,
                      wish.plan.request.shown());
  }
  return add_source(call, head.stream, wish.plan.request.url);
}

// All of a body, which may be as large as one event.
Outcome<std::string> whole_body(Call& call, uint64_t stream, int64_t timeout_ms) {
  std::string body;
  for (;;) {
    effects::ReadHttp request{.stream = stream, .timeout_ms = timeout_ms > 0 ? timeout_ms : -1};
    auto piece = HARN_TRY(effects::perform(run_of(call), request));
    if (piece.is_late)
      return throw_text(ErrorKind::Timeout, "http: request failed: no more came within {} ms", timeout_ms);
    if (piece.failure != effects::HttpFailure::None)
      return throw_text(effects::kind_of(piece.failure), "http: request failed: {}", piece.message);
    if (piece.is_end || !piece.is_known) return body;
    body += piece.bytes;
    if (body.size() > kMostBytes)
      return throw_text(ErrorKind::Limit, "http: the answer is larger than {} bytes", kMostBytes);
  }
}

// (method, url, options): events where the server answers with them, else the body.
Outcome<Value> exchange(Call& call) {
  auto wish = HARN_TRY(http_wish(call, display(call.arg(0)), display(call.arg(1)), call.arg(2)));
  if (sources_of(call).count() >= kMostConnections)
    return throw_text(ErrorKind::Limit, "http: {} streams of events are open; wait for one of them", kMostConnections);
  auto head = HARN_TRY(effects::open_stream(run_of(call), wish.plan));
  bool has_events = std::any_of(head.headers.begin(), head.headers.end(), [](const auto& header) {
    return text::ascii_lower(header.name) == "content-type" &&
           text::ascii_lower(header.value).starts_with("text/event-stream");
  });
  DictBuilder out;
  out.add("status", Value::integer(head.status));
  out.add("headers", http_headers(head.headers, wish.plan.request.decompress));
  if (has_events && is_ok_status(head.status)) {
    out.add("source", add_source(call, head.stream, wish.plan.request.url));
    return out.done();
  }
  auto body = whole_body(call, head.stream, wish.plan.request.timeout_ms);
  HARN_CHECK(effects::perform(run_of(call), effects::CloseHttp{head.stream}));
  out.add("body", text_value(text::to_valid_utf8(HARN_TRY(std::move(body)))));
  return out.done();
}

Value event_value(const data::ServerEvent& event) {
  return DictBuilder()
      .add("type", text_value("event"))
      .add("event", text_value(event.name))
      .add("data", text_value(event.data))
      .add("id", event.id.empty() ? Value() : text_value(event.id))
      .add("retry_ms", event.retry_ms ? Value::integer(*event.retry_ms) : Value())
      .done();
}

Value type_value(std::string_view type) { return DictBuilder().add("type", text_value(type)).done(); }

// Reads on until there is an event, the end, or no more time.
Outcome<Value> next_event(Call& call, EventSource& source, int64_t timeout_ms) {
  Nanoseconds due = run_of(call).clock().now() + timeout_ms * kMillisecond;
  for (;;) {
    {
      std::lock_guard guard(source.lock);
      if (!source.events.empty()) {
        data::ServerEvent event = std::move(source.events.front());
        source.events.pop_front();
        return event_value(event);
      }
      if (source.is_over) return Value();
    }
    int64_t left = std::max<int64_t>(0, (due - run_of(call).clock().now()) / kMillisecond);
    auto piece = HARN_TRY(effects::perform(run_of(call), effects::ReadHttp{source.stream, 64 * 1024, left}));
    if (piece.is_late) return type_value("timeout");
    std::lock_guard guard(source.lock);
    if (piece.is_end || !piece.is_known) source.is_over = true;
    if (piece.failure != effects::HttpFailure::None)
      return throw_text(effects::kind_of(piece.failure), "sse_receive: {} ({})", piece.message, masked_url(source.url));
    auto events = source.reader.add(piece.bytes, kMostBytes);
    if (!events) {
      source.is_over = true;
      return throw_text(ErrorKind::Limit, "sse_receive: an event is larger than {} bytes", kMostBytes);
    }
    for (data::ServerEvent& event : *events) source.events.push_back(std::move(event));
  }
}

Outcome<Value> sse_receive(Call& call) {
  std::string name = display(call.arg(0));
  auto source = sources_of(call).find(name).value_or(nullptr);
  if (!source) return Value();
  int64_t timeout_ms = HARN_TRY(call.integer_or(1, kUsualWaitMs));
  if (timeout_ms < 0)
    return throw_text(ErrorKind::Invalid, "sse_receive: timeout_ms is {}, expected 0 or more", timeout_ms);
  {
    std::lock_guard guard(source->lock);
    if (!std::exchange(source->is_told_open, true)) return type_value("open");
  }
  return next_event(call, *source, timeout_ms);
}

Outcome<Value> sse_close(Call& call) {
  std::string name = display(call.arg(0));
  auto source = sources_of(call).take(name).value_or(nullptr);
  if (!source) return Value::boolean(false);
  note_transport(call.vm(), {"sse", source->url, name, "close", ""});
  HARN_CHECK(effects::perform(run_of(call), effects::CloseHttp{source->stream}));
  return Value::boolean(true);
}

void source_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && vm.local<EventSources>().count() > 0) archive.refuse("a stream of events is open");
}

constinit const Builtin kRows[] = {
    {.name = "__http_exchange",
     .signature = "(method: string, url: string, options: dict) -> dict",
     .doc = "An answer that may be a stream of events: {status, headers, source} for sse_receive, or {status, headers, "
            "body}.",
     .example = "unwrap_err(try { __http_exchange(\"GET\", \"http://127.0.0.1:1\", {}) }).starts_with(\"http: request "
                "failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<exchange>},
    {.name = "sse_close",
     .signature = "(source: string) -> bool",
     .doc = "Ends a connection for events; false when there is none of that name.",
     .example = "!sse_close(\"none\")",
     .call = sse_close},
    {.name = "sse_connect",
     .signature = "(method: string, url?: string | dict, options?: " HARN_HTTP_OPTIONS ") -> string",
     .doc = "Asks a server for events, with the options of `http_get`, and returns a name to receive them by.",
     .example =
         "unwrap_err(try { sse_connect(\"GET\", \"http://127.0.0.1:1\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<sse_connect>},
    {.name = "sse_receive",
     .signature = "(source: string, timeout_ms?: int) -> dict?",
     .doc = "Waits for what comes next: {type: \"open\"}, {type: \"event\", event, data, id, retry_ms} or {type: "
            "\"timeout\"}; "
            "nil at the end.",
     .example = "sse_receive(\"none\") == nil",
     .wait = on_fiber<sse_receive>},
};

}  // namespace

const park::PartRow kEventSourcesPart = {"event sources", source_fields};

std::span<const Builtin> sse_rows() { return kRows; }

}  // namespace harn::builtins
