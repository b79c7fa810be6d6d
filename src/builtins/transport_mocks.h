#pragma once

#include <string>

#include "vm/vm.h"

// What tests see of connections that stay open (server-sent events, WebSockets), while they are mocked.
namespace harn::builtins {

struct TransportCall {
  std::string kind;  // "sse", "websocket"
  std::string url;
  std::string handle;
  std::string type;  // "connect", "close"; of a message that was sent: "text", "binary", ...
  std::string data;
};

// Kept only while something is mocked, which `mock_transports` says.
void note_transport(vm::Vm& vm, TransportCall call);
void mock_transports(vm::Vm& vm);

// Forgets the connections that `websocket_mock` answers (websocket_mock.cpp).
void clear_websocket_mocks(vm::Vm& vm);

}  // namespace harn::builtins
