#include "park/archive.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "base/fmt.h"
#include "base/mutex.h"
#include "park/objects.h"
#include "vm/cycles.h"
#include "vm/sync.h"
#include "vm/transfer.h"

namespace harn::park {

using namespace vm;

Archive::Archive(Vm& vm, const CodeMap& code, const Kinds& kinds, std::string& out)
    : mode_(Mode::Look),
      still_(vm),
      kinds_(kinds),
      code_(code),
      values_(*this),
      out_(out),
      wire_(out),
      reader_({}, *this) {}

Archive::Archive(Vm& vm, const CodeMap& code, const Kinds& kinds, std::string_view bytes)
    : mode_(Mode::Read),
      still_(vm),
      kinds_(kinds),
      code_(code),
      values_(*this),
      out_(no_out_),
      wire_(no_out_),
      reader_(bytes, *this) {}

Archive::~Archive() = default;

void Archive::refuse(std::string why) {
  if (refused_.empty()) refused_ = std::move(why);
}

void Archive::fail(std::string_view what) { reader_.fail(std::string(what)); }

bool Archive::is_good() const { return is_reading() ? reader_.is_good() : refused_.empty(); }

// ---- fields ----

void Archive::wide_number(uint64_t& value, uint64_t most) {
  if (mode_ == Mode::Write) wire_.number(value);
  if (mode_ != Mode::Read) return;
  value = reader_.number();
  if (value > most) {
    fail("a number is too large");
    value = 0;
  }
}

void Archive::number(int64_t& value) {
  if (mode_ == Mode::Write) wire_.signed_number(value);
  if (mode_ == Mode::Read) value = reader_.signed_number();
}

void Archive::word(uint64_t& value) {
  if (mode_ == Mode::Write) wire_.word(value);
  if (mode_ == Mode::Read) value = reader_.word();
}

void Archive::text(std::string& value) {
  if (mode_ == Mode::Write) wire_.text(value);
  if (mode_ == Mode::Read) value = reader_.text();
}

static const char* lasting(const std::string& text) {
  static Mutex lock;
  static auto* texts = new std::set<std::string>;  // never destroyed: whoever has one may outlive us
  std::lock_guard guard(lock);
  return texts->insert(text).first->c_str();
}

void Archive::text(const char*& value) {
  bool is_there = value != nullptr;
  number(is_there);
  std::string copy = is_there && value ? value : "";
  if (is_there) text(copy);
  if (is_reading()) value = is_there && is_good() ? lasting(copy) : nullptr;
}

void Archive::value(Value& value) {
  switch (mode_) {
    case Mode::Look:
      if (auto seen = values_.look(value); !seen) refuse(seen.error().text());
      return;
    case Mode::Write: return values_.write(out_, value);
    case Mode::Read: value = reader_.value();
  }
}

void Archive::count(size_t& size) {
  if (mode_ == Mode::Write) wire_.number(size);
  if (mode_ == Mode::Read) size = reader_.count();
}

// 0: none; else its number and one.
Object* Archive::any_object(Object* object, Kind kind, const HandleType* type) {
  if (mode_ != Mode::Read) {
    uint64_t number_plus_one = 0;
    if (object) {
      auto known = number_of(Value::share(object));
      if (!known) refuse(fmt::format("a value {}", why_not()));
      number_plus_one = known.value_or(0) + 1;
    }
    wide_number(number_plus_one, UINT64_MAX);
    return object;
  }
  uint64_t number_plus_one = reader_.number();
  if (number_plus_one == 0 || !is_good()) return nullptr;
  Value found = any_object(number_plus_one - 1);
  bool fits = found.is(kind) && (!type || found.as<HandleObject>()->type == type);
  if (!fits) fail("an object is of another kind than it should be");
  return fits ? found.object() : nullptr;
}

void Archive::error(Thrown& error) {
  ErrorObject* held = error.get();
  object(held, Kind::Error);
  if (is_reading()) error = Thrown::share(held);
}

void Archive::globals(GlobalsRef& globals) {
  uint64_t number_plus_one = 0;
  if (!is_reading() && globals) {
    auto [found, is_new] = block_numbers_.try_emplace(globals.get(), blocks_.size());
    if (is_new) blocks_.push_back(globals);
    number_plus_one = found->second + 1;
  }
  wide_number(number_plus_one, blocks_.size());
  if (is_reading()) globals = number_plus_one && is_good() ? blocks_[number_plus_one - 1] : GlobalsRef();
}

void Archive::lock(Lock*& lock) {
  uint64_t number_plus_one = lock && !is_reading() ? lock_numbers_.at(lock) + 1 : 0;
  wide_number(number_plus_one, locks_.size());
  if (is_reading()) lock = number_plus_one && is_good() ? locks_[number_plus_one - 1] : nullptr;
}

void Archive::builtin(const Builtin*& row) {
  uint64_t number_plus_one = row && !is_reading() ? number_of(row) + 1 : 0;
  wide_number(number_plus_one, UINT64_MAX);
  if (!is_reading()) return;
  row = number_plus_one ? builtin(number_plus_one - 1) : nullptr;
  if (number_plus_one && !row) fail("there is no such builtin");
}

void Archive::prototype(Prototype*& proto) {
  uint64_t number = 0;
  if (!is_reading()) {
    auto known = code_.number_of(proto->code);
    if (!known) refuse(fmt::format("the function `{}` belongs to another program", proto->code->name));
    number = known.value_or(0);
  }
  wide_number(number, UINT64_MAX);
  if (!is_reading()) return;
  proto = code_.prototype(number);
  if (!proto) fail("there is no such function");
}

void Archive::code(const bytecode::Code*& code) {
  uint64_t number_plus_one = 0;
  // A place in code that is gone (an earlier input of a session) is no place.
  if (!is_reading() && code) {
    if (auto known = code_.number_of(code)) number_plus_one = *known + 1;
  }
  wide_number(number_plus_one, UINT64_MAX);
  if (!is_reading()) return;
  Prototype* proto = number_plus_one ? code_.prototype(number_plus_one - 1) : nullptr;
  if (number_plus_one && !proto) fail("there is no such function");
  code = proto ? proto->code : nullptr;
}

void Archive::declaration(uint64_t& id) {
  uint64_t number = 0;
  if (!is_reading()) {
    auto known = code_.declaration_number(id);
    if (!known) refuse("a struct or enum is declared in another program");
    number = known.value_or(0);
  }
  wide_number(number, UINT64_MAX);
  if (!is_reading()) return;
  const Declaration* found = code_.declaration(number);
  if (!found) fail("there is no such declaration");
  id = found ? found->id() : 0;
}

void Archive::coroutine(Coroutine*& coroutine, Task& task) {
  enum : uint8_t { None, Root, Generator } where = None;
  GeneratorObject* generator = nullptr;
  if (!is_reading() && coroutine == &task.life->root) where = Root;
  else if (auto found = generators_.find(coroutine); found != generators_.end()) {
    where = Generator;
    generator = found->second;
  }
  choice(where, Generator);
  if (where == Generator) object(generator, Kind::Generator);
  if (!is_reading()) return;
  coroutine = where == Root ? &task.life->root : where == Generator && generator ? generator->coroutine : nullptr;
}

void Archive::owner_of(CellObject& cell) {
  uint64_t owner_plus_one = 0;
  if (mode_ == Mode::Write && cell.list) {
    auto found = cell_lists_.find(cell.list);
    if (found != cell_lists_.end()) owner_plus_one = found->second + 1;
  }
  wide_number(owner_plus_one, UINT64_MAX);
  if (is_reading() && owner_plus_one) cell_owners_.emplace_back(&cell, owner_plus_one - 1);
}

void Archive::queue(WaitQueue& queue) {
  std::vector<Waiting> all;
  if (!is_reading()) queue.each([&](Waiter& waiter) { all.push_back({&queue, waiter.task, place_of(waiter)}); });
  items(all, [&](Waiting& one) {
    handle(one.task, kTaskType);
    number(one.place);
    one.queue = &queue;
    if (is_reading() && !one.task) fail("nobody waits");
  });
  if (is_reading() && is_good()) waiting_.insert(waiting_.end(), all.begin(), all.end());
}

// 0: the task's own; else one of several, counted from 1.
size_t Archive::place_of(const Waiter& waiter) {
  Task& task = *waiter.task;
  if (&waiter == &task.life->waiter) return 0;
  auto& more = *task.life->more_waiters;
  return static_cast<size_t>(std::ranges::find(more, &waiter, [](Waiter& one) { return &one; }) - more.begin()) + 1;
}

void Archive::timer(Timer& timer) {
  bool is_set = timer.place != Timer::kIdle;
  Nanoseconds due = timer.due;
  uint64_t order = timer.order;
  number(is_set);
  number(due);
  if (is_reading()) timer.due = due;
  if (!is_set) return;
  number(order);
  if (is_reading()) timers_.push_back({&timer, due, order});
}

const HandleRow* Archive::row_of(const HandleType* type) const {
  auto found = std::ranges::find(kinds_.handles, type, [](const HandleRow* row) { return row->type; });
  return found == kinds_.handles.end() ? nullptr : *found;
}

const HandleRow* Archive::handle_row(std::string_view name) const {
  auto found = std::ranges::find(kinds_.handles, name, [](const HandleRow* row) { return row->name; });
  return found == kinds_.handles.end() ? nullptr : *found;
}

FinishHook* Archive::hook_of(HandleObject& handle) const {
  const HandleRow* row = row_of(handle.type);
  return row && row->hook ? row->hook(handle) : nullptr;
}

// ---- objects ----

std::optional<uint64_t> Archive::number_of(const Value& object) {
  auto [found, is_new] = numbers_.try_emplace(object.object(), objects_.size());
  if (!is_new) return found->second;
  if (object.is(Kind::Handle) && !row_of(object.as<HandleObject>()->type)) {
    numbers_.erase(found);
    object_why_ = "stands for something outside of the program";
    return std::nullopt;
  }
  uint64_t number = found->second;
  bool is_frozen = !object.is(Kind::Handle) && refs_of(object.object()) < 0;
  objects_.push_back({object, is_frozen, is_frozen && holds_functions(object.object())});
  if (object.is(Kind::Generator) && object.as_generator()->coroutine) {
    generators_.emplace(object.as_generator()->coroutine, object.as_generator());
  }
  if (Task* task = as_task(object)) {
    task->begin_life();
    cell_lists_.emplace(&task->life->cells, number);
  }
  return number;
}

std::string Archive::why_not() { return object_why_; }

uint64_t Archive::number_of(const Builtin* builtin) {
  if (builtin_numbers_.empty()) {
    auto rows = vm().builtins().rows();
    for (size_t i = 0; i < rows.size(); ++i) builtin_numbers_.emplace(rows[i], i);
  }
  return builtin_numbers_.at(builtin);
}

// No value of a program is the root task: it has no handle of it, and that would keep itself alive.
Value Archive::object(uint64_t number) {
  Value found = any_object(number);
  return as_task(found) == &still_.scheduler().root() ? Value() : found;
}

Value Archive::any_object(uint64_t number) { return number < objects_.size() ? objects_[number].object : Value(); }

const Builtin* Archive::builtin(uint64_t number) {
  auto rows = vm().builtins().rows();
  return number < rows.size() ? rows[number] : nullptr;
}

void Archive::fields_of(Entry& entry) {
  Value object = entry.object;  // the list may grow
  const ObjectRow& row = park::row_of(object);
  if (row.fields) row.fields(*this, object);
}

// Kind, whether it is for several tasks, and what it is made from.
void Archive::make_objects() {
  size_t size = objects_.size();
  count(size);
  if (is_reading()) objects_.resize(is_good() ? size : 0);
  for (size_t i = 0; i < size && is_good(); ++i) {
    Entry& entry = objects_[i];
    const ObjectRow* row = is_reading() ? nullptr : &park::row_of(entry.object);
    ObjectKind kind = row ? row->kind : ObjectKind{};
    number(kind);
    number(entry.is_frozen);
    number(entry.holds_functions);
    if (is_reading() && is_good()) row = park::row_of(kind);
    if (!row) return fail("there is no such kind of object");
    // The first one is the root task, which is there already.
    if (is_reading() && i == 0) entry.object = Value::share(&still_.scheduler().root());
    row->make(*this, entry.object);
    if (is_good() && !entry.object.is_heap()) fail("an object cannot be made");
  }
}

// ---- the whole ----

void Archive::clock() {
  Clock& clock = still_.scheduler().clock();
  Clock::Reading reading = clock.read();
  number(reading.is_mocked);
  number(reading.now);
  number(reading.wall_ms);
  number(reading.start);
  number(reading.mock_wall_ms);
  number(reading.mock_start);
  if (is_reading() && is_good()) clock.go_on_from(reading);
}

static void metrics(Archive& archive, Lock& lock) {
  Lock::Metrics& m = lock.metrics;
  archive.number(m.acquired);
  for (int64_t* field :
       {&m.timeouts, &m.cancellations, &m.released, &m.queued, &m.most_queued, &m.waited, &m.held_time}) {
    archive.number(*field);
  }
}

void Archive::lock_name(std::string& key) {
  uint64_t number = is_reading() ? 0 : code_.block_number(key).value_or(0);
  wide_number(number, UINT64_MAX);
  if (!is_reading()) return;
  const std::string* name = code_.block(number);
  if (!name) return fail("there is no such block");
  key = *name;
}

void Archive::locks() {
  if (!is_reading()) {
    locks_ = still_.locks();
    for (Lock* lock : locks_) lock_numbers_.try_emplace(lock, lock_numbers_.size());
  }
  items(locks_, [&](Lock*& lock) {
    std::string kind = lock ? lock->kind : "", key = lock ? lock->key : "";
    uint64_t capacity = lock ? lock->capacity : 0;
    bool is_of_block = lock && lock->is_of_block;
    text(kind);
    number(capacity);
    number(is_of_block);
    if (is_of_block) lock_name(key);
    else text(key);
    if (is_reading() && is_good()) lock = still_.add_lock(kind, key, capacity, is_of_block);
    if (!lock) return fail("a lock is there twice");
    number(lock->available);
    number(lock->entered_at);
    metrics(*this, *lock);
    if (is_reading() && lock->available > lock->capacity) fail("a lock has more permits than it should");
  });
}

void Archive::parts() {
  for (const PartRow* part : kinds_.parts) {
    std::string name(part->name);
    text(name);
    if (name != part->name) return fail("a part of the state is missing");
    part->fields(*this, vm());
  }
}

// Tasks that only wait for their turn.
void Archive::line() {
  std::vector<Task*> tasks;
  if (!is_reading()) tasks = still_.in_line();
  items(tasks, [&](Task*& task) { handle(task, kTaskType); });
  afterwards([this, tasks] {
    std::unordered_set<const Task*> seen;
    for (Task* task : tasks) {
      if (!task || task->finished || !seen.insert(task).second) return fail("a task is in line twice, or has ended");
    }
  });
  at_last([this, tasks] {
    for (Task* task : tasks) still_.put_in_line(*task);
  });
}

void Archive::state() {
  uint64_t stage = still_.stage();
  number(stage);
  still_.stage() = stage;
  if (is_reading() && stage > still_.program()->starts.size()) fail("there is no such module");
  number(still_.unseen());
  line();
  parts();
  for (Lock* lock : locks_) {
    if (is_good()) queue(lock->waiting);
  }
  // Each of them that is not for a block keeps the lock from being forgotten.
  at_last([this] {
    constexpr uint64_t kForBlock = UINT64_MAX;
    for (Lock* lock : locks_) {
      lock->waiting.each([&](Waiter& waiter) {
        if (waiter.number != kForBlock) still_.use(*lock).detach();
      });
    }
  });
}

// Objects and blocks of variables lead to more of them.
void Archive::all_fields() {
  size_t object = 0, block = 0;
  while (is_good() && (object < objects_.size() || block < blocks_.size())) {
    if (object < objects_.size()) {
      fields_of(objects_[object++]);
      continue;
    }
    GlobalsRef globals = blocks_[block++];
    for (uint32_t i = 0; i < globals->count && is_good(); ++i) value(globals->values()[i]);
  }
}

std::string Archive::look() {
  if (auto tie = still_.tie(); !tie.empty()) return std::string(tie);
  Task* root = &still_.scheduler().root();
  handle(root, kTaskType);
  locks();
  state();
  all_fields();
  return refused_;
}

void Archive::write() {
  mode_ = Mode::Write;
  wire_.number(blocks_.size());
  clock();
  locks();
  make_objects();
  state();
  all_fields();
}

std::optional<data::DecodeError> Archive::read() {
  size_t blocks = reader_.count();
  auto variables = static_cast<uint32_t>(still_.program()->program->globals.size());
  // Each variable takes a byte.
  if (variables > 0 && blocks > reader_.left() / variables) fail("there are more variables than bytes");
  for (size_t i = 0; i < blocks && is_good(); ++i) blocks_.emplace_back(Globals::create(variables));
  clock();
  locks();
  make_objects();
  if (is_good() && objects_.empty()) fail("there is no task");
  if (is_good()) state();
  all_fields();
  if (is_good() && reader_.left() > 0) fail("bytes follow the state");
  if (is_good()) settle();
  if (!is_good()) let_go();
  return is_good() ? std::nullopt : std::optional(reader_.error());
}

// ---- when everything is there ----

void Archive::connect_waiters() {
  for (const Waiting& one : waiting_) {
    Task& task = *one.task;
    size_t several = task.life->more_waiters ? task.life->more_waiters->size() : 0;
    if (one.place > several) return fail("a task waits in more places than it has");
    Waiter& waiter = one.place ? (*task.life->more_waiters)[one.place - 1] : task.life->waiter;
    if (waiter.queue.load()) return fail("a task waits twice");
    one.queue->push(waiter);
  }
}

// Every task that has not ended belongs to the root, by way of its parents; one that has waits for nothing.
void Archive::check_tasks() {
  size_t unfinished = 0;
  for (Entry& entry : objects_) {
    Task* task = as_task(entry.object);
    if (!task) continue;
    if (task->finished && (task->ticket.load() || task->life->waiter.queue.load() || task->life->more_waiters)) {
      return fail("a task that has ended waits");
    }
    bool is_apart = !task->finished && !task->parent && !task->is_root();
    if (is_apart) return fail("a task is nobody's");
    unfinished += task->finished && !task->is_root() ? 0 : 1;
  }
  std::vector<Task*> below{&still_.scheduler().root()};
  for (size_t i = 0; i < below.size(); ++i) {
    const std::vector<Task*>& children = children_[below[i]];
    below.insert(below.end(), children.begin(), children.end());
  }
  if (below.size() != unfinished) fail("tasks are each other's children");
}

void Archive::check_blocks() {
  for (Lock* lock : locks_) {
    if (lock->is_of_block && held_blocks_[lock] + lock->available != 1)
      fail("a block is held by nobody, or by several");
  }
}

static void let_go_of_chain(GeneratorObject*& first) {
  for (GeneratorObject* at = std::exchange(first, nullptr); at;) {
    release(std::exchange(at, std::exchange(at->coroutine->next_closing, nullptr)));
  }
}

// What was read is about to be dropped, in any order.
void Archive::let_go() {
  for (Lock* lock : locks_) {
    if (lock) lock->available = lock->capacity;
  }
  for (Entry& entry : objects_) {
    Coroutine* coroutine = entry.object.is(Kind::Generator) ? entry.object.as_generator()->coroutine : nullptr;
    if (coroutine && coroutine->is_closing) let_go_of_chain(coroutine->next_closing);
    Task* task = as_task(entry.object);
    if (!task) continue;
    task->begin_life();
    task->current = &task->life->root;
    task->parent = nullptr;
    task->ticket.store(0);
    let_go_of_chain(task->first_closing);
    if (WaitQueue* queue = task->life->waiter.queue.load()) queue->remove(task->life->waiter);
    if (!task->life->more_waiters) continue;
    for (Waiter& waiter : *task->life->more_waiters) {
      if (WaitQueue* queue = waiter.queue.load()) queue->remove(waiter);
    }
  }
  // What they hold may be the tasks themselves.
  for (Entry& entry : objects_) {
    Task* task = as_task(entry.object);
    if (!task) continue;
    task->hook = nullptr;  // not counted yet
    task->life->root.clear();
    task->entry.set_nil();
    task->arguments = nullptr;
  }
}

void Archive::set_timers() {
  std::ranges::stable_sort(timers_, {}, &Set::order);
  for (const Set& set : timers_) still_.scheduler().clock().add(*set.timer, set.due);
}

void Archive::settle() {
  connect_waiters();
  for (size_t i = 0; i < finishers_.size() && is_good(); ++i) finishers_[i]();
  if (is_good()) check_tasks();
  if (is_good()) check_blocks();
  for (auto [cell, number] : cell_owners_) {
    if (!as_task(any_object(number))) return fail("a variable is nobody's");
  }
  if (!is_good()) return;
  for (auto& finish : last_finishers_) finish();
  for (auto& [task, children] : children_) still_.set_children(*task, children);
  set_timers();
  for (auto [cell, number] : cell_owners_) {
    CellList* outer = use_cells(&as_task(any_object(number))->life->cells);
    adopt_cell(cell);
    use_cells(outer);
  }
  for (Entry& entry : objects_) {
    if (entry.is_frozen) freeze_alone(entry.object.object(), entry.holds_functions);
  }
}

}  // namespace harn::park
