#include "vm/transfer.h"

#include <atomic>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "vm/dict.h"
#include "vm/environment.h"
#include "vm/function.h"
#include "vm/hash_table.h"
#include "vm/holders.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/parts.h"
#include "vm/regions.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::vm {

namespace {

// Object::flags of frozen objects: they were frozen together with functions, so functions may be in them.
constexpr uint8_t kHoldsFunctions = 0x80;
// The same for handles: see holders.h.
constexpr uint8_t kHoldsHandles = 0x40;

bool is_shared(const Object* object) { return refs_of(object) <= 0; }

bool has_state(Kind kind) {
  return kind == Kind::Cell || kind == Kind::Generator || kind == Kind::Iter || kind == Kind::Rng;
}

// Keys of a hash table are strings that the table counts without a Value around them.
template <class Visit>
void each_key(Object* object, Visit visit) {
  if (object->kind != Kind::Dict && object->kind != Kind::Struct) return;
  auto* dict = static_cast<DictObject*>(object);
  if (dict->shape) return;
  HashTable* table = dict->table();
  for (uint32_t i = 0; i < table->used; ++i) {
    if (StringObject* key = table->entries[i].key) visit(key);
  }
}

// Calls `visit` with every object that this one holds directly.
template <class Visit>
void each_held(Object* object, Visit visit) {
  each_key(object, visit);
  if (object->kind == Kind::Struct) visit(struct_type(static_cast<DictObject*>(object)));
  each_part(object, [&](Value& part) {
    if (part.is_heap()) visit(part.object());
  });
}

// Of something that is shared already.
bool is_handle_or_holds_some(const Object* object) {
  return object->kind == Kind::Handle || object->flags & kHoldsHandles;
}

// Whether code may use program variables that are not the same for all tasks.
bool uses_variables(ClosureObject* closure, Task& sender);

// What must not be frozen. `sender`: see Crossing.
bool must_copy(Object* object, Task* sender) {
  if (has_state(object->kind)) return true;
  if (object->kind != Kind::Closure) return false;
  auto* closure = static_cast<ClosureObject*>(object);
  return closure->flags & ClosureObject::kBound || (sender && uses_variables(closure, *sender));
}

// Frozen objects hold nothing with state, but functions that must not cross to this receiver as they are.
bool must_look_into(const Object* object, Task* sender) {
  return sender && (object->kind == Kind::Closure || object->flags & kHoldsFunctions);
}

// Freezes everything reachable; false, and nothing is frozen, when something that must be copied is among it.
class Freezer {
 public:
  explicit Freezer(Task* sender, uint8_t marks = 0) : sender_(sender), marks_(marks) {}

  bool freeze(Object* first) {
    if (is_shared(first) && !must_look_into(first, sender_)) return true;
    if (first->kind == Kind::String || first->kind == Kind::Bytes || first->kind == Kind::Range) {
      first->refs = -first->refs;
      return true;
    }
    add(first);
    for (size_t i = 0, j = 0; plain_ && (i < frozen_.size() || j < known_.size());) {
      look_into(i < frozen_.size() ? frozen_[i++] : known_[j++]);
    }
    if (!plain_) {
      for (Object* object : frozen_) object->refs = -object->refs;
      return false;
    }
    for (Object* object : frozen_) {
      object->flags |= marks_;
      gather(object);
    }
    return true;
  }

 private:
  void add(Object* object) {
    if (is_shared(object)) return add_known(object);
    if (must_copy(object, sender_)) {
      plain_ = false;
      return;
    }
    if (object->kind == Kind::Closure) marks_ |= kHoldsFunctions;
    object->refs = -object->refs;
    frozen_.push_back(object);
  }

  void add_known(Object* object) {
    if (is_handle_or_holds_some(object)) marks_ |= kHoldsHandles;
    if (!must_look_into(object, sender_)) return;
    if (!seen_) seen_ = std::make_unique<std::unordered_set<Object*>>();
    if (!seen_->insert(object).second) return;
    plain_ &= !must_copy(object, sender_);
    known_.push_back(object);
  }

  void look_into(Object* object) {
    each_held(object, [&](Object* part) {
      if (plain_) add(part);
    });
  }

