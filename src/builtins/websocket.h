#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/shared_table.h"
#include "effects/websocket.h"
#include "vm/builtin.h"

// What the WebSocket builtins share: the names of connections and servers, and how messages are values.
namespace harn::builtins {

constexpr size_t kMostWebSockets = 64;  // of each kind
constexpr int64_t kUsualReceiveMs = 30'000;

struct KnownSocket {
  uint64_t number = 0;
  std::string url;  // or what was asked for
};

// The open connections and servers of a program, by name. Shared by its tasks.
struct KnownSockets {
  SharedTable<std::string, KnownSocket> connected, accepted;
  SharedTable<std::string, uint64_t> servers;

  std::optional<KnownSocket> find(const std::string& name);
  std::optional<KnownSocket> take(const std::string& name);
};
KnownSockets& known_sockets(vm::Vm& vm);

// A name, or a dict with an `id`, as servers and accepted connections are.
vm::Outcome<std::string> handle_name(vm::Call& call);

// Argument `i`: a time to wait for, in milliseconds.
vm::Outcome<int64_t> timeout_arg(vm::Call& call, uint32_t i);

// {max_message_bytes, send_buffer_bytes, send_buffer_messages, idle_timeout_ms, compress}
// Refuses options that are neither of requests nor of WebSockets.
vm::Outcome<void> check_websocket_options(const vm::Call& call, const vm::Value& options);
vm::Outcome<void> read_limits(const vm::Call& call, const vm::Value& options, effects::WebSocketLimits& limits);
// A text, or a list of them; empty when there are none.
vm::Outcome<std::vector<std::string>> texts_option(const vm::Call& call, const vm::Value& options,
                                                   std::string_view name);

// "text", "binary", "ping", "pong", "close".
std::string_view kind_name(effects::WebSocketKind kind);
// What a program wants to send: a value, and options {type, code, reason}.
vm::Outcome<effects::WebSocketMessage> read_message(const vm::Call& call, const vm::Value& value,
                                                    const vm::Value& options);
vm::Value message_value(const effects::WebSocketMessage& message);
vm::Value type_value(std::string_view type);

}  // namespace harn::builtins
