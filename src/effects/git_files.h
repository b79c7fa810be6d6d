#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "effects/places.h"

// What a program that is held to a workspace may not write, though it is inside: the files of a repository that hold commands.
// Its owner's own git runs them later, outside of any sandbox.
namespace harn::effects {

// `.git/hooks` with all that is in it, and `.git/config`; those of submodules and worktrees, too. And the name `.git` itself: a
// folder that was made elsewhere could be put there. Of a path as the system has it, without links.
bool is_run_by_git(std::string_view real_path);

// Those at the top of the writable folders of a workspace that exist, for those who start children: what comes first is
// what the others are in.
std::vector<std::string> files_run_by_git(const Workspace& workspace);

// Whether the errand may write a name in a directory, as far as this goes.
FileResult<void> check_name(const Errand& errand, const Descriptor& directory, const std::string& name,
                            const std::string& path);

}  // namespace harn::effects
