// Where agent sessions live: messages, events and fields by id. What the builtins do is written in Harn
// (src/std/prelude/sessions.harn).
//
// A store belongs to a program and is shared by its tasks. It guards itself; all values in it are frozen, so that any task may
// read them, and what goes dies when the lock is free again. Messages and events are kept one by one: adding one costs the same
// however many there are.
#include "builtins/sessions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "builtins/agent_events.h"
#include "builtins/families.h"
#include "builtins/message_text.h"
#include "builtins/parking.h"
#include "builtins/task_scope.h"
#include "vm/dict.h"
#include "vm/pace.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr size_t kMostSessions = 128;
constexpr std::string_view kCurrent = "agent_session";  // in the task's scope
constexpr int kMostAncestors = 1000;  // lineages are chains; a file that was taken up may say otherwise

// A callback and, for the root task, the same as that task has it: it goes on sharing variables with the code around it, and
// only that task touches it (Store::root_callbacks).
struct Callback {
  uint64_t number = 0;
  Value function;
};

// A value that is changed by whoever has seen its last version.
struct Field {
  Value value;
  uint64_t version = 0;
};

struct Session {
  uint64_t used = 0;        // when it was used last, as a count
  uint64_t holders = 0;     // loops that run in it: it stays
  uint64_t generation = 0;  // of the messages: how often they were replaced
  std::vector<Value> messages;
  // What the first messages of a generation have in bytes of text: each is measured once.
  struct Measured {
    uint64_t generation = 0;
    size_t messages = 0;
    size_t bytes = 0;
  } measured;
  std::vector<Value> events;  // that are of no message
  std::vector<Value> feedback;
  std::vector<Callback> subscribers;
  std::map<std::string, Field, std::less<>> fields;
};

struct Store {
  using Sessions = std::map<std::string, Session, std::less<>>;

  Mutex lock;
  Sessions sessions;
  std::vector<Callback> providers;  // of reminders
  uint64_t uses = 0;
  uint64_t callbacks = 0;
  std::map<uint64_t, Value> root_callbacks;

  Session* find(std::string_view id) {
    auto found = sessions.find(id);
    if (found == sessions.end()) return nullptr;
    found->second.used = ++uses;
    return &found->second;
  }
};

Store& store_of(Vm& vm) { return vm.local<Store>(); }

// The session that argument 0 names, with the lock of the store held.
class Opened {
 public:
  static Outcome<Opened> open(Call& call) {
    auto id = HARN_TRY(call.text(0));
    Opened opened(store_of(call.vm()));
    opened.session_ = opened.store_->find(id);
    if (opened.session_) return opened;
    return throw_text(ErrorKind::NotFound, "{}: there is no agent session '{}'", call.row().name, id);
  }

  Session* operator->() { return session_; }
  Session& operator*() { return *session_; }
  Store& store() { return *store_; }

 private:
  explicit Opened(Store& store) : store_(&store), guard_(store.lock) {}

  Store* store_;
  std::unique_lock<Mutex> guard_;
  Session* session_ = nullptr;
};

Outcome<Value> list_of(const std::vector<Value>& items, size_t from = 0) {
  auto out = new_list(items.size() - std::min(from, items.size()));
  for (size_t i = from; i < items.size(); ++i) out->push(HARN_TRY(read_shared(items[i])));
  return Value(std::move(out));
}

// Frozen, one by one.
Outcome<std::vector<Value>> frozen_items(const Value& list) {
  std::vector<Value> out;
  for (const Value& item : list.as_list()->values()) out.push_back(HARN_TRY(transfer(item)));
  return out;
}

// ---- sessions ----

// Those that were used longest ago and that nobody holds, if there are too many. There may be many too many: as long as loops run in them
// they stay.
void evict(Store& store, const std::string& newest, std::vector<Store::Sessions::node_type>& gone) {
  if (store.sessions.size() <= kMostSessions) return;
  std::vector<Store::Sessions::iterator> free;
  for (auto at = store.sessions.begin(); at != store.sessions.end(); ++at) {
    if (at->second.holders == 0 && at->first != newest) free.push_back(at);
  }
  size_t count = std::min(free.size(), store.sessions.size() - kMostSessions);
  std::partial_sort(free.begin(), free.begin() + static_cast<ptrdiff_t>(count), free.end(),
                    [](auto a, auto b) { return a->second.used < b->second.used; });
  for (size_t i = 0; i < count; ++i) gone.push_back(store.sessions.extract(free[i]));
}

