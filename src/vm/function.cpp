#include "vm/function.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/assert.h"
#include "base/mutex.h"
#include "bytecode/liveness.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"
#include "vm/scheduler.h"
#include "vm/sync.h"
#include "vm/transfer.h"

namespace harn::vm {

using namespace bytecode;

// ---- closures and generators ----

void destroy_closure(ClosureObject* closure) {
  for (uint32_t i = 0; i < closure->count; ++i) closure->captures()[i].~Value();
  deallocate(closure, sizeof(ClosureObject) + closure->count * sizeof(Value));
}

const Handler* find_handler(const Frame& frame, bool cleanup_only) {
  uint32_t at = frame.at();
  for (const Handler& handler : frame.proto->code->handlers) {
    if (at < handler.start || at >= handler.end) continue;
    if (handler.cleanup || !cleanup_only) return &handler;
  }
  return nullptr;
}

// The last reference to a generator is gone. One that has clean-up code to run lives on until it has.
static bool must_close(const GeneratorObject* generator) {
  if (generator->state != GeneratorObject::State::Suspended || !generator->coroutine) return false;
  if (!(generator->flags & GeneratorObject::kBegun)) return false;
  const Coroutine& coroutine = *generator->coroutine;
  return coroutine.frame_count > 0 && coroutine.frames[0].proto->cleans_up &&
         find_handler(coroutine.frames[0], true) != nullptr;
}

bool close_soon(GeneratorObject* generator) {
  Task* task = Scheduler::current_or_null();
  if (!task || !must_close(generator)) return false;
  ++generator->refs;
  generator->coroutine->next_closing = nullptr;
  if (task->last_closing) task->last_closing->coroutine->next_closing = generator;
  else task->first_closing = generator;
  task->last_closing = generator;
  return true;
}

void destroy_generator(GeneratorObject* generator) {
  generator->refs = 0;
  if (close_soon(generator)) return;
  Task* task = Scheduler::current_or_null();
  if (task && generator->flags & GeneratorObject::kWatched) --task->watched;
  delete generator->coroutine;
  deallocate(generator, sizeof(GeneratorObject));
}

Ref<ClosureObject> new_closure(Prototype* proto, uint32_t more) {
  auto count = static_cast<uint32_t>(proto->code->captures.size()) + more;
  auto* closure = allocate_object<ClosureObject>(Kind::Closure, count * sizeof(Value));
  closure->proto = proto;
  closure->count = count;
  for (uint32_t i = 0; i < count; ++i) new (closure->captures() + i) Value();
  return Ref<ClosureObject>::adopt(closure);
}

Ref<GeneratorObject> new_generator(uint8_t flags) {
  auto* generator = allocate_object<GeneratorObject>(Kind::Generator);
  generator->flags = flags;
  generator->state = GeneratorObject::State::Suspended;
  generator->coroutine = nullptr;
  return Ref<GeneratorObject>::adopt(generator);
}

void drop_generators(Globals& globals, bool own) {
  for (uint32_t i = 0; i < globals.count; ++i) {
    Value& value = globals.values()[i];
    bool is_own = own && value.is_heap() && refs_of(value.object()) > 0;
    bool may_hold =
        value.is(Kind::Generator) || value.is(Kind::Iter) || (value.is(Kind::Closure) && value.as_closure()->count > 0);
    if (is_own || may_hold) value.set_nil();
  }
}

// ---- linking ----

struct Unit::Storage {
  std::deque<Prototype> prototypes;
  std::deque<std::vector<Value>> constants;
  std::deque<std::vector<InlineCache>> caches;
  std::deque<std::vector<Instruction>> instructions;
  std::deque<std::vector<Prototype*>> functions;
  std::deque<std::vector<Shape*>> shapes;
  std::deque<std::vector<KindSet>> quick_checks;
  Mutex lock;  // guards what follows
  std::unordered_map<const Prototype*, Prototype> twins;
  std::optional<VariableUse> uses;
  std::unordered_map<const Code*, ReachedVariables> reached;
  std::unordered_map<const Code*, Liveness> liveness;
};

namespace {

Value link_text(const std::string& text) {
  // Short texts are likely names: interned, they meet dict keys by address.
  if (text.size() <= 32) return Value::share(intern(text));
  auto shared = new_string(text);
  set_refs(shared.get(), -1);  // all tasks load it
  return shared;
}

// What is shared among the data is shared among the values.
class DataLinker {
 public:
  Value link(const Data& data) {
    auto [found, is_new] = linked_.try_emplace(&data);
    if (is_new) found->second = make(data);
    return found->second;
  }

