// Instructions whose registers or operands do not fit their word: see compile/far_registers.h.
#include "vm/interpreter.h"
#include "vm/ops.h"

namespace harn::vm {

using namespace bytecode;
using Status = Interpreter::Status;

void Interpreter::new_far_registers(const Frame& frame, uint32_t holder, uint32_t count) {
  Value* registers = co_->stack + frame.base;
  auto arguments = static_cast<uint32_t>(frame.proto->code->param_names.size());
  auto far = new_list(count);
  for (uint32_t i = 0; i < count; ++i) {
    far->push(holder + i < arguments ? std::move(registers[holder + i]) : Value());
  }
  registers[holder] = Value(std::move(far));
}

void Interpreter::drop_far_registers(Value& holder) {
  if (!holder.is_list() || !holder.is_unique()) return;
  auto values = holder.as_list()->values();
  for (size_t i = values.size(); i-- > 0;) values[i].set_nil();
}

Status Interpreter::large(const Frame& frame, Op op, uint32_t a, uint32_t x) {
  Value& to = co_->stack[frame.base + a];
  const Prototype& proto = *frame.proto;
  auto text = [&] { return proto.constants[x].as_string(); };
  auto undefined = [&](std::string_view name) {
    return fail(plain_error(ErrorKind::Name, "Undefined variable: {}", name));
  };
  switch (op) {
    case Op::LoadConst: to = proto.constants[x]; break;
    case Op::GetGlobal:
      if (task_->globals->values()[x].is(Kind::Unset)) return undefined(proto.unit->program->globals[x]);
      to = task_->globals->values()[x];
      break;
    case Op::AssignGlobal:
      if (task_->globals->values()[x].is(Kind::Unset)) return undefined(proto.unit->program->globals[x]);
      [[fallthrough]];
    case Op::SetGlobal: own_globals()[x] = std::move(to); break;
    case Op::GetCapture: to = frame.closure->captures()[x]; break;
    case Op::GetCaptureCell: to = frame.closure->captures()[x].as<CellObject>()->value; break;
    case Op::SetCaptureCell: frame.closure->captures()[x].as<CellObject>()->value = std::move(to); break;
    case Op::MakeClosure: to = make_closure(frame, x); break;
    case Op::CheckParam: return check_param(to, proto.code->checks[x]);
    case Op::Raise: return fail(fixed_error(static_cast<RaiseKind>(a), text()->view()));
    case Op::NewEnumType: to = declare_enum(std::get<EnumShape>(proto.code->constants[x]), *proto.code); break;
    case Op::NewStructType: to = declare_struct(std::get<StructShape>(proto.code->constants[x]), *proto.code); break;
    case Op::AddMethod: return declare_method(to, text(), *(&to + 1));
    default: return fail(runtime_error(ErrorKind::Limit, "this function is too large to run"));
  }
  return Status::Done;
}

}  // namespace harn::vm