// (id, fields): true when it is new.
Outcome<Value> open_session(Call& call) {
  std::string id(HARN_TRY(call.text(0)));
  Value fields = HARN_TRY(transfer(call.take(1)));
  Store& store = store_of(call.vm());
  std::vector<Store::Sessions::node_type> gone;
  std::lock_guard guard(store.lock);
  if (store.find(id)) return Value::boolean(false);
  Session& session = store.sessions[id];
  session.used = ++store.uses;
  for (auto [key, value] : fields.as_dict()->entries()) session.fields[std::string(key->view())] = {*value, 1};
  evict(store, id, gone);
  return Value::boolean(true);
}

Outcome<Value> close_session(Call& call) {
  auto id = HARN_TRY(call.text(0));
  Store& store = store_of(call.vm());
  Store::Sessions::node_type gone;
  std::lock_guard guard(store.lock);
  if (auto found = store.sessions.find(id); found != store.sessions.end()) gone = store.sessions.extract(found);
  return Value::boolean(!gone.empty());
}

Outcome<Value> exists(Call& call) {
  Store& store = store_of(call.vm());
  if (!call.arg(0).is_string()) return Value::boolean(false);
  std::lock_guard guard(store.lock);
  return Value::boolean(store.find(call.arg(0).as_string()->view()) != nullptr);
}

Outcome<Value> length(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  return Value::integer(static_cast<int64_t>(session->messages.size()));
}

Outcome<Value> hold(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  ++session->holders;
  return Value();
}

// It may be closed meanwhile.
Outcome<Value> let_go(Call& call) {
  auto session = Opened::open(call);
  if (session && (*session)->holders > 0) --(*session)->holders;
  return Value();
}

// ---- fields ----

Outcome<Value> field(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  auto found = session->fields.find(HARN_TRY(call.text(1)));
  return found == session->fields.end() ? Value() : read_shared(found->second.value);
}

// {value, version}
Outcome<Value> seen_field(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  auto found = session->fields.find(HARN_TRY(call.text(1)));
  bool is_there = found != session->fields.end();
  return DictBuilder()
      .add("value", is_there ? HARN_TRY(read_shared(found->second.value)) : Value())
      .add("version", Value::integer(is_there ? static_cast<int64_t>(found->second.version) : 0))
      .done();
}

// (id, name, version, value): false when somebody else has changed it since that version.
Outcome<Value> swap_field(Call& call) {
  int64_t version = HARN_TRY(call.integer(2));
  Value value = HARN_TRY(transfer(call.take(3)));
  auto session = HARN_TRY(Opened::open(call));
  Field& field = session->fields[std::string(HARN_TRY(call.text(1)))];
  if (field.version != static_cast<uint64_t>(version)) return Value::boolean(false);
  ++field.version;
  std::swap(field.value, value);
  return Value::boolean(true);
}

// All of them.
Outcome<Value> fields(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  DictBuilder out;
  for (auto& [name, field] : session->fields) out.add(name, HARN_TRY(read_shared(field.value)));
  return out.done();
}

// ---- messages and events ----

Outcome<Value> append_to(Call& call, std::vector<Value> Session::*list) {
  Value item = HARN_TRY(transfer(call.take(1)));
  auto session = HARN_TRY(Opened::open(call));
  ((*session).*list).push_back(std::move(item));
  return Value::integer(static_cast<int64_t>(((*session).*list).size()));
}
// (id, message, place): with a place, what was said behind it while this one was thought of stays behind it.
Outcome<Value> append_message(Call& call) {
  if (call.arg(2).is_nil()) return append_to(call, &Session::messages);
  auto place = static_cast<uint64_t>(std::max<int64_t>(0, HARN_TRY(call.integer(2))));
  Value message = HARN_TRY(transfer(call.take(1)));
  auto session = HARN_TRY(Opened::open(call));
  auto& all = session->messages;
  if (place < all.size()) ++session->generation;
  all.insert(all.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(place, all.size())), std::move(message));
  return Value::integer(static_cast<int64_t>(all.size()));
}
Outcome<Value> append_event(Call& call) { return append_to(call, &Session::events); }
Outcome<Value> append_feedback(Call& call) { return append_to(call, &Session::feedback); }

