// Tasks: who they are, what they run, what they wait for.
#include "base/fmt.h"
#include "park/objects.h"
#include "vm/environment.h"
#include "vm/fiber.h"
#include "vm/sync.h"

namespace harn::park {

using namespace vm;

namespace {

// ---- what cannot travel ----

// For messages about the program: the root task is the program.
std::string shown(const Task& task) { return task.is_root() ? "it" : "its task " + task_id_text(task.id); }

void look_at_ties(Archive& archive, const Task& task) {
  std::string_view builtin = task.life->call.row ? task.life->call.row->name : std::string_view();
  if (builtin.starts_with("__")) builtin.remove_prefix(2);  // what a builtin of the prelude does itself
  if (task.fiber) {
    archive.refuse(
        fmt::format("{} is in the middle of `{}`, which deals with the world outside", shown(task), builtin));
  }
  if (task.parted) archive.refuse(fmt::format("{} is in the middle of a long computation", shown(task)));
  if (task.hook && !task.hook->handle()) archive.refuse(fmt::format("{} was started from outside", shown(task)));
}

// ---- what it runs ----

// The generators that run, from the innermost; each was pulled from by the next, the last by the task itself.
void running_generators(Archive& archive, Task& task) {
  std::vector<GeneratorObject*> chain;
  if (!archive.is_reading()) {
    for (Coroutine* at = task.current; at != &task.life->root; at = at->resumer) {
      chain.push_back(at->generator);
      archive.note_awaiting(at->resumer);
    }
  }
  archive.items(chain, [&](GeneratorObject*& one) { archive.object(one, Kind::Generator); });
  archive.afterwards([&archive, &task, chain] {
    Coroutine* resumer = &task.life->root;
    for (size_t i = chain.size(); i-- > 0;) {
      bool runs = chain[i] && chain[i]->state == GeneratorObject::State::Running;
      if (!runs || chain[i]->coroutine->resumer) return archive.fail("a generator runs twice, or not at all");
      chain[i]->coroutine->resumer = resumer;
      resumer = chain[i]->coroutine;
    }
    task.current = resumer;
  });
  // A generator that runs counts as one that holds it.
  archive.at_last([chain] {
    for (GeneratorObject* one : chain) retain(one);
  });
}

void code_fields(Archive& archive, Task& task) {
  archive.value(task.entry);
  bool has_arguments = task.arguments != nullptr;
  archive.number(has_arguments);
  if (archive.is_reading() && has_arguments) task.arguments = std::make_unique<std::vector<Value>>();
  if (has_arguments) archive.items(*task.arguments, [&](Value& value) { archive.value(value); });
  archive.number(task.started);
  running_generators(archive, task);
  // It waits in a loop over a channel.
  bool waits_in_loop = (task.ticket.load() != 0 || task.woken) && !task.life->call.row;
  if (!archive.is_reading() && waits_in_loop) archive.note_awaiting(task.current);
  fields(archive, task.life->root);
  chain(archive, task.first_closing, task.last_closing);
  archive.number(task.watched);
  archive.number(task.is_watching);
}

void variables(Archive& archive, Task& task) {
  archive.globals(task.globals);
  if (const HandleRow* run = archive.handle_row("run")) archive.handle(task.run, *run->type);
  else if (task.run) archive.refuse(fmt::format("{} is held to a policy of its own", shown(task)));
  archive.handle(task.environment, kEnvironmentType);
  archive.handle(task.home_environment, kEnvironmentType);
  archive.items(task.life->outer_environments, [&](Ref<Environment>& one) { archive.handle(one, kEnvironmentType); });
  archive.value(task.context);
}

// ---- what was asked of it ----

void deadline_fields(Archive& archive, Deadline& deadline, Task& task) {
  deadline.task = &task;
  Scheduler::prepare_timer(deadline);
  archive.timer(deadline);
  archive.number(deadline.children_before);
  archive.coroutine(deadline.coroutine, task);
  archive.number(deadline.frame);
  archive.number(deadline.start);
  archive.number(deadline.expired);
  if (archive.is_reading() && deadline.coroutine == nullptr) deadline.frame = 0;
}

void deadlines(Archive& archive, Task& task) {
  std::vector<Deadline*> all;
  for (Deadline* at = task.deadline; at; at = at->outer) all.push_back(at);
  Deadline** place = &task.deadline;
  archive.items(all, [&](Deadline*& one) {
    if (archive.is_reading()) {
      *place = one = new Deadline;
      place = &one->outer;
    }
    deadline_fields(archive, *one, task);
  });
  archive.number(task.expired_deadlines);
  archive.number(task.deadline_passed);
}

void requests(Archive& archive, Task& task) {
  archive.number(task.stopping);
  archive.number(task.helps_clean_up);
  archive.number(task.lasts);
  archive.error(task.thrown);
  archive.number(task.requests);
  archive.number(task.cancel_requested);
  archive.text(task.stop_text);
  if (archive.is_reading() && !task.stop_text) archive.fail("a task has no reason to stop");
}

// ---- waiting ----

void waiter_fields(Archive& archive, Waiter& waiter, Task& task) {
  waiter.task = &task;
  archive.number(waiter.ticket);
  archive.number(waiter.number);
  archive.value(waiter.value);
}

void waiters(Archive& archive, Task& task) {
  waiter_fields(archive, task.life->waiter, task);
  std::deque<Waiter> none;
  size_t several = task.life->more_waiters ? task.life->more_waiters->size() : 0;
  archive.count(several);
  if (archive.is_reading() && several > 0) {
    task.life->more_waiters = new std::deque<Waiter>;
    for (size_t i = 0; i < several; ++i) task.life->more_waiters->emplace_back();
  }
  if (several == 0) return;
  for (Waiter& waiter : *task.life->more_waiters) waiter_fields(archive, waiter, task);
}

// Task::waits_on, which is for reports: where that value is.
enum class WaitsOn : uint8_t { Nothing, Register, Brought, Label, IterSource, OnlyItem, Name };

const Value* first_argument(const Task& task) {
  return task.life->call.row && task.life->call.count > 0 ? task.current->stack + task.life->call.first : nullptr;
}
const Value* only_item(const Task& task) {
  const Value* list = first_argument(task);
  return list && list->is_list() && list->as_list()->size > 0 ? list->as_list()->items : nullptr;
}
const Value* name_field(const Task& task) {
  const Value* dict = first_argument(task);
  return dict && dict->is_dict() ? dict->as_dict()->find("name") : nullptr;
}
const Value* lock_label(const Task& task) {
  const WaitQueue* queue = task.life->waiter.queue.load();
  return queue && queue->owner ? &static_cast<Lock*>(queue->owner)->label : nullptr;
}
const Value* iter_source(const Task& task) {
  return task.current->await_iter ? &task.current->await_iter->source : nullptr;
}

WaitsOn place_of(const Task& task, uint32_t& reg) {
  const Value* on = task.waits_on;
  const Coroutine& current = *task.current;
  if (!on || task.ticket.load() == 0) return WaitsOn::Nothing;
  if (on >= current.stack && on < current.stack + current.stack_size) {
    reg = static_cast<uint32_t>(on - current.stack);
    return WaitsOn::Register;
  }
  if (on == &task.life->waiter.value) return WaitsOn::Brought;
  if (!task.life->call.row) return on == iter_source(task) ? WaitsOn::IterSource : WaitsOn::Nothing;
  if (on == only_item(task)) return WaitsOn::OnlyItem;
  if (on == name_field(task)) return WaitsOn::Name;
  return task.life->call.row->name.contains("acquire") || task.life->call.row->name == "__mutex_enter" ? WaitsOn::Label
                                                                                           : WaitsOn::Nothing;
}

const Value* value_at(const Task& task, WaitsOn where, uint32_t reg) {
  switch (where) {
    case WaitsOn::Nothing: return nullptr;
    case WaitsOn::Register: return reg < task.current->stack_size ? task.current->stack + reg : nullptr;
    case WaitsOn::Brought: return &task.life->waiter.value;
    case WaitsOn::Label: return lock_label(task);
    case WaitsOn::IterSource: return iter_source(task);
    case WaitsOn::OnlyItem: return only_item(task);
    case WaitsOn::Name: return name_field(task);
  }
  return nullptr;
}

// The wait for a `mutex` block has its lock in a register, by address.
void mutex_argument(Archive& archive, Task& task) {
  const Builtin& wait_row = archive.still().scheduler().locks().wait_row();
  if (task.life->call.row != &wait_row) return;
  Lock* lock = nullptr;
  if (!archive.is_reading()) {
    const Value& held = task.current->stack[task.life->call.first];
    if (held.is_int() && !task.woken) lock = reinterpret_cast<Lock*>(held.as_int());
    if (task.woken && task.life->waiter.queue.load()) lock = static_cast<Lock*>(task.life->waiter.queue.load()->owner);
  }
  archive.lock(lock);
  archive.afterwards([&task, lock] {
    if (lock) task.current->stack[task.life->call.first] = Value::integer(reinterpret_cast<intptr_t>(lock));
  });
}

void call_fields(Archive& archive, Task& task) {
  WaitingCall& call = task.life->call;
  // A task that is about to run has waited for this before; its registers may be others by now.
  bool waits = task.woken || task.ticket.load() != 0;
  if (!archive.is_reading() && !waits) call = {};
  archive.builtin(call.row);
  archive.number(call.first);
  archive.number(call.count);
  archive.number(call.result);
  // Registered before what looks at the registers.
  archive.afterwards([&archive, &task] {
    const WaitingCall& call = task.life->call;
    uint64_t size = task.current->stack_size;
    bool fits = uint64_t{call.first} + call.count <= size && call.result < std::max<uint64_t>(size, 1) &&
                (!call.row || call.row->wait);
    bool has_frame = task.current->frame_count > 0 || !(task.woken || task.ticket.load());
    if (!fits || !has_frame || (call.row && call.first >= size)) archive.fail("a task waits where it cannot");
  });
  mutex_argument(archive, task);
}

void wait_fields(Archive& archive, Task& task) {
  archive.number(task.ticket);
  archive.number(task.tickets);
  archive.number(task.woken);
  archive.choice(task.woken_by, Wake::Deadline);
  archive.number(task.is_plain_wait);
  archive.number(task.looks);
  archive.value(task.answer);
  archive.error(task.failure);
  archive.number(task.wait_until);
  archive.text(task.waits_for);
  waiters(archive, task);
  archive.number(task.life->timer.ticket);
  archive.choice(task.life->timer.reason, Wake::Deadline);
  Scheduler::prepare_timer(task);
  archive.timer(task.life->timer);
  call_fields(archive, task);
  uint32_t reg = 0;
  WaitsOn on = archive.is_reading() ? WaitsOn::Nothing : place_of(task, reg);
  archive.choice(on, WaitsOn::Name);
  archive.number(reg);
  archive.afterwards([&archive, &task, on, reg] {
    if (archive.is_good()) task.waits_on = value_at(task, on, reg);
  });
}

// ---- counters, children, the end ----

void counters(Archive& archive, Task& task) {
  archive.number(task.turns_kept);
  archive.number(task.computes);
  archive.number(task.keeps_permits);
  archive.number(task.kept_permits);
  archive.number(task.children_started);
  archive.number(task.groups_started);
  bool has_effects = task.effects != nullptr;
  archive.number(has_effects);
  if (!has_effects) return;
  TaskEffects& own = task.own_effects();
  archive.number(own.asked);
  archive.number(own.draws);
  archive.number(own.has_random);
  for (uint64_t& word : own.random) {
    if (own.has_random) archive.word(word);
  }
}

void identity(Archive& archive, Task& task) {
  uint64_t id = task.id;
  archive.number(id);
  if ((id == 0) != (&task == &archive.still().scheduler().root())) {
    return archive.fail("there are two root tasks, or none");
  }
  task.id = id;
  archive.number(task.parent_id);
  archive.number(task.group);
  archive.number(task.index);
}

void children(Archive& archive, Task& task) {
  std::vector<Task*> all;
  for (Task* child = task.first_child; child; child = child->next_sibling) all.push_back(child);
  archive.items(all, [&](Task*& child) { archive.handle(child, kTaskType); });
  archive.afterwards([&archive, &task, all] {
    for (Task* child : all) {
      if (!child || child->parent || child->is_root() || child->finished) return archive.fail("a task has two parents");
      child->parent = &task;
    }
    archive.set_children(task, all);
  });
}

void ending(Archive& archive, Task& task) {
  archive.number(task.finished);
  archive.number(task.result_taken);
  archive.value(task.result);
  archive.error(task.error);
  if (archive.is_reading() && task.finished) archive.vm().holders().note(&task, task.noted_in);
  HandleObject* owner = !archive.is_reading() && task.hook ? task.hook->handle() : nullptr;
  Value held = owner ? Value::share(owner) : Value();
  archive.value(held);
  archive.afterwards([&archive, &task, held] {
    if (held.is_nil()) return;
    task.hook = held.is(Kind::Handle) ? archive.hook_of(*held.as<HandleObject>()) : nullptr;
    if (!task.hook) archive.fail("the end of a task is told to nobody");
  });
  archive.at_last([held] {
    if (held.is_heap()) retain(held.object());
  });
  archive.queue(task.awaiting);
}

void task_fields(Archive& archive, HandleObject& handle) {
  Task& task = static_cast<Task&>(handle);
  task.begin_life();  // a task that has not begun, or is over, travels with an empty one
  if (archive.is_looking()) look_at_ties(archive, task);
  identity(archive, task);
  code_fields(archive, task);
  if (!archive.is_good()) return;
  variables(archive, task);
  requests(archive, task);
  deadlines(archive, task);
  wait_fields(archive, task);
  counters(archive, task);
  children(archive, task);
  ending(archive, task);
}

Value make_task(Vm& vm) {
  auto task = new_handle<Task>(kTaskType);
  task->scheduler = &vm.scheduler();
  task->home = vm.scheduler().root().home;
  task->has_left = true;
  return task;
}

}  // namespace

const HandleRow kTaskRow = {&kTaskType, "task", make_task, task_fields};

}  // namespace harn::park
