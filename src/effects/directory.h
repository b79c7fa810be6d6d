#pragma once

#include <string>
#include <vector>

#include "effects/file_job.h"
#include "effects/places.h"

// Directories by descriptor.
namespace harn::effects {

struct DirectoryEntry {
  std::string name;
  unsigned char type = 0;  // DT_REG, DT_DIR, DT_LNK, ...
};
// Sorted by name, without "." and "..". The descriptor stays open.
FileResult<std::vector<DirectoryEntry>> entries_of(const Descriptor& directory, Stop& stop);

// Removes a directory and all that is in it. Follows no links, needs no more than a few descriptors however deep it is, and
// cannot be led elsewhere by somebody who moves directories meanwhile.
FileResult<void> remove_tree(const Place& place, Stop& stop);

}  // namespace harn::effects
