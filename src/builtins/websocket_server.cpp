// WebSockets that others connect to.
#include <charconv>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/http_options.h"
#include "builtins/websocket.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

// "127.0.0.1:8080", "[::1]:0", ":8080", "8080", 8080. Without a host, only this machine can connect.
bool read_place(const Value& given, effects::ListenWebSocket& request) {
  std::string place = display(given);
  if (place.find(':') == place.npos) place = ":" + place;
  size_t colon = place.rfind(':');
  std::string host = place.substr(0, colon), port = place.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!host.empty()) request.address = host == "localhost" ? "127.0.0.1" : host;
  auto read = std::from_chars(port.data(), port.data() + port.size(), request.port);
  return read.ec == std::errc() && read.ptr == port.data() + port.size() && request.port >= 0 && request.port <= 65535;
}

std::string in_url(const std::string& address) {
  return address.find(':') == address.npos ? address : fmt::format("[{}]", address);
}

// (bind?, options?) or (options).
Outcome<Value> websocket_server(Call& call) {
  bool has_place = !call.arg(0).is_dict();
  const Value& options = call.arg(has_place ? 1 : 0);
  effects::ListenWebSocket request;
  if (has_place && !call.arg(0).is_nil() && !read_place(call.arg(0), request))
    return throw_text(ErrorKind::Invalid,
                      "websocket_server: cannot bind to '{}', expected an address and a port, as in 127.0.0.1:0",
                      display(call.arg(0)));
  HttpWish wish;  // for `tls`
  HARN_CHECK(read_http_options(call, wish, options));
  HARN_CHECK(check_websocket_options(call, options));
  request.tls = std::move(wish.plan.request.tls);
  HARN_CHECK(read_limits(call, options, request.limits));
  auto& known = known_sockets(call.vm()).servers;
  if (known.count() >= kMostWebSockets)
    return throw_text(ErrorKind::Limit, "websocket_server: {} servers are open; close one first", kMostWebSockets);
  auto answer = HARN_TRY(effects::perform(run_of(call), request));
  if (!answer.failure.empty())
    return throw_text(ErrorKind::Network, "websocket_server: cannot listen on {}: {}", request.shown(), answer.failure);
  std::string name = fmt::format("websocket-server-{}", known.next_number());
  known.put(name, answer.server);
  std::string place = fmt::format("{}:{}", in_url(answer.address), answer.port);
  return DictBuilder()
      .add("id", text_value(name))
      .add("addr", text_value(place))
      .add("url", text_value((request.tls.cert_file.empty() ? "ws://" : "wss://") + place))
      .done();
}

Outcome<uint64_t> server_of(Call& call) {
  std::string name = HARN_TRY(handle_name(call));
  if (auto known = known_sockets(call.vm()).servers.find(name)) return *known;
  return throw_text(ErrorKind::NotFound, "{}: unknown server '{}'", call.row().name, name);
}

Outcome<Value> websocket_route(Call& call) {
  effects::RouteWebSocket request;
  request.server = HARN_TRY(server_of(call));
  request.path = HARN_TRY(call.text(1));
  if (!request.path.starts_with('/'))
    return throw_text(ErrorKind::Invalid, "websocket_route: path must start with '/', got '{}'", request.path);
  const Value& options = call.arg(2);
  request.protocols = HARN_TRY(texts_option(call, options, "protocols"));
  request.origins = HARN_TRY(texts_option(call, options, "origins"));
  HttpWish wish;  // for `auth`
  HARN_CHECK(read_http_options(call, wish, options));
  HARN_CHECK(check_websocket_options(call, options));
  for (const auto& header : wish.plan.request.headers) {
    if (header.name == "Authorization") request.authorization = header.value;
  }
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), request)));
}

Value headers_value(const std::vector<effects::HttpHeader>& headers) {
  DictBuilder dict;
  for (const auto& header : headers) dict.add(header.name, text_value(header.value));
  return dict.done();
}

Outcome<Value> websocket_accept(Call& call) {
  std::string server_name = HARN_TRY(handle_name(call));
  int64_t timeout_ms = HARN_TRY(timeout_arg(call, 1));
  KnownSockets& known = known_sockets(call.vm());
  auto server = known.servers.find(server_name);
  if (!server) return Value();
  if (known.accepted.count() >= kMostWebSockets)
    return throw_text(ErrorKind::Limit, "websocket_accept: {} accepted connections are open; close one first",
                      kMostWebSockets);
  auto answer = HARN_TRY(effects::perform(run_of(call), effects::AcceptWebSocket{*server, timeout_ms}));
  if (answer.is_over) return Value();
  if (answer.is_late) return type_value("timeout");
  std::string name = fmt::format("websocket-peer-{}", known.accepted.next_number());
  known.accepted.put(name, {answer.socket, answer.path});
  return DictBuilder()
      .add("type", text_value("connection"))
      .add("id", text_value(name))
      .add("path", text_value(answer.path))
      .add("query", text_value(answer.query))
      .add("headers", headers_value(answer.headers))
      .add("peer", text_value(answer.peer))
      .add("protocol", answer.protocol.empty() ? Value() : text_value(answer.protocol))
      .done();
}

Outcome<Value> websocket_server_close(Call& call) {
  auto server = known_sockets(call.vm()).servers.take(HARN_TRY(handle_name(call)));
  if (!server) return Value::boolean(false);
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), effects::StopWebSocketServer{*server})));
}

constinit const Builtin kRows[] = {
    {.name = "websocket_accept",
     .signature = "(server: string | dict, timeout_ms?: int) -> dict?",
     .doc = "Waits for a connection: {type: \"connection\", id, path, query, headers, peer, protocol} or {type: "
            "\"timeout\"}; "
            "nil when the server is closed.",
     .example = "websocket_accept(\"none\") == nil",
     .wait = on_fiber<websocket_accept>},
    {.name = "websocket_route",
     .signature = "(server: string | dict, path: string, options?: dict) -> bool",
     .doc = "Takes connections for a path; options are protocols, origins and auth.",
     .example = "unwrap_err(try { websocket_route(\"none\", \"/\") }) == \"websocket_route: unknown server 'none'\"",
     .wait = on_fiber<websocket_route>},
    {.name = "websocket_server",
     .signature = "(bind?: string | int | dict, options?: dict) -> dict",
     .doc = "Listens for WebSocket connections, on 127.0.0.1 and any free port if nothing else is said, and returns "
            "{id, addr, "
            "url}. Options are tls and the limits of `websocket_connect`.",
     .example = "websocket_server_close(websocket_server(\"127.0.0.1:0\"))",
     .needs = Capability::Network,
     .wait = on_fiber<websocket_server>},
    {.name = "websocket_server_close",
     .signature = "(server: string | dict) -> bool",
     .doc = "Stops listening; connections that were accepted stay. False when there is no such server.",
     .example = "!websocket_server_close(\"none\")",
     .wait = on_fiber<websocket_server_close>},
};

}  // namespace

std::span<const Builtin> websocket_server_rows() { return kRows; }

}  // namespace harn::builtins
