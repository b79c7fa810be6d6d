// Mailboxes: inboxes that tasks find by scope and name. Like channels, but a mailbox that is closed or
// was never opened is no error: sending gives false, receiving gives nil.
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/task_scope.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr std::string_view kType = "mailbox";
constexpr int64_t kDefaultCapacity = 256;

struct Mailbox {
  SpinLock lock;
  size_t capacity = kDefaultCapacity;
  bool closed = false;
  std::deque<Value> items;
  WaitQueue receivers{lock};
  WaitQueue senders{lock};
  int64_t sent = 0;
  int64_t received = 0;
  int64_t failed_sends = 0;
};

using MailboxRef = std::shared_ptr<Mailbox>;

// All mailboxes, by scope and name. Of those that are closed and empty the last ones are kept, with what they have
// counted: to programs an older one is like one that was never opened, except for its counts.
class Mailboxes {
 public:
  MailboxRef find(const ScopedName& name) {
    std::lock_guard lock(lock_);
    auto found = boxes_.find({name.scope, name.name});
    return found == boxes_.end() ? nullptr : found->second;
  }
  MailboxRef open(const ScopedName& name, size_t capacity) {
    std::lock_guard lock(lock_);
    auto& box = boxes_[{name.scope, name.name}];
    if (!box) {
      box = new_box();
      box->capacity = capacity;
    }
    return box;
  }
  void fields(park::Archive& archive);
  void note_closed(ScopedName name) {
    std::lock_guard lock(lock_);
    closed_.push_back({std::move(name.scope), std::move(name.name)});
    if (closed_.size() > kClosedKept) forget_oldest();
  }

 private:
  static constexpr size_t kClosedKept = 1024;

  // A task that has been woken may still look into the queue it was in: the memory of a mailbox stays one.
  MailboxRef new_box() {
    if (spare_.empty()) return std::make_shared<Mailbox>();
    MailboxRef box = std::move(spare_.back());
    spare_.pop_back();
    return box;
  }

  void forget_oldest() {
    Name name = std::move(closed_.front());
    closed_.pop_front();
    auto found = boxes_.find(name);
    if (found == boxes_.end()) return;
    Mailbox& box = *found->second;
    {
      std::lock_guard lock(box.lock);
      if (!box.closed) return;  // it was opened again
      if (!box.items.empty() || found->second.use_count() > 1) return closed_.push_back(std::move(name));
      box.sent = box.received = box.failed_sends = 0;
      box.closed = false;
    }
    spare_.push_back(std::move(found->second));
    boxes_.erase(found);
  }

  using Name = std::pair<std::string, std::string>;
  SpinLock lock_;
  std::map<Name, MailboxRef> boxes_;
  std::deque<Name> closed_;  // in the order they were closed
  std::vector<MailboxRef> spare_;
};

// ---- targets ----

// Argument 0 of all functions but mailbox_open: a handle, a name in this task's group, or options.
Outcome<ScopedName> target_name(Call& call) {
  ScopedName name;
  if (read_scoped_handle(call.arg(0), kType, "name", name)) return name;
  if (call.arg(0).is_string() || call.arg(0).is_dict()) return scoped_name(call);
  return call.wrong_type(0, "a mailbox handle or a name");
}

// Null when it was never opened.
Outcome<MailboxRef> target(Call& call) {
  ScopedName name = HARN_TRY(target_name(call));
  return call.vm().local<Mailboxes>().find(name);
}

// ---- queues; all with the lock held ----

// A message is in: for somebody who waits, or in the queue.
void accept(Mailbox& box, Value message) {
  ++box.sent;
  if (Waiter* receiver = box.receivers.take()) {
    ++box.received;
    receiver->task->scheduler->answer(*receiver->task, std::move(message));
  } else {
    box.items.push_back(std::move(message));
  }
}

// There may be room: those who wait to send go on, in their order.
void admit_senders(Mailbox& box) {
  while (box.items.size() < box.capacity) {
    Waiter* sender = box.senders.take();
    if (!sender) return;
    accept(box, std::move(sender->value));
    sender->task->scheduler->answer(*sender->task, Value::boolean(true));
  }
}

