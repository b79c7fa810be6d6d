#pragma once

#include <optional>
#include <string>

#include "vm/value.h"
#include "vm/vm.h"

// Agent sessions, as far as other families of builtins ask for them.
namespace harn::builtins {

struct SessionLineage {
  std::string id;
  std::string parent;  // empty: it has none
  std::string root;
};

// The session of the innermost agent loop that the running task is in, or that the task which started it was in.
std::optional<SessionLineage> current_session(vm::Vm& vm);

}  // namespace harn::builtins
