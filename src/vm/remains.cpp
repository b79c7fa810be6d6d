#include "vm/remains.h"

#include <algorithm>
#include <new>
#include <vector>

#include "vm/scheduler.h"

namespace harn::vm {

constinit thread_local bool has_remains = false;
constinit thread_local int Hurry::count_ = 0;

namespace {

constinit thread_local std::vector<Remains>* put_aside = nullptr;

// A generator among the items would be closed late; while the task has none under way there is none.
bool may_wait() {
  Worker* worker = this_worker;
  if (!worker || !(Hurry::is_on() || worker->pace.is_raised())) return false;
  Task* task = Scheduler::current_or_null();
  return task && task->watched == 0;
}

// False when there is no memory for the list.
bool keep(const Remains& remains) {
  try {
    if (!put_aside) put_aside = new std::vector<Remains>;
    put_aside->push_back(remains);
  } catch (const std::bad_alloc&) {
    return false;
  }
  has_remains = true;
  return true;
}

void drop_some(Remains& remains, size_t items) {
  size_t end = std::min(remains.count, remains.dropped + items);
  while (remains.dropped < end) remains.drop_item(remains.collection, remains.dropped++);
}

}  // namespace

void drop_items(Remains remains) {
  while (remains.dropped < remains.count) {
    if (may_wait() && keep(remains)) return;
    drop_some(remains, kManyItems);
  }
  remains.finish(remains.collection);
}

void work_off_remains(size_t items) {
  while (items > 0 && has_remains) {
    // Taken out: what is dropped may put aside more.
    Remains remains = put_aside->back();
    put_aside->pop_back();
    size_t before = remains.dropped;
    drop_some(remains, items);
    items -= std::min(items, remains.dropped - before + 1);
    if (remains.dropped == remains.count) remains.finish(remains.collection);
    else put_aside->push_back(remains);
    if (!put_aside->empty()) continue;
    delete std::exchange(put_aside, nullptr);
    has_remains = false;
  }
}

}  // namespace harn::vm