bool take(Mailbox& box, Value& message) {
  if (box.items.empty()) return false;
  message = std::move(box.items.front());
  box.items.pop_front();
  ++box.received;
  admit_senders(box);
  return true;
}

// What the task waits for is shown when the program is stuck.
void start_wait(WaitCall& call, const char* what, WaitQueue& queue, Value brought) {
  Task& task = call.task();
  const Value& given = call.arg(0);
  const Value* name = given.is_dict() ? given.as_dict()->find("name") : &given;
  Waiter& waiter = task.life->waiter;
  waiter.ticket = task.begin_wait(what, name);
  waiter.task = &task;
  waiter.value = std::move(brought);
  queue.push(waiter);
}

// ---- builtins ----

Outcome<int64_t> wanted_capacity(Call& call) {
  const Value* option = call.arg(0).is_dict() ? call.arg(0).as_dict()->find("capacity") : nullptr;
  Value capacity = call.arg(1).is_nil() && option ? *option : call.arg(1);
  if (capacity.is_nil()) return kDefaultCapacity;
  if (!capacity.is_int()) return type_error("mailbox_open: capacity must be an int, got {}", type_name(capacity));
  if (capacity.as_int() < 1) {
    return runtime_error(ErrorKind::Invalid, "mailbox_open: capacity must be positive, got {}", capacity.as_int());
  }
  return capacity.as_int();
}

// Opens it again when it was closed; the messages in it stay.
Outcome<Value> mailbox_open(Call& call) {
  ScopedName name = HARN_TRY(target_name(call));
  int64_t capacity = HARN_TRY(wanted_capacity(call));
  MailboxRef box = call.vm().local<Mailboxes>().open(name, static_cast<size_t>(capacity));
  std::lock_guard lock(box->lock);
  box->closed = false;
  return scoped_handle(kType, "name", name);
}

Outcome<Value> mailbox_lookup(Call& call) {
  ScopedName name = HARN_TRY(target_name(call));
  bool is_known = call.vm().local<Mailboxes>().find(name) != nullptr;
  return is_known ? scoped_handle(kType, "name", name) : Value();
}

Step mailbox_send(WaitCall& call) {
  auto found = target(call);
  if (!found) return call.fail(std::move(found).error());
  if (!*found) return call.done(Value::boolean(false));
  auto message = transfer(call.arg(1));
  if (!message) return call.fail(std::move(message).error());
  Mailbox& box = **found;
  call.task().talk();
  std::lock_guard lock(box.lock);
  if (box.closed) {
    ++box.failed_sends;
    return call.done(Value::boolean(false));
  }
  if (box.items.size() >= box.capacity) {
    start_wait(call, "mailbox_send", box.senders, std::move(*message));
    return Step::Parked;
  }
  accept(box, std::move(*message));
  return call.done(Value::boolean(true));
}

Step mailbox_receive(WaitCall& call) {
  auto found = target(call);
  if (!found) return call.fail(std::move(found).error());
  if (!*found) return call.done({});
  Mailbox& box = **found;
  call.task().talk();
  std::lock_guard lock(box.lock);
  Value message;
  if (take(box, message) || box.closed) return call.done(std::move(message));
  start_wait(call, "mailbox_receive", box.receivers, {});
  return Step::Parked;
}

Outcome<Value> mailbox_try_receive(Call& call) {
  MailboxRef box = HARN_TRY(target(call));
  Value message;
  if (!box) return message;
  std::lock_guard lock(box->lock);
  take(*box, message);
  return message;
}

// False when it was closed before.
bool close(Mailbox& box) {
  std::lock_guard lock(box.lock);
  if (std::exchange(box.closed, true)) return false;
  while (Waiter* receiver = box.receivers.take()) receiver->task->scheduler->answer(*receiver->task, {});
  while (Waiter* sender = box.senders.take()) {
    ++box.failed_sends;
    sender->task->scheduler->answer(*sender->task, Value::boolean(false));
  }
  return true;
}

