#include "vm/sync.h"

namespace harn::vm {

void release_permits(Task& task, size_t keep) {
  while (task.permits.size() > keep) {
    Value permit = std::move(task.permits.back());
    task.permits.pop_back();
    if (permit.is(Kind::Handle)) {
      auto* handle = permit.as<HandleObject>();
      if (handle->type->drop) handle->type->drop(handle);
    }
  }
}

}  // namespace harn::vm
