#include "vm/environment.h"

namespace harn::vm {

static void display_environment(std::string& out, const HandleObject*) { out += "<variables>"; }
constinit const HandleType kEnvironmentType = {"variables", destroy_handle<Environment>, display_environment};

Ref<Environment> new_environment(GlobalsRef globals) {
  auto made = new_handle<Environment>(kEnvironmentType);
  made->globals = std::move(globals);
  return made;
}

// A bound closure keeps its environment behind its captures.
Environment* environment_of(const ClosureObject* closure) {
  if (!(closure->flags & ClosureObject::kBound)) return nullptr;
  auto* own = const_cast<ClosureObject*>(closure);
  return static_cast<Environment*>(own->captures()[own->count - 1].as<HandleObject>());
}

Ref<ClosureObject> bind_closure(ClosureObject* closure, Environment& environment) {
  auto bound = new_closure(closure->proto->bound_twin(), 1);
  uint32_t captures = closure->count - (closure->flags & ClosureObject::kBound ? 1 : 0);
  for (uint32_t i = 0; i < captures; ++i) bound->captures()[i] = closure->captures()[i];
  bound->captures()[captures] = Value::share(&environment);
  bound->flags |= ClosureObject::kBound;
  return bound;
}

}  // namespace harn::vm
