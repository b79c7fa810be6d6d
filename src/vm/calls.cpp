// Calls that take more than a new frame: defaults and rest parameters, builtins, methods, generators,
// enum variants and structs.
#include "base/text.h"
#include "vm/dict.h"
#include "vm/interpreter.h"
#include "vm/ops.h"

namespace harn::vm {

using Status = Interpreter::Status;

bool Interpreter::ensure_stack(uint32_t end) {
  if (end < co_->stack_size) return true;
  if (end > vm_.limits().max_registers) {
    fail(plain_error(ErrorKind::Limit, "Stack overflow: too many nested calls"));
    return false;
  }
  co_->grow_stack(end + 1);
  return true;
}

bool Interpreter::push_frame(ClosureObject* closure, uint32_t base, uint32_t result, uint8_t duties) {
  if (!ensure_stack(base + closure->proto->registers)) return false;
  if (co_->frame_count == co_->frame_capacity) {
    if (co_->frames_below + co_->frame_count >= vm_.limits().max_frames) {
      fail(plain_error(ErrorKind::Limit, "Stack overflow: too many nested calls"));
      return false;
    }
    co_->grow_frames();
  }
  co_->frames[co_->frame_count++] = {closure->proto, closure, closure->proto->start, base, result, duties};
  return true;
}

Status Interpreter::arity_error(std::string_view name, uint32_t least, uint32_t most, uint32_t given) {
  std::string expected = most == UINT32_MAX ? fmt::format("at least {}", text::plural(least, "argument"))
                         : least == most    ? text::plural(least, "argument")
                                            : fmt::format("{} to {}", least, text::plural(most, "argument"));
  return fail(plain_error(ErrorKind::Type, "Arity mismatch: '{}' expects {}, got {}", name, expected, given));
}

Status Interpreter::other_sum(const Value& a, const Value& b, Value& to) { return settle(add(a, b), to); }

Status Interpreter::add_taken(Value& left, const Value& right, Value& to) {
  if (auto added = add_to(left, right); !added) return fail(std::unexpected(std::move(added).error()));
  if (&to != &left) to = std::move(left);
  return Status::Done;
}

static uint32_t most_arguments(const Prototype& proto) { return proto.has_rest ? UINT32_MAX : proto.params; }

static bool takes(const Prototype& proto, uint32_t count) {
  return count >= proto.required && count <= most_arguments(proto);
}

// Brings the arguments into the form the function's registers expect: left-out ones unset, surplus
// ones collected.
bool Interpreter::fit_arguments(const Prototype& proto, uint32_t first, uint32_t count) {
  if (!takes(proto, count)) {
    arity_error(proto.code->name, proto.required, most_arguments(proto), count);
    return false;
  }
  if (!ensure_stack(first + std::max<uint32_t>(count, proto.registers) + 1)) return false;
  Value* args = co_->stack + first;
  if (proto.has_rest) {
    auto rest = new_list(count > proto.params ? count - proto.params : 0);
    for (uint32_t i = proto.params; i < count; ++i) rest->push(std::move(args[i]));
    args[proto.params] = Value(std::move(rest));
  }
  for (uint32_t i = count; i < proto.params; ++i) args[i] = Value::unset();
  return true;
}

Status Interpreter::call_closure(ClosureObject* closure, uint32_t first, uint32_t count, uint32_t result, bool owns) {
  if (closure->proto->is_twin) [[unlikely]]
    return call_bound(closure, first, count, result, owns);
  const Prototype& proto = *closure->proto;
  bool ready = fit_arguments(proto, first, count);
  if (ready && push_frame(closure, first, result, owns ? Frame::kOwnsClosure : 0)) return Status::Entered;
  if (owns) release(closure);
  return Status::Failed;
}

// A function that came from another task: it runs with the program variables it brought along.
Status Interpreter::call_bound(ClosureObject* closure, uint32_t first, uint32_t count, uint32_t result, bool owns) {
  if (!owns) retain(closure);
  const Prototype& proto = *closure->proto;
  bool switched = environment_of(closure) != task_->environment.get();
  if (switched) {
    bind_functions(co_->stack + first, count);
    enter_environment(*environment_of(closure));
  }
  bool ready = fit_arguments(proto, first, count);
  uint8_t duties = Frame::kOwnsClosure | (switched ? Frame::kSwitchesBack : 0);
  if (ready && push_frame(closure, first, result, duties)) return Status::Switched;
  if (switched) leave_environment();
  release(closure);
  return Status::Failed;
}

void Interpreter::enter_environment(Environment& environment) {
  if (!task_->home_environment) task_->home_environment = task_->environment = new_environment({});
  task_->environment->globals = std::move(task_->globals);
  task_->life->outer_environments.push_back(std::move(task_->environment));
  task_->environment = Ref<Environment>::share(&environment);
  task_->globals = std::move(environment.globals);
}

void Interpreter::leave_environment() {
  task_->environment->globals = std::move(task_->globals);
  task_->environment = std::move(task_->life->outer_environments.back());
  task_->life->outer_environments.pop_back();
  task_->globals = std::move(task_->environment->globals);
}

// Functions that go to code with other program variables, or come from there, keep their own.
void Interpreter::bind_functions(Value* values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!values[i].is(Kind::Closure) || values[i].as_closure()->proto->is_twin) continue;
    const auto& reached = values[i].as_closure()->proto->reached();
    if (reached.changing.empty() && reached.fixed.empty()) continue;
    if (!task_->home_environment) task_->home_environment = task_->environment = new_environment({});
    values[i] = Value(bind_closure(values[i].as_closure(), *task_->environment));
  }
}

