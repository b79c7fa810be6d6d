#pragma once

#include "vm/function.h"
#include "vm/pace.h"
#include "vm/scheduler.h"
#include "vm/task.h"
#include "vm/vm.h"

namespace harn::vm {

class Emptied;  // claim.h

// Runs one task until it ends, waits or lets others run. The main loop is in interpreter.cpp and the *_ops.h files that
// it includes; what it does rarely is in calls.cpp (calls that need more than a new frame), iterate.cpp (for loops and
// generators), access.cpp (fields and paths), unwind.cpp (errors) and type_check.cpp.
//
// A worker makes one for a turn of a task, on its own stack, and only that thread uses it; when the task waits, it may go
// on with another that is ready. All that has to outlive the turn is the task's. An error of the program is in `error_` while it is on its way; a function that has set it
// answers Status::Failed.
class Interpreter {
 public:
  // Without a worker: for the start code of the prelude.
  Interpreter(Vm& vm, Task& task, Worker* worker) : vm_(vm), task_(&task), worker_(worker), pace_(pace_of(worker)) {
    if (worker) outer_ = std::exchange(worker->interpreter, this);
  }
  ~Interpreter() {
    if (worker_) worker_->interpreter = outer_;
  }
  Interpreter(const Interpreter&) = delete;

  enum class Status : uint8_t {
    Done,      // the value is in place
    Entered,   // another frame (or coroutine) runs now
    Failed,    // error_ says why
    Parked,    // the task waits
    Switched,  // as Entered, and the program variables are others (environment.h)
  };

  enum class Ran : uint8_t {
    Finished,  // Task::result or Task::error
    Parked,    // it is in somebody's queue
    Yielded,   // others should have a turn
    Again,     // not over: the other loop goes on (see Task::is_watching)
  };
  // Starts the task, or goes on where it stopped. When it waits, others that are ready follow on the same
  // worker: the answer is about the task that ran last, Worker::running.
  Ran resume();

  // In the middle of C++ code (see vm/pace.h): throws Stopped when the task has to stop.
  void look_up();
  // The same without making room for others.
  void take_stop();
  // The same, when the task has had its turn: others may have theirs.
  void end_turn();
  // The same, for a task that is in somebody's queue: why its wait ended. Only when it can part from its stack.
  Wake wait();
  bool can_part();
  // In the middle of C++ code (see vm/claim.h).
  void claim_value(const Value& held, Emptied& emptied);
  // Which frame the block of a deadline is in.
  void mark_block(Deadline& deadline) const;
  bool is_block_of_frame(const Deadline& deadline) const;

 private:
  // `kWatching`: looks for generators to close before each instruction. The same loop otherwise.
  template <bool kWatching>
  Ran run();
  Ran finished(Value value) {
    task_->result = std::move(value);
    return Ran::Finished;
  }

  // ---- suspend.cpp ----
  // The call or loop that the task has waited in gets its answer.
  Status begin();
  template <class Begin>
  Status guarded(Begin begin);
  Status deliver_wake();
  Status checkpoint();
  // The task has parked: makes the next one that is ready the running one. Parked when there is none.
  Status switch_task();
  Status take_requests(bool in_wait);
  // Frame number `frame`, counted from 1, of a coroutine.
  struct FramePlace {
    const Coroutine* coroutine = nullptr;
    uint32_t frame = 0;
  };
  FramePlace cleanup_place() const;
  bool must_leave(const Deadline& deadline, const FramePlace& cleanup) const;
  Deadline* passed_deadline() const;
  Status call_wait(const Builtin& row, uint32_t first, uint32_t count, uint32_t result, bool is_retry);
  // The common end of a wait: the answer is there, and the task is in no queue any more.
  bool deliver_answer();
  Status after_parking();
  bool must_stop_waiting(uint32_t heard) const;
  // Leaves the stack to the code that runs on it, and the worker to others, until it is the task's turn.
  void part();
  void give_way();

  // ---- calls.cpp ----
  // Calls the value with `count` arguments from stack index `first` on; the value goes to `result`.
  Status call_value(const Value& callee, uint32_t first, uint32_t count, uint32_t result, bool is_pipe);
  Status call_closure(ClosureObject* closure, uint32_t first, uint32_t count, uint32_t result, bool owns);
  // The C++ function of a row. It never enters a frame, and everything stays where it is. False: failed.
  [[gnu::always_inline]] bool call_native(const Builtin& row, Value* args, uint32_t count, Value& result) {
    Call call(vm_, row, args, count);
    Outcome<Value> outcome = row.call(call);
    if (!outcome) [[unlikely]] {
      error_ = std::move(outcome).error();
      return false;
    }
    for (uint32_t i = &result == args ? 1 : 0; i < count; ++i) args[i].set_nil();
    result = std::move(*outcome);
    return true;
  }
  // Calls a builtin, function or method, with a number of arguments that it takes. All calls end here, except that the
  // loop calls natives, and what has a `quick` form, itself.
  Status dispatch(const Builtin& row, uint32_t first, uint32_t count, uint32_t result);
  Status call_builtin(const Builtin& row, uint32_t first, uint32_t count, uint32_t result);
  Status call_method(InlineCache& cache, uint32_t first, uint32_t count, uint32_t result);
  void remember_method(InlineCache& cache, const Builtin& row, Kind kind);
  Status call_struct_method(InlineCache& cache, uint32_t first, uint32_t count, uint32_t result);
  Status call_field(const Value& callee, uint32_t first, uint32_t count, uint32_t result);
  Status call_spread(const Value& list, uint32_t at, uint32_t& first, uint32_t& count);
  Status make_variant(InlineCache& cache, uint32_t first, uint32_t count, uint32_t result);
  Status make_struct(StructTypeObject* type, uint32_t first, uint32_t count, uint32_t result);
  Status unknown_method(const Value& receiver, const StringObject* name);
  bool push_frame(ClosureObject* closure, uint32_t base, uint32_t result, uint8_t duties);
  bool fit_arguments(const Prototype& proto, uint32_t first, uint32_t count);
  bool ensure_stack(uint32_t end);
  Status arity_error(std::string_view name, uint32_t least, uint32_t most, uint32_t given);
  Status tail_call(ClosureObject* closure, uint32_t first, uint32_t count);
  uint8_t tail_replace(uint32_t first, uint32_t count);
  Status call_bound(ClosureObject* closure, uint32_t first, uint32_t count, uint32_t result, bool owns);
  void enter_environment(Environment& environment);
  void leave_environment();
  void bind_functions(Value* values, uint32_t count);
  void keep_generators();
  void close_kept();
  // What a frame that is left still has to do; `returned`: what it returns.
  void do_duties(const Frame& frame, Value* returned);

