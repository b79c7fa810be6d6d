#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "effects/sandbox.h"
#include "vm/vm.h"

// Programs that are put away in a file: `harn run --park-to`, `harn resume`.
namespace harn::cli {

// What was asked for on the command line.
struct Parking {
  std::string to;        // the file; empty: nothing was asked for
  uint64_t at_wait = 0;  // counted from 1
};
inline constexpr Option kParkTo = {.name = "--park-to",
                                   .value = "STATE",
                                   .kind = ValueKind::Path,
                                   .help = "put the program away in the file STATE when it waits (see `harn resume`)"};
inline constexpr Option kParkAtWait = {.name = "--park-at-wait",
                                       .value = "N",
                                       .kind = ValueKind::Number,
                                       .least = 1,
                                       .help = "... at the Nth wait of its tasks (default 1)"};
// Fails when one is given that needs the other, or that does not go with another one.
std::expected<Parking, UsageError> parking_of(const Arguments& arguments);

// What a process that goes on with a program must know besides its state.
struct Origin {
  std::string file;  // absolute; empty: the program is `text`
  std::string name;  // of the text
  std::string text;
  int64_t while_limit = 0;
  std::vector<std::string> args;
  std::string task;
  std::string project_root;
  effects::Sandbox sandbox;
};

struct SavedState {
  Origin origin;
  std::string bytes;
};
Result<SavedState> read_state(const std::string& path);

// Puts the program that stands still into the file, and says on standard error how to go on; the value is the exit code.
int put_away(vm::Vm& vm, const Parking& parking, const Origin& origin);

}  // namespace harn::cli
