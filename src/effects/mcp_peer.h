#pragma once

#include "effects/perform.h"

// The client of a program that is served over the Model Context Protocol: whoever has started it reads what is said here. What the program
// prints goes elsewhere by then, so that nothing else is on the same stream (cli/serve.cpp).
namespace harn::effects {

// Before the program begins: where its client reads. The descriptor stays open as long as the VM.
void set_mcp_peer(vm::Vm& vm, int descriptor);

// False: there is no client, or it does not read any more.
struct SayToMcpPeer {
  using Answer = bool;
  static constexpr EffectRow row{.name = "mcp.say", .capability = vm::Capability::Output};

  std::string line;  // without its end

  std::string shown() const { return "the client"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(line);
  }
};
// On a fiber. Lines of several tasks do not mix.
vm::Outcome<bool> carry_out(Run& run, const SayToMcpPeer& request);

}  // namespace harn::effects
