// parallel, parallel each, parallel settle and the streams of results behind `as stream`.
#include <deque>
#include <mutex>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "vm/scheduler.h"
#include "vm/cycles.h"
#include "vm/transfer.h"
#include "vm/trace.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

enum class Mode : uint8_t { Each, Settle, Stream, Race };

// One `parallel`: starts a task per item, not more than `limit` at a time, and collects what they
// give. Counted by its tasks and by whoever waits for it.
struct Join : HandleObject {
  // A member, not a base: a base with virtual functions would come before the handle's header.
  struct Hook final : FinishHook {
    Join* join = nullptr;
    void finished(Task& task) override { join->task_finished(task); }
    HandleObject* handle() override { return join; }
  } hook;
  SpinLock lock;
  Scheduler* scheduler = nullptr;
  Ref<Task> parent;
  Mode mode = Mode::Each;
  size_t total = 0;
  size_t limit = 0;
  // What every task is given: the body, and for each its item. Read with the lock held.
  Luggage luggage;
  Value items;  // its first argument
  uint32_t first_index = 0;
  uint64_t group = 0;
  // Guarded by the lock.
  size_t started = 0;
  size_t ended = 0;
  bool aborted = false;
  size_t failed_at = SIZE_MAX;  // the first failing item in source order
  Thrown failure;
  std::vector<Value> results;
  // From the first item that has not ended to the last that was started: not one for each item there will be.
  struct Started {
    Ref<Task> task;  // null until spawn has returned
    bool has_ended = false;
  };
  std::deque<Started> tasks;
  size_t tasks_from = 0;  // the item of the first
  struct Arrived {
    size_t index;
    Value value;
    Thrown error;
  };
  std::deque<Arrived> arrived;  // Stream, Race
  WaitQueue waiting{lock};

  // Cells in what the tasks got copies of go with the cells of whoever drops it.
  ~Join() {
    if (noted_in) noted_in->forget(this);
    if (!luggage.is_plain) adopt_cells(luggage.entry);
  }
  Holders* noted_in = nullptr;  // see vm/holders.h
  // Lets go of all values; nothing runs any more.
  void empty() {
    parent = {};
    items.set_nil();
    failure = {};
    results.clear();
    tasks.clear();
    arrived.clear();
  }
  void start_some();
  void task_finished(Task& task);
  void abort();
  Value collected();

 private:
  Luggage luggage_for(size_t index);
  void store(Task& task, size_t index);
  void cancel_from(size_t index);
};

void display_join(std::string& out, const HandleObject*) { out += "<parallel>"; }
void empty_join_of(HandleObject* handle) { static_cast<Join*>(handle)->empty(); }
constinit const HandleType kJoinType = {
    .name = "parallel", .destroy = destroy_handle<Join>, .display = display_join, .empty = empty_join_of};

Value outcome_as_result(Task& task) {
  if (task.stopping) return new_err(text_value("kind:cancelled:VM cancelled by host"));
  if (!task.error) return is_result(task.result) ? std::move(task.result) : new_ok(std::move(task.result));
  Value caught = caught_value(*task.error);
  return new_err(caught.is_string() ? std::move(caught) : text_value(display(caught)));
}

// With the lock held. Each task gets its own copy of what has state, made from the snapshot that was taken when
// the `parallel` began.
Luggage Join::luggage_for(size_t index) {
  Luggage own;
  own.entry = luggage.entry;
  own.context = luggage.context;
  own.globals = luggage.globals;
  own.is_plain = luggage.is_plain;
  if (luggage.entry.as_closure()->proto->params > 0) own.args.push_back(list_item(items, index));
  auto copied = repack(own);
  // What could be packed once can be packed again: nothing in it runs.
  return copied ? std::move(*copied) : Luggage{};
}

// Starts tasks until the limit is reached. On the thread of the parent, or of a task that has ended.
void Join::start_some() {
  for (;;) {
    size_t index;
    Luggage own;
    {
      std::lock_guard guard(lock);
      if (aborted || started == total || started - ended >= limit || failed_at < started) return;
      own = luggage_for(started);
      tasks.emplace_back();
      index = started++;
    }
    SpawnOptions options;
    options.group = group;
    options.hook = &hook;
    options.index = first_index + static_cast<uint32_t>(index) + 1;
    retain(this);  // the task's, until it has ended
    auto task = scheduler->spawn(*parent, std::move(own), options);
    std::lock_guard guard(lock);
    // It may have ended by now, or everything may have been called off.
    if (index < tasks_from || tasks[index - tasks_from].has_ended) continue;
    tasks[index - tasks_from].task = task;
    if (aborted || failed_at < index) scheduler->cancel(*task, true);
  }
}

