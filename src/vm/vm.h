#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <typeindex>
#include <unordered_map>

#include "vm/builtin.h"
#include "vm/host.h"

namespace harn::bytecode {
struct Code;
struct Program;
}

namespace harn::vm {

struct Coroutine;

struct Limits {
  int64_t while_limit = 10'000;    // passes of one `while`; 0: no limit
  uint32_t max_frames = 400'000;
  uint64_t max_registers = 16'000'000;
};

// Why a running program was asked to stop.
enum class StopReason : uint32_t { None, Interrupt, Timeout };

// One running program: its modules' variables, its limits and its host. Not shared between threads,
// except `stop`, which a signal handler or a watchdog may call.
class Vm {
 public:
  Vm(const BuiltinTable& builtins, Host& host, Limits limits = {});
  ~Vm();
  Vm(const Vm&) = delete;

  Host& host() { return host_; }
  const BuiltinTable& builtins() const { return builtins_; }
  const Limits& limits() const { return limits_; }

  // Asks the program to unwind at its next back-edge or call; its defers run.
  void stop(StopReason reason) { stop_.store(reason, std::memory_order_relaxed); }

  // State that a family of builtins keeps per program (log level, mocked input, ...):
  // one T per VM, made on first use.
  template <class T>
  T& local() {
    auto& slot = locals_[std::type_index(typeid(T))];
    if (!slot) slot = std::shared_ptr<void>(std::make_shared<T>());
    return *static_cast<T*>(slot.get());
  }

 private:
  friend class Interpreter;
  const BuiltinTable& builtins_;
  Host& host_;
  Limits limits_;
  std::atomic<StopReason> stop_{StopReason::None};
  std::unordered_map<std::type_index, std::shared_ptr<void>> locals_;
};

}  // namespace harn::vm