Outcome<Value> mailbox_close(Call& call) {
  ScopedName name = HARN_TRY(target_name(call));
  Mailboxes& all = call.vm().local<Mailboxes>();
  MailboxRef box = all.find(name);
  if (!box || !close(*box)) return Value::boolean(false);
  box = nullptr;
  all.note_closed(std::move(name));
  return Value::boolean(true);
}

Outcome<Value> mailbox_metrics(Call& call) {
  MailboxRef box = HARN_TRY(target(call));
  if (!box) return Value();
  std::lock_guard lock(box->lock);
  return DictBuilder()
      .add("depth", Value::integer(static_cast<int64_t>(box->items.size())))
      .add("capacity", Value::integer(static_cast<int64_t>(box->capacity)))
      .add("sent_count", Value::integer(box->sent))
      .add("received_count", Value::integer(box->received))
      .add("failed_send_count", Value::integer(box->failed_sends))
      .add("closed", Value::boolean(box->closed))
      .done();
}

// ---- putting away ----

void fields(park::Archive& archive, Mailbox& box) {
  archive.number(box.capacity);
  archive.number(box.closed);
  archive.items(box.items, [&](Value& item) { archive.value(item); });
  archive.queue(box.receivers);
  archive.queue(box.senders);
  archive.number(box.sent);
  archive.number(box.received);
  archive.number(box.failed_sends);
}
void Mailboxes::fields(park::Archive& archive) {
  auto name = [&](Name& name) {
    archive.text(name.first);
    archive.text(name.second);
  };
  archive.entries(boxes_, name, [&](MailboxRef& box) {
    if (archive.is_reading()) box = std::make_shared<Mailbox>();
    builtins::fields(archive, *box);
  });
  archive.items(closed_, name);
}
void mailbox_fields(park::Archive& archive, Vm& vm) { vm.local<Mailboxes>().fields(archive); }

constinit const Builtin kRows[] = {
    {.name = "mailbox_close",
     .signature = "(target: string | dict) -> bool",
     .doc = "Closes an inbox to new messages; true the first time.",
     .example = "mailbox_close(mailbox_open(\"box\"))",
     .call = mailbox_close},
    {.name = "mailbox_lookup",
     .signature = "(target: string | dict) -> dict?",
     .doc = "The handle of an inbox that was opened, or nil.",
     .example = "mailbox_lookup(\"box\") == nil",
     .call = mailbox_lookup},
    {.name = "mailbox_metrics",
     .signature = "(target: string | dict) -> dict?",
     .doc = "What an inbox holds and has counted, or nil when it was never opened.",
     .example = "mailbox_metrics(mailbox_open(\"box\", 4)).capacity == 4",
     .call = mailbox_metrics},
    {.name = "mailbox_open",
     .signature = "(name_or_options: string | dict, capacity?: int) -> dict",
     .doc = "Opens an inbox, by a name or by {scope, name, capacity, tenant_id}; it has room for 256 messages.",
     .example = "mailbox_open(\"box\").name == \"box\"",
     .call = mailbox_open},
    {.name = "mailbox_receive",
     .signature = "(target: string | dict) -> any",
     .doc = "Waits for the next message; nil when none can come.",
     .example = "mailbox_receive(\"nobody\") == nil",
     .wait = mailbox_receive},
    {.name = "mailbox_send",
     .signature = "(target: string | dict, value: any) -> bool",
     .doc = "Puts a message in, waiting while the inbox is full; false when it is closed or was never opened.",
     .example = "mailbox_send(mailbox_open(\"box\"), 1)",
     .wait = mailbox_send},
    {.name = "mailbox_try_receive",
     .signature = "(target: string | dict) -> any",
     .doc = "The next message if there is one now, else nil.",
     .example = "mailbox_try_receive(mailbox_open(\"box\")) == nil",
     .call = mailbox_try_receive},
};

}  // namespace

const park::PartRow kMailboxesPart = {"mailboxes", mailbox_fields};

std::span<const Builtin> mailbox_rows() { return kRows; }

}  // namespace harn::builtins
