#include "base/assert.h"
#include "vm/heap_kinds.h"
#include "vm/memory.h"
#include "vm/objects.h"

namespace harn::vm {

static thread_local CellList* current_cells = nullptr;

UseCells::UseCells(CellList& list) : outer_(std::exchange(current_cells, &list)) {}
UseCells::~UseCells() { current_cells = outer_; }

CellList::CellList() { ring_.previous = ring_.next = &ring_; }

CellList::~CellList() {
  while (ring_.next != &ring_) {
    auto cell = Ref<CellObject>::share(ring_.next);
    cell->previous->next = cell->next;
    cell->next->previous = cell->previous;
    cell->previous = cell->next = cell.get();  // a list of its own until it goes
    cell->value.set_nil();
  }
}

Ref<CellObject> new_cell(Value value) {
  HARN_ASSERT(current_cells, "a cell was made outside of a running VM");
  auto* cell = allocate_object<CellObject>(Kind::Cell);
  new (&cell->value) Value(std::move(value));
  CellObject& ring = current_cells->ring_;
  cell->next = ring.next;
  cell->previous = &ring;
  ring.next->previous = cell;
  ring.next = cell;
  return Ref<CellObject>::adopt(cell);
}

void destroy_cell(CellObject* cell) {
  cell->previous->next = cell->next;
  cell->next->previous = cell->previous;
  cell->value.~Value();
  deallocate(cell, sizeof(CellObject));
}

}  // namespace harn::vm
