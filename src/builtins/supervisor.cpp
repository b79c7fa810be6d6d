// Supervisors. What they do is written in Harn, see src/std/prelude/supervisor.harn; here is where the
// control tasks publish what other tasks may see of them.
#include "builtins/supervisor.h"

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/task_scope.h"
#include "vm/transfer.h"

namespace harn::builtins {

using namespace vm;

namespace {

// A supervisor may run for months: the oldest events are forgotten.
constexpr size_t kMaxEvents = 10'000;

struct Published {
  Value record;  // {state, control, done}
  std::deque<Value> events;
};

struct Supervisors {
  SpinLock lock;
  std::deque<Published> all;  // in the order of their start
  std::unordered_map<std::string, Published*> by_id;

  Published* find(std::string_view id) {
    auto found = by_id.find(std::string(id));
    return found == by_id.end() ? nullptr : found->second;
  }
};

Outcome<Value> make(Call& call) {
  auto& supervisors = call.vm().local<Supervisors>();
  std::lock_guard lock(supervisors.lock);
  Published& fresh = supervisors.all.emplace_back();
  std::string id = fmt::format("supervisor_{}", supervisors.all.size());
  supervisors.by_id[id] = &fresh;
  return text_value(id);
}

Outcome<Value> put(Call& call) {
  auto id = HARN_TRY(call.text(0));
  Value record = HARN_TRY(transfer(call.take(1)));
  auto& supervisors = call.vm().local<Supervisors>();
  std::lock_guard lock(supervisors.lock);
  // The old record dies with `record`, when the lock is free again.
  if (Published* published = supervisors.find(id)) std::swap(published->record, record);
  return Value();
}

Outcome<Value> get(Call& call) {
  auto id = HARN_TRY(call.text(0));
  auto& supervisors = call.vm().local<Supervisors>();
  std::lock_guard lock(supervisors.lock);
  Published* published = supervisors.find(id);
  return published ? read_shared(published->record) : Outcome<Value>(Value());
}

Outcome<Value> add_event(Call& call) {
  auto id = HARN_TRY(call.text(0));
  Value event = HARN_TRY(transfer(call.take(1)));
  auto& supervisors = call.vm().local<Supervisors>();
  std::lock_guard lock(supervisors.lock);
  if (Published* published = supervisors.find(id)) {
    published->events.push_back(std::move(event));
    if (published->events.size() > kMaxEvents) published->events.pop_front();
  }
  return Value();
}

Outcome<Value> events(Call& call) {
  auto id = HARN_TRY(call.text(0));
  auto out = new_list();
  auto& supervisors = call.vm().local<Supervisors>();
  std::lock_guard lock(supervisors.lock);
  Published* published = supervisors.find(id);
  if (!published) return Value(std::move(out));
  for (const Value& event : published->events) out->push(HARN_TRY(read_shared(event)));
  return Value(std::move(out));
}

// ---- putting away ----

void supervisor_fields(park::Archive& archive, Vm& vm) {
  auto& supervisors = vm.local<Supervisors>();
  archive.items(supervisors.all, [&](Published& published) {
    archive.value(published.record);
    archive.items(published.events, [&](Value& event) { archive.value(event); });
  });
  if (!archive.is_reading()) return;
  for (size_t i = 0; i < supervisors.all.size(); ++i) {
    supervisors.by_id[fmt::format("supervisor_{}", i + 1)] = &supervisors.all[i];
  }
}

constinit const Builtin kRows[] = {
    {.name = "__supervisor_event",
     .signature = "(id: string, event: dict) -> nil",
     .doc = "Appends an event.",
     .call = add_event},
    {.name = "__supervisor_events", .signature = "(id: string) -> list", .doc = "The events so far.", .call = events},
    {.name = "__supervisor_get",
     .signature = "(id: string) -> any",
     .doc = "What was published last, or nil.",
     .call = get},
    {.name = "__supervisor_new",
     .signature = "(name: string) -> string",
     .doc = "The id of a new supervisor.",
     .call = make},
    {.name = "__supervisor_put",
     .signature = "(id: string, record: dict) -> nil",
     .doc = "Publishes a record.",
     .call = put},
    {.name = "supervisor_events",
     .signature = "(supervisor: string | dict) -> list<dict>",
     .doc = "What happened to a supervisor and its children: {event, child, kind, attempt, error, at_ms} each.",
     .example = "supervisor_events(supervisor_start({children: []})) == []",
     .prelude = "supervisor:supervisor_events"},
    {.name = "supervisor_metrics",
     .signature = "(supervisor: string | dict) -> dict",
     .doc = "How often children were started, stopped, failed, restarted, suppressed and escalated.",
     .example = "supervisor_metrics(supervisor_start({children: []})).started == 0",
     .prelude = "supervisor:supervisor_metrics"},
    {.name = "supervisor_start",
     .signature = "(spec: dict) -> dict",
     .doc = "Starts the children of {name, strategy, children} as tasks and restarts them by their policies.",
     .example = "supervisor_start({name: \"ops\", children: []}).name == \"ops\"",
     .prelude = "supervisor:supervisor_start"},
    {.name = "supervisor_state",
     .signature = "(supervisor: string | dict) -> dict",
     .doc = "A supervisor, given by handle or id, as it is now: its status, children and metrics.",
     .example = "supervisor_state(supervisor_start({children: []})).status == \"running\"",
     .prelude = "supervisor:supervisor_state"},
    {.name = "supervisor_stop",
     .signature = "(supervisor: string | dict, timeout?: duration) -> dict",
     .doc = "Asks the children to end, waits, stops those that are left, and gives the last state.",
     .example = "supervisor_stop(supervisor_start({children: []})).status == \"stopped\"",
     .prelude = "supervisor:supervisor_stop"},
};

}  // namespace

const park::PartRow kSupervisorsPart = {"supervisors", supervisor_fields};

Outcome<Value> supervisor_states(Vm& vm) {
  auto out = new_list();
  auto& supervisors = vm.local<Supervisors>();
  std::lock_guard lock(supervisors.lock);
  for (const Published& published : supervisors.all) {
    // Nil between __supervisor_new and the first __supervisor_put.
    if (!published.record.is_dict()) continue;
    Value record = HARN_TRY(read_shared(published.record));
    if (const Value* state = record.as_dict()->find("state")) out->push(*state);
  }
  return Value(std::move(out));
}

std::span<const Builtin> supervisor_rows() { return kRows; }

}  // namespace harn::builtins
