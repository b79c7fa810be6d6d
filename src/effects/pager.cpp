#include "effects/pager.h"

#include <unistd.h>

#include "base/result.h"
#include "net/process.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

namespace harn::effects {

using namespace vm;

namespace {

// How long a task that is stopped waits for its pager to give the terminal back.
constexpr Nanoseconds kEndTime = 1'500 * kMillisecond;
constexpr std::chrono::milliseconds kGrace(500);

struct Pager {
  Completion completion;
  net::ProcessResult result;
};

// A program in the background must not take the terminal from the one in front.
bool has_terminal(Run& run) { return run.host().is_terminal(Stream::Out) && tcgetpgrp(STDOUT_FILENO) == getpgrp(); }

Outcome<ShowInPager::Answer> wait_for(net::ProcessId id, Pager& pager, Run& run) {
  Wake woken = pager.completion.wait("pager");
  if (woken != Wake::Cancelled) return ShowInPager::Answer{true, pager.result.status};
  net::end_process(id, kGrace);
  pager.completion.wait("pager", {}, run.clock().now() + kEndTime);
  return stopped_error();
}

}  // namespace

Outcome<ShowInPager::Answer> carry_out(Run& run, const ShowInPager& request) {
  if (!has_terminal(run)) return ShowInPager::Answer();
  run.host().flush();
  auto pager = std::make_shared<Pager>();
  net::ProcessSpec spec{
      .words = {"/bin/sh", "-c", request.command}, .directory = "", .input = request.text, .is_on_terminal = true};
  auto id = net::start_process(std::move(spec), [pager](net::ProcessResult result) {
    pager->result = std::move(result);
    pager->completion.finish();
  });
  if (!id) return throw_text(id.error().kind, "page: {}", id.error().message);
  auto answer = wait_for(*id, *pager, run);
  net::take_terminal_back();
  return answer;
}

}  // namespace harn::effects