void Join::cancel_from(size_t index) {
  for (size_t i = index < tasks_from ? 0 : index - tasks_from; i < tasks.size(); ++i) {
    if (tasks[i].task) scheduler->cancel(*tasks[i].task, true);
  }
}

// With the lock held.
void Join::store(Task& task, size_t index) {
  task.result_taken = true;
  // Stopped from outside, with the task that owns it: the items that have not begun never will. One that comes
  // after a failed item was called off from here; what comes before that item still counts.
  if (task.stopping && index <= failed_at) {
    aborted = true;
    total = started;
    if (mode == Mode::Stream) return;
  }
  switch (mode) {
    case Mode::Settle: results[index] = outcome_as_result(task); return;
    case Mode::Race: arrived.push_back({index, outcome_as_result(task), {}}); return;
    case Mode::Stream:
      if (task.error) note_task(*task.error, task.id);
      arrived.push_back({index, std::move(task.result), std::move(task.error)});
      return;
    case Mode::Each: break;
  }
  if (!task.error) {
    results[index] = std::move(task.result);
    return;
  }
  if (index > failed_at) return;
  failed_at = index;
  note_task(*task.error, task.id);
  failure = std::move(task.error);
  // Earlier items may still fail and come first; later ones no longer matter.
  cancel_from(index + 1);
}

void Join::task_finished(Task& task) {
  size_t index = task.index - first_index - 1;
  bool over = false;
  {
    std::lock_guard guard(lock);
    ++ended;
    tasks[index - tasks_from] = {{}, true};
    while (!tasks.empty() && tasks.front().has_ended) {
      tasks.pop_front();
      ++tasks_from;
    }
    store(task, index);
    if (failed_at < started) total = started;  // what has not begun never will
    over = ended == total;
    if (mode == Mode::Stream || mode == Mode::Race) {
      if (Waiter* waiter = waiting.take()) scheduler->go_on(*waiter->task, Wake::Retry);
    } else if (over) {
      if (Waiter* waiter = waiting.take()) {
        Task& to = *waiter->task;
        to.failure = std::move(failure);
        if (to.failure) scheduler->go_on(to, Wake::Error);
        else scheduler->answer(to, collected());
      }
    }
  }
  if (!over) start_some();
  release(this);
}

void Join::abort() {
  std::lock_guard guard(lock);
  aborted = true;
  total = started;
  cancel_from(0);
}

Value Join::collected() {
  auto list = new_list(results.size());
  size_t failed = 0;
  for (Value& result : results) {
    if (mode == Mode::Settle && is_err(result)) ++failed;
    list->push(std::move(result));
  }
  size_t count = results.size();
  if (mode == Mode::Each) return list;
  return DictBuilder()
      .add("results", Value(std::move(list)))
      .add("succeeded", Value::integer(static_cast<int64_t>(count - failed)))
      .add("failed", Value::integer(static_cast<int64_t>(failed)))
      .done();
}

Outcome<size_t> limit_of(const Value& limit) {
  if (limit.is_nil()) return SIZE_MAX;
  if (!limit.is_int()) return type_error("parallel max_concurrent must be an int; got {}", type_name(limit));
  return limit.as_int() <= 0 ? SIZE_MAX : static_cast<size_t>(limit.as_int());
}

Ref<Join> empty_join(Scheduler& scheduler) {
  auto join = new_handle<Join>(kJoinType);
  join->hook.join = join.get();
  join->scheduler = &scheduler;
  join->waiting.owner = join.get();
  join->waiting.left = [](WaitQueue& queue, Waiter&, Wake) { static_cast<Join*>(queue.owner)->abort(); };
  return join;
}

