#pragma once

#include <atomic>
#include <cstddef>

// Freeing what only holds itself.
//
// Values are counted, so a closure in the very variable it captures, or two local functions that call each other,
// would never go. Every such cycle leads through a cell. The search takes all cells of a task, counts how often the
// objects below them are held from among themselves, and compares: what is held from nowhere else, neither directly nor
// through something that is, is garbage. Emptying the cells among it frees all of it. Registers, program variables and
// C++ code hold counts of their own, so the search needs to know nothing about them and may run wherever a cell is made.
//
//   let f = nil
//   f = { n -> f(n - 1) }     // cell -> closure -> cell: each is held once, by the other
//
// A suspended generator in a garbage cycle that has clean-up code runs it first, with everything it can reach still
// there, and goes when the next search comes by.
namespace harn::vm {

class CellList;

struct CycleSearch {
  size_t kept;   // values below the cells that stay: the next search will look at them again
  size_t freed;  // cells
};
// Of the task that runs now, whose cells these are.
CycleSearch free_cycles(CellList& cells);

class Value;
// Puts the cells of a value that has just come from another task into the current list.
void adopt_cells(const Value& arrived);
// The same for one that came while the task runs: a message, or a result. Then it may be time to look, too.
extern std::atomic<bool> has_travelling_cells;  // there are some, or were
void settle_travelling_cells(const Value& arrived);
inline void settle_cells(const Value& arrived) {
  if (has_travelling_cells.load(std::memory_order_relaxed)) [[unlikely]]
    settle_travelling_cells(arrived);
}

}  // namespace harn::vm
