#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace harn::cli {

static std::atomic<vm::Vm*> running;
static std::atomic<int> received;
static_assert(std::atomic<vm::Vm*>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

static void on_signal(int number) {
  vm::Vm* vm = running.load();
  if (!vm || received.exchange(number) != 0) _exit(128 + number);
  vm->stop(vm::StopReason::Interrupt);
}

static void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // no SA_RESTART: a wait for input ends
  for (int number : {SIGINT, SIGTERM}) {
    struct sigaction before;
    // Ignored by whoever started us (nohup, a job in the background): stays so.
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard(vm::Vm& vm) {
  received = 0;
  running = &vm;
  handle(on_signal);
}

InterruptGuard::~InterruptGuard() {
  handle(SIG_DFL);
  running = nullptr;
}

int InterruptGuard::signal() { return received; }

void InterruptGuard::reset() { received = 0; }

}  // namespace harn::cli
