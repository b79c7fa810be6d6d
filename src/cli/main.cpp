#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/process_host.h"
#include "net/process.h"

// Memory ran out where no program could be told: what was written so far is not lost.
static void end_for_want_of_memory() {
  try {
    if (std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    harn::cli::ProcessHost::say_last_words();
    harn::net::kill_all_processes();
    _exit(harn::cli::kNoMemory);
  } catch (...) {}
  abort();
}

// A standard stream may have been closed by whoever started us. The next file we open would get
// its number: we would wait for input on our own event descriptor, or print into a pipe between
// processes. The places are taken by files that refuse what the stream is for, so that using it
// still fails as on a closed stream, in the processes we start as well.
static bool occupy_closed_streams() {
  constexpr int kRefusing[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", kRefusing[fd]) != fd) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  if (!occupy_closed_streams()) return harn::cli::kFailure;
  // A reader that goes away shows as a failed write, so that the program still cleans up.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow any more is an error of whoever writes to it
  std::set_terminate(end_for_want_of_memory);
  std::vector<std::string_view> words(argv + (argc > 0), argv + argc);
  return harn::cli::finish_output(harn::cli::run_command_line(words));
}
