// The end of a pipeline: the callback that has the last word, and what is written down about it. What callbacks are given is
// written in Harn (src/std/prelude/harness.harn).
#include "builtins/lifecycle.h"

#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/registry.h"
#include "builtins/task_scope.h"
#include "effects/state.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// Of one program; all tasks use it. Values are ready to be read by any, but for the callback of the root task, which only that
// touches: it goes on sharing its variables with the code around it.
struct Lifecycle {
  Mutex lock;
  uint64_t registered = 0;  // how many callbacks there were: the last one counts
  Value root_callback, other_callback;
  uint64_t root_order = 0, other_order = 0;
  uint64_t seq = 0;             // of audits and hand-offs
  std::vector<Value> audits;    // {seq, kind, payload, pipeline_id}
  std::vector<Value> handoffs;  // {envelope_id, ...}
  std::vector<Value> result;    // the last that the program has given to its host, or none
};

Lifecycle& lifecycle_of(Vm& vm) { return vm.local<Lifecycle>(); }

// ---- the callback ----

Outcome<Value> set_callback(Call& call) {
  Lifecycle& life = lifecycle_of(call.vm());
  Value old;  // dies when the lock is free again
  bool is_root = Scheduler::current().is_root();
  Value callback = is_root ? call.take(0) : HARN_TRY(transfer(call.take(0)));
  std::lock_guard guard(life.lock);
  (is_root ? life.root_order : life.other_order) = ++life.registered;
  old = std::exchange(is_root ? life.root_callback : life.other_callback, std::move(callback));
  return Value();
}

Outcome<Value> take_callback(Lifecycle& life) {
  Value root, other;
  bool is_roots = false;
  {
    std::lock_guard guard(life.lock);
    is_roots = life.root_order > life.other_order;
    root = std::exchange(life.root_callback, {});
    other = std::exchange(life.other_callback, {});
    life.root_order = life.other_order = 0;
  }
  return is_roots ? std::move(root) : read_shared(other);
}

// ---- what is written down ----

Outcome<Value> next_seq(Call& call) {
  Lifecycle& life = lifecycle_of(call.vm());
  std::lock_guard guard(life.lock);
  return Value::integer(static_cast<int64_t>(++life.seq));
}

Outcome<Value> add_to(Call& call, std::vector<Value> Lifecycle::*list) {
  Lifecycle& life = lifecycle_of(call.vm());
  Value entry = HARN_TRY(transfer(call.take(0)));
  std::lock_guard guard(life.lock);
  (life.*list).push_back(std::move(entry));
  return Value();
}
Outcome<Value> add_audit(Call& call) { return add_to(call, &Lifecycle::audits); }
Outcome<Value> add_handoff(Call& call) { return add_to(call, &Lifecycle::handoffs); }

Outcome<Value> set_result(Call& call) {
  Lifecycle& life = lifecycle_of(call.vm());
  std::vector<Value> result;  // the one before dies when the lock is free again
  result.push_back(HARN_TRY(transfer(call.take(0))));
  std::lock_guard guard(life.lock);
  life.result.swap(result);
  return Value();
}

// What a pipeline has returned, or was said to have.
Outcome<Value> result_or(Lifecycle& life, Value value) {
  std::lock_guard guard(life.lock);
  return life.result.empty() ? std::move(value) : read_shared(life.result[0]);
}

Outcome<Value> list_of(const std::vector<Value>& entries) {
  Value out = new_list();
  for (const Value& entry : entries) writable_list(out)->push(HARN_TRY(read_shared(entry)));
  return out;
}

Outcome<Value> handoffs(Call& call) {
  Lifecycle& life = lifecycle_of(call.vm());
  std::lock_guard guard(life.lock);
  return list_of(life.handoffs);
}

