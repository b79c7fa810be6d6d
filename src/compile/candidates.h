#pragma once

#include "compile/emitter.h"

namespace harn::compile {

// Writing to a name that may mean several variables: the first that is set gets it.
template <class Write>
void FunctionCompiler::write_first_set(const syntax::Identifier& target, const Candidates& all, Write write) {
  Label done;
  for (size_t i = 0; i < all.size(); ++i) {
    const Variable* variable = all[i];
    if (!variable) {
      raise(bytecode::RaiseKind::Name, "Undefined variable: " + std::string(target.name), target.span);
      continue;
    }
    Label is_set, next;
    if (i + 1 < all.size()) {
      // Where it is: a copy would keep the value from being changed in place.
      bool in_register = home_of(*variable) == Home::Register;
      Reg probe = in_register ? reg_of(*variable) : temp();
      if (!in_register) load(*variable, probe);
      emit_jump(Op::JumpIfSet, probe, is_set);
      jump(next);
      bind(is_set);
    }
    write(*variable);
    jump(done);
    bind(next);
  }
  bind(done);
}

}  // namespace harn::compile
