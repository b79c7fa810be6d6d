#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "vm/clock.h"
#include "vm/pace.h"
#include "vm/task.h"
#include "vm/transfer.h"

// Runs tasks on workers (threads). The thread that starts the program is the first worker; others
// are started when tasks are waiting to begin and nobody has time for them.
//
// A task is queued where it was spawned. A worker that has nothing to do takes tasks that have not
// begun from others. A task that has begun is one worker's at a time, so what it owns needs no locks; it
// moves while it waits, to the worker it was woken on, and when a worker with too much to do gives some away.
namespace harn::vm {

class Interpreter;
class Course;  // course.h
class Locks;
class Vm;
class Standstill;  // standstill.h

// Tasks in the order they were queued, for one worker and those who steal from it.
class TaskQueue {
 public:
  void push(Task* task);
  Task* pop();
  Task* front() const { return size_ ? slots_[first_] : nullptr; }
  size_t size() const { return size_; }

 private:
  std::vector<Task*> slots_;  // a ring; its size is a power of two
  size_t first_ = 0;
  size_t size_ = 0;
};

class HostCalls;

// sync.cpp: the tasks that wait for blocks which the running task has left may go on.
void serve_owed(Worker& worker);

struct Worker {
  Worker(Scheduler& scheduler, unsigned number);

  Scheduler& scheduler;
  unsigned number;
  LoopStacks stacks;
  Task* running = nullptr;
  Interpreter* interpreter = nullptr;  // while it runs code of the program
  Pace pace;
  uint64_t orders = 0;      // counts what was queued here
  uint64_t last_front = 0;  // the first task that waited to begin when we last looked
  Nanoseconds front_since = 0;
  uint64_t spawned = 0;         // tasks started here
  uint64_t spawned_before = 0;  // when we last looked for help
  uint64_t spawned_polled = 0;  // at the last checkpoint
  uint64_t first_come = 0;      // tasks queued up to here begin before begun ones that were queued later
  uint32_t patience = 0;        // rounds in which tasks that had begun went first
  uint32_t polls = 0;           // checkpoints
  Nanoseconds recent_time = 0;  // at the last one, as the program's clock shows it
  uint32_t fresh_polls = 0;     // checkpoints since a task last began here
  uint64_t late_front = 0;      // the first task that waited to begin at the last checkpoint
  Nanoseconds late_since = 0;   // when it was first seen there
  bool is_late = false;         // it has waited long enough: nobody helps

  // How long tasks run here before they wait: see Scheduler::measure.
  uint64_t turns = 0;
  uint64_t talks = 0;  // calls that take from, or give to, other tasks
  uint64_t turns_measured = 0;
  uint64_t talks_measured = 0;
  Nanoseconds measured_at = 0;
  Nanoseconds time_idle = 0;     // since then
  Nanoseconds time_sending = 0;  // since then, about: what handing tasks to other workers has cost
  Nanoseconds turn_time = 0;
  bool is_chatty = true;            // there is little work between two such calls
  Nanoseconds busy_since = kNever;  // since when tasks have to wait for their turns
  Nanoseconds spin_time = 0;        // how long it watches for work before it sleeps

  TaskQueue ready;  // begun tasks that can go on; only this worker touches it
  SpinLock fresh_lock;
  TaskQueue fresh;  // tasks that have not begun; others may steal
  std::atomic<size_t> fresh_size{0};
  std::atomic<uint64_t> fresh_front{0};  // Task::queued of the first: how thieves see that it waits
  std::atomic<Task*> inbox{nullptr};     // woken by other threads, newest first

  std::atomic<uint32_t> signal{0};    // a futex: changes when the worker is called
  std::atomic<bool> idle{false};      // guarded by Scheduler::idle_lock_ for writing
  std::atomic<bool> looking{false};   // it has nothing to do, asleep or not
  std::vector<uint64_t> fronts_seen;  // at the others, when it last looked for tasks to steal
  int steal_tries = 0;
  std::atomic<bool> counts_waits{false};  // each has to be seen: see Scheduler::stand_still_at
  std::vector<Lock*> owed;                // left by the one that runs, and wanted by others: see Lock::owed_by
  std::thread thread;

