#include "vm/host_calls.h"

#include "base/assert.h"
#include "vm/memory.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::vm {

HostError host_error(const ErrorObject& error) {
  return {error.error_kind, error.facts ? error.facts->code : "", describe(error)};
}

// Lives until it is answered; the task's end is seen through it.
struct HostCalls::Call : FinishHook {
  HostCalls& calls;
  std::string function;
  MakeArguments arguments;
  Answered answered;

  Call(HostCalls& calls, std::string function, MakeArguments arguments, Answered answered)
      : calls(calls), function(std::move(function)), arguments(std::move(arguments)), answered(std::move(answered)) {}

  void finished(Task& task) override {
    std::unique_ptr<Call> own(this);
    Outcome<Value> answer = stopped();
    {
      std::lock_guard lock(task.lock);
      task.result_taken = true;
      if (task.error) answer = std::unexpected(task.error);
      else if (!task.stopping) answer = task.result;
    }
    calls.answered(std::move(own), answer);
  }

  static std::unexpected<Thrown> stopped() {
    return plain_error(ErrorKind::Cancelled, "the program was stopped before it had an answer");
  }
};

HostCalls::HostCalls(Vm& vm) : vm_(vm) {
  vm_.expect_calls_from_outside();
  vm_.scheduler().external_begin();  // a call may still come: not a deadlock
  vm_.scheduler().set_host_calls(this);
}

HostCalls::~HostCalls() {
  close();
  HARN_ASSERT(running_ == 0, "the tasks of a VM end before its host calls");
  vm_.scheduler().set_host_calls(nullptr);
}

void HostCalls::start(std::string function, MakeArguments arguments, Answered answered) {
  auto call = std::make_unique<Call>(*this, std::move(function), std::move(arguments), std::move(answered));
  {
    std::lock_guard lock(lock_);
    if (!is_closed_) {
      waiting_.push_back(std::move(call));
      waiting_count_.store(waiting_.size(), std::memory_order_release);
    }
  }
  if (call) return call->answered(plain_error(ErrorKind::Closed, "the program takes no more calls"));
  vm_.scheduler().poke();
}

std::unique_ptr<HostCalls::Call> HostCalls::take_waiting() {
  std::lock_guard lock(lock_);
  if (waiting_.empty()) return nullptr;
  auto call = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_count_.store(waiting_.size(), std::memory_order_release);
  ++running_;
  return call;
}

void HostCalls::start_waiting() {
  while (auto call = take_waiting()) begin(std::move(call));
}

static Outcome<Luggage> luggage_for(Vm& vm, std::string_view function, const HostCalls::MakeArguments& arguments) {
  auto global = vm.find_global(function);
  if (!global) return plain_error(ErrorKind::NotFound, "the program has no function `{}`", function);
  std::vector<Value> made = arguments();
  return pack(vm.scheduler().root(), vm.global(*global), made);
}

void HostCalls::begin(std::unique_ptr<Call> call) {
  Outcome<Luggage> luggage;
  try {
    luggage = luggage_for(vm_, call->function, call->arguments);
  } catch (const std::exception&) {
    luggage = std::unexpected(error_of_exception());
  }
  if (!luggage) return answered(std::move(call), std::unexpected(std::move(luggage).error()));
  Scheduler& scheduler = vm_.scheduler();
  scheduler.spawn(scheduler.root(), std::move(*luggage), {.hook = call.release()});
}

void HostCalls::answered(std::unique_ptr<Call> call, const Outcome<Value>& answer) {
  call->answered(answer);
  Scheduler& scheduler = vm_.scheduler();
  {
    std::lock_guard lock(lock_);
    --running_;
    if (!is_closed_ || running_ != 0) return;
  }
  scheduler.poke();  // `this` may be gone: `serve` has seen the last answer
}

bool HostCalls::is_done() {
  std::lock_guard lock(lock_);
  return is_closed_ && running_ == 0;
}

bool HostCalls::serve() {
  vm_.scheduler().run_until_called_off();
  return is_done();
}

void HostCalls::close() {
  std::deque<std::unique_ptr<Call>> refused;
  {
    std::lock_guard lock(lock_);
    if (std::exchange(is_closed_, true)) return;
    refused.swap(waiting_);
    waiting_count_ = 0;
  }
  for (auto& call : refused) call->answered(plain_error(ErrorKind::Closed, "the program takes no more calls"));
  vm_.scheduler().external_end();
}

}  // namespace harn::vm