// The generators that the running frame has dropped, for the one that takes its place.
void Interpreter::keep_generators() {
  if (!co_->kept) co_->kept = std::make_unique<std::vector<Coroutine::Kept>>();
  auto& kept = *co_->kept;
  uint32_t frame = co_->frame_count - 1;
  GeneratorObject* first = std::exchange(task_->first_closing, nullptr);
  GeneratorObject* last = std::exchange(task_->last_closing, nullptr);
  if (kept.empty() || kept.back().frame != frame) {
    kept.push_back({frame, first, last});
    return;
  }
  last->coroutine->next_closing = kept.back().first;
  kept.back().first = first;
}

// They are dropped now.
void Interpreter::close_kept() {
  Coroutine::Kept kept = co_->kept->back();
  co_->kept->pop_back();
  if (task_->last_closing) task_->last_closing->coroutine->next_closing = kept.first;
  else task_->first_closing = kept.first;
  task_->last_closing = kept.last;
}

void Interpreter::do_duties(const Frame& frame, Value* returned) {
  if (frame.duties & Frame::kClosesKept) [[unlikely]]
    close_kept();
  if (frame.duties & Frame::kSwitchesBack) [[unlikely]] {
    if (returned) bind_functions(returned, 1);
    leave_environment();
  }
  if (frame.duties & Frame::kOwnsClosure) release(frame.closure);
}

// Replaces the running frame: its registers are dropped and the arguments move to their start. What is left to
// do when the new one returns.
uint8_t Interpreter::tail_replace(uint32_t first, uint32_t count) {
  Frame& frame = co_->frames[co_->frame_count - 1];
  Value* registers = co_->stack + frame.base;
  uint32_t offset = first - frame.base;
  for (uint32_t i = 0; i < count; ++i) registers[i] = std::move(registers[offset + i]);
  for (uint32_t i = count; i < frame.proto->registers; ++i) registers[i].set_nil();
  uint8_t left = frame.duties & ~Frame::kOwnsClosure;
  if (frame.duties & Frame::kOwnsClosure) release(frame.closure);
  if (task_->first_closing) [[unlikely]] {
    keep_generators();
    left |= Frame::kClosesKept;
  }
  --co_->frame_count;
  return left;
}