  Task* sender_;
  uint8_t marks_;
  bool plain_ = true;
  std::vector<Object*> frozen_;
  std::vector<Object*> known_;                         // frozen before, and yet to be looked into
  std::unique_ptr<std::unordered_set<Object*>> seen_;  // the same, for looking up
};

bool freeze(const Value& value, Task* sender) { return !value.is_heap() || Freezer(sender).freeze(value.object()); }

// Tells apart what can be frozen, and freezes it, and what leads to something that must be copied. Looks at each
// object once, however many ways lead to it.
class Sieve {
 public:
  explicit Sieve(Task* sender) : sender_(sender) {}

  // Whether the value is frozen now; if not, it must be copied.
  bool is_plain(const Value& value) {
    if (!value.is_heap() || is_known_plain(value.object())) return true;
    if (has_state(value.kind())) return false;
    uint32_t first = place_of(value.object());
    if (first >= sifted_) sift();
    return !nodes_[first].must_copy;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Node {
    Object* object;
    bool must_copy;
    uint32_t first_user = kNone;  // in users_: objects that hold this one
  };
  struct User {
    uint32_t node;
    uint32_t next;
  };

  bool is_known_plain(const Object* object) const { return is_shared(object) && !must_look_into(object, sender_); }

  uint32_t place_of(Object* object) {
    auto [found, is_new] = places_.try_emplace(object, static_cast<uint32_t>(nodes_.size()));
    if (!is_new) return found->second;
    nodes_.push_back({object, must_copy(object, sender_)});
    if (nodes_.back().must_copy) marked_.push_back(found->second);
    return found->second;
  }

  // Most objects hold no others: they need no place.
  static bool freeze_leaf(Object* object) {
    bool is_leaf = !is_shared(object) && !has_state(object->kind) && object->kind != Kind::Closure;
    if (is_leaf) each_held(object, [&](Object*) { is_leaf = false; });
    if (is_leaf) object->refs = -object->refs;
    return is_leaf;
  }

  void note_part(uint32_t user, Object* part) {
    if (is_known_plain(part) || freeze_leaf(part)) return;
    uint32_t place = place_of(part);
    if (place < sifted_) {
      if (nodes_[place].must_copy) mark(user);
      return;
    }
    users_.push_back({user, nodes_[place].first_user});
    nodes_[place].first_user = static_cast<uint32_t>(users_.size() - 1);
  }

  // Everything that the new objects lead to.
  void sift() {
    users_.clear();
    for (uint32_t i = sifted_; i < nodes_.size(); ++i) {
      if (!nodes_[i].must_copy) each_held(nodes_[i].object, [&](Object* part) { note_part(i, part); });
    }
    mark_users();
    freeze_rest();
    sifted_ = static_cast<uint32_t>(nodes_.size());
  }

  void mark(uint32_t node) {
    if (!std::exchange(nodes_[node].must_copy, true)) marked_.push_back(node);
  }

  // Who holds what must be copied must be copied.
  void mark_users() {
    while (!marked_.empty()) {
      uint32_t at = nodes_[marked_.back()].first_user;
      marked_.pop_back();
      for (; at != kNone; at = users_[at].next) mark(users_[at].node);
    }
  }

  void freeze_rest() {
    // Whether there are handles was not looked for: there may be.
    uint8_t marks = kHoldsHandles;
    std::vector<Object*> frozen;
    for (uint32_t i = sifted_; i < nodes_.size(); ++i) {
      if (!nodes_[i].must_copy && nodes_[i].object->kind == Kind::Closure) marks |= kHoldsFunctions;
    }
    for (uint32_t i = sifted_; i < nodes_.size(); ++i) {
      Object* object = nodes_[i].object;
      if (nodes_[i].must_copy || is_shared(object)) continue;
      object->refs = -object->refs;
      object->flags |= marks;
      frozen.push_back(object);
    }
    for (Object* object : frozen) gather(object);
  }

  Task* sender_;
  std::unordered_map<Object*, uint32_t> places_;
  std::vector<Node> nodes_;
  uint32_t sifted_ = 0;  // those before are settled
  std::vector<User> users_;
  std::vector<uint32_t> marked_;  // those whose users are yet to be marked
};

bool uses_variables(ClosureObject* closure, Task& sender) {
  if (!sender.globals) return false;
  const auto& reached = closure->proto->reached();
  if (!reached.changing.empty()) return true;
  for (uint32_t index : reached.fixed) {
    if (index < sender.globals->count && !freeze(sender.globals->values()[index], nullptr)) return true;
  }
  return false;
}

}  // namespace

// Copies what has state and everything that leads to it, so that nothing of the sender can be reached.
class Crossing::Copier {
 public:
  Copier(Crossing& crossing)
      : crossing_(crossing), owner_(crossing.sender_), sender_(carrier(crossing.sender_, crossing.variables_)) {}
  static Task* carrier(Task* sender, Variables variables) { return variables == Variables::Carried ? sender : nullptr; }