// (id, from = 0)
Outcome<Value> messages(Call& call) {
  int64_t from = HARN_TRY(call.integer_or(1, 0));
  auto session = HARN_TRY(Opened::open(call));
  return list_of(session->messages, static_cast<size_t>(std::max<int64_t>(from, 0)));
}

// As estimate_tokens has it.
Outcome<Value> tokens(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  Session::Measured& known = session->measured;
  if (known.generation != session->generation) known = {.generation = session->generation};
  for (; known.messages < session->messages.size(); ++known.messages)
    known.bytes += message_size(session->messages[known.messages]);
  return Value::integer(static_cast<int64_t>(known.bytes / kBytesPerToken));
}

Outcome<Value> events(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  return list_of(session->events);
}

Outcome<Value> take_feedback(Call& call) {
  std::vector<Value> taken;
  {
    auto session = HARN_TRY(Opened::open(call));
    taken.swap(session->feedback);
  }
  return list_of(taken);
}

Outcome<Value> generation(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  return Value::integer(static_cast<int64_t>(session->generation));
}

// (id, generation, count, messages): the first `count` messages become these; those that came since stay behind them. False when
// they were replaced since that generation.
Outcome<Value> replace_messages(Call& call) {
  auto expected = static_cast<uint64_t>(HARN_TRY(call.integer(1)));
  auto count = static_cast<size_t>(std::max<int64_t>(HARN_TRY(call.integer(2)), 0));
  Value given = Value(HARN_TRY(call.list(3)));
  std::vector<Value> next = HARN_TRY(frozen_items(given));
  auto session = HARN_TRY(Opened::open(call));
  auto& all = session->messages;
  if (session->generation != expected || count > all.size()) return Value::boolean(false);
  next.insert(next.end(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  all.swap(next);
  ++session->generation;
  return Value::boolean(true);
}

// Messages, events and feedback are gone.
Outcome<Value> clear(Call& call) {
  std::vector<Value> old_messages, old_events, old_feedback;
  auto session = HARN_TRY(Opened::open(call));
  old_messages.swap(session->messages);
  old_events.swap(session->events);
  old_feedback.swap(session->feedback);
  ++session->generation;
  return Value();
}

// ---- callbacks ----

// Forgets functions of the root task that no session has any more.
void forget_lost(Store& store) {
  std::map<uint64_t, Value> live;
  auto keep = [&](const Callback& callback) {
    if (auto found = store.root_callbacks.find(callback.number); found != store.root_callbacks.end())
      live.insert(*found);
  };
  for (auto& [id, session] : store.sessions)
    std::for_each(session.subscribers.begin(), session.subscribers.end(), keep);
  std::for_each(store.providers.begin(), store.providers.end(), keep);
  store.root_callbacks.swap(live);
}

// With the lock held.
void add_callback(Store& store, std::vector<Callback>& to, Value shared, Value own) {
  constexpr size_t kMany = 64;
  Callback callback{++store.callbacks, std::move(shared)};
  if (Scheduler::current().is_root()) {
    if (store.root_callbacks.size() >= kMany) forget_lost(store);
    store.root_callbacks[callback.number] = std::move(own);
  }
  to.push_back(std::move(callback));
}

Outcome<Value> callbacks(Store& store, const std::vector<Callback>& all) {
  bool is_root = Scheduler::current().is_root();
  Value out = new_list();
  for (const Callback& callback : all) {
    auto own = is_root ? store.root_callbacks.find(callback.number) : store.root_callbacks.end();
    bool has_own = is_root && own != store.root_callbacks.end();
    writable_list(out)->push(has_own ? own->second : HARN_TRY(read_shared(callback.function)));
  }
  return out;
}

Outcome<Value> subscribe(Call& call) {
  Value shared = HARN_TRY(transfer(call.arg(1)));
  auto session = HARN_TRY(Opened::open(call));
  add_callback(session.store(), session->subscribers, std::move(shared), call.take(1));
  return Value();
}

Outcome<Value> subscribers(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  return callbacks(session.store(), session->subscribers);
}

// (id, type): whether anybody wants to hear of events of this type.
Outcome<Value> is_heard(Call& call) {
  auto session = HARN_TRY(Opened::open(call));
  if (!session->subscribers.empty()) return Value::boolean(true);
  std::string_view type = call.arg(1).is_string() ? call.arg(1).as_string()->view() : std::string_view();
  return Value::boolean(AgentEvents::of(call.vm()).is_heard(type));
}

Outcome<Value> add_provider(Call& call) {
  Value shared = HARN_TRY(transfer(call.arg(0)));
  Store& store = store_of(call.vm());
  std::lock_guard guard(store.lock);
  add_callback(store, store.providers, std::move(shared), call.take(0));
  return Value();
}

Outcome<Value> providers(Call& call) {
  Store& store = store_of(call.vm());
  std::lock_guard guard(store.lock);
  return callbacks(store, store.providers);
}

Outcome<Value> clear_providers(Call& call) {
  Store& store = store_of(call.vm());
  std::vector<Callback> old;
  std::lock_guard guard(store.lock);
  old.swap(store.providers);
  return Value();
}

// ---- the current one ----

Outcome<Value> current_id(Call&) { return scope_value(Scheduler::current(), kCurrent); }

// ---- programs that are put away ----

void callback_fields(park::Archive& archive, std::vector<Callback>& all) {
  archive.items(all, [&](Callback& callback) {
    archive.number(callback.number);
    archive.value(callback.function);
  });
}

void value_fields(park::Archive& archive, std::vector<Value>& all) {
  archive.items(all, [&](Value& value) { archive.value(value); });
}

void session_fields(park::Archive& archive, Session& session) {
  archive.number(session.used);
  archive.number(session.holders);
  archive.number(session.generation);
  value_fields(archive, session.messages);
  value_fields(archive, session.events);
  value_fields(archive, session.feedback);
  callback_fields(archive, session.subscribers);
  archive.entries(
      session.fields, [&](std::string& name) { archive.text(name); },
      [&](Field& field) {
        archive.value(field.value);
        archive.number(field.version);
      });
}

void store_fields(park::Archive& archive, Vm& vm) {
  Store& store = store_of(vm);
  archive.number(store.uses);
  archive.number(store.callbacks);
  archive.entries(
      store.sessions, [&](std::string& id) { archive.text(id); },
      [&](Session& session) { session_fields(archive, session); });
  callback_fields(archive, store.providers);
  archive.entries(
      store.root_callbacks, [&](uint64_t& number) { archive.number(number); }, [&](Value& own) { archive.value(own); });
}

constinit const Builtin kRows[] = {
    {.name = "__reminder_provider_add",
     .signature = "(provider: dict) -> nil",
     .doc = "Keeps a provider of reminders.",
     .call = add_provider},
    {.name = "__reminder_providers",
     .signature = "() -> list<dict>",
     .doc = "The program's providers of reminders.",
     .call = providers},
    {.name = "__reminders_compacted",
     .signature = "(events: list<dict>) -> list<dict>",
     .doc = "What is left of reminders when a conversation is compacted.",
     .prelude = "reminders:reminders_compacted"},
    {.name = "__reminders_fire",
     .signature = "(session_id: string, event: string, payload: dict, options: any) -> int",
     .doc = "Asks the providers of reminders about an event and adds what they say; gives how many.",
     .example =
         R"({ -> let s = agent_session_open("a"); __reminders_fire(s, "on_budget_threshold", {input_tokens: 90, context_window: 100}, nil) }() == 1)",
     .prelude = "reminders:reminders_fire"},
    {.name = "__reminders_messages",
     .signature = "(session_id: string, turn: int, roles: list<string>) -> list<dict>",
     .doc = "The pending reminders of a session as messages for a model that knows these roles.",
     .example =
         R"({ -> let s = agent_session_open("a"); __session_remind(s, {body: "hurry"}, "hook", 0); __reminders_messages(s, 0, ["system"]) }()[0].content == "hurry")",
     .prelude = "reminders:reminders_messages"},
    {.name = "__reminders_post_turn",
     .signature = "(session_id: string, turn: int) -> nil",
     .doc = "Ends the turn for the reminders of a session.",
     .example =
         R"({ -> let s = agent_session_open("a"); __session_remind(s, {body: "hurry", ttl_turns: 1}, "hook", 0); __reminders_messages(s, 0, []); __reminders_post_turn(s, 0); __reminders_messages(s, 1, []) }() == [])",
     .prelude = "reminders:reminders_post_turn"},
    {.name = "__reminders_inherit",
     .signature = "(parent: string, child: string) -> int",
     .doc = "Hands reminders of a session on to the one of a sub-agent.",
     .example =
         R"({ -> __session_remind(agent_session_open("a"), {body: "hurry", propagate: "all"}, "hook", 0); __reminders_inherit("a", agent_session_open("b")) }() == 1)",
     .prelude = "reminders:reminders_inherit"},
    {.name = "__session_append",
     .signature = "(id: string, message: dict, place?: int) -> int",
     .doc = "Adds a message, at its end or at a place; gives how many there are.",
     .call = append_message},
    {.name = "__session_clear",
     .signature = "(id: string) -> nil",
     .doc = "Forgets messages, events and feedback.",
     .call = clear},
    {.name = "__session_close",
     .signature = "(id: string) -> bool",
     .doc = "Forgets a session.",
     .call = close_session},
    {.name = "__session_compact",
     .signature = "(id: string, options: dict) -> dict",
     .doc = "Compacts a session, by any strategy of a loop.",
     .example = R"(!__session_compact(agent_session_open("a"), {}).changed)",
     .prelude = "sessions:session_compact"},
    {.name = "__session_event",
     .signature = "(id: string, event: dict) -> nil",
     .doc = "Tells the subscribers of a session an event.",
     .prelude = "sessions:session_event"},
    {.name = "__session_events",
     .signature = "(id: string) -> list<dict>",
     .doc = "The events that are of no message.",
     .call = events},
    {.name = "__session_feedback",
     .signature = "(id: string, feedback: dict) -> int",
     .doc = "Keeps feedback for the next turn.",
     .call = append_feedback},
    {.name = "__session_field", .signature = "(id: string, name: string) -> any", .doc = "A field.", .call = field},
    {.name = "__session_fields", .signature = "(id: string) -> dict", .doc = "All fields.", .call = fields},
    {.name = "__session_generation",
     .signature = "(id: string) -> int",
     .doc = "How often its messages were replaced.",
     .call = generation},
    {.name = "__session_hold",
     .signature = "(id: string) -> nil",
     .doc = "Keeps a session from being evicted.",
     .call = hold},
    {.name = "__session_is_heard",
     .signature = "(id: string, type: any) -> bool",
     .doc = "Whether anybody wants to hear of events of this type.",
     .call = is_heard},
    {.name = "__session_let_go", .signature = "(id: string) -> nil", .doc = "The opposite.", .call = let_go},
    {.name = "__session_messages",
     .signature = "(id: string, first?: int) -> list<dict>",
     .doc = "Its messages, from a place on.",
     .call = messages},
    {.name = "__session_note",
     .signature = "(id: string, event: dict) -> int",
     .doc = "Adds an event to the transcript of a session.",
     .call = append_event},
    {.name = "__session_open",
     .signature = "(id: string, fields: dict) -> bool",
     .doc = "Makes a session, if there is none.",
     .call = open_session},
    {.name = "__session_persist",
     .signature = "(id: string) -> int",
     .doc = "Writes what is new in a session to its transcript on disk.",
     .example = R"(is_err(try { __session_persist(agent_session_open("..")) }))",
     .prelude = "sessions:session_persist"},
    {.name = "__session_record",
     .signature = "(id: string, kind: string, fields: dict) -> dict",
     .doc = "Adds an event of a kind to the transcript of a session; gives it.",
     .example = R"(__session_record(agent_session_open("a"), "plan", {text: "first"}).kind == "plan")",
     .prelude = "sessions:session_record"},
    {.name = "__session_remind",
     .signature = "(id: string, spec: dict, source: string, turn: int) -> string",
     .doc = "Adds a reminder to a session; gives its id.",
     .example = R"(len(__session_remind(agent_session_open("a"), {body: "hurry"}, "hook", 0)) == 36)",
     .prelude = "reminders:session_remind"},
    {.name = "__session_reminders_compacted",
     .signature = "(id: string) -> nil",
     .doc = "The same for the reminders of a session.",
     .prelude = "reminders:session_reminders_compacted"},
    {.name = "__session_replace",
     .signature = "(id: string, generation: int, count: int, messages: list<dict>) -> bool",
     .doc = "Puts others in the place of the first `count` messages, if that is still the generation.",
     .call = replace_messages},
    {.name = "__session_run",
     .signature = "(id: string, body: fn() -> any) -> any",
     .doc = "Runs code with this as the current session.",
     .example = R"(__session_run(agent_session_open("a"), { -> runtime_context().agent_session_id }) == "a")",
     .prelude = "sessions:session_run"},
    {.name = "__session_seen",
     .signature = "(id: string, name: string) -> dict",
     .doc = "A field and its version.",
     .call = seen_field},
    {.name = "__session_subscribe",
     .signature = "(id: string, subscriber: fn(dict) -> any) -> nil",
     .doc = "Adds a subscriber.",
     .call = subscribe},
    {.name = "__session_subscribers",
     .signature = "(id: string) -> list",
     .doc = "Its subscribers.",
     .call = subscribers},
    {.name = "__session_swap",
     .signature = "(id: string, name: string, version: int, value: any) -> bool",
     .doc = "Sets a field, if that is still its version.",
     .call = swap_field},
    {.name = "__session_system_prompt",
     .signature = "(id: string, prompt: string) -> bool",
     .doc = "Keeps the system prompt of a session, and an event with its fingerprint; false when it was that already.",
     .example =
         R"(__session_system_prompt(agent_session_open("a"), "be brief") && agent_session_snapshot("a").events[0].kind == "system_prompt")",
     .prelude = "sessions:session_system_prompt"},
    {.name = "__session_take_edits",
     .signature = "(id: string) -> list<dict>",
     .doc = "The edits of files that hooks have not heard of, which are gone then.",
     .example = R"(__session_take_edits(agent_session_open("a")) == [])",
     .prelude = "sessions:session_take_edits"},
    {.name = "__session_take_feedback",
     .signature = "(id: string) -> list<dict>",
     .doc = "The feedback that waits, which is gone then.",
     .example =
         R"({ -> agent_inject_feedback(agent_session_open("a"), "nudge", "go"); __session_take_feedback("a") }() == [{kind: "nudge", content: "go"}])",
     .call = take_feedback},
    {.name = "__session_tokens",
     .signature = "(id: string) -> int",
     .doc = "About how many tokens its messages have, as estimate_tokens has it.",
     .call = tokens},
    {.name = "__session_transcript",
     .signature = "(id: string) -> dict",
     .doc = "The transcript of a session.",
     .example = R"(__session_transcript(agent_session_open("a")).id == "a")",
     .prelude = "sessions:session_transcript"},
    {.name = "__session_update",
     .signature = "(id: string, name: string, change: fn(any) -> any) -> any",
     .doc = "Sets a field to what `change` makes of it, again if somebody else has set it meanwhile.",
     .prelude = "sessions:session_update"},
    {.name = "agent_inject_feedback",
     .signature = "(session_id: string, kind: string, content: any) -> nil",
     .doc = "Feedback that the agent loop of a session gets at its next turn; kind `prefill_assistant` is a prefill.",
     .example = R"(is_err(try { agent_inject_feedback("none", "nudge", "go on") }))",
     .prelude = "sessions:agent_inject_feedback"},
    {.name = "agent_session_ancestry",
     .signature = "(id: string) -> {parent_id: string?, child_ids: list<string>, root_id: string}?",
     .doc = "Where a session comes from, and what was forked from it; nil when there is none.",
     .example = R"(agent_session_ancestry(agent_session_open("a")).root_id == "a")",
     .prelude = "sessions:agent_session_ancestry"},
    {.name = "agent_session_claim_tool_format",
     .signature = "(id: string, format: string) -> nil",
     .doc = "Says in which format a session calls tools; fails when another was claimed.",
     .example = R"(is_err(try { agent_session_claim_tool_format("none", "text") }))",
     .prelude = "sessions:agent_session_claim_tool_format"},
    {.name = "agent_session_clear_scratchpad",
     .signature = "(id: string, options?: dict) -> dict",
     .doc = "Empties the scratchpad of a session: {scratchpad, version}.",
     .example = R"(agent_session_clear_scratchpad(agent_session_open("a")).version == 1)",
     .prelude = "sessions:agent_session_clear_scratchpad"},
    {.name = "agent_session_close",
     .signature = "(id: string, options?: dict) -> nil",
     .doc = "Forgets a session; subscribers are told `session_closed` with the `status` of the options.",
     .example = R"(agent_session_close(agent_session_open("a"), {status: "interrupted"}) == nil)",
     .prelude = "sessions:agent_session_close"},
    {.name = "agent_session_compact",
     .signature = "(id: string, options?: dict) -> int",
     .doc = "Compacts the messages of a session; gives how many there are then.",
     .example = R"(agent_session_compact(agent_session_open("a")) == 0)",
     .prelude = "sessions:agent_session_compact"},
    {.name = "agent_session_current_id",
     .signature = "() -> string?",
     .doc = "The session of the innermost agent loop that runs, or nil.",
     .example = "agent_session_current_id() == nil",
     .call = current_id},
    {.name = "agent_session_exists",
     .signature = "(id: string) -> bool",
     .doc = "Tells whether there is such a session.",
     .example = R"(!agent_session_exists("none"))",
     .call = exists},
    {.name = "agent_session_fork",
     .signature = "(source: string, id?: string) -> string",
     .doc = "A session with the transcript of another, and without its subscribers.",
     .example = R"(agent_session_fork(agent_session_open("a"), "b") == "b")",
     .prelude = "sessions:agent_session_fork"},
    {.name = "agent_session_fork_at",
     .signature = "(source: string, keep_first: int, id?: string) -> string",
     .doc = "The same with the first `keep_first` messages only.",
     .example = R"(agent_session_fork_at(agent_session_open("a"), 0, "b") == "b")",
     .prelude = "sessions:agent_session_fork_at"},
    {.name = "agent_session_inject",
     .signature = "(id: string, message: dict) -> nil",
     .doc = "Adds a message to a session.",
     .example = R"(agent_session_inject(agent_session_open("a"), {role: "user", content: "hi"}) == nil)",
     .prelude = "sessions:agent_session_inject"},
    {.name = "agent_session_length",
     .signature = "(id: string) -> int",
     .doc = "How many messages a session has.",
     .example = R"(agent_session_length(agent_session_open("a")) == 0)",
     .call = length},
    {.name = "agent_session_open",
     .signature = "(id?: string) -> string",
     .doc = "Makes a session, if there is none of that id, and gives its id; without one it gets a UUID.",
     .example = R"(agent_session_open("a") == "a")",
     .prelude = "sessions:agent_session_open"},
    {.name = "agent_session_reset",
     .signature = "(id: string) -> nil",
     .doc = "Empties a session, which keeps its id and its subscribers.",
     .example = R"(agent_session_reset(agent_session_open("a")) == nil)",
     .prelude = "sessions:agent_session_reset"},
    {.name = "agent_session_scratchpad",
     .signature = "(id: string) -> dict",
     .doc = "The scratchpad of a session.",
     .example = R"(agent_session_scratchpad(agent_session_open("a")) == {})",
     .prelude = "sessions:agent_session_scratchpad"},
    {.name = "agent_session_seed_from_jsonl",
     .signature = "(path: string, options?: dict) -> dict",
     .doc = "A new session with the messages of a transcript in a file of JSON lines.",
     .example = R"(!agent_session_seed_from_jsonl("/none.jsonl").ok)",
     .prelude = "session_seed:agent_session_seed_from_jsonl"},
    {.name = "agent_session_set_scratchpad",
     .signature = "(id: string, scratchpad: dict, options?: dict) -> dict",
     .doc = "Sets the scratchpad of a session: {scratchpad, version}.",
     .example = R"(agent_session_set_scratchpad(agent_session_open("a"), {goals: []}).version == 1)",
     .prelude = "sessions:agent_session_set_scratchpad"},
    {.name = "agent_session_snapshot",
     .signature = "(id: string) -> dict?",
     .doc = "The transcript of a session, and what else is known of it; nil when there is none.",
     .example = R"(agent_session_snapshot("none") == nil)",
     .prelude = "sessions:agent_session_snapshot"},
    {.name = "agent_session_system_prompt",
     .signature = "(id: string) -> string?",
     .doc = "The system prompt of a session, or nil.",
     .example = R"(agent_session_system_prompt(agent_session_open("a")) == nil)",
     .prelude = "sessions:agent_session_system_prompt"},
    {.name = "agent_session_tool_format",
     .signature = "(id: string) -> string?",
     .doc = "In which format a session calls tools, or nil.",
     .example = R"(agent_session_tool_format(agent_session_open("a")) == nil)",
     .prelude = "sessions:agent_session_tool_format"},
    {.name = "agent_session_trim",
     .signature = "(id: string, keep_last: int) -> int",
     .doc = "Drops all but the last messages of a session; gives how many there are then.",
     .example = R"(agent_session_trim(agent_session_open("a"), 3) == 0)",
     .prelude = "sessions:agent_session_trim"},
    {.name = "agent_subscribe",
     .signature = "(session_id: string, subscriber: fn(dict) -> any) -> nil",
     .doc = "Calls a function with each agent event of a session. Its errors are logged only.",
     .example = R"(agent_subscribe(agent_session_open("a"), { event -> nil }) == nil)",
     .prelude = "sessions:agent_subscribe"},
    {.name = "clear_reminder_providers",
     .signature = "() -> nil",
     .doc = "Forgets the program's own providers of reminders.",
     .example = "clear_reminder_providers() == nil",
     .call = clear_providers},
    {.name = "notify_file_edited",
     .signature = "(path: string, options?: dict) -> nil",
     .doc = "Lets hooks of FileEdited hear at the end of the turn that a file was edited. Options: session_id (the one "
            "that "
            "goes on here), metadata.",
     .example = R"(notify_file_edited("a.txt", {session_id: agent_session_open("a")}) == nil)",
     .prelude = "sessions:notify_file_edited"},
    {.name = "register_reminder_provider",
     .signature = "(config: dict) -> nil",
     .doc = "Adds a provider of reminders: {id, subscribes_to, evaluate}.",
     .example = R"(is_err(try { register_reminder_provider({id: "x"}) }))",
     .prelude = "reminders:register_reminder_provider"},
};

}  // namespace

const park::PartRow kSessionsPart = {"sessions", store_fields};

std::span<const Builtin> session_rows() { return kRows; }

std::optional<SessionLineage> current_session(Vm& vm) {
  Value current = scope_value(Scheduler::current(), kCurrent);
  if (!current.is_string()) return std::nullopt;
  SessionLineage lineage{std::string(current.as_string()->view()), "", std::string(current.as_string()->view())};
  Store& store = store_of(vm);
  std::lock_guard guard(store.lock);
  for (int i = 0; i < kMostAncestors; ++i) {
    auto found = store.sessions.find(lineage.root);
    if (found == store.sessions.end()) break;
    auto parent = found->second.fields.find("parent_id");
    if (parent == found->second.fields.end() || !parent->second.value.is_string()) break;
    lineage.root = parent->second.value.as_string()->view();
    if (i == 0) lineage.parent = lineage.root;
  }
  return lineage;
}

}  // namespace harn::builtins