// `return f(x)` where f is a function of the program; takes over the count on it.
Status Interpreter::tail_call(ClosureObject* closure, uint32_t first, uint32_t count) {
  const Frame& frame = co_->frames[co_->frame_count - 1];
  uint32_t base = frame.base;
  uint32_t result = frame.result;
  // A wrong count is an error of the caller: its frame must still be there to be shown.
  if (!takes(*closure->proto, count)) [[unlikely]]
    return call_closure(closure, first, count, result, true);
  bool hides_frames = frame.after_tail_call || !frame.proto->code->hidden;
  uint8_t inherited = tail_replace(first, count);
  uint32_t frames = co_->frame_count;
  Status status = call_closure(closure, base, count, result, true);
  if (co_->frame_count > frames) co_->frames[frames].after_tail_call = hides_frames;
  if (!inherited) [[likely]]
    return status;
  if (inherited & Frame::kClosesKept) {
    if (co_->frame_count == frames) close_kept();
    else co_->frames[frames].duties |= Frame::kClosesKept;
  }
  if (!(inherited & Frame::kSwitchesBack)) return status;
  // The frame that is gone would have switched back: the new one does, or, when there is none, we do. One that
  // switches back itself skips the variables of the frame that is gone.
  if (co_->frame_count == frames) leave_environment();
  else if (co_->frames[frames].duties & Frame::kSwitchesBack) task_->life->outer_environments.pop_back();
  else co_->frames[frames].duties |= Frame::kSwitchesBack;
  return status;
}

Status Interpreter::dispatch(const Builtin& row, uint32_t first, uint32_t count, uint32_t result) {
  if (row.call) [[likely]]
    return call_native(row, co_->stack + first, count, co_->stack[result]) ? Status::Done : Status::Failed;
  if (row.wait) return call_wait(row, first, count, result, false);
  Outcome<ClosureObject*> closure = vm_.prelude_function(row.prelude);
  if (!closure) return fail(std::unexpected(std::move(closure).error()));
  return call_closure(*closure, first, count, result, false);
}

Status Interpreter::call_builtin(const Builtin& row, uint32_t first, uint32_t count, uint32_t result) {
  if (!row.signature.takes(count)) {
    arity_error(row.name, row.signature.least(), row.signature.most(), count);
    return fail(plain_error(ErrorKind::Type, "{}: {}", display(error_->value), row.signature.brief(row.name)));
  }
  return dispatch(row, first, count, result);
}

// `{_type: "namespace", ...}`: functions under names. `ResumeBy.parent_llm` is one of them, and `ResumeBy()` all.
static bool is_namespace(const DictObject& dict) {
  const Value* type = dict.find("_type");
  return type && type->is_string() && type->as_string()->view() == "namespace";
}

static Value entries_of(const Value& names) {
  Value out = new_dict();
  for (auto [key, value] : names.as_dict()->entries()) {
    if (key->view() != "_type") dict_set(out, key->view(), Value(*value));
  }
  return out;
}

Status Interpreter::call_value(const Value& callee, uint32_t first, uint32_t count, uint32_t result, bool is_pipe) {
  switch (callee.kind()) {
    case Kind::Closure:
      // The register the callee sits in may become the result or move: the frame keeps it.
      retain(callee.object());
      return call_closure(callee.as_closure(), first, count, result, true);
    case Kind::Builtin: return call_builtin(*callee.as_builtin(), first, count, result);
    case Kind::StructType: return make_struct(callee.as<StructTypeObject>(), first, count, result);
    case Kind::Dict:
      if (count == 0 && is_namespace(*callee.as_dict())) {
        co_->stack[result] = entries_of(callee);
        return Status::Done;
      }
      break;
    default: break;
  }
  if (is_pipe) return fail(type_error("cannot pipe into {}", type_name(callee)));
  return fail(type_error("Cannot call {}", type_name(callee)));
}

