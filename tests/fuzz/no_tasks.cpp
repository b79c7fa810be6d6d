// What values need of tasks, where there are none: fuzzers build values without the interpreter.
#include <atomic>

#include "vm/aside.h"
#include "vm/claim.h"
#include "vm/cycles.h"
#include "vm/heap_kinds.h"
#include "vm/known_type.h"
#include "vm/pace.h"
#include "vm/regions.h"
#include "vm/remains.h"
#include "vm/transfer.h"

namespace harn::vm {

constinit thread_local int32_t steps_left = 0;
void look_up() { steps_left = 1 << 20; }
Undisturbed::Undisturbed() : worker_(nullptr) {}
Undisturbed::~Undisturbed() = default;

constinit thread_local bool has_remains = false;
void drop_items(Remains remains) {
  for (size_t i = 0; i < remains.count; ++i) remains.drop_item(remains.collection, i);
  remains.finish(remains.collection);
}
void work_off_remains(size_t) {}

// Nobody else wants the thread.
void run_aside(std::function<void()> work, const Value&) { work(); }
void drop_aside(std::shared_ptr<void>) {}

bool freeze(const Value&) { return true; }
bool holds_functions(const Object*) { return false; }
void freeze_again(const Value&, bool) {}
void claim_shared(const Value&, Emptied&, Looks) {}
void claim_room(const Value&, size_t) {}
CycleSearch free_cycles(CellList&) { return {}; }
void adopt_cells(const Value&) {}

// Nothing is shared, so there are no regions.
std::atomic<uintptr_t> regions[kMostRegions];
void end_region(Object*) {}
void leave_region(int32_t) {}

// There are no functions.
void destroy_closure(ClosureObject*) {}
void destroy_generator(GeneratorObject*) {}

void keep_type_of(Object* collection, const Value&) { collection->known_type = 0; }
std::atomic<uint64_t> copied_items{0};

}  // namespace harn::vm