  void let_others_in() {
    if (!owed.empty()) [[unlikely]]
      serve_owed(*this);
  }
};

inline void Task::talk() { ++home->talks; }

// The task waits, and its worker will not touch it until somebody ends that. What this thread has put aside
// (remains.h) may be the task's and hold what it still uses, with counts that are for one thread: then it has to stay.
inline void let_go(Task& task) {
  if (!has_remains) task.has_left.store(true, std::memory_order_release);
}

// The worker this thread is; null on others.
extern constinit thread_local Worker* this_worker;

// What a spawned task is besides its code.
struct SpawnOptions {
  uint64_t group = 0;
  FinishHook* hook = nullptr;
  // For tasks that a parent announced and that are started later, maybe on another thread.
  uint32_t index = 0;  // among the parent's children; 0: the next
  bool lasts = false;  // Task::lasts
};

class Scheduler {
 public:
  Scheduler(Vm& vm, unsigned workers);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;

  Clock& clock() { return clock_; }
  Locks& locks() { return *locks_; }
  // The time at this worker's last checkpoint: some microseconds ago, and for free.
  Nanoseconds recent_time() { return this_worker && !clock_.is_mocked() ? this_worker->recent_time : clock_.now(); }
  // The clock was moved by hand.
  void note_time() {
    if (this_worker) this_worker->recent_time = clock_.now();
  }
  Vm& vm() { return vm_; }
  Task& root() { return *root_; }
  unsigned worker_limit() const { return worker_limit_; }

  // The task that runs on this thread.
  static Task& current();
  static Task* current_or_null() { return this_worker ? this_worker->running : nullptr; }

  // Runs the callee as the root task until it returns. Tasks it started live on.
  Outcome<Value> run_root(const Value& callee, std::span<const Value> args);
  // Runs tasks until the calls from outside are over, or the program is told to stop.
  void run_until_called_off();
  // Cancels all tasks and waits, for a while, until they have cleaned up.
  void end_tasks();

  // Stops the program where its tasks begin to wait for the `wait`th time, counted from 1 over all of them: no task
  // runs any more, the call that runs the root returns, and the program can be put away (src/park).
  void stand_still_at(uint64_t wait);
  bool stands_still() const { return stands_still_.load(std::memory_order_acquire); }
  // What a program that was taken up does next: the root goes on. The same as run_root otherwise.
  Outcome<Value> go_on_with_root();
  // Of a program that stands still: drops all tasks as they are. Nothing of theirs runs, not even clean-up code. False,
  // and nothing has changed, when one of them is in the middle of C++ code.
  bool abandon_tasks();

  // A new task of `parent`.
  Ref<Task> spawn(Task& parent, Luggage&& luggage, SpawnOptions options = {});

  // Ends the wait `ticket` of a task. False when somebody else was faster.
  bool wake(Task& task, uint64_t ticket, Value answer);
  bool wake(Task& task, uint64_t ticket, Thrown failure);
  bool wake(Task& task, uint64_t ticket, Wake reason);
  // The same for a wait that the caller has claimed.
  void answer(Task& task, Value answer) {
    task.answer = std::move(answer);
    go_on(task, Wake::Value);
  }
  void go_on(Task& task, Wake reason) {
    task.woken_by = reason;
    task.woken = true;
    make_ready(task);
  }
  // Queues a task whose wait was claimed, on this worker or on its own.
  void make_ready(Task& task);
  // Sets the time at which the wait that has just begun ends, with Wake::Timeout or another reason.
  void set_timeout(Task& task, uint64_t ticket, Nanoseconds due, Wake reason = Wake::Timeout);

