#pragma once

#include <optional>
#include <string>

#include "cli/run_program.h"

namespace harn::builtins {
class Library;  // builtins/registry.h
}

// Programs of a few lines, by which a command has the library do its work: `harn chat`, `harn prompt`, `harn agent` and the like.
namespace harn::cli {

struct Project;  // cli/project.h

struct CommandProgram {
  std::string_view file;  // what problems call it: "<chat>"
  std::string text;
  vm::Limits limits = {};
};

// Ready to run on one worker, in a project, held to a sandbox. Nothing where the program makes no sense: that has been told.
std::optional<Prepared> prepare(CommandProgram program, const Project& project, const effects::Sandbox& sandbox,
                                const builtins::Library* library = nullptr);

}  // namespace harn::cli