// `f(...xs)`: the items go above the running frame's registers, `reserve` free places before them.
Status Interpreter::call_spread(const Value& list, uint32_t reserve, uint32_t& first, uint32_t& count) {
  constexpr size_t kMost = 1'000'000;
  if (list.as_list()->size > kMost)
    return fail(runtime_error(ErrorKind::Limit, "a call takes at most {} arguments", kMost));
  Frame& frame = co_->frames[co_->frame_count - 1];
  count = static_cast<uint32_t>(list.as_list()->size);
  first = frame.base + frame.proto->registers + reserve;
  Value items = list;  // the register may move with the stack
  if (!ensure_stack(first + count + 1)) return Status::Failed;
  for (uint32_t i = 0; i < count; ++i) co_->stack[first + i] = items.as_list()->items[i];
  return Status::Done;
}

// ---- methods ----

Status Interpreter::unknown_method(const Value& receiver, const StringObject* name) {
  if (receiver.is_nil()) return fail(type_error("cannot call method `{}` on nil", name->view()));
  std::vector<std::string_view> names;
  for (const Builtin* row : vm_.builtins().rows()) {
    if (has_method(receiver, *row)) names.push_back(row->name);
  }
  if (receiver.is(Kind::Struct)) {
    StructTypeObject* type = struct_type(receiver.as_dict());
    for (uint32_t i = 0; i < type->method_count; ++i) names.push_back(type->methods[i].name->view());
  }
  auto close = text::close_names(name->view(), names);
  std::string hint = close.empty() ? "" : fmt::format(" (did you mean `{}`?)", close[0]);
  std::string kind(type_name(receiver));
  if (receiver.is(Kind::Struct)) kind = fmt::format("struct {}", struct_type(receiver.as_dict())->name->view());
  return fail(type_error("no method `{}` on {}{}", name->view(), kind, hint));
}

// In the cache of a place that calls a method: it holds a closure of the prelude, not the row of a native.
static constexpr uint32_t kPrelude = 0x100;

// Not for handles, whose methods depend on more than their kind, nor for what may wait: that takes its time anyway.
void Interpreter::remember_method(InlineCache& cache, const Builtin& row, Kind kind) {
  if (kind == Kind::Handle || row.wait) return;
  if (row.call) return cache.set(cache_key(&row, static_cast<uint32_t>(kind)));
  if (auto closure = vm_.prelude_function(row.prelude)) {
    cache.publish(cache_key(*closure, static_cast<uint32_t>(kind) | kPrelude));
  }
}

Status Interpreter::call_method(InlineCache& cache, uint32_t first, uint32_t count, uint32_t result) {
  const Value& receiver = co_->stack[first];
  Kind kind = receiver.kind();
  // What this place has called before on this kind of receiver. Read once: other workers may be at the same place, with receivers
  // of another kind. What one of them has found in a part of the prelude that it has just loaded is seen whole.
  uint64_t known = cache.found();
  if ((known & 0xFF) == static_cast<uint32_t>(kind) && kind != Kind::Struct && known != InlineCache::kEmpty) {
    if (known & kPrelude) {
      auto* closure = static_cast<ClosureObject*>(const_cast<void*>(cache_pointer(known)));
      return call_closure(closure, first, count + 1, result, false);
    }
    const auto& row = *static_cast<const Builtin*>(cache_pointer(known));
    if (row.signature.takes(count)) [[likely]]
      return call_native(row, co_->stack + first, count + 1, co_->stack[result]) ? Status::Done : Status::Failed;
  }
  if (kind == Kind::Struct) return call_struct_method(cache, first, count, result);
  if (kind == Kind::EnumType) return make_variant(cache, first, count, result);
  if (kind == Kind::Generator && cache.name->view() == "next") {
    if (count != 0) return arity_error("next", 0, 0, count);
    Value generator = receiver;
    co_->await = Coroutine::Await::Next;
    co_->await_register = result;
    return resume(generator.as_generator());
  }
  const Builtin* row = vm_.builtins().find_method(receiver, cache.name->view());
  if (!row) {
    if (kind == Kind::Dict) {
      const Value* field = receiver.as_dict()->find(cache.name);
      if (field && (field->is_callable() || field->is(Kind::StructType))) {
        return call_field(Value(*field), first, count, result);
      }
    }
    return unknown_method(receiver, cache.name);
  }
  if (!row->signature.takes(count)) {
    arity_error(row->name, row->signature.least(), row->signature.most(), count);
    std::string full_name = fmt::format("{}.{}", type_name(receiver), row->name);
    return fail(plain_error(ErrorKind::Type, "{}: {}", display(error_->value), row->signature.brief(full_name)));
  }
  remember_method(cache, *row, kind);
  return dispatch(*row, first, count + 1, result);
}

