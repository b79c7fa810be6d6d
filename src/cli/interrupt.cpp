#include "cli/interrupt.h"

#include <unistd.h>

#include "net/process.h"

namespace harn::cli {

static std::atomic<vm::Vm*> running;
static std::atomic<int> received;
static_assert(std::atomic<vm::Vm*>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

static void on_signal(int number) {
  vm::Vm* vm = running.load();
  if (!vm || received.exchange(number) != 0) {
    net::kill_all_processes();
    _exit(128 + number);
  }
  vm->interrupt(number);
}

InterruptGuard::InterruptGuard(vm::Vm& vm) {
  received = 0;
  running = &vm;
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: a wait for input ends
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // Ignored by whoever started us (nohup, a job in the background): stays so.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  running = nullptr;
}

int InterruptGuard::signal() { return received; }
void InterruptGuard::forget() { received = 0; }

}  // namespace harn::cli
