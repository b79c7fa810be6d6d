// WebSockets that a program connects to. A connection is a name to the program; what is behind it is the effect's.
#include "builtins/websocket.h"

#include "base/result.h"
#include "base/text.h"
#include "base/url.h"
#include "builtins/families.h"
#include "builtins/http_options.h"
#include "builtins/parking.h"
#include "builtins/transport_mocks.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;
using effects::kMostControlBytes;
using effects::WebSocketKind;
using effects::WebSocketMessage;
using effects::WebSocketSent;

namespace {

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

const Value* option(const Value& options, std::string_view name) {
  const Value* value = options.is_dict() ? options.as_dict()->find(name) : nullptr;
  return value && !value->is_nil() ? value : nullptr;
}

Outcome<void> number_option(const Call& call, const Value& options, std::string_view name, int64_t least, int64_t& to) {
  const Value* value = option(options, name);
  if (!value) return {};
  if (!value->is_int() || value->as_int() < least)
    return type_error("{}: option `{}` is {}, expected an int, {} or more", call.row().name, name, display(*value),
                      least);
  to = value->as_int();
  return {};
}

bool may_be_sent(int64_t code) {
  bool is_of_the_protocol = code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
  return is_of_the_protocol || (code >= 3000 && code <= 4999);
}

// Options {code, reason} of a close.
Outcome<void> read_close(const Call& call, const Value& options, WebSocketMessage& message) {
  int64_t code = 1000;
  HARN_CHECK(number_option(call, options, "code", 0, code));
  if (!may_be_sent(code))
    return throw_text(ErrorKind::Invalid, "{}: code is {}, expected 1000 to 1014 or 3000 to 4999", call.row().name,
                      code);
  message.kind = WebSocketKind::Close;
  message.code = static_cast<int>(code);
  if (const Value* reason = option(options, "reason")) message.data = display(*reason);
  if (message.data.size() > kMostControlBytes - 2)
    return throw_text(ErrorKind::Invalid, "{}: the reason has {} bytes, at most {} can be sent", call.row().name,
                      message.data.size(), kMostControlBytes - 2);
  return {};
}

constexpr std::string_view kKindNames[] = {"text", "binary", "ping", "pong", "close"};

}  // namespace

// ---- shared ----

std::optional<KnownSocket> KnownSockets::find(const std::string& name) {
  auto found = connected.find(name);
  return found ? found : accepted.find(name);
}
std::optional<KnownSocket> KnownSockets::take(const std::string& name) {
  auto taken = connected.take(name);
  return taken ? taken : accepted.take(name);
}
KnownSockets& known_sockets(Vm& vm) { return vm.local<KnownSockets>(); }

Outcome<std::string> handle_name(Call& call) {
  const Value& given = call.arg(0);
  const Value* id = option(given, "id");
  if (id && id->is_string()) return display(*id);
  return std::string(HARN_TRY(call.text(0)));
}

Outcome<int64_t> timeout_arg(Call& call, uint32_t i) {
  int64_t timeout_ms = HARN_TRY(call.integer_or(i, kUsualReceiveMs));
  if (timeout_ms < 0)
    return throw_text(ErrorKind::Invalid, "{}: timeout_ms is {}, expected 0 or more", call.row().name, timeout_ms);
  return timeout_ms;
}

Outcome<void> read_limits(const Call& call, const Value& options, effects::WebSocketLimits& limits) {
  HARN_CHECK(number_option(call, options, "max_message_bytes", 1, limits.max_message_bytes));
  HARN_CHECK(number_option(call, options, "send_buffer_bytes", 1, limits.send_buffer_bytes));
  HARN_CHECK(number_option(call, options, "send_buffer_messages", 1, limits.send_buffer_messages));
  HARN_CHECK(number_option(call, options, "idle_timeout_ms", 0, limits.idle_timeout_ms));
  const Value* compress = option(options, "compress");
  if (compress && !compress->is_bool())
    return type_error("{}: option `compress` is {}, expected a bool", call.row().name, display(*compress));
  if (compress) limits.compress = compress->as_bool();
  return {};
}

Outcome<void> check_websocket_options(const Call& call, const Value& options) {
  constexpr std::string_view kMore[] = {
      "protocols",       "origins", "max_message_bytes", "send_buffer_bytes", "send_buffer_messages",
      "idle_timeout_ms", "compress"};
  return check_http_options(call.row().name, options, kMore);
}

Outcome<std::vector<std::string>> texts_option(const Call& call, const Value& options, std::string_view name) {
  std::vector<std::string> texts;
  const Value* given = option(options, name);
  if (!given) return texts;
  if (given->is_string()) return std::vector<std::string>{display(*given)};
  if (!given->is_list())
    return type_error("{}: option `{}` must be a list of strings, got {}", call.row().name, name, type_name(*given));
  for (const Value& text : given->as_list()->values()) texts.push_back(display(text));
  return texts;
}

