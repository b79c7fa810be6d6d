// Fields, paths and text: what the main loop does when its short way does not apply.
#include <charconv>
#include <optional>

#include "base/text.h"
#include "vm/claim.h"
#include "vm/dict.h"
#include "vm/error_text.h"
#include "vm/known_type.h"
#include "vm/interpreter.h"
#include "vm/long_text.h"
#include "vm/ops.h"
#include "vm/print.h"
#include "vm/pace.h"

namespace harn::vm {

using Status = Interpreter::Status;
using bytecode::Keys;
using bytecode::PathSteps;

// mode 0: plain; 1: `?.`, nil gives nil; 2: a destructuring read, absent is nil.
Status Interpreter::get_field(Value& to, const Value& object, InlineCache& cache, uint32_t mode) {
  StringObject* name = cache.name;
  switch (object.kind()) {
    case Kind::Dict:
    case Kind::Struct: {
      DictObject* dict = object.as_dict();
      if (dict->shape) {
        int slot = dict->shape->find(name);
        if (slot >= 0) {
          cache.set(cache_key(dict->shape, static_cast<uint32_t>(slot)));
          to = Value(dict->slots()[slot]);
          return Status::Done;
        }
      } else if (const Value* found = dict->find(name)) {
        to = Value(*found);
        return Status::Done;
      }
      break;
    }
    case Kind::EnumType: {
      auto* type = object.as<EnumTypeObject>();
      int variant = type->find(name);
      if (variant >= 0 && !type->plain[variant].is(Kind::Unset)) {
        to = Value(type->plain[variant]);
        return Status::Done;
      }
      if (variant >= 0) {
        return fail(type_error("variant {}.{} takes {}", type->name->view(), name->view(),
                               text::plural(type->variants[variant].arity, "value")));
      }
      std::vector<std::string_view> names;
      for (uint32_t i = 0; i < type->count; ++i) names.push_back(type->variants[i].name->view());
      auto close = text::close_names(name->view(), names);
      std::string hint = close.empty() ? "" : fmt::format(" (did you mean `{}`?)", close[0]);
      return fail(type_error("enum {} has no variant `{}`{}", type->name->view(), name->view(), hint));
    }
    case Kind::Nil:
      if (mode != 0) {
        to.set_nil();
        return Status::Done;
      }
      return fail(type_error("cannot access property `{}` on nil", name->view()));
    default: break;
  }
  if (const Builtin* row = mode == 2 ? nullptr : vm_.builtins().find_property(object, name->view())) {
    Value receiver = object;
    Call call(vm_, *row, &receiver, 1);
    return settle(row->call(call), to);
  }
  switch (object.kind()) {
    case Kind::String:
      if (!error_property(*object.as_string(), name->view(), to)) to.set_nil();
      return Status::Done;
    case Kind::Dict:
    case Kind::Struct:
    case Kind::List:
    case Kind::Range:
    case Kind::Enum: to.set_nil(); return Status::Done;
    case Kind::Pair:
      return fail(type_error("cannot access property `{}` on pair (expected `first` or `second`)", name->view()));
    default:
      if (mode == 1) {
        to.set_nil();
        return Status::Done;
      }
      return fail(type_error("cannot access property `{}` on {}", name->view(), type_name(object)));
  }
}

Status Interpreter::set_field(Value& object, InlineCache& cache, Value value) {
  if (!object.is(Kind::Dict) && !object.is(Kind::Struct)) {
    return fail(type_error("cannot set property `{}` on {}", cache.name->view(), type_name(object)));
  }
  Claimed claimed(object);
  dict_set(object, cache.name, std::move(value));
  DictObject* dict = object.as_dict();
  if (dict->shape) {
    int slot = dict->shape->find(cache.name);
    if (slot >= 0) cache.set(cache_key(dict->shape, static_cast<uint32_t>(slot)));
  }
  return Status::Done;
}

// Item number of a write: negatives count from the end.
static Outcome<size_t> write_index(const Value& target, const Value& key) {
  if (!key.is_int()) return type_error("cannot index into {} with {}", type_name(target), type_name(key));
  auto size = static_cast<int64_t>(list_size(target));
  int64_t at = key.as_int();
  if (at < 0) at += size;
  if (at < 0 || at >= size) {
    return runtime_error(ErrorKind::Invalid, "Index {} out of bounds for list of length {}", key.as_int(), size);
  }
  return static_cast<size_t>(at);
}

Status Interpreter::set_index(Value& target, const Value& key, Value value) {
  switch (target.kind()) {
    case Kind::List:
    case Kind::Range: {
      Outcome<size_t> at = write_index(target, key);
      if (!at) return fail(std::unexpected(std::move(at).error()));
      if (list_size(target) > kMaxListSize) return fail(runtime_error(ErrorKind::Limit, "list too large"));
      claim(target);
      ListObject* list = own_list(target);
      keep_type(list, value);
      list->items[*at] = std::move(value);
      return Status::Done;
    }
    case Kind::Dict:
    case Kind::Struct: {
      Claimed claimed(target);
      with_key(key, [&](auto name) { dict_set(target, name, std::move(value)); });
      return Status::Done;
    }
    default:
      if (key.is_string()) {
        return fail(type_error("cannot set property `{}` on {}", key.as_string()->view(), type_name(target)));
      }
      return fail(type_error("cannot index into {} with {}", type_name(target), type_name(key)));
  }
}

// The place of an item inside a collection that is about to be changed.
Value* Interpreter::step(Value& target, const Value& key) {
  switch (target.kind()) {
    case Kind::List:
    case Kind::Range: {
      Outcome<size_t> at = write_index(target, key);
      if (!at) {
        fail(std::unexpected(std::move(at).error()));
        return nullptr;
      }
      claim(target);
      return &own_list(target)->items[*at];
    }
    case Kind::Dict:
    case Kind::Struct: {
      Claimed claimed(target);
      return with_key(key, [&](auto name) {
        if (Value* slot = dict_slot(target, name)) return slot;
        dict_set(target, name, Value());
        return dict_slot(target, name);
      });
    }
    default:
      if (key.is_string()) {
        fail(type_error("cannot set property `{}` on {}", key.as_string()->view(), type_name(target)));
      } else {
        fail(type_error("cannot index into {} with {}", type_name(target), type_name(key)));
      }
      return nullptr;
  }
}

// The item's place when the collection may be written to as it is, else null.
static Value* unshared_item(Value& target, const Value& key) {
  if (!target.is_heap() || !target.is_unique()) return nullptr;
  if (target.is_list() && key.is_int()) {
    auto at = static_cast<uint64_t>(key.as_int());
    return at < target.as_list()->size ? target.as_list()->items + at : nullptr;
  }
  if (target.is(Kind::Dict) || target.is(Kind::Struct)) {
    return with_key(key, [&](auto name) { return const_cast<Value*>(target.as_dict()->find(name)); });
  }
  return nullptr;
}

// A part of a part has changed: the outermost last, because each is known by its parts.
static void keep_types(const Value& collection, const Value* keys, uint32_t count) {
  Value part = count > 0 ? index(collection, keys[0]).value_or(Value()) : Value();
  if (count > 1) keep_types(part, keys + 1, count - 1);
  if (collection.is_heap()) keep_type(collection.object(), part);
}

Status Interpreter::set_path(Value& target, const Value* keys, uint32_t count, Value value) {
  // The usual case: everything on the way is there and belongs to this variable alone.
  Value* place = &target;
  bool is_any_typed = false;
  for (uint32_t i = 0; place && i < count; ++i) {
    is_any_typed |= place->is_heap() && place->object()->known_type != 0;
    place = unshared_item(*place, keys[i]);
  }
  if (place) {
    *place = std::move(value);
    if (is_any_typed) keep_types(target, keys, count);
    return Status::Done;
  }
  // Look before writing: a path that ends at something without parts must leave everything as it was.
  Value probe = target;
  for (uint32_t i = 0; i + 1 < count; ++i) {
    Outcome<Value> next = index(probe, keys[i]);
    if (!next) return fail(std::unexpected(std::move(next).error()));
    probe = std::move(*next);
  }
  bool has_parts = is_list_like(probe) || probe.is(Kind::Dict) || probe.is(Kind::Struct);
  if (!has_parts) return set_index(probe, keys[count - 1], std::move(value));
  probe.set_nil();
  Value* at = &target;
  for (uint32_t i = 0; i + 1 < count; ++i) {
    at = step(*at, keys[i]);
    if (!at) return Status::Failed;
  }
  Status status = set_index(*at, keys[count - 1], std::move(value));
  keep_types(target, keys, count);
  return status;
}

// The part's place, when everything on the way is there and belongs to this variable alone; else null.
Value* Interpreter::place_of(Value& target, const PathSteps& steps, const Prototype& proto, const Value* keys) {
  Value* place = &target;
  for (uint32_t step : steps.caches) {
    if (!place->is_unique() || place->object()->known_type != 0) return nullptr;
    if (step == PathSteps::kKey) {
      place = unshared_item(*place, *keys++);
      if (!place) return nullptr;
      continue;
    }
    if (!place->is(Kind::Dict) && !place->is(Kind::Struct)) return nullptr;
    DictObject* dict = place->as_dict();
    InlineCache& cache = proto.caches[step];
    if (!dict->shape) {
      place = const_cast<Value*>(dict->find(cache.name));
      if (!place) return nullptr;
      continue;
    }
    uint64_t key = cache.key();
    if (cache_pointer(key) != dict->shape) {
      int slot = dict->shape->find(cache.name);
      if (slot < 0) return nullptr;
      key = cache_key(dict->shape, static_cast<uint32_t>(slot));
      cache.set(key);
    }
    place = dict->slots() + (key & 0xFFFF);
  }
  return place;
}

// The other paths, with all their keys.
Status Interpreter::set_steps(Value& target, const PathSteps& steps, const Prototype& proto, const Value* keys,
                              Value value) {
  std::vector<Value> all;
  for (uint32_t step : steps.caches) {
    all.push_back(step == PathSteps::kKey ? *keys++ : Value::share(proto.caches[step].name));
  }
  return set_path(target, all.data(), static_cast<uint32_t>(all.size()), std::move(value));
}

Status Interpreter::new_struct_of(Value& type_value, const Prototype& proto, uint32_t keys_index, Value* values,
                                  uint32_t count) {
  if (!type_value.is(Kind::StructType)) {
    return fail(type_error("{} is not a struct", display(type_value)));
  }
  auto* type = type_value.as<StructTypeObject>();
  Value made = new_struct(type);
  DictObject* instance = made.as_dict();
  const auto& keys = std::get<Keys>(proto.code->constants[keys_index]);
  // Fields written in declaration order need no lookup.
  Shape* shape = instance->shape;
  Shape* literal = proto.shapes[keys_index];
  for (uint32_t i = 0; i < count; ++i) {
    if (literal && shape && i < shape->count && shape->keys[i] == literal->keys[i]) {
      made.as_dict()->slots()[i] = std::move(values[i]);
    } else {
      dict_set(made, intern(keys[i]), std::move(values[i]));
      shape = made.as_dict()->shape;
    }
  }
  type_value = std::move(made);
  return Status::Done;
}

// ---- text and spreads ----

// The first part is a temporary: a text that only it holds grows in place. Nothing that runs here can fail.
static bool append_parts(Value* parts, uint32_t count) {
  constexpr size_t kLong = 64;                      // for shorter ones a new text is as good
  constexpr size_t kTooLong = kMaxStringSize / 64;  // it has at most kMostParts parts, each no longer than the first
  if (!parts[0].is_string()) return false;
  size_t size = parts[0].as_string()->size;
  if (size < kLong || size > kTooLong) return false;
  for (uint32_t i = 1; i < count; ++i) {
    if (!parts[i].is_string() && !parts[i].is_int()) return false;
    if (parts[i].is_string() && parts[i].as_string()->size > size) return false;
  }
  claim_room(parts[0], 64);
  for (uint32_t i = 1; i < count; ++i) {
    if (parts[i].is_string()) append(parts[0], parts[i].as_string()->view());
    else append(parts[0], IntText(parts[i].as_int()).view());
  }
  return true;
}

Value Interpreter::concat(Value* parts, uint32_t count) {
  if (append_parts(parts, count)) return std::move(parts[0]);
  struct Piece {
    const char* data;
    size_t size;
  };
  Piece pieces[bytecode::kMostParts];
  char numbers[bytecode::kMostParts][24];
  std::string others[4];
  uint32_t used = 0;
  size_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Value& part = parts[i];
    if (part.is_string()) {
      pieces[i] = {part.as_string()->data(), part.as_string()->size};
    } else if (part.is_int()) {
      auto end = std::to_chars(numbers[i], numbers[i] + 24, part.as_int()).ptr;
      pieces[i] = {numbers[i], static_cast<size_t>(end - numbers[i])};
    } else if (used < 4) {
      others[used] = display(part);
      pieces[i] = {others[used].data(), others[used].size()};
      ++used;
    } else {  // rare: many values that need converting
      std::string text;
      for (uint32_t j = 0; j < count; ++j) display_to(text, parts[j]);
      return text_value(text);
    }
    total += pieces[i].size;
  }
  auto text = new_string(total);
  char* at = text->data();
  for (uint32_t i = 0; i < count; ++i) {
    copy_text(at, {pieces[i].data, pieces[i].size});
    at += pieces[i].size;
  }
  return text;
}

