#include "cli/process_host.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "cli/interrupt.h"
#include "cli/line_editor.h"
#include "vm/vm.h"

namespace harn::cli {

using vm::Stream;

// Whoever started us may have made the stream non-blocking: then we wait here.
static bool would_block(int fd, short events) {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd wait = {fd, events, 0};
  poll(&wait, 1, -1);
  return true;
}

int ProcessHost::write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR || would_block(fd, POLLOUT)) continue;
      return errno;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

void ProcessHost::write(Stream stream, std::string_view text) {
  std::lock_guard lock(lock_);
  if (stream == Stream::Err) {
    flush_locked();  // the two streams keep their order on a terminal
    hide_status_locked();
    write_fully(STDERR_FILENO, text);
    show_status_locked(text);
    return;
  }
  constexpr size_t kBuffer = 64 * 1024;
  if (text.size() >= kBuffer) {
    // Not copied: a large text may be all the memory there is.
    flush_locked();
    return write_out_locked(text);
  }
  out_ += text;
  if (out_is_terminal_ < 0) out_is_terminal_ = isatty(STDOUT_FILENO);
  if (out_.size() >= kBuffer || out_is_terminal_) flush_locked();
  else flush_soon();
}

// The first lines are written at once: a program that prints little needs no thread for it.
void ProcessHost::flush_soon() {
  if (direct_writes_ == 0) return late_flush_.note();
  --direct_writes_;
  flush_locked();
}

void ProcessHost::flush() {
  std::lock_guard lock(lock_);
  flush_locked();
}

void ProcessHost::set_status(std::string line) {
  std::lock_guard lock(lock_);
  flush_locked();
  hide_status_locked();
  status_ = std::move(line);
  show_status_locked("\n");
}

void ProcessHost::hide_status_locked() {
  if (!status_.empty()) write_fully(STDERR_FILENO, "\r\x1b[K");
}

// Not in the middle of a line that the program writes.
void ProcessHost::show_status_locked(std::string_view written) {
  if (!status_.empty() && written.ends_with('\n')) write_fully(STDERR_FILENO, status_);
}

void ProcessHost::flush_locked() {
  write_out_locked(out_);
  out_.clear();
}

void ProcessHost::write_out_locked(std::string_view text) {
  if (text.empty() || output_error_ != 0) return;
  hide_status_locked();
  output_error_ = write_fully(STDOUT_FILENO, text);
  show_status_locked(text);
  if (output_error_ != 0 && vm_) vm_->stop(vm::StopReason::Interrupt);
}

bool ProcessHost::is_stopping() const { return vm_ && vm_->has_stop(); }

static std::atomic<ProcessHost*> last_made;

ProcessHost::ProcessHost() : stop_reading_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), late_flush_([this] { flush(); }) {
  last_made = this;
}

ProcessHost::~ProcessHost() {
  last_made = nullptr;
  flush();
  if (stop_reading_ >= 0) close(stop_reading_);
}

void ProcessHost::try_flush() {
  if (!lock_.try_lock()) return;
  flush_locked();
  lock_.unlock();
}

void ProcessHost::last_words() {
  try_flush();
  write_fully(STDERR_FILENO, "harn: out of memory\n");
}

void ProcessHost::say_last_words() {
  if (ProcessHost* host = last_made.exchange(nullptr)) return host->last_words();
  write_fully(STDERR_FILENO, "harn: out of memory\n");
}

// Ctrl-C belongs to the editor while somebody edits, and to the program in between.
ProcessHost::Edited ProcessHost::edit_line(const std::string& prompt, const std::string& history, std::string& line) {
  if (!is_terminal(Stream::In) || !is_terminal(Stream::Out)) return SystemHost::edit_line(prompt, history, line);
  std::lock_guard lock(in_lock_);
  flush();
  struct sigaction before;
  sigaction(SIGINT, nullptr, &before);
  if (!editor_)
    editor_ = std::make_unique<LineEditor>([](std::string_view) { return std::vector<std::string>(); }, history);
  LineEditor::take_interrupts();
  auto typed = editor_->read(prompt.c_str());
  if (!typed.ended) editor_->remember(typed.text);
  sigaction(SIGINT, &before, nullptr);
  line = std::move(typed.text);
  if (!typed.ended) return Edited::Line;
  return *typed.ended == LineEditor::Ended::Interrupt ? Edited::Interrupt : Edited::End;
}

void ProcessHost::forget_interrupt() { InterruptGuard::forget(); }

void ProcessHost::stop_reading() {
  LineEditor::interrupt();
  uint64_t one = 1;
  (void)!::write(stop_reading_, &one, sizeof one);
}

// False when a read was told to stop before there was anything to read.
bool ProcessHost::wait_for_input() {
  pollfd wait[] = {{STDIN_FILENO, POLLIN, 0}, {stop_reading_, POLLIN, 0}};
  while (poll(wait, 2, -1) < 0 && errno == EINTR) {
    if (is_stopping()) return false;
  }
  uint64_t stops;
  return ::read(stop_reading_, &stops, sizeof stops) < 0;
}

bool ProcessHost::fill() {
  if (in_ended_) return false;
  flush();  // a prompt must be visible before we wait
  char block[16 * 1024];
  ssize_t got;
  do {
    if (is_stopping() || !wait_for_input()) return false;
    got = ::read(STDIN_FILENO, block, sizeof block);
  } while (got < 0 && (errno == EINTR || would_block(STDIN_FILENO, POLLIN)));
  if (got <= 0) {
    in_ended_ = true;
    return false;
  }
  in_.erase(0, in_position_);
  in_position_ = 0;
  in_.append(block, static_cast<size_t>(got));
  return true;
}

bool ProcessHost::read_line(std::string& line) {
  std::lock_guard lock(in_lock_);
  for (;;) {
    size_t end = in_.find('\n', in_position_);
    if (end != std::string::npos) {
      line = in_.substr(in_position_, end - in_position_);
      in_position_ = end + 1;
      if (line.ends_with('\r')) line.pop_back();
      return true;
    }
    if (!fill()) break;
  }
  if (in_position_ >= in_.size()) return false;
  line = in_.substr(in_position_);
  in_position_ = in_.size();
  return true;
}

bool ProcessHost::peek_line(std::string& line) {
  std::lock_guard lock(in_lock_);
  for (;;) {
    size_t end = in_.find('\n', in_position_);
    if (end != std::string::npos) {
      line = in_.substr(in_position_, end - in_position_);
      return true;
    }
    pollfd now = {STDIN_FILENO, POLLIN, 0};
    if (in_ended_ || poll(&now, 1, 0) <= 0 || !fill()) break;
  }
  line = in_.substr(in_position_);
  return in_ended_ && !line.empty();
}

std::string ProcessHost::read_all() {
  std::lock_guard lock(in_lock_);
  while (fill()) {}
  std::string rest = in_.substr(in_position_);
  in_position_ = in_.size();
  return rest;
}

bool ProcessHost::read_keys(std::string& keys) {
  std::lock_guard lock(in_lock_);
  if (in_position_ >= in_.size() && !fill()) return false;
  keys = in_.substr(in_position_);
  in_position_ = in_.size();
  return true;
}

bool ProcessHost::is_terminal(Stream stream) { return isatty(static_cast<int>(stream)) != 0; }

}  // namespace harn::cli
