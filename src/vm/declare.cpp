// What declarations make: closures, types, methods.
#include "vm/dict.h"
#include "vm/environment.h"
#include "vm/interpreter.h"
#include "vm/ops.h"

namespace harn::vm {

using namespace bytecode;
using Status = Interpreter::Status;

Value Interpreter::make_closure(const Frame& frame, uint32_t function) {
  Prototype* made = frame.proto->functions[function];
  const Value* registers = co_->stack + frame.base;
  auto closure = new_closure(made);
  const auto& captures = made->code->captures;
  for (uint32_t i = 0; i < closure->count; ++i) {
    const Capture& capture = captures[i];
    Value& to = closure->captures()[i];
    switch (capture.from) {
      case Capture::From::Register: to = registers[capture.index]; break;
      case Capture::From::Far: to = registers[frame.proto->code->far_register].as_list()->items[capture.index]; break;
      case Capture::From::Capture: to = frame.closure->captures()[capture.index]; break;
      case Capture::From::Self: to = Value::share(frame.closure); break;
    }
  }
  if (task_->is_away()) [[unlikely]]
    closure = bind_closure(closure.get(), *task_->environment);
  return Value(std::move(closure));
}

static std::string_view module_of(const Code& code) { return code.source ? std::string_view(code.source->path()) : ""; }

Value Interpreter::declare_enum(const EnumShape& shape, const Code& code) {
  std::vector<EnumVariantInfo> variants;
  for (auto& [name, count] : shape.variants) {
    variants.push_back({intern(name), static_cast<uint16_t>(count < 0 ? 0 : count), count >= 0});
  }
  return Value::share(declared_enum_type(shape.name, variants, shape.declaration, module_of(code)));
}

Value Interpreter::declare_struct(const StructShape& shape, const Code& code) {
  std::vector<StringObject*> fields;
  for (const std::string& field : shape.fields) fields.push_back(intern(field));
  return new_struct_type(shape.name, fields, shape.declaration, module_of(code), shape.schema.get(), shape.instances.get());
}

Status Interpreter::declare_method(const Value& type, StringObject* name, Value& closure) {
  if (!type.is(Kind::StructType)) return fail(type_error("impl needs a struct, got {}", type_name(type)));
  add_method(type.as<StructTypeObject>(), name, std::move(closure));
  return Status::Done;
}

std::unexpected<Thrown> Interpreter::fixed_error(RaiseKind kind, std::string_view text) {
  switch (kind) {
    case RaiseKind::Plain: return make_error_text(ErrorClass::Plain, ErrorKind::Runtime, text);
    case RaiseKind::Thrown: return make_error_text(ErrorClass::Thrown, ErrorKind::Runtime, text);
    case RaiseKind::Name: return make_error_text(ErrorClass::Plain, ErrorKind::Name, text);
    case RaiseKind::Runtime:
    case RaiseKind::Count: break;
  }
  return make_error_text(ErrorClass::Runtime, ErrorKind::Runtime, text);
}

}  // namespace harn::vm
