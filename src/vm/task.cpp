#include "vm/task.h"

#include "base/fmt.h"
#include "vm/scheduler.h"

namespace harn::vm {

static void display_task(std::string& out, const HandleObject* handle) {
  fmt::format_to(std::back_inserter(out), "<task:{}>", task_id_text(static_cast<const Task*>(handle)->id));
}

static void empty_task(HandleObject* handle) { static_cast<Task*>(handle)->let_go_of_result(); }

constinit const HandleType kTaskType = {
    .name = "taskHandle", .destroy = destroy_handle<Task>, .display = display_task, .empty = empty_task};

Task::Task() = default;

void Task::let_go_of_result() {
  if (error && finished && !result_taken && !stopping) {
    Undisturbed guard;
    scheduler->report_unseen(*this);
  }
  result.set_nil();
  error = {};
}

Task::~Task() {
  if (noted_in) noted_in->forget(this);
  let_go_of_result();
  while (deadline) delete std::exchange(deadline, deadline->outer);
}

void Task::begin_life() {
  if (life) return;
  life = std::make_unique<TaskLife>();
  current = &life->root;
  if (!cell_list) cell_list = &life->cells;
}

// Cells that arrive from now on, in what is dropped before another task runs, belong to nobody.
void Task::end_life() {
  use_cells(nullptr);
  current = nullptr;
  cell_list = nullptr;
  life = nullptr;
}

static void leave(Waiter& waiter, Wake reason) {
  WaitQueue* queue = waiter.queue.load(std::memory_order_acquire);
  // Only the queue's owner takes waiters out besides us; it sets `queue` with the lock held.
  if (queue) {
    bool was_in;
    {
      std::lock_guard lock(queue->lock());
      was_in = waiter.queue.load(std::memory_order_relaxed) != nullptr;
      if (was_in) queue->remove(waiter);
    }
    if (was_in && queue->left) queue->left(*queue, waiter, reason);
  }
  waiter.value.set_nil();
}

void Task::end_wait() {
  Waiter& waiter = life->waiter;
  // Acquired: whoever took the waiter out of the queue is done with it.
  if (waiter.queue.load(std::memory_order_acquire) || waiter.value.is_heap()) leave(waiter, woken_by);
  if (auto* more = life->more_waiters) {
    for (Waiter& one : *more) leave(one, woken_by);
    more->clear();
  }
  if (life->timer.ticket != 0) {
    scheduler->clock().remove(life->timer);
    life->timer.ticket = 0;
  }
  waits_on = nullptr;
  waits_for = nullptr;
}

// ---- ids ----

uint64_t child_id(uint64_t parent, uint32_t index) {
  if (parent == 0) return index;
  // Children of children get a number from both, with the top bit set so that no root child has it.
  auto wide = static_cast<unsigned __int128>(parent ^ 0x9E3779B97F4A7C15ull) * (index + 0xD6E8FEB86659FD93ull);
  return static_cast<uint64_t>(wide ^ (wide >> 64)) | uint64_t{1} << 63;
}

std::string task_id_text(uint64_t id) {
  if (id == 0) return "task_root";
  if (id >> 63) return fmt::format("vm_task_{:016x}", id);
  return fmt::format("vm_task_{}", id);
}

}  // namespace harn::vm
