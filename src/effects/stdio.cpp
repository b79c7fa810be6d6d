#include "effects/stdio.h"

#include <termios.h>
#include <unistd.h>

#include "vm/job_pool.h"
#include "vm/scheduler.h"

namespace harn::effects {

using vm::Stream;

vm::Outcome<Done> carry_out(Run& run, const Write& request) {
  run.host().write(request.stream, request.text);
  if (request.is_flushed) run.host().flush();
  return Done();
}

// Reads on another thread while the task waits, if there are tasks that could use the worker.
template <class Read>
static void wait_for_input(vm::Host& host, Read read) {
  vm::Task* task = vm::Scheduler::current_or_null();
  if (!task || !task->fiber) return read();
  vm::run_blocking("a read from standard input", read, [&host] { host.stop_reading(); });
}

// While one lives, the terminal does not show what is typed; the end of a line it does.
class HiddenInput {
 public:
  explicit HiddenInput(bool is_wanted) : is_on_(is_wanted && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_on_) return;
    termios hidden = before_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    hidden.c_lflag |= ECHONL;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  }
  ~HiddenInput() {
    if (is_on_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  HiddenInput(const HiddenInput&) = delete;

 private:
  termios before_;
  bool is_on_;
};

vm::Outcome<ReadInput::Answer> carry_out(Run& run, const ReadInput& request) {
  HiddenInput hidden(request.is_hidden && run.host().is_terminal(Stream::In));
  ReadInput::Answer answer;
  wait_for_input(run.host(), [&] {
    if (request.all) answer.text = run.host().read_all();
    else answer.is_end = !run.host().read_line(answer.text);
  });
  return answer;
}

bool wants_styles(Run& run, bool is_terminal) {
  bool found = false;
  run.host().env("FORCE_COLOR", found);
  if (found) return true;
  run.host().env("NO_COLOR", found);
  if (found || run.host().env("TERM", found) == "dumb") return false;
  return is_terminal;
}

vm::Outcome<AskTerminal::Answer> carry_out(Run& run, const AskTerminal& request) {
  bool is_terminal = run.host().is_terminal(request.stream);
  return AskTerminal::Answer{is_terminal, wants_styles(run, is_terminal)};
}

vm::Outcome<bool> carry_out(Run& run, const AskInputTerminal&) { return run.host().is_terminal(Stream::In); }

}  // namespace harn::effects