bool Interpreter::push_claimed(Value& list, Value& item) {
  if (!list.is_list() || refs_of(list.object()) <= 0) return false;
  ListObject* object = list.as_list();
  if (object->size == object->capacity) object->grow(size_t{object->size} + 1);  // the others do not see it
  claim(list);
  if (!list.is_unique()) return false;
  keep_type(object, item);
  object->push(std::move(item));
  return true;
}

Value Interpreter::list_rest(Value& list, size_t from, bool is_used_up) {
  size_t size = list_size(list);
  from = std::min(from, size);
  if (list.is(Kind::Range)) return part_of_range(list.as_range(), from, size);
  if (is_used_up) {
    claim(list);
    if (list.is_unique()) {
      list.as_list()->keep(from, size);
      return std::move(list);
    }
  }
  note_copy(size - from);
  return new_list(list.as_list()->values().subspan(from));
}

// The items are a temporary, which is not read again unless a loop must pull from it.
Status Interpreter::list_spread(Value& list, Value& items) {
  if (items.is_list() && list.as_list()->size == 0) {
    list = std::move(items);
    claim(list);
    writable_list(list);
    return Status::Done;
  }
  if (items.is(Kind::Set)) {
    for (const Value& item : items.as_set()->values()) {
      vm::step();
      list.as_list()->push(item);
    }
    return Status::Done;
  }
  if (!is_list_like(items)) {
    if (can_iterate(items)) return Status::Entered;
    return fail(type_error("cannot spread {} into a list: expected list", type_name(items)));
  }
  size_t size = list_size(items);
  if (size > kMaxListSize) return fail(runtime_error(ErrorKind::Limit, "list too large"));
  note_copy(size);
  for (size_t i = 0; i < size; ++i) {
    vm::step();
    list.as_list()->push(list_item(items, i));
  }
  return Status::Done;
}

