#include "vm/standstill.h"

#include <algorithm>

#include "vm/host_calls.h"

namespace harn::vm {

bool Standstill::waits_for_effects() {
  auto& patience = vm_.local<Patience>();
  if (patience.is_over || (patience.fibers == 0 && scheduler_.external_ == 0)) return false;
  if (patience.has_begun.exchange(true)) return true;
  patience.scheduler = &scheduler_;
  // Then it stands still as it is, and whoever puts it away is told what is in the way.
  patience.fire = [](Timer& timer, std::vector<Task*>&) {
    auto& self = static_cast<Patience&>(timer);
    self.is_over = true;
    Scheduler& scheduler = *self.scheduler;
    if (scheduler.until_ == Scheduler::Until::RootEnds && !scheduler.root_->finished) scheduler.stands_still_ = true;
  };
  scheduler_.clock_.add(patience, scheduler_.clock_.now() + Patience::kLongest);
  return true;
}

std::string_view Standstill::tie() const {
  if (vm_.units_.size() != 1) return "it is an interactive session";
  if (scheduler_.host_calls()) return "it is being called from outside";
  if (scheduler_.root_->is_held || !scheduler_.beside_root_.empty()) return "it is handling a signal";
  if (scheduler_.clock_.is_following()) return "it is a replay";
  if (scheduler_.stopping_ || vm_.has_stop()) return "it is being stopped";
  return {};
}

std::vector<Standstill::Part> Standstill::prelude() {
  std::vector<Part> parts;
  for (auto& [name, part] : vm_.prelude_) {
    if (part) parts.push_back({name, part->unit.get()});
  }
  std::ranges::sort(parts, {}, &Part::name);
  return parts;
}

Outcome<Unit*> Standstill::load_prelude(std::string_view name) {
  auto part = vm_.load_prelude(name);
  if (!part) return std::unexpected(std::move(part).error());
  return (*part)->unit.get();
}

std::vector<Task*> Standstill::in_line() {
  std::vector<Task*> tasks;
  for (auto& worker : scheduler_.workers_) {
    scheduler_.drain_inbox(*worker);
    for (TaskQueue* queue : {&worker->ready, &worker->fresh}) {
      for (size_t left = queue->size(); left > 0; --left) {
        tasks.push_back(queue->pop());
        queue->push(tasks.back());
      }
    }
  }
  // Each worker counts for itself; with several of them there is no order that a program could rely on.
  std::ranges::stable_sort(tasks, {}, &Task::queued);
  return tasks;
}

void Standstill::put_in_line(Task& task) {
  Worker& worker = *scheduler_.workers_[0];
  if (task.started || task.is_root()) scheduler_.push_ready(worker, task);
  else scheduler_.push_fresh(worker, task);
}

void Standstill::set_children(Task& parent, std::span<Task* const> children) {
  Task* last = nullptr;
  for (Task* child : children) {
    child->parent = &parent;
    retain(child);  // the scheduler's own
    child->previous_sibling = last;
    (last ? last->next_sibling : parent.first_child) = child;
    last = child;
  }
  scheduler_.live_tasks_.fetch_add(children.size());
}

std::vector<Lock*> Standstill::locks() {
  std::vector<Lock*> all;
  for (auto& [name, lock] : scheduler_.locks().locks_) all.push_back(lock.get());
  return all;
}

Lock* Standstill::add_lock(std::string_view kind, std::string_view key, uint64_t capacity, bool is_of_block) {
  if (is_of_block) scheduler_.locks().find_block(key);
  Lock& lock = scheduler_.locks().ensure(kind, key, capacity);
  return lock.capacity == capacity && lock.is_of_block == is_of_block ? &lock : nullptr;
}

}  // namespace harn::vm