  // What the timers of a task and of its deadlines do.
  static void prepare_timer(Task& task);
  static void prepare_timer(Deadline& deadline);

  // A `deadline` block begins, at this word of the running function's code, or ends.
  void push_deadline(Task& task, Nanoseconds due, uint32_t start);
  void pop_deadline(Task& task);
  // The innermost deadline of the running function: whether its time is over.
  bool is_deadline_over(Task& task);

  // Unwind (force), or ask the task to end.
  void cancel(Task& task, bool force);
  void cancel_children(Task& task, uint32_t started_after = 0);
  // Of a task that has ended by itself: those that last go to whoever has started it, as if that had started them.
  void pass_on_children(Task& task);

  // Makes all workers look up.
  void raise_all();
  // Has somebody watch the time for workers that compute: see monitor.cpp.
  void watch();
  // Delivers what made the worker look up: timers, signals.
  void attend();
  // At a checkpoint: fires timers that are due, delivers signals, makes room for others. True when the
  // running task should let others run.
  bool poll();
  // The next task of this worker, if it has begun and it is its turn; it is the running one from now on.
  Task* take_ready(Worker& worker);
  // Whether other tasks of this worker could run now.
  bool has_others() const;
  // A task's wait was claimed by timers: make them ready.
  void fire_timers();
  // Of a recording or a replay; null: nobody counts. Only with one worker.
  Course* course() const { return course_; }
  void set_course(Course* course);
  // For a replay: fires what Course::note_timer was told of. False when there is no such timer.
  bool fire_timer_of(uint64_t task, uint32_t which);
  // The wait `ticket` of a task ends, and its turn is next.
  void go_first(Task& task, uint64_t ticket);
  // In a replay nobody waits for time to pass. True when the clock went on to the next timer.
  bool follow_clock(Worker& worker);
  void follow_computation(Worker& worker);

  // Something outside (I/O, a signal handler of the program) may still wake a task: not a deadlock.
  void external_begin() {
    several_threads = true;
    external_.fetch_add(1);
  }
  void external_end();
  // Async-signal-safe: makes the first worker look around, asleep or not.
  void poke();

  // Who starts functions from outside, while there is one.
  void set_host_calls(HostCalls* calls) { host_calls_.store(calls, std::memory_order_release); }
  HostCalls* host_calls() const { return host_calls_.load(std::memory_order_acquire); }

  // Signals that the program handles itself (std/signal): asked on the first worker; true when there is a
  // handler, which it has started with run_beside_root.
  void set_signal_handler(bool (*handler)(Vm& vm, int signal)) { on_signal_ = handler; }
  // A signal may still wake a task: not a deadlock.
  void expect_signals(bool expected) { expects_signals_ = expected; }
  // On the first worker: runs the callee in the root task's place, with its variables, and lets the root
  // go on afterwards. What it throws is thrown in the root. Begins when the root is not in the middle of something.
  void run_beside_root(Value callee, Value argument) {
    beside_root_.emplace_back(std::move(callee), std::move(argument));
  }

  // The last handle of a task that failed is gone, and nobody asked for its result: says so on standard
  // error, so that no failure passes in silence.
  void report_unseen(const Task& task);

  // The program is being stopped, and the task has no part in its clean-up.
  bool is_stopping(const Task& task) const {
    return stopping_.load(std::memory_order_relaxed) && !task.helps_clean_up && !task.stopping;
  }

  uint64_t live_tasks() const { return live_tasks_.load(std::memory_order_relaxed); }

  // With the lock of `task` held: hands what it ended with to a task whose wait was claimed.
  void answer_with_result(Task& task, Task& to);