  Outcome<Value> give(const Value& value, int depth = 0);
  // The variables as a task that starts with them sees them. Something that cannot be given away (a
  // generator that runs) is unset for it.
  GlobalsRef give_all(Globals& variables);

 private:
  Outcome<Value> copy(const Value& value, int depth);
  Outcome<Value> copy_cell(CellObject* cell, int depth);
  Outcome<Value> copy_iter(IterObject* iter, int depth);
  Outcome<Value> copy_generator(GeneratorObject* generator, int depth);
  Outcome<Value> copy_closure(ClosureObject* closure, int depth);
  Outcome<Value> copy_struct_type(StructTypeObject* type, int depth);
  Outcome<Value> copy_struct(DictObject* instance, int depth);
  Value environment_for(const Value& own);
  Globals* variables_of(Environment& environment) const;

  Crossing& crossing_;
  Task* owner_;   // whose values they are, if anybody's
  Task* sender_;  // the same when functions take variables along, else null
  Sieve sieve_{sender_};
  std::unordered_map<Object*, Value> done_;  // so that what was one thing stays one thing
  Value sent_environment_;                   // that of the sender itself
};

namespace {

constexpr int kMaxDepth = 2'000;

}  // namespace

Outcome<Value> Crossing::Copier::give(const Value& value, int depth) {
  if (sieve_.is_plain(value)) return value;
  if (depth > kMaxDepth)
    return runtime_error(ErrorKind::Limit, "this value is nested too deeply to be given to another task");
  if (auto known = done_.find(value.object()); known != done_.end()) return known->second;
  Value copied = HARN_TRY(copy(value, depth + 1));
  return done_.try_emplace(value.object(), std::move(copied)).first->second;
}

GlobalsRef Crossing::Copier::give_all(Globals& variables) {
  GlobalsRef given(Globals::create(variables.count));
  for (uint32_t i = 0; i < variables.count; ++i) {
    if (variables.values()[i].is(Kind::Unset)) continue;
    if (auto value = give(variables.values()[i])) given->values()[i] = std::move(*value);
  }
  return given;
}

Outcome<Value> Crossing::Copier::copy(const Value& value, int depth) {
  switch (value.kind()) {
    case Kind::Cell: return copy_cell(value.as<CellObject>(), depth);
    case Kind::Iter: return copy_iter(value.as_iter(), depth);
    case Kind::Generator: return copy_generator(value.as_generator(), depth);
    case Kind::Closure: return copy_closure(value.as_closure(), depth);
    case Kind::StructType: return copy_struct_type(value.as<StructTypeObject>(), depth);
    case Kind::Struct: return copy_struct(value.as_dict(), depth);
    case Kind::Rng: {
      auto copied = new_rng(0);
      std::copy_n(value.as<RngObject>()->state, 4, copied->state);
      done_[value.object()] = Value(copied);
      return Value(std::move(copied));
    }
    case Kind::List: {
      auto copied = new_list(value.as_list()->size);
      for (const Value& item : value.as_list()->values()) copied->push(HARN_TRY(give(item, depth)));
      return Value(std::move(copied));
    }
    case Kind::Dict: {
      each_key(value.object(), [](Object* key) { Freezer(nullptr).freeze(key); });
      Value copied = value;
      for (auto [key, item] : value.as_dict()->entries()) {
        Value part = HARN_TRY(give(*item, depth));
        dict_set(copied, key, std::move(part));
      }
      return copied;
    }
    case Kind::Pair: {
      Value first = HARN_TRY(give(value.as_pair()->first, depth));
      Value second = HARN_TRY(give(value.as_pair()->second, depth));
      return Value(new_pair(std::move(first), std::move(second)));
    }
    case Kind::Enum: {
      auto* variant = value.as_enum();
      std::vector<Value> fields;
      for (const Value& field : variant->values()) fields.push_back(HARN_TRY(give(field, depth)));
      return Value(new_enum(variant->type, variant->variant, fields));
    }
    case Kind::Set: {
      auto copied = new_set();
      for (const Value& item : value.as_set()->values()) copied->insert(HARN_TRY(give(item, depth)));
      return Value(std::move(copied));
    }
    default: return runtime_error("a {} whose parts change cannot be given to another task", type_name(value));
  }
}

Outcome<Value> Crossing::Copier::copy_cell(CellObject* cell, int depth) {
  auto copied = new_travelling_cell();
  done_[cell] = Value(copied);
  copied->value = HARN_TRY(give(cell->value, depth));
  return Value(std::move(copied));
}

Outcome<Value> Crossing::Copier::copy_iter(IterObject* iter, int depth) {
  auto source = HARN_TRY(give(iter->source, depth));
  auto copied = new_iter(std::move(source));
  copied->position = iter->position;
  copied->exhausted = iter->exhausted;
  done_[iter] = Value(copied);
  return Value(std::move(copied));
}

Outcome<Value> Crossing::Copier::copy_closure(ClosureObject* closure, int depth) {
  Environment* own = environment_of(closure);
  bool binds = own || (sender_ && uses_variables(closure, *sender_));
  auto copied = new_closure(binds ? closure->proto->bound_twin() : closure->proto, binds);
  done_[closure] = Value(copied);
  uint32_t captures = closure->count - (own ? 1 : 0);
  for (uint32_t i = 0; i < captures; ++i) {
    copied->captures()[i] = HARN_TRY(give(closure->captures()[i], depth));
  }
  if (binds) {
    copied->captures()[captures] = environment_for(own ? closure->captures()[captures] : Value());
    copied->flags |= ClosureObject::kBound;
  }
  return Value(std::move(copied));
}

// The variables of an environment are where they are used: in the task that runs with them now, or in it.
Globals* Crossing::Copier::variables_of(Environment& environment) const {
  if (owner_ && owner_->environment.get() == &environment) return owner_->globals.get();
  return environment.globals.get();
}

// `own`: what a closure is bound to; nil for the sender's own variables.
Value Crossing::Copier::environment_for(const Value& own) {
  Value& copied = own.is_nil() ? sent_environment_ : done_[own.object()];
  if (!copied.is_nil()) return copied;
  // Entered first: variables may hold closures that use them.
  auto made = new_environment({});
  copied = Value(made);
  if (own.is_nil()) {
    made->globals = sender_->scheduler->vm().globals_for_child(*sender_, crossing_);
  } else if (Globals* variables = variables_of(*static_cast<Environment*>(own.as<HandleObject>()))) {
    made->globals = give_all(*variables);
  }
  return Value(std::move(made));
}

Outcome<Value> Crossing::Copier::copy_generator(GeneratorObject* generator, int depth) {
  if (generator->state == GeneratorObject::State::Running) {
    return runtime_error("a generator that is running cannot be given to another task");
  }
  // Nobody has pulled from the copy: while that is so, only the original cleans up.
  auto copied = new_generator(generator->flags & GeneratorObject::kStream);
  done_[generator] = Value(copied);
  Coroutine* from = generator->coroutine;
  if (!from) {
    copied->state = GeneratorObject::State::Done;
    return Value(std::move(copied));
  }
  auto* to = new Coroutine;
  copied->coroutine = to;
  to->generator = copied.get();
  bool uses = sender_ && from->frame_count > 0 && uses_variables(from->frames[0].closure, *sender_);
  if (!from->environment.is_nil() || uses) to->environment = environment_for(from->environment);
  to->grow_stack(from->stack_size);
  for (uint32_t i = 0; i < from->stack_size; ++i) to->stack[i] = HARN_TRY(give(from->stack[i], depth));
  while (to->frame_capacity < from->frame_count) to->grow_frames();
  for (uint32_t i = 0; i < from->frame_count; ++i) {
    const Frame& frame = from->frames[i];
    Value closure = HARN_TRY(give(Value::share(frame.closure), depth));
    Frame& made = to->frames[to->frame_count++];
    made = frame;
    made.closure = closure.as_closure();
    made.duties = frame.duties | Frame::kOwnsClosure;
    closure.forget();  // its count is the frame's
  }
  to->await = from->await;
  to->await_register = from->await_register;
  to->await_value = from->await_value;
  return Value(std::move(copied));
}

// A struct declared in a function, with methods that use variables of that function which change.
Outcome<Value> Crossing::Copier::copy_struct_type(StructTypeObject* type, int depth) {
  auto copied = twin_of(type);
  done_[type] = Value(copied);
  for (uint32_t i = 0; i < type->method_count; ++i) {
    auto method = give(type->methods[i].closure, depth);
    if (!method) copied->root = nullptr;  // without all of its methods its shapes are of no use to another
    add_method(copied.get(), type->methods[i].name, HARN_TRY(std::move(method)));
  }
  return Value(std::move(copied));
}

Outcome<Value> Crossing::Copier::copy_struct(DictObject* instance, int depth) {
  Value type = HARN_TRY(give(Value::share(struct_type(instance)), depth));
  Value copied = new_struct(type.as<StructTypeObject>());
  for (auto [key, item] : instance->entries()) {
    Value part = HARN_TRY(give(*item, depth));
    dict_set(copied, key, std::move(part));
  }
  return copied;
}

// ---- crossings ----

bool freeze(const Value& value) { return freeze(value, nullptr); }

bool may_hold_handles(const Value& packed) {
  switch (packed.kind()) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::Range: return false;
    default: break;
  }
  if (!packed.is_heap()) return false;
  const Object* object = packed.object();
  return !is_shared(object) || object->kind == Kind::Closure || is_handle_or_holds_some(object);
}

