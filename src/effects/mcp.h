#pragma once

#include "effects/perform.h"
#include "effects/process.h"

// Servers of the Model Context Protocol that are children of the program, and whether it may talk to any. What is said is written in
// Harn (src/std/prelude/mcp.harn); servers behind HTTP use the streams of http_stream.h.
//
// A child is the VM's: it is killed with it, and with the handle that stands for it. Nobody reads from it in the background: tasks that
// wait for an answer take what has come, and each gets its own; all is bounded.
namespace harn::effects {

// Before each request, of whatever transport: this is what policies, budgets and traces are about.
struct UseMcp {
  using Answer = Done;
  static constexpr EffectRow row{.name = "mcp.use", .capability = vm::Capability::Mcp};

  std::string server;
  std::string method;  // "tools/call search"

  std::string shown() const { return server + ": " + method; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(server), visit(method);
  }
};
vm::Outcome<Done> carry_out(Run& run, const UseMcp& request);

// The child's number.
struct OpenMcp {
  using Answer = uint64_t;
  static constexpr EffectRow row{.name = "mcp.open", .capability = vm::Capability::Process};

  RunProcess program;

  std::string shown() const { return program.shown(); }
  std::string told_to_person() const { return program.told_to_person(); }
  template <class Visitor>
  void fields(Visitor& visit) {
    program.fields(visit);
  }
};
vm::Outcome<uint64_t> carry_out(Run& run, const OpenMcp& request);

// False: the child does not listen any more.
struct SendMcp {
  using Answer = bool;
  static constexpr EffectRow row{.name = "mcp.send", .capability = vm::Capability::None};

  uint64_t child = 0;
  std::string line;
  std::string expects = {};   // the id of the answer that somebody will wait for
  std::string gives_up = {};  // of one that nobody waits for any more

  std::string shown() const { return fmt::format("child {}", child); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(child), visit(line), visit(expects), visit(gives_up);
  }
};
vm::Outcome<bool> carry_out(Run& run, const SendMcp& request);

// The answer to a request, or, before it, what the server says of its own accord: whoever waits is told.
struct ReceiveMcp {
  struct Answer {
    bool is_late = false;  // nothing came in time
    bool is_end = false;   // nothing will come
    std::string line;
    std::string why;    // nothing will come
    std::string noise;  // of what is late: what has come that is no message; may be empty
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_late), visit(is_end), visit(line), visit(why), visit(noise);
    }
  };
  static constexpr EffectRow row{.name = "mcp.receive", .capability = vm::Capability::None, .version = 2};

  uint64_t child = 0;
  std::string id;          // empty: only what the server says of its own accord
  int64_t timeout_ms = 0;  // 0: what has come already

  std::string shown() const { return fmt::format("child {}", child); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(child), visit(id);  // what is left of a time differs from run to run
  }
};
vm::Outcome<ReceiveMcp::Answer> carry_out(Run& run, const ReceiveMcp& request);

// Lets the child end by itself for a moment, then makes it.
struct CloseMcp {
  using Answer = bool;
  static constexpr EffectRow row{.name = "mcp.close", .capability = vm::Capability::None};

  uint64_t child = 0;

  std::string shown() const { return fmt::format("child {}", child); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(child);
  }
};
vm::Outcome<bool> carry_out(Run& run, const CloseMcp& request);

// Kills it at once: nobody can use it any more. Fine where there is none.
void drop_mcp(vm::Vm& vm, uint64_t child);

}  // namespace harn::effects
