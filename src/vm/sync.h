#pragma once

#include "vm/task.h"

namespace harn::vm {

// Gives back the permits the task got since it held `keep` of them.
void release_permits(Task& task, size_t keep);

}  // namespace harn::vm