// Arguments: the items, the body, max_concurrent.
Outcome<Ref<Join>> new_join(Call& call, Mode mode, Value items) {
  size_t limit = HARN_TRY(limit_of(call.arg(2)));
  Task& parent = Scheduler::current();
  auto join = empty_join(*parent.scheduler);
  join->mode = mode;
  join->limit = limit;
  join->parent = Ref<Task>::share(&parent);
  if (list_size(items) > kMaxListSize) {
    return runtime_error(ErrorKind::Limit, "parallel: at most {} items, got {}", kMaxListSize, list_size(items));
  }
  join->luggage = HARN_TRY(pack(parent, call.arg(1), {&items, 1}));
  join->items = join->luggage.args[0];
  join->total = list_size(join->items);
  join->first_index = parent.children_started;
  parent.children_started += static_cast<uint32_t>(join->total);
  join->group = child_id(parent.id ^ 0x67726f7570, ++parent.groups_started) | 1;
  join->results.resize(mode == Mode::Each || mode == Mode::Settle ? join->total : 0);
  return join;
}

Step run_all(WaitCall& call, Mode mode, Value items) {
  auto made = new_join(call, mode, std::move(items));
  if (!made) return call.fail(std::move(made).error());
  Join& join = **made;
  if (join.total == 0) return call.done(join.collected());
  Task& task = call.task();
  {
    std::lock_guard guard(join.lock);
    task.life->waiter.value = Value(*made);
    task.wait_in(join.waiting, "parallel", &task.life->waiter.value);
  }
  join.start_some();
  return Step::Parked;
}

Step parallel_count(WaitCall& call) {
  const Value& count = call.arg(0);
  if (!count.is_int()) return call.fail(type_error("parallel: expected an int, got {}", type_name(count)));
  return run_all(call, Mode::Each, new_range(0, std::max<int64_t>(0, count.as_int())));
}

Step parallel_each(WaitCall& call) {
  if (!is_list_like(call.arg(0))) return call.done({});
  return run_all(call, Mode::Each, call.arg(0));
}

Step parallel_settle(WaitCall& call) {
  if (!is_list_like(call.arg(0))) return call.done({});
  return run_all(call, Mode::Settle, call.arg(0));
}

// ---- streams ----

// What the stream holds: when it is dropped, the tasks that still run are cancelled.
struct Flow : HandleObject {
  Ref<Join> join;
  ~Flow() {
    if (join) join->abort();
  }
};
void display_flow(std::string& out, const HandleObject*) { out += "<parallel>"; }
constinit const HandleType kFlowType = {"parallel", destroy_handle<Flow>, display_flow};

Outcome<Value> start_flow(Call& call, Mode mode) {
  auto flow = new_handle<Flow>(kFlowType);
  Value items = is_list_like(call.arg(0)) ? call.arg(0) : Value(new_list());
  flow->join = HARN_TRY(new_join(call, mode, std::move(items)));
  flow->join->start_some();
  return Value(std::move(flow));
}

Outcome<Value> flow_start(Call& call) { return start_flow(call, Mode::Stream); }
Outcome<Value> race_start(Call& call) { return start_flow(call, Mode::Race); }

// The next result as [value] or [index, result]; nil when all have come.
Step flow_next(WaitCall& call) {
  Join& join = *as_handle<Flow>(call.arg(0), kFlowType)->join;
  std::unique_lock guard(join.lock);
  if (!join.arrived.empty()) {
    Join::Arrived next = std::move(join.arrived.front());
    join.arrived.pop_front();
    guard.unlock();
    if (next.error) {
      join.abort();
      return call.fail(std::move(next.error));
    }
    auto list = new_list(2);
    if (join.mode == Mode::Race) list->push(Value::integer(static_cast<int64_t>(next.index)));
    list->push(std::move(next.value));
    return call.done(Value(std::move(list)));
  }
  if (join.ended == join.total) return call.done({});
  call.task().wait_in(join.waiting, "parallel stream", &call.arg(0));
  return Step::Parked;
}

Outcome<Value> flow_stop(Call& call) {
  as_handle<Flow>(call.arg(0), kFlowType)->join->abort();
  return Value();
}

// ---- putting away ----

void luggage_fields(park::Archive& archive, Luggage& luggage) {
  archive.value(luggage.entry);
  archive.items(luggage.args, [&](Value& value) { archive.value(value); });
  archive.value(luggage.context);
  archive.globals(luggage.globals);
  archive.number(luggage.is_plain);
  bool is_callable = luggage.entry.is(Kind::Closure);
  if (archive.is_reading() && !is_callable) archive.fail("a parallel has nothing to run");
}

