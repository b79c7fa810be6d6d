#include "vm/holders.h"

#include <vector>

#include "vm/objects.h"

namespace harn::vm {

void Holders::note(HandleObject* handle, Holders*& noted_in) {
  if (noted_in) return;
  noted_in = this;
  std::lock_guard guard(lock_);
  all_.insert(handle);
}

void Holders::forget(HandleObject* handle) {
  std::lock_guard guard(lock_);
  all_.erase(handle);
}

void Holders::empty_all() {
  // All are held until the last is empty: each may be the last to hold another one.
  std::vector<Value> held;
  {
    std::lock_guard guard(lock_);
    for (HandleObject* handle : all_) held.push_back(Value::share(handle));
  }
  for (const Value& handle : held) {
    auto* object = handle.as<HandleObject>();
    object->type->empty(object);
  }
}

}  // namespace harn::vm
