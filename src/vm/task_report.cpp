// What people are told about tasks: failures nobody asked for, and deadlocks.
#include "base/fmt.h"
#include "vm/error_text.h"
#include "vm/ops.h"
#include "vm/scheduler.h"
#include "vm/trace.h"
#include "vm/vm.h"

namespace harn::vm {

void Scheduler::report_unseen(const Task& task) {
  constexpr uint32_t kShown = 10;
  // A program that was put away reports it where it goes on.
  if (task.error->error_class == ErrorClass::Exit || stands_still()) return;
  if (vm_.host().task_failed_unseen(task.id, *task.error)) return;
  uint32_t before = unseen_.fetch_add(1);
  if (before > kShown) return;
  std::string text = before == kShown
                         ? std::string("harn: more tasks failed that nobody awaited\n")
                         : fmt::format("harn: {} failed and nobody awaited it: {}\n{}", task_id_text(task.id),
                                       told(task.error->value), trace_text(*task.error));
  vm_.host().write(Stream::Err, text);
}

std::string Scheduler::deadlock_text() {
  std::string out = "deadlock: all tasks wait and nothing can wake them";
  auto describe_task = [&](const Task& task) {
    fmt::format_to(std::back_inserter(out), "\n  {} waits in {}", task_id_text(task.id),
                   task.waits_for ? task.waits_for : "nothing known");
    if (task.waits_on && (task.waits_on->is(Kind::Handle) || task.waits_on->is_string())) {
      out += " on ";
      out += display(*task.waits_on);
    }
    out += stack_text(task);
  };
  describe_task(*root_);
  std::vector<Task*> open{root_.get()};
  size_t shown = 0;
  std::lock_guard lock(tree_lock_);
  for (size_t i = 0; i < open.size(); ++i) {
    for (Task* child = open[i]->first_child; child; child = child->next_sibling) {
      open.push_back(child);
      if (++shown <= 50) describe_task(*child);
    }
  }
  if (clock_.is_mocked()) out += "\n  the clock is mocked: only advance_time moves it";
  if (shown > 50) fmt::format_to(std::back_inserter(out), "\n  and {} more tasks", shown - 50);
  return out;
}

void Scheduler::report_deadlock() {
  Task& root = *root_;
  uint64_t ticket = root.ticket.load();
  if (ticket == 0) return;
  auto error = with_facts(runtime_error("{}", deadlock_text()), kDeadlockCode);
  wake(root, ticket, std::move(error).error());
}

}  // namespace harn::vm
