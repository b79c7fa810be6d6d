#pragma once

#include "builtins/wait_time.h"
#include "effects/clock.h"

// A pause of the running task, as `sleep` and `sleep_ms` make it.
namespace harn::builtins {

// First: until when.
inline void plan_sleep(vm::WaitCall& call, vm::Nanoseconds due) {
  call.task().wait_until = effects::end_of_sleep(effects::Run::current(call.vm()), due);
}

// Then, and again after an interruption: parks the task, or answers when the time has come.
inline vm::Step go_to_sleep(vm::WaitCall& call, const char* what) {
  vm::Task& task = call.task();
  effects::Run& run = effects::Run::current(call.vm());
  bool tells = effects::tells_end_of_sleep(run);
  if (tells && call.is_retry() && call.scheduler().clock().now() >= task.wait_until) {
    auto told = effects::perform(run, effects::EndSleep{});
    return told ? call.done({}) : call.fail(std::move(told).error());
  }
  uint64_t ticket = task.begin_wait(what);
  call.scheduler().set_timeout(task, ticket, task.wait_until, tells ? vm::Wake::Retry : vm::Wake::Timeout);
  return vm::Step::Parked;
}

}  // namespace harn::builtins
