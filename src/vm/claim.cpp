#include "vm/claim.h"

#include "bytecode/liveness.h"
#include "vm/dict.h"
#include "vm/globals.h"
#include "vm/interpreter.h"
#include "vm/print.h"

namespace harn::vm {

using namespace bytecode;
using After = Liveness::After;

std::atomic<uint64_t> copied_items{0};

void claim_shared(Object* object) {
  Worker* worker = this_worker;
  if (worker && worker->interpreter) worker->interpreter->claim_object(object);
}

void claim_room(const Value& text, size_t more) {
  const StringObject* object = text.as_string();
  if (object->size + more <= object->capacity) claim(text);
}

namespace {

// Looking costs less than the copy it may save.
size_t cost_of_copy(const Object* object) {
  constexpr size_t kLeast = 24;
  switch (object->kind) {
    case Kind::List: return kLeast + static_cast<const ListObject*>(object)->size;
    case Kind::Set: return kLeast + static_cast<const SetObject*>(object)->size;
    case Kind::String: return kLeast + static_cast<const StringObject*>(object)->size / 16;
    case Kind::Dict: case Kind::Struct: return kLeast + static_cast<const DictObject*>(object)->size();
    default: return kLeast;
  }
}

// Dropping anything else may run code.
bool is_data(const Value& value) {
  switch (value.kind()) {
    case Kind::String: case Kind::List: case Kind::Dict: case Kind::Struct: case Kind::Set: case Kind::Enum:
    case Kind::Pair:
      return true;
    default: return false;
  }
}

bool is(const Value& value, const Object* object) { return value.is_heap() && value.object() == object; }

Value* item_of(const Value& container, const Value& key) {
  if (container.is_list() && key.is_int()) {
    ListObject* list = container.as_list();
    int64_t at = key.as_int() < 0 ? key.as_int() + static_cast<int64_t>(list->size) : key.as_int();
    return at >= 0 && static_cast<size_t>(at) < list->size ? list->items + at : nullptr;
  }
  if (!container.is(Kind::Dict) && !container.is(Kind::Struct)) return nullptr;
  if (key.is_string()) return const_cast<Value*>(container.as_dict()->find(key.as_string()));
  return key.is_int() ? const_cast<Value*>(container.as_dict()->find(IntText(key.as_int()).view())) : nullptr;
}

// One attempt, for one object.
class Claim {
 public:
  Claim(Task& task, Object* object, int depth) : task_(task), object_(object), depth_(depth), left_(cost_of_copy(object)) {}

  void run(Coroutine* coroutine) {
    // Nothing can fail, and no code of the program runs, before control is back in the frame.
    bool is_certain = true;
    for (; coroutine; coroutine = coroutine->resumer) {
      uint32_t limit = UINT32_MAX;
      for (uint32_t i = coroutine->frame_count; i-- > 0;) {
        const Frame& frame = coroutine->frames[i];
        if (frame.proto->code->far_register) return;
        is_certain = look_in(*coroutine, frame, limit, is_certain);
        if (is_done() || left_ == 0) return;
        limit = frame.base;
      }
      is_certain = false;
    }
  }

 private:
  bool is_done() const { return refs_of(object_) <= 1; }

  // True when control goes straight on to the caller.
  bool look_in(Coroutine& coroutine, const Frame& frame, uint32_t limit, bool is_certain) {
    const Liveness& liveness = frame.proto->liveness();
    uint32_t number = liveness.ending_at(static_cast<uint32_t>(frame.pc - frame.proto->words));
    Value* registers = coroutine.stack + frame.base;
    bool goes_back = false;
    bool is_guarded = liveness.is_guarded(number);
    if (is_certain || !is_guarded) goes_back = follow(frame, registers, is_certain, is_guarded);
    if (is_done()) return false;
    uint32_t count = std::min(frame.proto->registers, limit - frame.base);
    empty_registers(liveness, number, registers, count, is_certain ? After::Worked : After::Either);
    return goes_back && is_certain;
  }

  // ---- registers ----

  void empty_registers(const Liveness& liveness, uint32_t number, Value* registers, uint32_t count, After after) {
    left_ -= std::min<size_t>(left_, count);
    for (uint32_t reg = 0; reg < count && !is_done(); ++reg) {
      Value& value = registers[reg];
      if (!value.is_heap() || !is_data(value) || liveness.is_read_by(number, reg)) continue;
      if (!liveness.is_live(number, reg, after)) drop(value);
      else if (value.is(Kind::Dict) || value.is(Kind::Struct)) empty_fields(liveness, number, reg, value, after);
    }
  }

