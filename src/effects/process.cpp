#include "effects/process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/result.h"
#include "effects/launch.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

namespace harn::effects {

using namespace vm;

namespace {

// How long a task that is stopped waits for its killed child to be gone.
constexpr Nanoseconds kKillTime = 1'500 * kMillisecond;

// What the task and the I/O thread share.
struct Child {
  Completion completion;
  net::ProcessResult result;
};

// Between asking a child to end and killing it.
constexpr std::chrono::milliseconds kGrace(1'000);

Outcome<RunProcess::Answer> wait_for(net::ProcessId id, Child& child, Run& run, const RunProcess& request) {
  const char* what = request.what == "shell" ? "shell" : "exec";
  Nanoseconds due = request.timeout_ms > 0 ? run.clock().now() + request.timeout_ms * kMillisecond : kNever;
  Wake woken = child.completion.wait(what, text_value(request.program), due);
  bool timed_out = woken == Wake::Timeout;
  if (timed_out) {
    net::end_process(id, kGrace);
    woken = child.completion.wait(what, text_value(request.program));
  }
  if (woken == Wake::Cancelled) {
    net::kill_process(id);
    child.completion.wait(what, {}, run.clock().now() + kKillTime);
    return stopped_error();
  }
  net::ProcessResult& result = child.result;
  if (result.wrote_too_much)
    return throw_text(ErrorKind::Limit, "{} failed: `{}` wrote more than 256 MiB", what, request.program);
  if (result.no_memory) return runtime_error(ErrorKind::Limit, "out of memory (the output of `{}`)", request.program);
  return RunProcess::Answer{.out = std::move(result.out),
                            .err = std::move(result.err),
                            .status = result.status,
                            .signal = result.signal,
                            .pid = id.pid,
                            .timed_out = timed_out};
}

}  // namespace

// As a shell would have to be told, so that where words end can be seen.
static std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string RunProcess::told_to_person() const {
  std::string told;
  for (const Variable& one : environment) told += fmt::format("{}={} ", one.name, quoted(one.value));
  for (const std::string& word : words) told += fmt::format("{}{}", &word == &words[0] ? "" : " ", quoted(word));
  if (!directory.empty()) told += fmt::format(" in {}", directory);
  if (!input.empty()) told += fmt::format(" with the input {}", quoted(input));
  return told;
}

// `start` is told what to call when the child has ended.
template <class Start>
static Outcome<RunProcess::Answer> run_to_end(Run& run, const RunProcess& request, Start start) {
  auto child = std::make_shared<Child>();
  auto id = HARN_TRY(start([child](net::ProcessResult result) {
    child->result = std::move(result);
    child->completion.finish();
  }));
  return wait_for(id, *child, run, request);
}

Outcome<RunProcess::Answer> carry_out(Run& run, const RunProcess& request) {
  return run_to_end(run, request, [&](auto done) { return start_child(run, request, {}, std::move(done)); });
}

Outcome<RunProcess::Answer> run_for_model(Run& run, const RunProcess& request) {
  return run_to_end(run, request, [&](auto done) { return start_for_model(run, request, std::move(done)); });
}

Outcome<std::vector<std::string>> carry_out(Run&, const FindPrograms& request) {
  std::vector<std::string> found = request.paths;
  // A folder may be entered, which the system calls the same.
  std::erase_if(found, [](const std::string& path) {
    struct stat info;
    return access(path.c_str(), X_OK) != 0 || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode);
  });
  return found;
}

}  // namespace harn::effects