bool holds_functions(const Object* object) { return object->flags & kHoldsFunctions; }

void freeze_again(const Value& value, bool holds_functions) {
  if (value.is_heap()) Freezer(nullptr, holds_functions ? kHoldsFunctions : 0).freeze(value.object());
}

void freeze_alone(Object* object, bool holds_functions) {
  int32_t refs = refs_of(object);
  if (refs > 0) set_refs(object, -refs);
  object->flags |= holds_functions ? kHoldsFunctions | kHoldsHandles : kHoldsHandles;
}

Crossing::Crossing(Task* sender, Variables variables) : sender_(sender), variables_(variables) {}
Crossing::~Crossing() = default;

Outcome<Value> Crossing::give(const Value& value) {
  if (freeze(value, Copier::carrier(sender_, variables_))) return value;
  if (!copier_) copier_ = std::make_unique<Copier>(*this);
  return copier_->give(value);
}

// The sender's variables go along with functions that use them.
static Outcome<Value> carry(Value value, Task* sender) {
  if (!value.is_heap()) return value;
  return Crossing(sender, Crossing::Variables::Carried).give(value);
}

Outcome<Value> transfer(Value value) { return carry(std::move(value), Scheduler::current_or_null()); }
Outcome<Value> transfer(Value value, Task& sender) { return carry(std::move(value), &sender); }

