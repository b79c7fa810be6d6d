#include "cli/line_editor.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/dynamic_library.h"
#include "base/text.h"

namespace harn::cli {

namespace {

constexpr int kHistorySize = 1000;

volatile sig_atomic_t was_interrupted = 0;
// Wakes a read: the signal may reach another thread than the one that reads.
int wake = -1;

void on_interrupt(int) { LineEditor::interrupt(); }

// Bytes of the character that starts with this one.
size_t utf8_length(char first) {
  auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// While one lives, SIGINT waits until somebody is ready for it (see read_key).
class HeldInterrupts {
 public:
  HeldInterrupts() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
  }
  ~HeldInterrupts() { sigprocmask(SIG_SETMASK, &before, nullptr); }

  static inline sigset_t before;
};

// One character for libedit; -1 at the end of input and after Ctrl-C. SIGINT can only arrive inside
// ppoll, so it is never missed between a look at the flag and the wait.
int read_key(FILE*) {
  char bytes[4];
  size_t count = 0;
  do {
    pollfd wait[] = {{STDIN_FILENO, POLLIN, 0}, {wake, POLLIN, 0}};
    while (ppoll(wait, 2, nullptr, &HeldInterrupts::before) < 0) {
      if (errno != EINTR || was_interrupted) return -1;
    }
    if (was_interrupted || ::read(STDIN_FILENO, bytes + count, 1) != 1) return -1;
    ++count;
  } while (count < 4 && count < utf8_length(bytes[0]));
  return static_cast<int>(text::decode({bytes, count}, 0));
}

std::string history_path(const std::string& name) {
  const char* home = getenv("HOME");
  if (!home || !*home) return "";
  std::string folder = std::string(home) + "/.harn";
  mkdir(folder.c_str(), 0700);
  return folder + "/" + name;
}

}  // namespace

// The part of libedit's readline interface that we use.
struct LineEditor::Library {
  using Generator = char* (*)(const char* text, int state);

  char* (*readline)(const char*) = nullptr;
  int (*add_history)(const char*) = nullptr;
  int (*read_history)(const char*) = nullptr;
  int (*write_history)(const char*) = nullptr;
  void (*stifle_history)(int) = nullptr;
  char** (*completion_matches)(const char*, Generator) = nullptr;
  char** (**attempted_completion)(const char*, int, int) = nullptr;
  int* completion_over = nullptr;
  int (**getc_function)(FILE*) = nullptr;

  bool load() {
    DynamicLibrary library("libedit.so.2");
    library.find(readline, "readline")
        .find(add_history, "add_history")
        .find(read_history, "read_history")
        .find(write_history, "write_history")
        .find(stifle_history, "stifle_history")
        .find(completion_matches, "rl_completion_matches")
        .find(attempted_completion, "rl_attempted_completion_function")
        .find(completion_over, "rl_attempted_completion_over")
        .find(getc_function, "rl_getc_function");
    return library.is_complete();
  }
};

// libedit's callbacks carry no context, so they find it here: one editor at a time.
LineEditor* LineEditor::active_ = nullptr;

// Called for one candidate after the other; `state` is 0 for the first.
char* LineEditor::next_candidate(const char* text, int state) {
  if (state == 0) active_->found_ = active_->candidates_(text);
  auto at = static_cast<size_t>(state);
  return at < active_->found_.size() ? strdup(active_->found_[at].c_str()) : nullptr;
}

char** LineEditor::complete(const char* text, int, int) {
  *active_->library_->completion_over = 1;  // no file names
  return active_->library_->completion_matches(text, next_candidate);
}

void LineEditor::interrupt() {
  was_interrupted = 1;
  uint64_t one = 1;
  if (wake >= 0) (void)!::write(wake, &one, sizeof one);
}

void LineEditor::take_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

LineEditor::LineEditor(Candidates candidates, const std::string& history)
    : candidates_(std::move(candidates)), library_(std::make_unique<Library>()) {
  active_ = this;
  setlocale(LC_CTYPE, "");
  if (wake < 0) wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  take_interrupts();
  if (!library_->load()) {
    library_.reset();
    return;
  }
  *library_->attempted_completion = complete;
  *library_->getc_function = read_key;
  history_file_ = history_path(history);
  library_->stifle_history(kHistorySize);
  if (!history_file_.empty()) library_->read_history(history_file_.c_str());
}

LineEditor::~LineEditor() = default;

LineEditor::Line LineEditor::read(const char* prompt) {
  was_interrupted = 0;
  uint64_t earlier;
  (void)!::read(wake, &earlier, sizeof earlier);
  char* typed = nullptr;
  if (library_) {
    HeldInterrupts held;
    typed = library_->readline(prompt);
  } else {
    fputs(prompt, stdout);
    fflush(stdout);
    size_t room = 0;
    ssize_t size = getline(&typed, &room, stdin);
    if (size > 0 && typed[size - 1] == '\n') typed[size - 1] = '\0';
    if (size < 0) free(std::exchange(typed, nullptr));
  }
  Line line;
  if (was_interrupted) {
    line.ended = Ended::Interrupt;
    clearerr(stdin);
    fputs("\n", stdout);
    fflush(stdout);
  } else if (!typed) {
    line.ended = Ended::InputEnd;
  } else {
    line.text = typed;
  }
  free(typed);
  return line;
}

void LineEditor::remember(const std::string& line) {
  if (!library_ || line.empty()) return;
  library_->add_history(line.c_str());
  if (!history_file_.empty()) library_->write_history(history_file_.c_str());
}

}  // namespace harn::cli