  // ---- declare.cpp ----
  Value make_closure(const Frame& frame, uint32_t function);
  static Value declare_enum(const bytecode::EnumShape& shape, const bytecode::Code& code);
  static Value declare_struct(const bytecode::StructShape& shape, const bytecode::Code& code);
  Status declare_method(const Value& type, StringObject* name, Value& closure);
  static std::unexpected<Thrown> fixed_error(bytecode::RaiseKind kind, std::string_view text);

  // ---- far.cpp ----
  // Registers and operands that do not fit an instruction (compile/far_registers.h).
  void new_far_registers(const Frame& frame, uint32_t holder, uint32_t count);
  static void drop_far_registers(Value& holder);  // the last first, as registers are
  Status large(const Frame& frame, bytecode::Op op, uint32_t a, uint32_t x);

  // ---- iterate.cpp ----
  Status for_prep(Value& source, Value& position);
  // Entered: a generator runs, the value will be delivered.
  Status for_next(Value& source, Value& position, Value& item, bool& more);
  Status handle_next(const Value& source, IterObject* iter, Value& item, bool& more);
  static bool can_iterate(const Value& source);
  Value begin_generator(const Frame& frame, const Instruction* start);
  Status resume(GeneratorObject* generator);
  void deliver(Value value, bool done);
  void finish_generator();
  // Whoever gives a waiting task a permit on another thread reads `current`, so it is only written here.
  void make_current(Coroutine* coroutine) { task_->current = co_ = coroutine; }
  Status switch_environment();
  void start_closing();

  // ---- access.cpp ----
  Status get_field(Value& to, const Value& object, InlineCache& cache, uint32_t mode);
  Status set_field(Value& object, InlineCache& cache, Value value);
  Status set_index(Value& target, const Value& key, Value value);
  Status set_path(Value& target, const Value* keys, uint32_t count, Value value);
  Value* place_of(Value& target, const bytecode::PathSteps& steps, const Prototype& proto, const Value* keys);
  Status set_steps(Value& target, const bytecode::PathSteps& steps, const Prototype& proto, const Value* keys,
                   Value value);
  Value* step(Value& target, const Value& key);
  Status new_struct_of(Value& type, const Prototype& proto, uint32_t keys, Value* values, uint32_t count);
  Value concat(Value* parts, uint32_t count);
  // Entered: the items must be pulled one by one.
  Status list_spread(Value& list, Value& items);
  Status dict_spread(Value& dict, Value& items, bool is_used_up);
  static Value list_rest(Value& list, size_t from, bool is_used_up);
  // Appends to a list that others hold, when they do not need it.
  static bool push_claimed(Value& list, Value& item);
  Value dict_rest(const Value& dict, const bytecode::Keys& without);
  bool is_variant(const Value& value, InlineCache& cache);
  static bool has_keys(const Value& value, const bytecode::Keys& keys);

  // ---- type_check.cpp ----
  Status check_param(const Value& value, const bytecode::ParamCheck& check);
  // `catch (e: T)`
  static bool is_caught(const ErrorObject& error, const bytecode::TypeCheckPtr& type);

  // ---- errors ----
  Status fail(std::unexpected<Thrown> error) {
    error_ = std::move(error).error();
    return Status::Failed;
  }
  // Passes a Result on: the value to `to`, or the error.
  Status settle(Outcome<Value> outcome, Value& to) {
    if (!outcome) {
      error_ = std::move(outcome).error();
      return Status::Failed;
    }
    to = std::move(*outcome);
    return Status::Done;
  }
  // What the loop does not do in line; apart, so that what it does stays together.
  template <Outcome<Value> (*Operator)(const Value&, const Value&)>
  [[gnu::cold, gnu::noinline]] Status other(const Value& a, const Value& b, Value& to) {
    return settle(Operator(a, b), to);
  }
  [[gnu::cold, gnu::noinline]] Status other_sum(const Value& a, const Value& b, Value& to);
  // `to = left + right`, where the left value may grow in place.
  Status add_taken(Value& left, const Value& right, Value& to);
  // The task's variables, to be written to.
  Value* own_globals();
  // Leaves frames until one handles error_. False when the whole run ends with it.
  bool unwind();

  Vm& vm_;
  Task* task_;  // changes when the one that ran parks and the next can go on at once
  Coroutine* co_ = nullptr;
  Thrown error_;
  bool failed_ = false;  // the loop begins with error_
  bool is_short_of_memory_ = false;
  static Pace& pace_of(Worker* worker);

  Worker* worker_;
  Pace& pace_;
  Interpreter* outer_ = nullptr;  // this one runs in the middle of it: a part of the prelude is loaded
};

}  // namespace harn::vm
