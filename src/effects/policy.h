#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "effects/workspace.h"
#include "vm/capability.h"

// What may be done to the world: capabilities by name, and which files. Deny beats ask, ask beats allow.
namespace harn::effects {

// What child processes find in their environment, other than the program itself.
struct ChildVariables {
  std::vector<std::string> hidden;  // names that they do not have; `*` and `?` stand for others, case does not matter
  std::vector<std::pair<std::string, std::string>> values;  // that they have besides

  bool hides(std::string_view name) const;
  // Inner values win.
  void add(const ChildVariables& inner);
};

// Capability names; "process" stands for all that start with "process.", "*" for all but writing to the
// program's own output, which is how it answers.
struct Policy {
  std::vector<std::string> allow;                // empty: everything that is not denied
  std::vector<std::string> deny;                 // wins
  std::optional<WorkspaceRoots> workspace = {};  // not given: all files
  std::vector<std::string> ask = {};             // allowed if a person says so, each time
  // Children are confined by the kernel, or not started. Else where it can (HARN_HANDLER_SANDBOX).
  bool must_confine = false;
  ChildVariables children = {};
};

constexpr uint32_t bit_of(vm::Capability capability) { return 1u << static_cast<uint32_t>(capability); }
// The capabilities that a name means, a bit each; 0: none.
uint32_t capabilities_named(std::string_view name);
// Those that a policy allows.
uint32_t allowed_by(const Policy& policy);
// Those that a person has to be asked about. Asking is none of them.
uint32_t asked_by(const Policy& policy);

}  // namespace harn::effects