 private:
  friend class Interpreter;
  friend class Standstill;
  friend struct Worker;
  Outcome<Value> run_until_root_ends();
  void note_wait();
  static void end_timed_wait(Timer& timer, std::vector<Task*>& woken);
  static void pass_deadline(Timer& timer, std::vector<Task*>& woken);
  static bool is_timer_of(const Timer& timer, uint64_t task, uint32_t which);
  void fire_by_clock();
  void run_task(Worker& worker, Task& task);
  void finish(Task& task);
  Task* next_task(Worker& worker);
  bool is_turn_of_fresh(Worker& worker, const Task& ready);
  void drain_inbox(Worker& worker);
  bool is_better_here(const Task& task) const;
  void send(Worker& worker, Task& task);
  void measure(Worker& worker, Nanoseconds now);
  void share_backlog(Worker& worker, Nanoseconds now);
  void give_half(Worker& worker, Worker& to);
  bool watch_for_work(Worker& worker);
  bool steal(Worker& thief);
  // What the first worker's loop waits for.
  enum class Until : uint8_t { RootEnds, CallsEnd, TasksEnd };
  void loop_until(Until until);
  static void loop_main(void* worker);
  void loop(Worker& worker);
  bool is_over(const Worker& worker) const;
  void look_for_work(Worker& worker);
  void look_for_help(Worker& worker);
  void note_late_front(Worker& worker, Nanoseconds now);
  void worker_main(Worker& worker);
  void go_idle(Worker& worker, Nanoseconds look_again);
  void sleep(Worker& worker, Nanoseconds look_again);
  void call(Worker& worker);
  void push_fresh(Worker& worker, Task& task);
  void push_ready(Worker& worker, Task& task);
  void start_helpers();
  void stop_helpers();
  void monitor_main();
  bool look_after_workers();
  void stop_monitor();
  bool deliver_stop();
  bool has_host_calls() const;
  void start_host_calls();
  void start_beside_root();
  void finish_beside_root(Task& task);
  bool is_stuck() const;
  void report_deadlock();
  std::string deadlock_text();

  Vm& vm_;
  unsigned worker_limit_;
  bool host_watches_;  // tasks that begin and end
  Clock clock_;
  std::unique_ptr<Locks> locks_;
  Ref<Task> root_;
  SpinLock tree_lock_;  // who is whose child
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<unsigned> worker_count_{1};
  std::atomic<bool> ending_{false};
  std::atomic<int> external_{0};
  std::atomic<HostCalls*> host_calls_{nullptr};
  std::atomic<bool (*)(Vm&, int)> on_signal_{nullptr};
  std::atomic<bool> expects_signals_{false};
  Until until_ = Until::RootEnds;
  Course* course_ = nullptr;
  Task* first_ = nullptr;  // whose turn is next, before all others
  struct Fired {
    uint64_t task;
    uint32_t which;
  };
  std::vector<Fired> fired_;                         // what the course is yet to be told
  std::deque<std::pair<Value, Value>> beside_root_;  // callees and arguments that wait for the root
  bool root_waits_its_turn_ = false;                 // it was ready while somebody ran beside it
  Mutex idle_lock_;
  int active_ = 1;                         // workers that are not idle; guarded by idle_lock_
  std::atomic<bool> helper_asleep_{true};  // nobody looks for tasks to steal
  std::atomic<uint64_t> live_tasks_{0};
  std::atomic<uint32_t> unseen_{0};
  Mutex monitor_lock_;
  std::thread monitor_;  // started when it is first needed
  std::atomic<bool> has_monitor_{false};
  std::atomic<bool> watching_{false};        // the monitor is awake
  std::atomic<uint32_t> monitor_signal_{0};  // a futex
  std::atomic<bool> monitor_ending_{false};
  std::atomic<bool> stopping_{false};    // the program is being stopped: no task begins, except to clean up
  std::atomic<bool> time_is_up_{false};  // end_tasks: nobody is waited for any longer
  std::atomic<uint64_t> waits_left_{0};  // until it stands still; 0: nobody asked for that
  std::atomic<bool> stands_still_{false};
};

}  // namespace harn::vm
