#pragma once

#include <string>

#include "vm/vm.h"

// What tests see of connections that stay open (server-sent events), while they are mocked.
namespace harn::builtins {

struct TransportCall {
  std::string kind;  // "sse"
  std::string url;
  std::string handle;
  std::string type;  // "connect", "close"
  std::string data;
};

// Kept only while something is mocked.
void note_transport(vm::Vm& vm, TransportCall call);

}  // namespace harn::builtins