  // What this register alone holds may have parts that a generator waits in.
  void drop(Value& value) {
    bool may_run_code = task_.watched > 0 && value.object() != object_ && value.is_unique();
    if (!may_run_code) value.set_nil();
  }

  // A record that is read on, but not this field of it.
  void empty_fields(const Liveness& liveness, uint32_t number, uint32_t reg, const Value& value, After after) {
    DictObject* dict = value.as_dict();
    if (!dict->shape || !value.is_unique()) return;
    for (uint32_t slot = 0; slot < dict->shape->count; ++slot) {
      if (!is(dict->slots()[slot], object_)) continue;
      if (liveness.is_field_dead(number, reg, dict->shape->keys[slot]->view(), after)) dict->slots()[slot].set_nil();
    }
  }

  // ---- what comes next ----

  // Registers that will hold something else by the time an instruction is reached.
  struct Written {
    uint64_t bits = 0;
    bool has_more = false;
    void add(uint32_t reg) {
      if (reg < 64) bits |= uint64_t{1} << reg;
      else has_more = true;
    }
    bool any(uint32_t first, uint32_t count = 1) const {
      if (first + count > 64) return has_more || first >= 64 || bits >> first;
      uint64_t mask = count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
      return (bits >> first & mask) != 0;
    }
  };
  // A dict that the code to come builds from a record that is not read again, or with these keys.
  struct Built {
    uint32_t reg = UINT32_MAX;
    const Value* source = nullptr;
    const Keys* keys = nullptr;
  };

  // Goes along the instructions that follow while they cannot read what others are about to write, and empties what
  // they overwrite. True when they return. One that may fail ends it, unless the frame would be left.
  bool follow(const Frame& frame, Value* registers, bool is_certain, bool is_guarded) {
    constexpr int kMost = 16;
    const Word* at = frame.pc;
    Written written;
    Built built;
    uint32_t moved_from = UINT32_MAX;
    for (int i = 0; i < kMost && !is_done(); ++i) {
      Word word = *at;
      Op op = op_of(word);
      uint32_t a = a_of(word), b = b_of(word), c = c_of(word);
      switch (op) {
        case Op::Steal: case Op::StealData: moved_from = b; [[fallthrough]];
        case Op::LoadNil: case Op::LoadBool: case Op::LoadInt: case Op::LoadConst: case Op::NewDict:
          written.add(a);
          break;
        case Op::Move:
          // A copy of something with parts would keep them.
          if (registers[b].is_heap() && !registers[b].is_string()) return false;
          written.add(a);
          break;
        case Op::Jump:
          if (sj_of(word) < 0) return false;
          at += sj_of(word);
          break;
        case Op::Return: case Op::ReturnNil: return is_certain && (frame.duties & ~Frame::kOwnsClosure) == 0;
        case Op::NewDictOf:
          built = {a, nullptr, &std::get<Keys>(frame.proto->code->constants[at[1]])};
          written.add(a);
          break;
        case Op::DictSpread:
          if (written.any(b) || !registers[b].is(Kind::Dict)) return false;
          built = {a, c != 0 ? registers + b : nullptr, nullptr};
          break;
        // What is being built from the object itself.
        case Op::ListPush:
          if (written.any(a) || !is(registers[a], object_)) return false;
          break;
        case Op::DictPut:
          if (built.source && built.reg == a && !written.any(b)) empty_replaced(*built.source, item_of(*built.source, registers[b]));
          else if (written.any(a) || !is(registers[a], object_)) return false;
          break;
        case Op::SetField: {
          StringObject* name = frame.proto->caches[at[1]].name;
          if (built.source && built.reg == a) {
            empty_replaced(*built.source, field_of(*built.source, name));
            break;
          }
          if (written.any(a)) return false;
          if (is(registers[a], object_)) break;
          if (!empty_part(registers[a], field_of(registers[a], name))) return false;
          break;
        }
        case Op::SetIndex:
          if (written.any(a) || written.any(b)) return false;
          if (!empty_item(registers[a], &registers[b], 1)) return false;
          break;
        case Op::SetPathLocal:
          if (written.any(a) || written.any(b, c)) return false;
          if (!empty_item(registers[a], &registers[b], c)) return false;
          break;
        case Op::CallMethod:
          if (built.keys && built.reg == a + 1 && b == 1 && moved_from < frame.proto->registers) {
            empty_merged(registers[moved_from], *frame.proto->caches[at[1]].name, *built.keys);
          }
          return false;
        case Op::GetField:
          if (is_guarded || written.any(b) || !field_of(registers[b], frame.proto->caches[at[1]].name) ||
              is(*field_of(registers[b], frame.proto->caches[at[1]].name), object_)) {
            return false;
          }
          is_certain = false;
          written.add(a);
          break;
        case Op::Add: case Op::AddTemp: case Op::Sub: case Op::Mul: case Op::AddInt: case Op::AddConst:
        case Op::AddConstTemp: case Op::SubConst: case Op::MulConst:
          if (is_guarded) return false;
          is_certain = false;
          written.add(a);
          break;
        default:
          if (!is_certain) return false;  // code that runs until then may read them
          if (!empty_outside(frame, registers, at, written)) return false;
      }
      at += length(row(op).format);
    }
    return false;
  }

