#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "effects/policy.h"

// What `harn run` holds a program to. It is kept in recordings and with programs that are put away, so that they go on under
// the same.
namespace harn::effects {

struct Sandbox {
  bool is_on = false;  // files within the workspace only, and no network
  WorkspaceRoots workspace = {};
  bool has_network = false;  // all the same: for tools of the runtime that ask before they use it
  // Builtins by name: all of them, all but these, or only these and the core.
  enum class Builtins : uint8_t { All, Except, Only };
  Builtins builtins = Builtins::All;
  std::vector<std::string> names = {};
  std::vector<std::string> ask = {};   // capabilities that a person is asked about
  std::vector<std::string> deny = {};  // capabilities that it does not have (HARN_DENY)

  // Adds it to a policy that may be narrower still.
  void narrow(Policy& policy) const {
    policy.ask = ask;
    policy.deny = deny;
    if (!is_on) return;
    if (!has_network) policy.deny.emplace_back("network");
    policy.workspace = workspace;
  }
  bool denies_builtin(std::string_view name) const {
    bool is_named = std::find(names.begin(), names.end(), name) != names.end();
    switch (builtins) {
      case Builtins::All: return false;
      case Builtins::Except: return is_named;
      case Builtins::Only: return !is_named && std::find(std::begin(kCore), std::end(kCore), name) == std::end(kCore);
    }
    return false;
  }

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(is_on), visit(workspace), visit(has_network), visit(builtins), visit(names), visit(ask), visit(deny);
  }

  // What a program may always call.
  static constexpr std::string_view kCore[] = {"println",
                                               "print",
                                               "log",
                                               "type_of",
                                               "to_string",
                                               "to_int",
                                               "to_float",
                                               "len",
                                               "assert",
                                               "assert_eq",
                                               "assert_ne",
                                               "json_parse",
                                               "json_stringify",
                                               "runtime_context",
                                               "task_current",
                                               "runtime_context_values",
                                               "runtime_context_get",
                                               "runtime_context_set",
                                               "runtime_context_clear"};
};

}  // namespace harn::effects
