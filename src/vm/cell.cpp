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
  CellObject ring;
  Travelling() { ring.previous = ring.next = &ring; }
};
Travelling& travelling() {
  static auto* instance = new Travelling;  // never destroyed: threads may end after main does
  return *instance;
}

void link(CellObject* cell, CellObject& ring) {
  cell->next = ring.next;
  cell->previous = &ring;
  ring.next->previous = cell;
  ring.next = cell;
}

void unlink(CellObject* cell) {
  cell->previous->next = cell->next;
  cell->next->previous = cell->previous;
  cell->previous = cell->next = cell;  // a list of its own until it goes
}

}  // namespace

static thread_local CellList* current_cells = nullptr;

void use_cells(CellList& list) { current_cells = &list; }

CellList::CellList() { ring_.previous = ring_.next = &ring_; }

void CellList::clear() {
  while (ring_.next != &ring_) {
    auto cell = Ref<CellObject>::share(ring_.next);
    unlink(cell.get());
    cell->value.set_nil();
  }
}

Ref<CellObject> new_cell(Value value) {
  HARN_ASSERT(current_cells, "a cell was made outside of a running VM");
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  new (&cell->value) Value(std::move(value));
  link(cell, current_cells->ring_);
  return Ref<CellObject>::adopt(cell);
}

Ref<CellObject> new_travelling_cell() {
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  cell->flags = kTravelling;
  new (&cell->value) Value();
  Travelling& all = travelling();
  std::lock_guard lock(all.lock);
  link(cell, all.ring);
  return Ref<CellObject>::adopt(cell);
}

void empty_travelling_cells() {
  Travelling& all = travelling();
  while (all.ring.next != &all.ring) {
    auto cell = Ref<CellObject>::share(all.ring.next);
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
