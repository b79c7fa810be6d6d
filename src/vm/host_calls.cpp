#include "vm/host_calls.h"

#include <unordered_set>

#include "base/mutex.h"
#include "base/result.h"
#include "vm/memory.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::vm {

HostError host_error(const ErrorObject& error) {
  return {error.error_kind, error.facts ? error.facts->code : "", describe(error)};
}

static std::unexpected<Thrown> stopped() {
  return plain_error(ErrorKind::Cancelled, "the program was stopped before it had an answer");
}

static std::unexpected<Thrown> closed() { return plain_error(ErrorKind::Closed, "the program takes no more calls"); }

// Lives until its task has ended, which is seen through it.
struct HostCalls::Call : FinishHook {
  std::string function;
  MakeArguments arguments;
  Answered answered;
  std::shared_ptr<Running> running;

  Call(std::string function, MakeArguments arguments, Answered answered)
      : function(std::move(function)), arguments(std::move(arguments)), answered(std::move(answered)) {}

  void finished(Task& task) override;
};

// Calls that have begun and are not answered. Whoever takes one out answers it.
struct HostCalls::Running {
  Mutex lock;
  std::unordered_set<Call*> calls;

  bool take(Call* call) {
    std::lock_guard guard(lock);
    return calls.erase(call) != 0;
  }
  std::unordered_set<Call*> take_all() {
    std::lock_guard guard(lock);
    return std::exchange(calls, {});
  }
  bool is_empty() {
    std::lock_guard guard(lock);
    return calls.empty();
  }
};

void HostCalls::Call::finished(Task& task) {
  std::unique_ptr<Call> own(this);
  Outcome<Value> answer = stopped();
  {
    std::lock_guard lock(task.lock);
    task.result_taken = true;
    if (task.error) answer = std::unexpected(task.error);
    else if (!task.stopping) answer = task.result;
  }
  Scheduler& scheduler = *task.scheduler;
  if (running->take(this)) answered(answer);
  scheduler.poke();  // `serve` may wait for just this one
}

HostCalls::HostCalls(Vm& vm) : vm_(vm), running_(std::make_shared<Running>()) {
  vm_.expect_calls_from_outside();
  vm_.scheduler().external_begin();  // a call may still come: not a deadlock
  vm_.scheduler().set_host_calls(this);
}

HostCalls::~HostCalls() { end(); }

void HostCalls::start(std::string function, MakeArguments arguments, Answered answered) {
  auto call = std::make_unique<Call>(std::move(function), std::move(arguments), std::move(answered));
  {
    std::lock_guard lock(lock_);
    if (!is_closed_) {
      waiting_.push_back(std::move(call));
      waiting_count_.store(waiting_.size(), std::memory_order_release);
      vm_.scheduler().poke();  // with the lock held: it may end at any time
    }
  }
  if (call) call->answered(closed());
}

std::unique_ptr<HostCalls::Call> HostCalls::take_waiting() {
  std::lock_guard lock(lock_);
  if (waiting_.empty()) return nullptr;
  auto call = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_count_.store(waiting_.size(), std::memory_order_release);
  std::lock_guard also(running_->lock);
  running_->calls.insert(call.get());
  return call;
}

void HostCalls::start_waiting() {
  while (auto call = take_waiting()) begin(std::move(call));
}

static Outcome<Luggage> luggage_for(Vm& vm, std::string_view function, const HostCalls::MakeArguments& arguments) {
  auto global = vm.find_global(function);
  if (!global) return plain_error(ErrorKind::NotFound, "the program has no function `{}`", function);
  std::vector<Value> made = HARN_TRY(arguments());
  return pack(vm.scheduler().root(), vm.global(*global), made);
}

void HostCalls::begin(std::unique_ptr<Call> call) {
  Outcome<Luggage> luggage;
  try {
    luggage = luggage_for(vm_, call->function, call->arguments);
  } catch (const std::exception&) {
    luggage = std::unexpected(error_of_exception());
  }
  if (!luggage) {
    running_->take(call.get());
    return call->answered(std::unexpected(std::move(luggage).error()));
  }
  call->running = running_;
  Scheduler& scheduler = vm_.scheduler();
  scheduler.spawn(scheduler.root(), std::move(*luggage), {.hook = call.release()});
}

bool HostCalls::is_done() {
  std::lock_guard lock(lock_);
  return is_closed_ && waiting_.empty() && running_->is_empty();
}

bool HostCalls::serve() {
  vm_.scheduler().run_until_called_off();
  return is_done();
}

void HostCalls::close() {
  std::lock_guard lock(lock_);
  if (!std::exchange(is_closed_, true)) vm_.scheduler().external_end();
}

void HostCalls::end() {
  if (std::exchange(has_ended_, true)) return;
  close();
  while (auto call = take_waiting()) {
    if (running_->take(call.get())) call->answered(closed());
  }
  for (Call* call : running_->take_all()) call->answered(stopped());
  vm_.scheduler().set_host_calls(nullptr);
}

}  // namespace harn::vm
