#include <mutex>

#include "base/assert.h"
#include "base/spin_lock.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"
#include "vm/objects.h"

namespace harn::vm {

namespace {

constexpr uint8_t kTravelling = 1;  // flags

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

CellList* use_cells(CellList* list) { return std::exchange(current_cells, list); }

void CellList::clear() {
  while (first_) {
    auto cell = Ref<CellObject>::share(first_);
    unlink(cell.get());
    cell->value.set_nil();
  }
}

Ref<CellObject> new_cell(Value value) {
  HARN_ASSERT(current_cells, "a cell was made outside of a running VM");
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  new (&cell->value) Value(std::move(value));
  enter(cell, current_cells->first_);
  return Ref<CellObject>::adopt(cell);
}

Ref<CellObject> new_travelling_cell() {
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  cell->flags = kTravelling;
  new (&cell->value) Value();
  Travelling& all = travelling();
  std::lock_guard lock(all.lock);
  enter(cell, all.first);
  return Ref<CellObject>::adopt(cell);
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
  if (cell->flags & kTravelling) {
    std::lock_guard lock(travelling().lock);
    unlink(cell);
  } else {
    unlink(cell);
  }
  cell->value.~Value();
  deallocate(cell, sizeof(CellObject));
}

}  // namespace harn::vm