 private:
  Value make(const Data& data) {
    if (auto* flag = std::get_if<bool>(&data.value)) return Value::boolean(*flag);
    if (auto* integer = std::get_if<int64_t>(&data.value)) return Value::integer(*integer);
    if (auto* text = std::get_if<std::string>(&data.value)) return link_text(*text);
    if (auto* items = std::get_if<Data::List>(&data.value)) {
      auto list = new_list(items->size());
      for (const DataPtr& item : *items) list->push(link(*item));
      return Value(std::move(list));
    }
    if (auto* entries = std::get_if<Data::Dict>(&data.value)) {
      Value dict = new_dict();
      for (const auto& [key, value] : *entries) dict_set(dict, intern(key), link(*value));
      return dict;
    }
    return Value();
  }

  std::map<const Data*, Value> linked_;
};

Value link_constant(const Constant& constant, const BuiltinTable& builtins) {
  if (auto* integer = std::get_if<int64_t>(&constant)) return Value::integer(*integer);
  if (auto* number = std::get_if<double>(&constant)) return Value::number(*number);
  if (auto* text = std::get_if<std::string>(&constant)) return link_text(*text);
  if (auto* data = std::get_if<DataPtr>(&constant)) {
    Value value = DataLinker().link(**data);
    freeze(value);  // all tasks load it
    return value;
  }
  if (auto* keys = std::get_if<Keys>(&constant)) {
    if (keys->size() == 2 && (*keys)[0] == "builtin") {
      if (const Builtin* row = builtins.find((*keys)[1])) return Value::builtin(row);
    }
  }
  return Value();
}

// The kinds whose values fit a type without a look inside. As `fits` decides (type_check.cpp).
KindSet kinds_of(const TypeCheck& type) {
  using K = TypeCheck::Kind;
  bool takes_any_item = type.items.empty() || type.items[0]->kind == K::Any;
  switch (type.kind) {
    case K::Any: return ~KindSet{0};
    case K::Int:
    case K::Float:
    case K::Number: return on(Kind::Int, Kind::Float);
    case K::String: return on(Kind::String);
    case K::Bytes: return on(Kind::Bytes);
    case K::Bool: return on(Kind::Bool);
    case K::Nil: return on(Kind::Nil);
    case K::List: return takes_any_item ? on(Kind::List, Kind::Range) : 0;
    case K::Dict: return takes_any_item ? on(Kind::Dict, Kind::Struct) : 0;
    case K::Set: return takes_any_item ? on(Kind::Set) : 0;
    case K::Union: {
      KindSet kinds = 0;
      for (const auto& item : type.items) kinds |= kinds_of(*item);
      return kinds;
    }
    default: return 0;
  }
}

// A left-out argument is not checked; of a rest parameter each item is.
KindSet link_check(const ParamCheck& check) { return check.rest ? 0 : kinds_of(*check.type) | on(Kind::Unset); }

// Of a function that takes a fixed number of arguments: how the checks it begins with are done at once.
void link_arguments(Prototype& proto, const Code& code, std::vector<KindSet>& kinds) {
  kinds.assign(code.param_count, ~KindSet{0});
  uint32_t checks = 0;
  for (; checks < code.words.size() && op_of(code.words[checks]) == Op::CheckParam; ++checks) {
    Word word = code.words[checks];
    KindSet fitting = proto.quick_checks[bx_of(word)];
    if (fitting == 0 || a_of(word) >= code.param_count) break;
    kinds[a_of(word)] &= fitting;
  }
  constexpr KindSet kNumbers = on(Kind::Int, Kind::Float);
  bool takes_numbers = std::ranges::all_of(kinds, [](KindSet set) { return (set & kNumbers) == kNumbers; });
  (checks == 0 ? proto.exact_args : proto.typed_args) = code.param_count;
  if (checks > 0 && takes_numbers) proto.number_args = code.param_count;
  proto.param_kinds = kinds.data();
  proto.checked_start = proto.start + checks;
}

Shape* link_shape(const Constant& constant) {
  auto* keys = std::get_if<Keys>(&constant);
  if (!keys) return nullptr;
  Shape* shape = empty_shape();
  for (const std::string& key : *keys) {
    if (!shape) return nullptr;
    shape = shape->with(intern(key));
  }
  return shape;
}

}  // namespace

Value linked(const Data& data) { return DataLinker().link(data); }

Value struct_schema(const StructTypeObject* type) { return type->schema ? DataLinker().link(*type->schema) : Value(); }

Value struct_instances(const StructTypeObject* type) {
  return type->instances ? DataLinker().link(*type->instances) : Value();
}

Unit::Unit(std::unique_ptr<Program> loaded, const BuiltinTable& builtins)
    : program(std::move(loaded)), storage_(std::make_unique<Storage>()) {
  library.resize(program->globals.size());
  for (auto& module : program->modules) starts.push_back(link(*module, builtins));
}

Unit::~Unit() = default;

Prototype* Unit::link(const Code& code, const BuiltinTable& builtins) {
  Prototype& proto = storage_->prototypes.emplace_back();
  auto& constants = storage_->constants.emplace_back();
  auto& shapes = storage_->shapes.emplace_back();
  for (const Constant& constant : code.constants) {
    constants.push_back(link_constant(constant, builtins));
    shapes.push_back(link_shape(constant));
  }
  auto& caches = storage_->caches.emplace_back();
  for (const CacheName& cache : code.caches) {
    caches.push_back({InlineCache::kEmpty, intern(cache.name), cache.declaration});
  }
  auto& functions = storage_->functions.emplace_back();
  for (auto& function : code.functions) functions.push_back(link(*function, builtins));
  proto.constants = constants.data();
  proto.shapes = shapes.data();
  auto& quick_checks = storage_->quick_checks.emplace_back();
  for (const ParamCheck& check : code.checks) quick_checks.push_back(link_check(check));
  proto.quick_checks = quick_checks.data();
  proto.caches = caches.data();
  proto.start = storage_->instructions.emplace_back(widen(code, caches.data(), builtins)).data();
  proto.functions = functions.data();
  proto.library = library.data();
  // One register beyond the function's own is always there for calls from C++.
  // Whole groups, which a return looks through; those that are left over stay nil.
  proto.registers = (std::max(code.registers, 1u) + Prototype::kRegisterGroup - 1) / Prototype::kRegisterGroup *
                    Prototype::kRegisterGroup;
  proto.required = code.required_params;
  proto.params = code.param_count;
  proto.has_rest = code.has_rest;
  bool exact = !code.has_rest && code.required_params == code.param_count;
  if (exact) link_arguments(proto, code, storage_->quick_checks.emplace_back());
  for (const Handler& handler : code.handlers) proto.cleans_up |= handler.cleanup;
  if (code.hidden && code.is_generator) {
    if (code.name == "map_items") proto.stage = Prototype::Stage::Map;
    if (code.name == "filter_items") proto.stage = Prototype::Stage::Filter;
  }
  proto.code = &code;
  proto.unit = this;
  return &proto;
}

Prototype* Unit::bound_twin(Prototype& proto) {
  if (proto.is_twin) return &proto;
  std::lock_guard lock(storage_->lock);
  auto [twin, is_new] = storage_->twins.try_emplace(&proto, proto);
  if (is_new) {
    twin->second.is_twin = true;
    Prototype& made = twin->second;
    made.exact_args = made.typed_args = made.number_args = Prototype::kNeverExact;
  }
  return &twin->second;
}

const ReachedVariables& Unit::reached(const Prototype& proto) {
  static const ReachedVariables kNone;
  if (proto.code->hidden) return kNone;  // the prelude has no program variables
  std::lock_guard lock(storage_->lock);
  auto [found, is_new] = storage_->reached.try_emplace(proto.code);
  if (is_new) {
    if (!storage_->uses) storage_->uses.emplace(*program);
    found->second = storage_->uses->reached_from(*proto.code);
  }
  return found->second;
}

const Liveness& Unit::liveness(const Prototype& proto) {
  std::lock_guard lock(storage_->lock);
  auto found = storage_->liveness.find(proto.code);
  if (found == storage_->liveness.end()) {
    static const WideMap kNone;
    found = storage_->liveness.try_emplace(proto.code, *proto.code, kNone, Liveness::Fields::Apart).first;
  }
  __atomic_store_n(&proto.known_liveness, &found->second, __ATOMIC_RELEASE);
  return found->second;
}

Prototype* Prototype::bound_twin() { return unit->bound_twin(*this); }
const ReachedVariables& Prototype::reached() { return unit->reached(*this); }
const Liveness& Prototype::find_liveness() const { return unit->liveness(*this); }

// ---- stacks ----

void Coroutine::clear() {
  release_permits(*this, 0);
  if (auto left = std::move(kept)) {
    for (const Kept& entry : *left) {
      for (GeneratorObject* at = entry.first; at;) release(std::exchange(at, at->coroutine->next_closing));
    }
  }
  for (uint32_t i = 0; i < stack_size; ++i) stack[i].~Value();
  if (stack) deallocate(stack, stack_size * sizeof(Value));
  for (uint32_t i = 0; i < frame_count; ++i) {
    if (frames[i].duties & Frame::kOwnsClosure) release(frames[i].closure);
  }
  if (frames) deallocate(frames, frame_capacity * sizeof(Frame));
  stack = nullptr;
  frames = nullptr;
  stack_size = frame_count = frame_capacity = 0;
}

void Coroutine::grow_stack(uint32_t at_least) {
  uint32_t size = std::max<uint32_t>(stack_size * 2, std::max<uint32_t>(at_least, 16));
  stack = static_cast<Value*>(reallocate(stack, stack_size * sizeof(Value), static_cast<size_t>(size) * sizeof(Value)));
  for (uint32_t i = stack_size; i < size; ++i) new (stack + i) Value();
  stack_size = size;
}

void Coroutine::grow_frames() {
  uint32_t capacity = frame_capacity ? frame_capacity * 2 : 4;
  frames = static_cast<Frame*>(
      reallocate(frames, frame_capacity * sizeof(Frame), static_cast<size_t>(capacity) * sizeof(Frame)));
  frame_capacity = capacity;
}

}  // namespace harn::vm
