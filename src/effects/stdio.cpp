#include "effects/stdio.h"

#include <sys/ioctl.h>
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

// A terminal that behaves differently while one lives.
class TypingMode {
 public:
  using Typing = ReadInput::Typing;

  explicit TypingMode(Typing typing) : is_on_(typing != Typing::Shown && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_on_) return;
    termios now = before_;
    now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (typing == Typing::Hidden) now.c_lflag |= ECHONL;  // the end of a line is shown
    else now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ISIG | IEXTEN);
    // What was typed ahead was not meant for a secret, but may be meant for keys.
    tcsetattr(STDIN_FILENO, typing == Typing::Hidden ? TCSAFLUSH : TCSANOW, &now);
  }
  ~TypingMode() {
    if (is_on_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  TypingMode(const TypingMode&) = delete;

 private:
  termios before_;
  bool is_on_;
};

vm::Outcome<ReadInput::Answer> carry_out(Run& run, const ReadInput& request) {
  using Typing = ReadInput::Typing;
  Typing typing = run.host().is_terminal(Stream::In) ? request.typing : Typing::Shown;
  TypingMode mode(typing);
  ReadInput::Answer answer;
  wait_for_input(run.host(), [&] {
    if (request.all) answer.text = run.host().read_all();
    else if (typing == Typing::Keys) answer.is_end = !run.host().read_keys(answer.text);
    else answer.is_end = !run.host().read_line(answer.text);
  });
  return answer;
}

vm::Outcome<EditLine::Answer> carry_out(Run& run, const EditLine& request) {
  // What the task sees of it is shared: it may be told to stop while the person is typing.
  EditLine::Answer answer;
  wait_for_input(run.host(),
                 [&] { answer.ended = run.host().edit_line(request.prompt, request.history, answer.text); });
  return answer;
}

void forget_interrupt(Run& run) { run.host().forget_interrupt(); }

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

vm::Outcome<AskTerminalSize::Answer> carry_out(Run& run, const AskTerminalSize&) {
  winsize size{};
  if (!run.host().is_terminal(Stream::Out) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return AskTerminalSize::Answer();
  return AskTerminalSize::Answer{size.ws_col, size.ws_row};
}

vm::Outcome<bool> carry_out(Run& run, const AskInputTerminal&) { return run.host().is_terminal(Stream::In); }

}  // namespace harn::effects