std::string_view kind_name(WebSocketKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

Outcome<WebSocketMessage> read_message(const Call& call, const Value& value, const Value& options) {
  WebSocketMessage message;
  if (value.is(Kind::Bytes)) message.kind = WebSocketKind::Binary;
  if (const Value* type = option(options, "type")) {
    auto named = std::find(std::begin(kKindNames), std::end(kKindNames), display(*type));
    if (named == std::end(kKindNames))
      return throw_text(ErrorKind::Invalid, "{}: type is `{}`, expected text, binary, ping, pong or close",
                        call.row().name, display(*type));
    message.kind = static_cast<WebSocketKind>(named - std::begin(kKindNames));
  }
  HttpWish written;  // a message is written as the body of a request is
  if (!value.is_nil()) HARN_CHECK(set_http_body(written, value));
  message.data = std::move(written.plan.request.body);
  if (message.kind == WebSocketKind::Close) {
    HARN_CHECK(read_close(call, options, message));
  } else if (message.kind == WebSocketKind::Text && !text::is_valid_utf8(message.data)) {
    return throw_text(ErrorKind::Invalid, "{}: these bytes are not UTF-8; send them as binary", call.row().name);
  } else if (message.kind != WebSocketKind::Text && message.kind != WebSocketKind::Binary &&
             message.data.size() > kMostControlBytes) {
    return throw_text(ErrorKind::Invalid, "{}: a {} has {} bytes, at most {} can be sent", call.row().name,
                      kind_name(message.kind), message.data.size(), kMostControlBytes);
  }
  return message;
}

Value type_value(std::string_view type) { return DictBuilder().add("type", text_value(type)).done(); }

Value message_value(const WebSocketMessage& message) {
  DictBuilder dict;
  dict.add("type", text_value(kind_name(message.kind)));
  switch (message.kind) {
    case WebSocketKind::Text: dict.add("data", text_value(message.data)); break;
    case WebSocketKind::Binary: dict.add("data", Value(new_bytes(message.data))); break;
    case WebSocketKind::Ping:
    case WebSocketKind::Pong: {
      bool is_text = text::is_valid_utf8(message.data);
      dict.add("data", is_text ? text_value(message.data) : Value(new_bytes(message.data)));
      break;
    }
    case WebSocketKind::Close:
      dict.add("code", Value::integer(message.code))
          .add("reason", text_value(message.data))
          .add("clean", Value::boolean(message.is_clean));
      break;
  }
  return dict.done();
}

namespace {

// ---- connecting ----

std::unexpected<Thrown> no_websocket_url(std::string_view url) {
  return throw_text(ErrorKind::Invalid, "websocket_connect: URL must start with ws:// or wss://, got '{}'",
                    masked_url(url));
}

// What the handshake says itself.
bool is_of_the_handshake(std::string_view header) {
  std::string name = text::ascii_lower(header);
  return name == "host" || name == "upgrade" || name == "connection" || name.starts_with("sec-websocket-");
}

// The options are those of `http_get`, as far as they make sense here, and some more. A URL with ws is like one with http.
Outcome<effects::OpenWebSocket> read_request(Call& call) {
  std::string url = display(call.arg(0));
  const Value& options = call.arg(1);
  size_t end = url.find("://");
  std::string scheme = text::ascii_lower(std::string_view(url).substr(0, std::min(end, url.size())));
  if (scheme != "ws" && scheme != "wss") return no_websocket_url(url);
  HttpWish wish;
  HARN_CHECK(read_http_options(call, wish, options));
  HARN_CHECK(check_websocket_options(call, options));
  std::string as_http = (scheme == "ws" ? "http" : "https") + url.substr(end);
  if (!set_http_target(wish, "GET", as_http)) return no_websocket_url(url);
  effects::HttpExchange& http = wish.plan.request;
  effects::OpenWebSocket request;
  request.url = "ws" + http.url.substr(4);
  for (const effects::HttpHeader& header : http.headers) {
    if (is_of_the_handshake(header.name))
      return throw_text(ErrorKind::Invalid, "websocket_connect: header `{}` is part of the handshake", header.name);
  }
  request.headers = std::move(http.headers);
  request.protocols = HARN_TRY(texts_option(call, options, "protocols"));
  request.proxy = std::move(http.proxy);
  request.proxy_user = std::move(http.proxy_user);
  request.tls = std::move(http.tls);
  request.timeout_ms = http.timeout_ms;
  HARN_CHECK(read_limits(call, options, request.limits));
  return request;
}

Outcome<Value> websocket_connect(Call& call) {
  auto request = HARN_TRY(read_request(call));
  auto& known = known_sockets(call.vm()).connected;
  if (known.count() >= kMostWebSockets)
    return throw_text(ErrorKind::Limit, "websocket_connect: {} connections are open; close one first", kMostWebSockets);
  auto head = HARN_TRY(effects::perform(run_of(call), request));
  if (head.failure == effects::HttpFailure::Blocked) return egress_blocked(request, head.message);
  if (head.failure != effects::HttpFailure::None)
    return throw_text(effects::kind_of(head.failure), "websocket_connect: {} ({})", head.message, request.shown());
  std::string name = fmt::format("websocket-{}", known.next_number());
  known.put(name, {head.socket, request.url});
  note_transport(call.vm(), {"websocket", request.url, name, "connect", ""});
  return text_value(name);
}

Outcome<Value> websocket_send(Call& call) {
  std::string name = HARN_TRY(handle_name(call));
  auto known = known_sockets(call.vm()).find(name);
  if (!known) return throw_text(ErrorKind::NotFound, "websocket_send: unknown socket '{}'", name);
  auto message = HARN_TRY(read_message(call, call.arg(1), call.arg(2)));
  note_transport(call.vm(), {"websocket", known->url, name, std::string(kind_name(message.kind)), message.data});
  auto answer = HARN_TRY(effects::perform(run_of(call), effects::SendWebSocket{known->number, std::move(message)}));
  if (answer.sent == WebSocketSent::Full) return throw_text(ErrorKind::Limit, "websocket_send: send buffer full");
  return Value::boolean(answer.sent == WebSocketSent::Taken);
}

Outcome<bool> close_socket(Call& call, const std::string& name, const WebSocketMessage& close) {
  auto known = known_sockets(call.vm()).take(name);
  if (!known) return false;
  note_transport(call.vm(), {"websocket", known->url, name, "close", close.data});
  HARN_CHECK(effects::perform(run_of(call), effects::CloseWebSocket{known->number, close.code, close.data}));
  return true;
}

// A connection that has ended needs no close: its name is free once the program has been told.
Outcome<Value> websocket_receive(Call& call) {
  std::string name = HARN_TRY(handle_name(call));
  int64_t timeout_ms = HARN_TRY(timeout_arg(call, 1));
  auto known = known_sockets(call.vm()).find(name);
  if (!known) return Value();
  auto answer = HARN_TRY(effects::perform(run_of(call), effects::ReceiveWebSocket{known->number, timeout_ms}));
  if (answer.is_late) return type_value("timeout");
  if (!answer.is_end) return message_value(answer.message);
  HARN_CHECK(close_socket(call, name, {.kind = WebSocketKind::Close, .data = "", .code = 1000}));
  return Value();
}

Outcome<Value> websocket_close(Call& call) {
  std::string name = HARN_TRY(handle_name(call));
  WebSocketMessage close;
  HARN_CHECK(read_close(call, call.arg(1), close));
  return Value::boolean(HARN_TRY(close_socket(call, name, close)));
}

void socket_fields(park::Archive& archive, Vm& vm) {
  KnownSockets& known = known_sockets(vm);
  bool is_any_open = known.connected.count() + known.accepted.count() + known.servers.count() > 0;
  if (archive.is_looking() && is_any_open) archive.refuse("a WebSocket is open");
}

constinit const Builtin kRows[] = {
    {.name = "websocket_close",
     .signature = "(socket: string | dict, options?: {code?: int, reason?: string}) -> bool",
     .doc = "Sends what is to be sent and closes a connection, with {code, reason}; false when there is none.",
     .example = "!websocket_close(\"none\")",
     .wait = on_fiber<websocket_close>},
    {.name = "websocket_connect",
     .signature = "(url: string, options?: dict) -> string",
     .doc = "Connects to a WebSocket and returns a name for it. Options are timeout_ms, headers, auth, query, "
            "protocols, tls, "
            "proxy, max_message_bytes, send_buffer_bytes, send_buffer_messages, idle_timeout_ms and compress.",
     .example = "unwrap_err(try { websocket_connect(\"ws://127.0.0.1:1\") }).starts_with(\"websocket_connect: cannot "
                "connect\")",
     .needs = Capability::Network,
     .wait = on_fiber<websocket_connect>},
    {.name = "websocket_receive",
     .signature = "(socket: string | dict, timeout_ms?: int) -> dict?",
     .doc = "Waits for what comes next: {type, data} with the type text, binary, ping or pong, {type: \"close\", code, "
            "reason, "
            "clean} or {type: \"timeout\"}; nil after the close.",
     .example = "websocket_receive(\"none\") == nil",
     .wait = on_fiber<websocket_receive>},
    {.name = "websocket_send",
     .signature =
         "(socket: string | dict, message: any, options?: {type?: string, code?: int, reason?: string}) -> bool",
     .doc =
         "Sends a text, bytes, or anything else as JSON; {type} makes it a binary, ping, pong or close. False when the "
         "connection is over.",
     .example = "unwrap_err(try { websocket_send(\"none\", \"hi\") }) == \"websocket_send: unknown socket 'none'\"",
     .wait = on_fiber<websocket_send>},
};

}  // namespace

const park::PartRow kWebSocketsPart = {"websockets", socket_fields};

std::span<const Builtin> websocket_rows() { return kRows; }

}  // namespace harn::builtins
