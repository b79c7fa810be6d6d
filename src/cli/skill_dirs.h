#pragma once

#include <expected>

#include "cli/options.h"
#include "cli/project.h"
#include "effects/sandbox.h"

// `--skill-dir DIR`, and which folders with skills a program may read although they are outside of its project.
namespace harn::cli {

inline constexpr Option kSkillDir = {.name = "--skill-dir",
                                     .value = "DIR",
                                     .kind = ValueKind::Path,
                                     .help = "look for skills in DIR first; may be given several times"};

// The program is told by the environment (HARN_SKILL_DIRS), which tapes keep and children inherit: so it must be called
// before there are threads. The folders of all layers that exist become readable.
std::expected<void, UsageError> apply_skill_dirs(const Arguments& arguments, const Project& project,
                                                 effects::Sandbox& sandbox);

}  // namespace harn::cli
