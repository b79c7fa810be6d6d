#include "compile/storage.h"

namespace harn::compile {

void keep_in_registers(const modules::Module& main, FunctionInfo& start, ProgramNames& names) {
  constexpr int kMost = 100;
  int moved = 0;
  for (auto& [name, variable] : names.modules[&main]) {
    if (variable->module != &main || variable->declaration) continue;
    if (variable->outside_use || variable->in_body) continue;
    if (!variable->declared || moved == kMost) continue;
    variable->kind = Variable::Kind::Local;
    variable->owner = &start;
    variable->number = start.locals++;
    ++moved;
  }
}

}  // namespace harn::compile