// The one with this id, which is gone then; nil: there is none.
Outcome<Value> take_handoff(Call& call) {
  auto id = HARN_TRY(call.text(0));
  Lifecycle& life = lifecycle_of(call.vm());
  Value found;
  {
    std::lock_guard guard(life.lock);
    auto at = std::find_if(life.handoffs.begin(), life.handoffs.end(), [&](const Value& one) {
      return one.as_dict()->find("envelope_id")->as_string()->view() == id;
    });
    if (at == life.handoffs.end()) return Value();
    found = std::move(*at);
    life.handoffs.erase(at);
  }
  return read_shared(found);
}

Outcome<Value> audit_snapshot(Call& call) {
  Lifecycle& life = lifecycle_of(call.vm());
  std::lock_guard guard(life.lock);
  return list_of(life.audits);
}

Outcome<Value> audit_take(Call& call) {
  Lifecycle& life = lifecycle_of(call.vm());
  std::vector<Value> taken;
  {
    std::lock_guard guard(life.lock);
    taken.swap(life.audits);
  }
  return list_of(taken);
}

// A builtin as the program has it: one that it may not call says so.
Outcome<Value> builtin_of(Call& call) {
  const Builtin* row = call.vm().builtins().find(HARN_TRY(call.text(0)));
  return row ? Value::builtin(row) : Value();
}

// For what has another name besides.
Outcome<Value> refuse_denied(Call& call) {
  const Builtin* row = call.vm().builtins().find(HARN_TRY(call.text(0)));
  if (!row || !says_denied(*row)) return Value();
  Call denied(call.vm(), *row, nullptr, 0);
  return row->call(denied);
}

void lifecycle_fields(park::Archive& archive, Vm& vm) {
  Lifecycle& life = lifecycle_of(vm);
  archive.value(life.root_callback);
  archive.value(life.other_callback);
  archive.number(life.registered);
  archive.number(life.root_order);
  archive.number(life.other_order);
  archive.number(life.seq);
  archive.items(life.audits, [&](Value& entry) { archive.value(entry); });
  archive.items(life.handoffs, [&](Value& entry) { archive.value(entry); });
  archive.items(life.result, [&](Value& entry) { archive.value(entry); });
}

Outcome<Value> pipeline_name(Call& call) { return text_value(effects::state_home(call.vm()).pipeline); }

