#pragma once

#include "effects/places.h"
#include "effects/run.h"

// The part that requests about files have in common.
namespace harn::effects {

struct FileErrand {
  std::string_view builtin;  // whose name a message about the workspace has; static
};

// On behalf of whom, and within what, a request touches a path.
inline Errand errand(Run& run, const FileErrand& request, std::string_view verb, Access access) {
  return {run.workspace(), std::string(request.builtin), std::string(verb), access};
}

}  // namespace harn::effects
