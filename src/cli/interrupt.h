#pragma once

#include <signal.h>

#include "vm/vm.h"

namespace harn::cli {

// While one lives, Ctrl-C, SIGTERM and SIGHUP ask the program to stop: it unwinds and its defers run. A
// second signal ends the process, and the programs it started, at once. A signal handler needs a place that it can find, so there
// may be one of these at a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(vm::Vm& vm);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;

  // The signal that arrived, 0 when none did.
  static int signal();
  // The program has dealt with it: the next signal asks again, and does not end the process.
  static void forget();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
};

}  // namespace harn::cli
