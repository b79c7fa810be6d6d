#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>

#include "base/mutex.h"
#include "vm/builtin.h"
#include "vm/task.h"

// Calls from outside: a host starts functions of a running program from any thread and waits for their answers. This is
// what servers, triggers and the embedding API call.
//
//   HostCalls calls(vm);                                    // on the VM's thread; one at a time for a VM
//   std::thread client([&] {
//     auto length = calls.call<int64_t>("measure", [] { return std::vector{text_value("four")}; },
//                                       [](const Value& answer) { return answer.as_int(); });
//     ...                                                   // an int64_t, or a HostError
//     calls.close();
//   });
//   calls.serve();                                          // on the VM's thread, which runs tasks until `close`
//
// Each call is a task of its own, a child of the root, and begins with the program's variables as they are when it
// begins. It also begins while the root computes, but not in the middle of one of its builtins. Values belong to
// workers: arguments are made, and answers read, on one of those, by the functions that the host hands in.
namespace harn::vm {

// An error as a host wants it.
struct HostError {
  ErrorKind kind = ErrorKind::None;
  std::string code;
  std::string message;
};
HostError host_error(const ErrorObject& error);

class HostCalls {
 public:
  using MakeArguments = std::function<Outcome<std::vector<Value>>()>;
  using Answered = std::function<void(const Outcome<Value>& answer)>;

  explicit HostCalls(Vm& vm);
  ~HostCalls();
  HostCalls(const HostCalls&) = delete;
  // On the VM's thread, before the VM goes: whatever has no answer yet is answered by an error. From now on all calls
  // are, so threads that may still make some need not know.
  void end();

  // On any thread, and without waiting. `answered` is called once: on a worker, here or in `end`.
  void start(std::string function, MakeArguments arguments, Answered answered);

  // The same, and waits for the answer. Not on a thread that runs tasks of this VM.
  template <class T>
  std::expected<T, HostError> call(std::string function, MakeArguments arguments, std::function<T(const Value&)> read) {
    std::promise<std::expected<T, HostError>> promise;
    start(std::move(function), std::move(arguments), [&](const Outcome<Value>& answer) {
      if (answer) promise.set_value(read(*answer));
      else promise.set_value(std::unexpected(host_error(*answer.error())));
    });
    return promise.get_future().get();
  }

  // On the VM's thread, while it does not run anything else: runs the program's tasks until `close` was called and every
  // call is answered. False when the program was told to stop before.
  bool serve();
  // On any thread: no call is taken any more. Those that were made are still answered, as long as somebody serves.
  void close();

  // The scheduler's side, on the first worker.
  bool has_waiting() const { return waiting_count_.load(std::memory_order_acquire) != 0; }
  void start_waiting();
  bool is_done();

 private:
  struct Call;
  struct Running;
  void begin(std::unique_ptr<Call> call);
  std::unique_ptr<Call> take_waiting();

  Vm& vm_;
  Mutex lock_;
  std::deque<std::unique_ptr<Call>> waiting_;
  bool is_closed_ = false;
  bool has_ended_ = false;  // the VM is not to be touched any more
  std::atomic<size_t> waiting_count_{0};
  // Those that have begun. Their tasks share it: one that takes no notice of being stopped may outlive this.
  std::shared_ptr<Running> running_;
};

}  // namespace harn::vm
