#include "embed/embedded_host.h"

#include <unistd.h>

#include <cerrno>

#include "embed/errors.h"
#include "vm/task.h"

namespace harn::embed {

// Into a pipe that nobody reads any more, or a full disk: the program goes on.
static void write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void EmbeddedHost::write(vm::Stream stream, std::string_view text) {
  bool is_error = stream == vm::Stream::Err;
  std::lock_guard lock(lock_);
  if (options_.output) options_.output(is_error ? Stream::Err : Stream::Out, text);
  else write_fully(is_error ? STDERR_FILENO : STDOUT_FILENO, text);
}

bool EmbeddedHost::read_line(std::string& line) {
  std::lock_guard lock(input_lock_);
  auto next = options_.input ? options_.input() : std::nullopt;
  if (next) line = std::move(*next);
  return next.has_value();
}

std::string EmbeddedHost::read_all() {
  std::string all;
  for (std::string line; read_line(line);) (all += line) += '\n';
  return all;
}

void EmbeddedHost::tell(const Event& event) {
  std::lock_guard lock(lock_);
  if (options_.events) options_.events(event);
}

void EmbeddedHost::task_started(uint64_t task, uint64_t parent) {
  tell({Event::Kind::TaskStarted, vm::task_id_text(task), vm::task_id_text(parent), {}});
}

void EmbeddedHost::task_ended(uint64_t task, const vm::ErrorObject* error) {
  Event event{Event::Kind::TaskEnded, vm::task_id_text(task), {}, {}};
  if (error) event.error = to_host(*error);
  tell(event);
}

bool EmbeddedHost::task_failed_unseen(uint64_t task, const vm::ErrorObject& error) {
  if (!options_.events) return false;
  tell({Event::Kind::TaskFailed, vm::task_id_text(task), {}, to_host(error)});
  return true;
}

void EmbeddedHost::ended() { tell({Event::Kind::Ended, {}, {}, {}}); }

}  // namespace harn::embed
