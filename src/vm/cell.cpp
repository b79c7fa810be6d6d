#include <algorithm>
#include <mutex>

#include "base/assert.h"
#include "base/spin_lock.h"
#include "vm/cycles.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"
#include "vm/objects.h"

namespace harn::vm {

namespace {

struct Travelling {
  SpinLock lock;
  CellObject* first = nullptr;
};
Travelling& travelling() {
  static auto* instance = new Travelling;  // never destroyed: threads may end after main does
  return *instance;
}

void enter(CellObject* cell, CellObject*& first) {
  cell->next = first;
  cell->link = &first;
  if (first) first->link = &cell->next;
  first = cell;
}

void unlink(CellObject* cell) {
  if (!cell->link) return;
  *cell->link = cell->next;
  if (cell->next) cell->next->link = cell->link;
  cell->link = nullptr;
}

}  // namespace

static thread_local CellList* current_cells = nullptr;
std::atomic<bool> has_travelling_cells{false};

CellList* use_cells(CellList* list) { return std::exchange(current_cells, list); }

void CellList::clear() {
  while (first_) {
    auto cell = Ref<CellObject>::share(first_);
    unlink(cell.get());
    --size_;
    cell->list = nullptr;
    cell->value.set_nil();
  }
}

void CellList::enter(CellObject* cell) {
  vm::enter(cell, first_);
  cell->list = this;
  ++size_;
}

// How much the search will look at again decides when the next one is due, so that it costs no more than a few steps
// for each new cell. Large captured values are why the memory counts too; a search that finds nothing makes that rarer.
void CellList::look_for_cycles() {
  CycleSearch search = free_cycles(*this);
  cells_then_ = size_;
  most_cells_ = size_ + std::max({kLeastCells, size_, search.kept / 8});
  bytes_then_ = slowly_allocated;
  size_t quiet = search.freed ? kLeastBytes : std::min<size_t>(most_bytes_ * 2, size_t{1} << 30);
  most_bytes_ = std::max(quiet, search.kept * 8);
}

inline void CellList::look_if_due() {
  bool is_large = slowly_allocated - bytes_then_ >= most_bytes_ && size_ > cells_then_;
  if (size_ >= most_cells_ || is_large) [[unlikely]]
    look_for_cycles();
}

Ref<CellObject> new_cell(Value value) {
  CellList* list = current_cells;
  HARN_ASSERT(list, "a cell was made outside of a running VM");
  list->look_if_due();
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  new (&cell->value) Value(std::move(value));
  list->enter(cell);
  return Ref<CellObject>::adopt(cell);
}

Ref<CellObject> new_travelling_cell() {
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  cell->list = nullptr;
  new (&cell->value) Value();
  Travelling& all = travelling();
  has_travelling_cells.store(true, std::memory_order_relaxed);
  std::lock_guard lock(all.lock);
  enter(cell, all.first);
  return Ref<CellObject>::adopt(cell);
}

void settle_travelling_cells(const Value& arrived) {
  if (!current_cells) return;
  adopt_cells(arrived);
  current_cells->look_if_due();
}

void adopt_cell(CellObject* cell) {
  if (cell->list || !current_cells) return;
  {
    std::lock_guard lock(travelling().lock);
    unlink(cell);
  }
  current_cells->enter(cell);
}

void empty_travelling_cells() {
  Travelling& all = travelling();
  while (all.first) {
    auto cell = Ref<CellObject>::share(all.first);
    unlink(cell.get());
    cell->value.set_nil();
  }
}

void destroy_cell(CellObject* cell) {
  if (cell->list) {
    --cell->list->size_;
    unlink(cell);
  } else {
    std::lock_guard lock(travelling().lock);
    unlink(cell);
  }
  cell->value.~Value();
  deallocate(cell, sizeof(CellObject));
}

}  // namespace harn::vm
