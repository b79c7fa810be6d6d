#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace harn::log {

// A process that runs `main`, which must neither return to the test nor use what the test had open.
inline pid_t start_process(const std::function<void()>& main) {
  pid_t child = fork();
  if (child != 0) return child;
  main();
  _exit(0);
}

inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace harn::log
