#pragma once

#include <string>
#include <vector>

#include "base/result.h"

// What a child process may touch, held by the kernel: Landlock for files, seccomp for system calls, no new privileges.
//
// A thread confines itself, and what it starts afterwards is confined the same way and cannot undo it. So a child is
// started by a thread that is made for it (`start_process`), which then ends; the rest of the process is as it was.
//
//   Confinement confinement{.writable = {"/home/me/project"}, .readable = {"/home/me/assets"}, .may_use_network = false};
//   HARN_CHECK(confine_this_thread(confinement));
//
// Besides what it is given, a child may read and run what belongs to the system and what stands in PATH, and write to
// folders for temporary files.
//
// `hidden` folders are empty for it where it can have a view of its own (view.h). Where it cannot, all that lies beside them is allowed one by one:
// then nothing new can be made in the folders around them.
namespace harn::net {

struct Confinement {
  std::vector<std::string> writable;  // files and folders; what does not exist is left out
  std::vector<std::string> readable;
  bool may_use_network = false;          // else there are no sockets but pairs of them
  std::vector<std::string> hidden = {};  // folders inside of those that are closed to it
  // Files and folders inside of those that it may not change nor replace, where it can have a view of its own; elsewhere it can.
  std::vector<std::string> kept = {};
};

// Fails where the kernel cannot do it (ErrorKind::Unsupported). The thread may be half confined then, and must end. `hidden`: folders that
// are not covered, and that files must be closed to.
Result<void> confine_this_thread(const Confinement& confinement);

// Loads what `confine_this_thread` needs: a process that was forked cannot.
void prepare_confinement();

}  // namespace harn::net