  static Value* field_of(const Value& record, const StringObject* name) {
    if (!record.is(Kind::Dict) && !record.is(Kind::Struct)) return nullptr;
    return const_cast<Value*>(record.as_dict()->find(name));
  }

  // `{...record, field: value}`
  void empty_replaced(const Value& source, Value* place) {
    if (place && is(*place, object_) && owns(source)) place->set_nil();
  }

  // `record.merge({field: value})`, where no field has that name
  void empty_merged(const Value& record, const StringObject& method, const Keys& keys) {
    if (method.view() != "merge" || !record.is(Kind::Dict) || record.as_dict()->find(&method)) return;
    for (const std::string& key : keys) empty_replaced(record, const_cast<Value*>(record.as_dict()->find(key)));
  }

  // Variables outside the registers.
  bool empty_outside(const Frame& frame, Value* registers, const Word* at, const Written& written) {
    Word word = *at;
    Value* globals = task_.globals && !task_.globals->is_shared() ? task_.globals->values() : nullptr;
    Value* captures = frame.closure ? frame.closure->captures() : nullptr;
    auto cell = [](const Value& holder) { return &holder.as<CellObject>()->value; };
    switch (op_of(word)) {
      case Op::SetGlobal: return empty(globals ? globals + bx_of(word) : nullptr);
      case Op::AssignGlobal:
        return globals && !globals[bx_of(word)].is(Kind::Unset) && empty(globals + bx_of(word));
      case Op::SetCaptureCell: return empty(cell(captures[b_of(word)]));
      case Op::SetCell: return !written.any(a_of(word)) && empty(cell(registers[a_of(word)]));
      case Op::SetPath: {
        const Value* keys = registers + b_of(word);
        if (written.any(b_of(word), c_of(word))) return false;
        switch (static_cast<Place>(a_of(word))) {
          case Place::Global: return globals && empty_item(globals[at[1]], keys, c_of(word));
          case Place::Capture: return empty_item(*cell(captures[at[1]]), keys, c_of(word));
          case Place::Cell: return !written.any(at[1]) && empty_item(*cell(registers[at[1]]), keys, c_of(word));
        }
        return false;
      }
      default: return false;
    }
  }

  bool empty(Value* place) {
    if (!place) return false;
    if (is(*place, object_)) place->set_nil();
    return true;
  }

  // A part of a container, which keeps it when somebody else reads the container. False when there is none yet: adding
  // it may fail.
  bool empty_part(const Value& container, Value* place) {
    if (!place || !owns(container)) return false;
    return empty(place);
  }

  bool empty_item(const Value& variable, const Value* keys, uint32_t count) {
    const Value* container = &variable;
    for (uint32_t i = 0; i + 1 < count; ++i) {
      Value* next = item_of(*container, keys[i]);
      if (!next || !owns(*container)) return false;
      container = next;
    }
    return empty_part(*container, item_of(*container, keys[count - 1]));
  }

  bool owns(const Value& container) {
    constexpr int kDeepest = 3;
    if (container.is_unique()) return true;
    if (depth_ >= kDeepest || refs_of(container.object()) <= 0) return false;
    Claim(task_, container.object(), depth_ + 1).run(task_.current);
    return container.is_unique();
  }

  Task& task_;
  Object* object_;
  int depth_;
  size_t left_;  // registers to look at
};

}  // namespace

void Interpreter::claim_object(Object* object) { Claim(*task_, object, 0).run(co_); }

}  // namespace harn::vm
