#include <signal.h>

#include "cli/commands.h"
#include "cli/output.h"

int main(int argc, char** argv) {
  // A reader that goes away shows as a failed write, so that the program still cleans up.
  signal(SIGPIPE, SIG_IGN);
  std::vector<std::string_view> words(argv + (argc > 0), argv + argc);
  return harn::cli::finish_output(harn::cli::run_command_line(words));
}