Status Interpreter::dict_spread(Value& dict, Value& items, bool is_used_up) {
  if (items.is_nil()) return Status::Done;
  if (!items.is(Kind::Dict) && !items.is(Kind::Struct)) {
    return fail(type_error("cannot spread {} into a dict: expected dict", type_name(items)));
  }
  // The usual `{...base, k: v}`: start from a copy of the whole.
  if (items.is(Kind::Dict) && dict.as_dict()->size() == 0) {
    if (is_used_up) dict = std::move(items);
    else dict = items;
    std::optional<Claimed> claimed;
    if (is_used_up) claimed.emplace(dict);
    writable_dict(dict);
    return Status::Done;
  }
  dict_merge(dict, items.as_dict());
  return Status::Done;
}

Value Interpreter::dict_rest(const Value& source, const Keys& without) {
  DictBuilder rest;
  for (auto [key, value] : source.as_dict()->entries()) {
    vm::step();
    bool taken = false;
    for (const std::string& name : without) taken |= key->view() == name;
    if (!taken) rest.add(key, *value);
  }
  return rest.done();
}

// ---- match and catch ----

bool Interpreter::is_variant(const Value& value, InlineCache& cache) {
  if (!value.is(Kind::Enum)) return false;
  EnumObject* object = value.as_enum();
  if (object->type->declaration != cache.declaration) return false;
  int variant = object->type->find(cache.name);
  if (variant < 0) return false;
  cache.set(cache_key(object->type, static_cast<uint32_t>(variant)));
  return static_cast<uint32_t>(variant) == object->variant;
}

bool Interpreter::has_keys(const Value& value, const Keys& keys) {
  if (!value.is(Kind::Dict) && !value.is(Kind::Struct)) return false;
  const DictObject* dict = value.as_dict();
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return dict->find(key); });
}

}  // namespace harn::vm
