#include "vm/cycles.h"

#include <new>
#include <unordered_set>
#include <vector>

#include "vm/hash_index.h"
#include "vm/parts.h"
#include "vm/scheduler.h"

namespace harn::vm {

namespace {

// Kinds from which a cell can be reached. Handles keep to themselves what they hold: for them it is held from outside.
bool may_hold_cells(const Object* object) {
  switch (object->kind) {
    case Kind::List:
    case Kind::Dict:
    case Kind::Struct:
    case Kind::Set:
    case Kind::Enum:
    case Kind::Pair:
    case Kind::Closure:
    case Kind::Iter:
    case Kind::Generator:
    case Kind::Cell:
    case Kind::StructType:
    case Kind::Error: return refs_of(object) > 0;  // not shared with other tasks
    default: return false;
  }
}

// Calls `visit` for each object that the object holds a count on and that may be part of a cycle; the number of values
// it has looked at.
template <class Visit>
size_t each_held(Object* object, Visit visit) {
  size_t steps = 1;
  auto value = [&](const Value& held) {
    ++steps;
    if (held.is_heap() && may_hold_cells(held.object())) visit(held.object());
  };
  switch (object->kind) {
    case Kind::Cell: value(static_cast<CellObject*>(object)->value); break;
    case Kind::Iter: value(static_cast<IterObject*>(object)->source); break;
    case Kind::Generator: {
      const Coroutine* coroutine = static_cast<GeneratorObject*>(object)->coroutine;
      if (!coroutine) break;
      for (uint32_t i = 0; i < coroutine->stack_size; ++i) value(coroutine->stack[i]);
      for (uint32_t i = 0; i < coroutine->frame_count; ++i) {
        const Frame& frame = coroutine->frames[i];
        if (frame.duties & Frame::kOwnsClosure && may_hold_cells(frame.closure)) visit(frame.closure);
      }
      break;
    }
    case Kind::Struct: {
      StructTypeObject* type = struct_type(static_cast<DictObject*>(object));
      if (may_hold_cells(type)) visit(type);
      each_part(object, value);
      break;
    }
    default: each_part(object, value);
  }
  return steps;
}

class Search {
 public:
  explicit Search(CellList& cells) {
    for (CellObject* cell = cells.first(); cell; cell = cell->next) add(cell);
  }

  ~Search() { index_.destroy(); }
  Search(const Search&) = delete;

  CycleSearch run() {
    count_inside();
    keep_held_from_outside();
    close_generators();
    return {kept_, empty_cells()};
  }

 private:
  struct Node {
    Object* object;
    int32_t inside;  // counts held by other nodes
    bool kept;
  };

  uint32_t add(Object* object) {
    uint32_t hash = hash_of(object);
    int64_t known = nodes_.empty() ? -1 : index_.find(hash, hashes_.data(), [&](uint32_t node) {
      return nodes_[node].object == object;
    });
    if (known >= 0) return static_cast<uint32_t>(known);
    if (nodes_.size() == room_) grow();
    auto number = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({object, 0, false});
    hashes_.push_back(hash);
    index_.add(hash, number);
    return number;
  }

  static uint32_t hash_of(const Object* object) {
    return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15ull >> 32);
  }

  void grow() {
    room_ = room_ ? room_ * 2 : 4096;
    HashIndex larger = HashIndex::create(room_);
    for (uint32_t i = 0; i < nodes_.size(); ++i) larger.add(hashes_[i], i);
    index_.destroy();
    index_ = larger;
  }

  void count_inside() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      each_held(nodes_[i].object, [&](Object* held) { ++nodes_[add(held)].inside; });
    }
  }

  void keep(uint32_t node) {
    if (std::exchange(nodes_[node].kept, true)) return;
    waiting_.push_back(node);
    while (!waiting_.empty()) {
      uint32_t next = waiting_.back();
      waiting_.pop_back();
      kept_ += each_held(nodes_[next].object, [&](Object* held) {
        uint32_t number = add(held);
        if (!std::exchange(nodes_[number].kept, true)) waiting_.push_back(number);
      });
    }
  }

  // A generator that runs is held by what it runs in.
  static bool is_running(const Object* object) {
    return object->kind == Kind::Generator &&
           static_cast<const GeneratorObject*>(object)->state == GeneratorObject::State::Running;
  }

  void keep_held_from_outside() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (refs_of(nodes_[i].object) > nodes_[i].inside || is_running(nodes_[i].object)) keep(i);
    }
  }

  void close_generators() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kept || nodes_[i].object->kind != Kind::Generator) continue;
      if (close_soon(static_cast<GeneratorObject*>(nodes_[i].object))) keep(i);
    }
  }

  size_t empty_cells() {
    std::vector<Ref<CellObject>> dead;
    for (const Node& node : nodes_) {
      if (!node.kept && node.object->kind == Kind::Cell) {
        dead.push_back(Ref<CellObject>::share(static_cast<CellObject*>(node.object)));
      }
    }
    for (auto& cell : dead) cell->value.set_nil();
    return dead.size();
  }

  std::vector<Node> nodes_;
  std::vector<uint32_t> hashes_;
  HashIndex index_{};
  uint32_t room_ = 0;
  std::vector<uint32_t> waiting_;
  size_t kept_ = 0;
};

}  // namespace

CycleSearch free_cycles(CellList& cells) {
  try {
    return Search(cells).run();
  } catch (const std::bad_alloc&) {
    return {cells.size(), 0};  // no memory to look for memory: another time
  }
}

void adopt_cells(const Value& arrived) {
  if (!arrived.is_heap() || !may_hold_cells(arrived.object())) return;
  std::vector<Object*> waiting = {arrived.object()};
  std::unordered_set<Object*> seen = {arrived.object()};
  while (!waiting.empty()) {
    Object* object = waiting.back();
    waiting.pop_back();
    if (object->kind == Kind::Cell) adopt_cell(static_cast<CellObject*>(object));
    each_held(object, [&](Object* held) {
      if (seen.insert(held).second) waiting.push_back(held);
    });
  }
}

}  // namespace harn::vm
