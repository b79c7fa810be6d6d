#pragma once

#include <sys/types.h>

// Everything that a child has started, and what that has started, whatever groups and sessions it has moved to.
//
// A child is begun as the one to whom its orphans come (PR_SET_CHILD_SUBREAPER, which exec keeps): so as long as it lives,
// those who fork twice and leave their session to be forgotten are its descendants all the same, and found from it.
namespace harn::net {

// In the child, before it becomes the program.
void keep_orphans();

// Kills what descends from a child that nobody has waited for yet, and then itself and its group. First it is stopped, so
// that there is somebody for orphans to come to, and then those that are left are looked for until there are none. Uses
// neither memory nor locks: for signal handlers, too.
void kill_tree(pid_t root);

// The processes below one, as they are now, each with the time it was started at, by which a number that has become
// another's is known. Most of them; `size` are written at most. The same for signal handlers.
struct Descendant {
  pid_t pid;
  unsigned long long started;
};
size_t descendants_of(pid_t root, Descendant* out, size_t size);
// Sends it a signal, if it is still that one.
void signal_descendant(const Descendant& process, int signal);

// Kills whoever holds this end of a pipe, or the other one. Of a child that has ended, and whose output is kept open by
// others: nothing else leads from it to them.
void kill_holders(int pipe_fd);

}  // namespace harn::net
