#pragma once

#include <functional>

#include "effects/process.h"
#include "net/process.h"

// How the children of a program are started: where, with which environment, and held to what the program itself may do. Any task.
namespace harn::effects {

// What the caller adds: how it talks to the child.
struct ChildStreams {
  int input_fd = -1, output_fd = -1;  // net::ProcessSpec::input_fd, output_fd
  size_t kept_errors = 0;             // net::ProcessSpec::kept_errors
};

// `done` is called once, on the I/O thread; not when this fails. The child's group is the caller's to kill.
vm::Outcome<net::ProcessId> start_child(Run& run, const RunProcess& request, ChildStreams streams,
                                        std::function<void(net::ProcessResult)> done);

// The same for a program that answers for a model. It is the user's, not the running program's: it is found in the PATH of this process and
// has its environment, and is not confined. So it must lie outside of what the program may write.
vm::Outcome<net::ProcessId> start_for_model(Run& run, const RunProcess& request,
                                            std::function<void(net::ProcessResult)> done);

}  // namespace harn::effects
