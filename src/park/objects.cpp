// Objects of the program that are no handles.
#include "park/objects.h"

#include <array>

#include "vm/dict.h"
#include "vm/environment.h"

namespace harn::park {

using namespace vm;

namespace {

// ---- cells, functions ----

void make_cell(Archive& archive, Value& object) {
  if (archive.is_reading()) object = Value(new_travelling_cell());
  archive.owner_of(*object.as<CellObject>());
}
void cell_fields(Archive& archive, Value& object) { archive.value(object.as<CellObject>()->value); }

void make_closure(Archive& archive, Value& object) {
  Prototype* proto = archive.is_reading() ? nullptr : object.as_closure()->proto;
  bool is_bound = proto && object.as_closure()->flags & ClosureObject::kBound;
  archive.prototype(proto);
  archive.number(is_bound);
  if (!archive.is_reading() || !proto) return;
  auto made = new_closure(is_bound ? proto->bound_twin() : proto, is_bound);
  if (is_bound) made->flags |= ClosureObject::kBound;
  object = Value(std::move(made));
}
void closure_fields(Archive& archive, Value& object) {
  ClosureObject* closure = object.as_closure();
  for (uint32_t i = 0; i < closure->count && archive.is_good(); ++i) archive.value(closure->captures()[i]);
  bool is_bound = closure->flags & ClosureObject::kBound;
  if (archive.is_reading() && is_bound) {
    Value& last = closure->captures()[closure->count - 1];
    if (as_handle<Environment>(last, kEnvironmentType)) return;
    archive.fail("a function has no variables to run with");
    closure->flags &= ~ClosureObject::kBound;
  }
}

// The one that the prelude has under its name.
Value* library_slot(const Prototype& proto) {
  for (Value& value : proto.unit->library) {
    if (value.is(Kind::Closure) && value.as_closure()->proto == &proto) return &value;
  }
  return nullptr;
}
bool is_library_function(const ClosureObject* closure) {
  if (!closure->proto->code->hidden || closure->count != 0) return false;
  const Value* slot = library_slot(*closure->proto);
  return slot && slot->object() == closure;
}
void make_library_function(Archive& archive, Value& object) {
  Prototype* proto = archive.is_reading() ? nullptr : object.as_closure()->proto;
  archive.prototype(proto);
  if (!archive.is_reading() || !proto) return;
  Value* slot = library_slot(*proto);
  if (slot) object = *slot;
}

// ---- generators, iterators, random numbers ----

void make_generator(Archive& archive, Value& object) {
  using State = GeneratorObject::State;
  GeneratorObject* generator = archive.is_reading() ? nullptr : object.as_generator();
  uint8_t flags = generator ? generator->flags : 0;
  State state = generator ? generator->state : State::Done;
  archive.number(flags);
  archive.choice(state, State::Done);
  if (!archive.is_reading()) return;
  constexpr uint8_t kKnown = GeneratorObject::kStream | GeneratorObject::kBegun | GeneratorObject::kWatched;
  auto made = new_generator(flags & kKnown);
  made->state = state;
  if (state != State::Done) make_coroutine(*made);
  object = Value(std::move(made));
}
void generator_fields(Archive& archive, Value& object) {
  if (Coroutine* coroutine = object.as_generator()->coroutine) fields(archive, *coroutine);
}

void make_iter(Archive& archive, Value& object) {
  if (archive.is_reading()) object = Value(new_iter(Value()));
}
bool is_place_in(const Value& source, int64_t position) {
  if (position < 0) return false;
  if (!source.is_string()) return true;  // whoever reads looks how many there are
  std::string_view text = source.as_string()->view();
  auto at = static_cast<size_t>(position);
  return at >= text.size() || (text[at] & 0xC0) != 0x80;
}
void iter_fields(Archive& archive, Value& object) {
  IterObject* iter = object.as_iter();
  archive.value(iter->source);
  archive.number(iter->position);
  archive.number(iter->exhausted);
  if (archive.is_reading() && !is_place_in(iter->source, iter->position)) archive.fail("an iterator is nowhere");
}

void make_rng(Archive& archive, Value& object) {
  if (archive.is_reading()) object = Value(new_rng(0));
  for (uint64_t& word : object.as<RngObject>()->state) archive.word(word);
}

// ---- types ----

std::string_view module_of(const bytecode::Code& code) {
  return code.source ? std::string_view(code.source->path()) : std::string_view();
}

Value declare(const Declaration& declared) {
  const bytecode::StructShape& shape = *declared.struct_shape;
  std::vector<StringObject*> fields;
  for (const std::string& field : shape.fields) fields.push_back(intern(field));
  return new_struct_type(shape.name, fields, shape.declaration, module_of(*declared.code), shape.schema.get(),
                         shape.instances.get());
}

// With the names of its methods: they decide which shapes it has.
void make_struct_type(Archive& archive, Value& object) {
  StructTypeObject* type = archive.is_reading() ? nullptr : object.as<StructTypeObject>();
  uint64_t declaration = type ? type->declaration : 0;
  archive.declaration(declaration);
  std::vector<std::string> names;
  for (uint32_t i = 0; type && i < type->method_count; ++i) names.emplace_back(type->methods[i].name->view());
  archive.items(names, [&](std::string& name) { archive.text(name); });
  if (!archive.is_reading() || !archive.is_good()) return;
  const Declaration* declared = archive.find_declaration(declaration);
  if (!declared->struct_shape) return archive.fail("a struct is none");
  object = declare(*declared);
  for (const std::string& name : names) add_method(object.as<StructTypeObject>(), intern(name), Value());
  if (object.as<StructTypeObject>()->method_count != names.size()) archive.fail("a struct has a method twice");
}
void struct_type_fields(Archive& archive, Value& object) {
  auto* type = object.as<StructTypeObject>();
  for (uint32_t i = 0; i < type->method_count && archive.is_good(); ++i) {
    Value& method = type->methods[i].closure;
    archive.value(method);
    if (archive.is_reading() && !method.is(Kind::Closure)) archive.fail("a method is no function");
  }
}

void make_enum_type(Archive& archive, Value& object) {
  uint64_t declaration = archive.is_reading() ? 0 : object.as<EnumTypeObject>()->declaration;
  archive.declaration(declaration);
  if (!archive.is_reading() || !archive.is_good()) return;
  const Declaration* declared = archive.find_declaration(declaration);
  if (!declared->enum_shape) return archive.fail("an enum is none");
  std::vector<EnumVariantInfo> variants;
  for (auto& [name, count] : declared->enum_shape->variants) {
    variants.push_back({intern(name), static_cast<uint16_t>(count < 0 ? 0 : count), count >= 0});
  }
  const bytecode::EnumShape& shape = *declared->enum_shape;
  object = Value::share(declared_enum_type(shape.name, variants, shape.declaration, module_of(*declared->code)));
}

void make_result_type(Archive&, Value& object) { object = Value::share(result_type()); }

// ---- errors on their way ----

constexpr auto kLastErrorKind = static_cast<ErrorKind>(0
#define HARN_ERROR_KIND(name, kind, type, category, doc) +1
#include "base/error_kinds.def"
#undef HARN_ERROR_KIND
);

void make_error(Archive& archive, Value& object) {
  if (archive.is_reading()) object = Value(new_error(ErrorClass::Plain, Value()));
}
void trace_fields(Archive& archive, TraceFrame& frame) {
  archive.choice(frame.mark, TraceFrame::Mark::LeftOut);
  archive.code(frame.code);
  archive.number(frame.word);
  archive.number(frame.number);
  bool has_place = frame.code && frame.word < frame.code->words.size();
  if (archive.is_reading() && frame.mark == TraceFrame::Mark::Call && !has_place) archive.fail("a call is nowhere");
}
void error_fields(Archive& archive, Value& object) {
  auto* error = object.as<ErrorObject>();
  archive.choice(error->error_class, ErrorClass::Exit);
  archive.choice(error->error_kind, kLastErrorKind);
  archive.value(error->value);
  bool has_facts = error->facts, has_trace = error->trace;
  archive.number(has_facts);
  archive.number(has_trace);
  if (archive.is_reading() && has_facts) error->facts = new ErrorFacts;
  if (archive.is_reading() && has_trace) error->trace = new std::vector<TraceFrame>;
  if (has_facts) {
    archive.text(error->facts->code);
    archive.value(error->facts->details);
    archive.value(error->facts->cause);
  }
  if (has_trace) archive.items(*error->trace, [&](TraceFrame& frame) { trace_fields(archive, frame); });
  archive.text(error->hint);
}

// ---- handles ----

void make_handle(Archive& archive, Value& object) {
  bool is_there = object.is_heap();  // when reading: the root task
  const HandleRow* row = is_there ? archive.row_of(object.as<HandleObject>()->type) : nullptr;
  std::string name = row ? std::string(row->name) : "";
  archive.text(name);
  if (!archive.is_reading()) return;
  const HandleRow* read = archive.handle_row(name);
  if (!read || (is_there && read != row)) return archive.fail("there is no such kind of handle");
  if (!is_there) object = read->make(archive.vm());
}
void handle_fields(Archive& archive, Value& object) {
  auto* handle = object.as<HandleObject>();
  archive.row_of(handle->type)->fields(archive, *handle);
}

constexpr ObjectRow kRows[] = {
    {ObjectKind::Cell, make_cell, cell_fields},
    {ObjectKind::Closure, make_closure, closure_fields},
    {ObjectKind::LibraryFunction, make_library_function},
    {ObjectKind::Generator, make_generator, generator_fields},
    {ObjectKind::Iter, make_iter, iter_fields},
    {ObjectKind::Rng, make_rng},
    {ObjectKind::StructType, make_struct_type, struct_type_fields},
    {ObjectKind::EnumType, make_enum_type},
    {ObjectKind::ResultType, make_result_type},
    {ObjectKind::Error, make_error, error_fields},
    {ObjectKind::Handle, make_handle, handle_fields},
};

ObjectKind kind_of(const Value& object) {
  switch (object.kind()) {
    case Kind::Cell: return ObjectKind::Cell;
    case Kind::Closure:
      return is_library_function(object.as_closure()) ? ObjectKind::LibraryFunction : ObjectKind::Closure;
    case Kind::Generator: return ObjectKind::Generator;
    case Kind::Iter: return ObjectKind::Iter;
    case Kind::Rng: return ObjectKind::Rng;
    case Kind::StructType: return ObjectKind::StructType;
    case Kind::EnumType: return object.object() == result_type() ? ObjectKind::ResultType : ObjectKind::EnumType;
    case Kind::Error: return ObjectKind::Error;
    default: return ObjectKind::Handle;
  }
}

}  // namespace

const ObjectRow& row_of(const Value& object) { return kRows[static_cast<size_t>(kind_of(object)) - 1]; }

const ObjectRow* row_of(ObjectKind kind) {
  auto place = static_cast<size_t>(kind) - 1;
  return place < std::size(kRows) ? &kRows[place] : nullptr;
}

}  // namespace harn::park
