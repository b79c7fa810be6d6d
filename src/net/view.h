#pragma once

#include <string>
#include <vector>

#include "base/result.h"

// A view of the file system of its own for a child: folders that are not its business are empty there.
//
// Landlock (confine.h) can only allow: who may use a folder may use all that is below it. So what lies in the middle of a project and
// must stay closed, such as the runtime's own files, is covered instead: in a mount namespace of the child, by an empty folder in memory that it
// may even write to, and that ends with it. Who is not root needs a user namespace for that, which some systems do not allow.
namespace harn::net {

// Covers folders for this process and its children; those that do not exist are left out. Only in a process with one thread, between fork and
// exec, and before it is confined: a confined process cannot change its view, nor change it back. Fails where the system does not allow it
// (ErrorKind::Unsupported); the process may be in a namespace of its own then, in which it is nobody: ask `can_cover_folders` first.
Result<void> cover_folders(const std::vector<std::string>& folders);
// In the view that `cover_folders` has begun: what is at these paths stays there, and cannot be written to. Of a folder that holds
// another of them only the first is true.
Result<void> keep_paths(const std::vector<std::string>& paths);

// Whether the system allows it. Tried once, by a child that ends at once; any thread.
bool can_cover_folders();

// Goes to the folder that a descriptor from before `cover_folders` is open on: as the view has it, not as the descriptor has it, through
// which everything could be seen. Fails when the folder is not where it was.
Result<void> enter_folder(int directory_fd);

}  // namespace harn::net
