#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/fmt.h"
#include "cli/files.h"
#include "cli/options.h"

namespace harn::cli {

// The first reason why standard output failed; errno does not last until the end.
static int output_error = 0;

void write_out(std::string_view text) {
  errno = 0;
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size() && output_error == 0) output_error = errno;
}

void write_error(std::string_view text) {
  fflush(stdout);  // the two streams keep their order on a terminal
  fwrite(text.data(), 1, text.size(), stderr);
}

int output_failed(int error_number) {
  if (error_number == EPIPE) return kOutputClosed;
  return fail_with(fmt::format("cannot write standard output: {}", reason(error_number)));
}

int finish_output(int exit_code) {
  errno = 0;
  if (fflush(stdout) != 0 && output_error == 0) output_error = errno;
  return output_error == 0 ? exit_code : output_failed(output_error);
}

diag::Colour colour_of(int fd) {
  const char* no_colour = getenv("NO_COLOR");
  if (no_colour && *no_colour) return diag::Colour::No;
  const char* terminal = getenv("TERM");
  if (terminal && std::string_view(terminal) == "dumb") return diag::Colour::No;
  return isatty(fd) ? diag::Colour::Yes : diag::Colour::No;
}

std::string_view error_word() {
  return colour_of(STDERR_FILENO) == diag::Colour::Yes ? "\x1b[1;31merror\x1b[0m" : "error";
}

int fail_with(std::string_view message) {
  write_error(fmt::format("{}: {}\n", error_word(), message));
  return kFailure;
}

int fail_without_program(std::string_view message, bool was_told_where) {
  fail_with(message);
  if (!was_told_where) write_error("help: if it has been moved, say where it is now: --program FILE\n");
  return kFailure;
}

}  // namespace harn::cli