Status Interpreter::call_struct_method(InlineCache& cache, uint32_t first, uint32_t count, uint32_t result) {
  const Value& receiver = co_->stack[first];
  DictObject* instance = receiver.as_dict();
  StructTypeObject* type = struct_type(instance);
  for (uint32_t i = 0; i < type->method_count; ++i) {
    if (type->methods[i].name != cache.name) continue;
    if (instance->shape && i <= 0xFFFF) cache.set(cache_key(instance->shape, i));
    ClosureObject* closure = type->methods[i].closure.as_closure();
    retain(closure);
    return call_closure(closure, first, count + 1, result, true);
  }
  const Value* field = instance->find(cache.name);
  if (field && field->is_callable()) return call_field(Value(*field), first, count, result);
  return unknown_method(receiver, cache.name);
}

// `d.f(x)` where f is a field that holds a function: the receiver is not passed.
Status Interpreter::call_field(const Value& callee, uint32_t first, uint32_t count, uint32_t result) {
  return call_value(callee, first + 1, count, result, false);
}

Status Interpreter::make_variant(InlineCache& cache, uint32_t first, uint32_t count, uint32_t result) {
  auto* type = co_->stack[first].as<EnumTypeObject>();
  int variant = type->find(cache.name);
  if (variant < 0) {
    std::vector<std::string_view> names;
    for (uint32_t i = 0; i < type->count; ++i) names.push_back(type->variants[i].name->view());
    auto close = text::close_names(cache.name->view(), names);
    std::string hint = close.empty() ? "" : fmt::format(" (did you mean `{}`?)", close[0]);
    return fail(type_error("enum {} has no variant `{}`{}", type->name->view(), cache.name->view(), hint));
  }
  uint32_t expected = type->variants[variant].arity;
  if (count != expected) {
    return arity_error(fmt::format("{}.{}", type->name->view(), cache.name->view()), expected, expected, count);
  }
  Value made = new_enum(type, static_cast<uint32_t>(variant), {co_->stack + first + 1, count});
  for (uint32_t i = 1; i <= count; ++i) co_->stack[first + i].set_nil();
  co_->stack[result] = std::move(made);
  return Status::Done;
}

// `Point({x: 1, y: 2})`.
Status Interpreter::make_struct(StructTypeObject* type, uint32_t first, uint32_t count, uint32_t result) {
  const Value& fields = co_->stack[first];
  if (count != 1 || !(fields.is(Kind::Dict) || fields.is(Kind::Struct))) {
    return fail(
        type_error("{} is built from one dict of its fields: {}({{...}})", type->name->view(), type->name->view()));
  }
  Value made = new_struct(type);
  for (auto [key, value] : fields.as_dict()->entries()) dict_set(made, key, *value);
  co_->stack[first].set_nil();
  co_->stack[result] = std::move(made);
  return Status::Done;
}

}  // namespace harn::vm