Outcome<Luggage> pack(Task& parent, const Value& entry, std::span<const Value> args) {
  Luggage luggage;
  Crossing crossing(&parent, Crossing::Variables::Shared);
  luggage.entry = HARN_TRY(crossing.give(entry));
  for (const Value& arg : args) luggage.args.push_back(HARN_TRY(crossing.give(arg)));
  if (!parent.context.is_nil()) luggage.context = HARN_TRY(crossing.give(parent.context));
  luggage.globals = parent.scheduler->vm().globals_for_child(parent, crossing);
  luggage.is_plain = !crossing.has_copied();
  return luggage;
}

Outcome<Luggage> repack(const Luggage& luggage) {
  if (luggage.is_plain) return luggage;
  Crossing crossing(nullptr, Crossing::Variables::Shared);
  Luggage copied;
  copied.entry = HARN_TRY(crossing.give(luggage.entry));
  for (const Value& arg : luggage.args) copied.args.push_back(HARN_TRY(crossing.give(arg)));
  copied.context = HARN_TRY(crossing.give(luggage.context));
  if (luggage.globals) {
    copied.globals = GlobalsRef(Globals::create(luggage.globals->count));
    for (uint32_t i = 0; i < luggage.globals->count; ++i) {
      copied.globals->values()[i] = HARN_TRY(crossing.give(luggage.globals->values()[i]));
    }
  }
  return copied;
}

}  // namespace harn::vm
