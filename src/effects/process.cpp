#include "effects/process.h"

#include "net/process.h"
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

Outcome<RunProcess::Answer> wait_for(net::ProcessId id, Child& child, Run& run, const RunProcess& request) {
  const char* what = request.what == "exec" ? "exec" : "shell";
  if (child.completion.wait(what, text_value(request.program)) == Wake::Cancelled) {
    net::kill_process(id);
    child.completion.wait(what, {}, run.clock().now() + kKillTime);
    return stopped_error();
  }
  net::ProcessResult& result = child.result;
  if (result.wrote_too_much)
    return throw_text(ErrorKind::Limit, "{} failed: `{}` wrote more than 256 MiB", what, request.program);
  if (result.no_memory) return runtime_error(ErrorKind::Limit, "out of memory (the output of `{}`)", request.program);
  return RunProcess::Answer{std::move(result.out), std::move(result.err), result.status};
}

}  // namespace

Outcome<RunProcess::Answer> carry_out(Run& run, const RunProcess& request) {
  auto child = std::make_shared<Child>();
  auto id =
      net::start_process({.words = request.words, .directory = request.directory}, [child](net::ProcessResult result) {
        child->result = std::move(result);
        child->completion.finish();
      });
  if (!id)
    return with_facts(throw_text(id.error().kind, "{} failed: {}", request.what, id.error().message), "process",
                      {{"program", text_value(request.program)}});
  return wait_for(*id, *child, run, request);
}

}  // namespace harn::effects