// How far it is.
void progress_fields(park::Archive& archive, Join& join) {
  archive.number(join.started);
  archive.number(join.ended);
  archive.number(join.aborted);
  archive.number(join.failed_at);
  archive.error(join.failure);
  archive.items(join.results, [&](Value& value) { archive.value(value); });
  archive.items(join.tasks, [&](Join::Started& one) {
    archive.handle(one.task, kTaskType);
    archive.number(one.has_ended);
  });
  archive.number(join.tasks_from);
  archive.items(join.arrived, [&](Join::Arrived& one) {
    archive.number(one.index);
    archive.value(one.value);
    archive.error(one.error);
  });
}

Value make_join(Vm& vm) { return empty_join(vm.scheduler()); }
void join_fields(park::Archive& archive, HandleObject& handle) {
  auto& join = static_cast<Join&>(handle);
  archive.handle(join.parent, kTaskType);
  archive.choice(join.mode, Mode::Race);
  archive.number(join.total);
  archive.number(join.limit);
  luggage_fields(archive, join.luggage);
  archive.value(join.items);
  archive.number(join.first_index);
  archive.number(join.group);
  progress_fields(archive, join);
  archive.queue(join.waiting);
  bool has_all = join.parent && is_list_like(join.items) && join.total <= list_size(join.items) &&
                 join.started <= join.total && join.tasks_from + join.tasks.size() == join.started;
  if (archive.is_reading() && !has_all) archive.fail("a parallel does not add up");
  // Bytes may say that tasks and what waits for them hold each other, also when they have ended.
  if (archive.is_reading()) archive.vm().holders().note(&join, join.noted_in);
}
FinishHook* join_hook(HandleObject& handle) { return &static_cast<Join&>(handle).hook; }

Value make_flow(Vm&) { return new_handle<Flow>(kFlowType); }
void flow_fields(park::Archive& archive, HandleObject& handle) {
  auto& flow = static_cast<Flow&>(handle);
  archive.handle(flow.join, kJoinType);
  if (archive.is_reading() && !flow.join) archive.fail("a stream of results has no tasks");
}

constinit const Builtin kRows[] = {
    {.name = "__parallel_count",
     .signature = "(count: any, body: any, limit: any) -> any",
     .doc = "parallel(n) { }",
     .wait = parallel_count},
    {.name = "__parallel_each",
     .signature = "(items: any, body: any, limit: any) -> any",
     .doc = "parallel each",
     .wait = parallel_each},
    {.name = "__parallel_settle",
     .signature = "(items: any, body: any, limit: any) -> any",
     .doc = "parallel settle",
     .wait = parallel_settle},
    {.name = "__parallel_stream",
     .signature = "(items: any, body: any, limit: any) -> any",
     .doc = "parallel each ... as stream",
     .prelude = "parallel_stream"},
    {.name = "__flow_start",
     .signature = "(items: any, body: any, limit: any) -> any",
     .doc = "Starts the tasks of a stream of results.",
     .call = flow_start},
    {.name = "__race_start",
     .signature = "(items: any, body: any, limit: any) -> any",
     .doc = "The same for parallel_race.",
     .call = race_start},
    {.name = "__flow_next", .signature = "(flow: any) -> any", .doc = "The next result.", .wait = flow_next},
    {.name = "__flow_stop", .signature = "(flow: any) -> nil", .doc = "Cancels what still runs.", .call = flow_stop},
    {.name = "parallel_race",
     .signature = "<T, U>(items: list<T>, f: fn(T) -> U, options?: dict) -> U",
     .doc = "Calls f for all items at once; the first value (or Ok) wins and the others are cancelled.",
     .example = "parallel_race([30, 1], { ms -> sleep(ms); ms }) == 1",
     .prelude = "parallel_race"},
};

}  // namespace

const park::HandleRow kJoinHandle = {&kJoinType, "parallel", make_join, join_fields, join_hook};
const park::HandleRow kFlowHandle = {&kFlowType, "parallel stream", make_flow, flow_fields};

std::span<const Builtin> parallel_rows() { return kRows; }

}  // namespace harn::builtins
