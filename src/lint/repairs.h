#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "diag/diagnostic.h"

// What kind of change a fix is, so that somebody can say how far a tool may go without asking.
namespace harn::lint {

// From the mildest on.
enum class Safety : uint8_t {
  FormatOnly,          // layout, comments, spelling of the same thing
  BehaviorPreserving,  // no visible change
  ScopeLocal,          // may change what this scope or file does
  SurfaceChanging,     // a signature or an export
  CapabilityChanging,  // what the program needs of the world
  NeedsHuman,          // never made by a tool
};

constexpr std::string_view kSafetyNames[] = {"format-only",      "behavior-preserving", "scope-local",
                                             "surface-changing", "capability-changing", "needs-human"};
constexpr std::string_view name_of(Safety safety) { return kSafetyNames[static_cast<size_t>(safety)]; }
std::optional<Safety> find_safety(std::string_view name);

struct Repair {
  std::string_view id;  // "imports/remove-unused"
  Safety safety;
};
// Whether a lint is about the layout or the spelling alone.
bool is_layout(diag::Code code);
// What mends diagnostics of a code; nothing: a person does.
std::optional<Repair> usual_repair(diag::Code code);
// What mending a diagnostic means. Without a fix it is for a person to do.
Repair repair_of(const diag::Diagnostic& diagnostic);

}  // namespace harn::lint