constinit const Builtin kRows[] = {
    {.name = "__builtin",
     .signature = "(name: string) -> any",
     .doc = "The builtin of that name, as the program has it.",
     .call = builtin_of},
    {.name = "__lifecycle_audit",
     .signature = "(entry: dict) -> nil",
     .doc = "Adds an entry to the program's own log of its end.",
     .call = add_audit},
    {.name = "__lifecycle_check_order",
     .signature = "(by: string, bucket: string, state: dict) -> nil",
     .doc = "Fails where work of an earlier kind is left.",
     .prelude = "settlement:check_order"},
    {.name = "__lifecycle_finish",
     .signature = "(callback: any, value: any) -> any",
     .doc = "The end of a pipeline: hooks, and the callback of pipeline_on_finish (nil: none) with a harness.",
     .prelude = "harness:finish"},
    {.name = "__lifecycle_handoff",
     .signature = "(envelope: dict) -> nil",
     .doc = "Keeps work that is handed on.",
     .call = add_handoff},
    {.name = "__lifecycle_handoffs",
     .signature = "() -> list<dict>",
     .doc = "Work that is handed on and that nobody has acknowledged.",
     .call = handoffs},
    {.name = "__lifecycle_on_finish",
     .signature = "(callback: any) -> nil",
     .doc = "Keeps the callback of pipeline_on_finish.",
     .call = set_callback},
    {.name = "__lifecycle_result",
     .signature = "(result: any) -> nil",
     .doc = "What the entry pipeline ends with, whatever it returns.",
     .call = set_result},
    {.name = "__lifecycle_seq",
     .signature = "() -> int",
     .doc = "The next number for what happens at the end of a pipeline.",
     .call = next_seq},
    {.name = "__lifecycle_settle",
     .signature = "(harness: any, unsettled: dict, value: any, options: any) -> dict",
     .doc = "Settles what a pipeline leaves behind, one after the other.",
     .prelude = "settlement:settle_all"},
    {.name = "__lifecycle_take_handoff",
     .signature = "(id: string) -> dict?",
     .doc = "Forgets work that is handed on, and gives it.",
     .call = take_handoff},
    {.name = "__pipeline_name",
     .signature = "() -> string",
     .doc = "The name under which the pipeline keeps its state.",
     .call = pipeline_name},
    {.name = "__pool_create",
     .signature = "(options: dict?) -> dict",
     .doc = "Makes a pool (std/lifecycle/pool).",
     .prelude = "pools:pool_create"},
    {.name = "__pool_defer",
     .signature = "(id: string) -> bool",
     .doc = "Leaves a task of a pool to whoever has the pool next; whether it had not ended.",
     .prelude = "pools:defer_task"},
    {.name = "__pool_get",
     .signature = "(name_or_id: string) -> dict?",
     .doc = "A pool by its name or id.",
     .prelude = "pools:pool_get"},
    {.name = "__pool_list", .signature = "() -> list<dict>", .doc = "All pools.", .prelude = "pools:pool_list"},
    {.name = "__pool_pending",
     .signature = "() -> list<dict>",
     .doc = "The tasks of pools that have not ended.",
     .prelude = "pools:pending"},
    {.name = "__pool_simulate_restart",
     .signature = "() -> nil",
     .doc = "Forgets all pools, but not their files.",
     .prelude = "pools:pool_simulate_restart"},
    {.name = "__pool_wait",
     .signature = "(given: any) -> any",
     .doc = "Waits until a task of a pool, or several, have ended.",
     .prelude = "pools:pool_wait"},
    {.name = "__refuse_denied",
     .signature = "(name: string) -> nil",
     .doc = "Fails as the builtin of that name does where the program may not call it.",
     .example = R"(__refuse_denied("exec") == nil)",
     .call = refuse_denied},
    {.name = "lifecycle_audit_log_snapshot",
     .signature = "() -> list<dict>",
     .doc = "What was written down about the end of the pipeline: {seq, kind, payload, pipeline_id} each.",
     .example = "lifecycle_audit_log_snapshot() == []",
     .call = audit_snapshot},
    {.name = "lifecycle_audit_log_take",
     .signature = "() -> list<dict>",
     .doc = "The same, and forgets it.",
     .example = "lifecycle_audit_log_take() == []",
     .call = audit_take},
    {.name = "pipeline_on_finish",
     .signature = "(callback: fn(any, any) -> any) -> nil",
     .doc = "Lets `callback(harness, value)` decide what the entry pipeline ends with, when it has returned `value`. "
            "The last "
            "one that is given counts.",
     .example = "pipeline_on_finish({ harness, value -> value }) == nil",
     .prelude = "harness:pipeline_on_finish"},
};

}  // namespace

const park::PartRow kLifecyclePart = {"lifecycle", lifecycle_fields};

std::span<const Builtin> lifecycle_rows() { return kRows; }

Outcome<Value> finish_pipeline(Vm& vm, Value value) {
  const Task& root = vm.scheduler().root();
  // Put away in the middle of its end, the program has come to it again.
  if (!scope_value(root, "pipeline_ends").is_nil()) return value;
  value = HARN_TRY(result_or(lifecycle_of(vm), std::move(value)));
  Value callback = HARN_TRY(take_callback(lifecycle_of(vm)));
  if (callback.is_nil() && scope_value(root, "session_hooks").is_nil()) return value;
  Value args[] = {std::move(callback), std::move(value)};
  return vm.call(Value::builtin(table().find("__lifecycle_finish")), args);
}

}  // namespace harn::builtins
