#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "vm/value.h"
#include "vm/vm.h"

// Who watches the agents of a program from outside: a terminal, a log, a protocol. The program's own subscribers are with the
// sessions (prelude/sessions.harn).
namespace harn::builtins {

class AgentEvents {
 public:
  // Told one at a time, on any worker. The event is a dict with a `type`; it must not be kept. Some may come that were not
  // asked for.
  using Listener = std::function<void(const vm::Value& event)>;

  static AgentEvents& of(vm::Vm& vm) { return vm.local<AgentEvents>(); }

  // Before the program begins. `type`: the only one that it wants to hear of; empty: all.
  void listen(Listener listener, std::string type = {}) {
    listeners_.push_back({std::move(listener), std::move(type)});
  }
  // When it has ended.
  void stop() { listeners_.clear(); }
  bool is_heard(std::string_view type) const {
    return std::ranges::any_of(listeners_, [&](const Heard& one) { return one.type.empty() || one.type == type; });
  }
  void tell(const vm::Value& event) {
    if (listeners_.empty()) return;
    std::lock_guard guard(lock_);
    for (const Heard& one : listeners_) one.listener(event);
  }

 private:
  struct Heard {
    Listener listener;
    std::string type;
  };
  std::vector<Heard> listeners_;
  Mutex lock_;
};

}  // namespace harn::builtins
