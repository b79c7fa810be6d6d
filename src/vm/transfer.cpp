#include "vm/transfer.h"

#include <atomic>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "vm/dict.h"
#include "vm/function.h"
#include "vm/hash_table.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::vm {

namespace {

bool is_shared(const Object* object) {
  return refs_of(object) <= 0;
}

bool has_state(Kind kind) {
  return kind == Kind::Cell || kind == Kind::Generator || kind == Kind::Iter || kind == Kind::Rng;
}

// Calls `visit` with every value the object holds directly.
template <class Visit>
void each_part(Object* object, Visit visit) {
  switch (object->kind) {
    case Kind::List:
      for (Value& item : static_cast<ListObject*>(object)->values()) visit(item);
      break;
    case Kind::Dict:
    case Kind::Struct: {
      auto* dict = static_cast<DictObject*>(object);
      if (dict->shape) {
        for (uint32_t i = 0; i < dict->shape->count; ++i) visit(dict->slots()[i]);
      } else {
        HashTable* table = dict->table();
        for (uint32_t i = 0; i < table->used; ++i) {
          if (table->entries[i].key) visit(table->entries[i].value);
        }
      }
      break;
    }
    case Kind::Set: {
      auto* set = static_cast<SetObject*>(object);
      for (size_t i = 0; i < set->size; ++i) visit(set->items[i]);
      break;
    }
    case Kind::Enum: {
      auto* variant = static_cast<EnumObject*>(object);
      for (uint32_t i = 0; i < variant->count; ++i) visit(variant->fields()[i]);
      break;
    }
    case Kind::Pair:
      visit(static_cast<PairObject*>(object)->first);
      visit(static_cast<PairObject*>(object)->second);
      break;
    case Kind::Closure: {
      auto* closure = static_cast<ClosureObject*>(object);
      for (uint32_t i = 0; i < closure->count; ++i) visit(closure->captures()[i]);
      break;
    }
    case Kind::StructType: {
      auto* type = static_cast<StructTypeObject*>(object);
      for (uint32_t i = 0; i < type->method_count; ++i) visit(type->methods[i].closure);
      break;
    }
    case Kind::Error: visit(static_cast<ErrorObject*>(object)->value); break;
    default: break;
  }
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

// Freezes everything reachable; false, and nothing is frozen, when something with state is among it.
bool freeze(Object* first) {
  if (is_shared(first)) return true;
  if (has_state(first->kind)) return false;
  if (first->kind == Kind::String || first->kind == Kind::Bytes || first->kind == Kind::Range) {
    first->refs = -first->refs;
    return true;
  }
  std::vector<Object*> frozen{first};  // also the list of what is still to be looked into
  first->refs = -first->refs;
  bool plain = true;
  auto add = [&](Object* object) {
    if (is_shared(object)) return;
    if (has_state(object->kind)) {
      plain = false;
      return;
    }
    object->refs = -object->refs;
    frozen.push_back(object);
  };
  for (size_t i = 0; plain && i < frozen.size(); ++i) {
    Object* object = frozen[i];
    each_key(object, add);
    if (object->kind == Kind::Struct) add(struct_type(static_cast<DictObject*>(object)));
    each_part(object, [&](Value& part) {
      if (part.is_heap() && !is_shared(part.object())) add(part.object());
    });
  }
  if (plain) return true;
  for (Object* object : frozen) object->refs = -object->refs;
  return false;
}

// Copies what has state and everything that leads to it, so that nothing of the sender can be reached.
class Copier {
 public:
  Outcome<Value> copy(const Value& value, int depth = 0);

 private:
  Outcome<Value> copy_parts(const Value& value, int depth);
  Outcome<Value> copy_cell(CellObject* cell, int depth);
  Outcome<Value> copy_iter(IterObject* iter, int depth);
  Outcome<Value> copy_generator(GeneratorObject* generator, int depth);

  std::unordered_map<Object*, Value> done_;  // so that what was one thing stays one thing
};

constexpr int kMaxDepth = 2'000;

bool holds_state(const Value& value, int depth = 0) {
  if (!value.is_heap()) return false;
  if (has_state(value.kind())) return true;
  if (depth > kMaxDepth) return true;
  bool found = false;
  each_part(value.object(), [&](Value& part) { found = found || holds_state(part, depth + 1); });
  return found;
}

Outcome<Value> Copier::copy(const Value& value, int depth) {
  if (!value.is_heap()) return value;
  if (depth > kMaxDepth) return runtime_error("this value is nested too deeply to be given to another task");
  if (auto known = done_.find(value.object()); known != done_.end()) return known->second;
  switch (value.kind()) {
    case Kind::Cell: return copy_cell(value.as<CellObject>(), depth);
    case Kind::Iter: return copy_iter(value.as_iter(), depth);
    case Kind::Generator: return copy_generator(value.as_generator(), depth);
    case Kind::Rng: {
      auto copied = new_rng(0);
      std::copy_n(value.as<RngObject>()->state, 4, copied->state);
      done_[value.object()] = Value(copied);
      return Value(std::move(copied));
    }
    default: break;
  }
  if (!holds_state(value)) {
    freeze(value.object());
    return value;
  }
  return copy_parts(value, depth);
}

Outcome<Value> Copier::copy_cell(CellObject* cell, int depth) {
  auto copied = new_travelling_cell();
  done_[cell] = Value(copied);
  copied->value = HARN_TRY(copy(cell->value, depth + 1));
  return Value(std::move(copied));
}

Outcome<Value> Copier::copy_iter(IterObject* iter, int depth) {
  auto source = HARN_TRY(copy(iter->source, depth + 1));
  auto copied = new_iter(std::move(source));
  copied->position = iter->position;
  copied->exhausted = iter->exhausted;
  done_[iter] = Value(copied);
  return Value(std::move(copied));
}

Outcome<Value> Copier::copy_generator(GeneratorObject* generator, int depth) {
  if (generator->state == GeneratorObject::State::Running) {
    return runtime_error("a generator that is running cannot be given to another task");
  }
  auto copied = new_generator(generator->flags);
  done_[generator] = Value(copied);
  Coroutine* from = generator->coroutine;
  if (!from) {
    copied->state = GeneratorObject::State::Done;
    return Value(std::move(copied));
  }
  auto* to = new Coroutine;
  copied->coroutine = to;
  to->generator = copied.get();
  to->grow_stack(from->stack_size);
  for (uint32_t i = 0; i < from->stack_size; ++i) to->stack[i] = HARN_TRY(copy(from->stack[i], depth + 1));
  while (to->frame_capacity < from->frame_count) to->grow_frames();
  for (uint32_t i = 0; i < from->frame_count; ++i) {
    const Frame& frame = from->frames[i];
    Value closure = HARN_TRY(copy(Value::share(frame.closure), depth + 1));
    Frame& made = to->frames[to->frame_count++];
    made = frame;
    made.closure = closure.as_closure();
    made.owns_closure = true;
    closure.forget();  // its count is the frame's
  }
  to->await = from->await;
  to->await_register = from->await_register;
  to->await_value = from->await_value;
  return Value(std::move(copied));
}

Outcome<Value> Copier::copy_parts(const Value& value, int depth) {
  Object* object = value.object();
  switch (value.kind()) {
    case Kind::Closure: {
      auto* closure = value.as_closure();
      auto copied = new_closure(closure->proto);
      done_[object] = Value(copied);
      for (uint32_t i = 0; i < closure->count; ++i) {
        copied->captures()[i] = HARN_TRY(copy(closure->captures()[i], depth + 1));
      }
      return Value(std::move(copied));
    }
    case Kind::List: {
      auto copied = new_list(value.as_list()->size);
      for (const Value& item : value.as_list()->values()) copied->push(HARN_TRY(copy(item, depth + 1)));
      return Value(std::move(copied));
    }
    case Kind::Dict:
    case Kind::Struct: {
      Value copied = value;
      for (auto [key, item] : value.as_dict()->entries()) {
        Value part = HARN_TRY(copy(*item, depth + 1));
        dict_set(copied, key, std::move(part));
      }
      return copied;
    }
    case Kind::Pair: {
      Value first = HARN_TRY(copy(value.as_pair()->first, depth + 1));
      Value second = HARN_TRY(copy(value.as_pair()->second, depth + 1));
      return Value(new_pair(std::move(first), std::move(second)));
    }
    case Kind::Enum: {
      auto* variant = value.as_enum();
      std::vector<Value> fields;
      for (const Value& field : variant->values()) fields.push_back(HARN_TRY(copy(field, depth + 1)));
      return Value(new_enum(variant->type, variant->variant, fields));
    }
    case Kind::Set: {
      auto copied = new_set();
      for (const Value& item : value.as_set()->values()) copied->insert(HARN_TRY(copy(item, depth + 1)));
      return Value(std::move(copied));
    }
    default:
      return runtime_error("a {} whose parts change cannot be given to another task", type_name(value));
  }
}

}  // namespace

Outcome<Value> transfer(Value value) {
  if (!value.is_heap()) return value;
  if (freeze(value.object())) return value;
  return Copier().copy(value);
}

}  // namespace harn::vm
