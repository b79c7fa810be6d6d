#include "vm/claim.h"

#include <algorithm>
#include <array>
#include <bit>

#include "bytecode/liveness.h"
#include "vm/dict.h"
#include "vm/globals.h"
#include "vm/interpreter.h"
#include "vm/print.h"

namespace harn::vm {

using namespace bytecode;
using After = Liveness::After;

std::atomic<uint64_t> copied_items{0};

// To look who holds a small record costs more than to copy it.
static bool is_small(const Value& held) {
  constexpr uint32_t kFew = 8;
  if (!held.is(Kind::Dict) && !held.is(Kind::Struct)) return false;
  const Shape* shape = held.as_dict()->shape;
  return shape && shape->count <= kFew;
}

void claim_shared(const Value& held, Emptied& emptied, Looks looks) {
  if (looks == Looks::IfLarge && is_small(held)) return;
  Worker* worker = this_worker;
  if (worker && worker->interpreter) worker->interpreter->claim_value(held, emptied);
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
    case Kind::Dict:
    case Kind::Struct: return kLeast + static_cast<const DictObject*>(object)->size();
    default: return kLeast;
  }
}

// Dropping anything else may run code.
bool is_data(const Value& value) {
  switch (value.kind()) {
    case Kind::String:
    case Kind::List:
    case Kind::Dict:
    case Kind::Struct:
    case Kind::Set:
    case Kind::Enum:
    case Kind::Pair: return true;
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

// A value that is looked at, not counted.
class Borrowed {
 public:
  Borrowed() = default;
  Borrowed(const Borrowed&) = delete;
  ~Borrowed() { value_.forget(); }
  void set(Kind kind, uint64_t bits) { value_.init_raw(kind, bits); }
  const Value* operator->() const { return &value_; }
  const Value& operator*() const { return value_; }

 private:
  Value value_;
};

// One attempt, for one object.
class Claim {
 public:
  Claim(Task& task, const Value& held, Emptied& emptied, int depth, size_t budget)
      : task_(task), held_(held), object_(held.object()), emptied_(emptied), depth_(depth), left_(budget) {}

  void run(Coroutine* coroutine) {
    // Nothing can fail, and no code of the program runs, before control is back in the frame.
    bool is_certain = true;
    Known result = Known::Data;
    for (; coroutine; coroutine = coroutine->resumer) {
      uint32_t limit = UINT32_MAX;
      for (uint32_t i = coroutine->frame_count; i-- > 0;) {
        const Frame& frame = coroutine->frames[i];
        if (frame.proto->code->far_register) return;
        Path path = look_in(*coroutine, frame, limit, is_certain, result);
        if (is_done() || left_ == 0) return;
        is_certain = path.returns && path.is_certain;
        result = path.returned;
        limit = frame.base;
      }
      is_certain = false;
    }
  }

 private:
  bool is_done() const { return refs_of(object_) <= 1; }

  // Instructions that put the updated value into their first register.
  static bool gives_value(Op op) {
    switch (op) {
      case Op::Call:
      case Op::CallLocal:
      case Op::CallGlobal:
      case Op::CallLibrary:
      case Op::CallSelf:
      case Op::CallMethod:
      case Op::CallPush:
      case Op::CallBuiltin:
      case Op::AddTemp:
      case Op::AddConstTemp:
      case Op::GetSlice:
      case Op::ListRest:
      case Op::Concat: return true;
      default: return false;
    }
  }

  // What is known of a value to come: a list, record or text, that in an Ok, or `true`.
  enum class Known : uint8_t { Nothing, Data, Ok, True };

  // The instructions that will be executed next, for certain.
  struct Path {
    const Liveness* liveness;
    bool is_certain;  // none of them can fail
    bool is_guarded;  // if one fails, the function goes on
    bool returns = false;
    Known returned = Known::Nothing;
    uint32_t stop = 0;     // the instruction that it ends before
    uint64_t written = 0;  // registers that will hold something else then
    uint64_t read = 0;     // registers whose present value is read
    uint64_t aliases = 0;  // registers that will hold what others hold, too
    bool stores = false;   // what variables and fields hold now may be something else then
    bool runs = false;     // what program variables hold now may be: code of the program has run
    std::array<Known, 64> known{};
    // Numbers and texts that registers will hold, as far as they are known. Nobody counts them: what they are read
    // from stays where it is meanwhile.
    struct Scalar {
      uint32_t reg;
      Kind kind;
      uint64_t bits;
    };
    static constexpr uint32_t kScalars = 8;
    std::array<Scalar, kScalars> scalars;
    uint32_t scalar_count = 0;

    bool is_written(uint32_t first, uint32_t count = 1) const {
      if (first + count > 64) return true;
      uint64_t mask = count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
      return (written >> first & mask) != 0;
    }
    void write(uint32_t reg, Known what = Known::Nothing) {
      if (reg >= 64) return;
      written |= uint64_t{1} << reg;
      aliases &= ~(uint64_t{1} << reg);
      known[reg] = what;
      for (uint32_t i = 0; i < scalar_count; ++i) {
        if (scalars[i].reg == reg) scalars[i] = scalars[--scalar_count];
      }
    }
    void write_scalar(uint32_t reg, Kind kind, uint64_t bits) {
      write(reg);
      if (scalar_count < kScalars) scalars[scalar_count++] = {reg, kind, bits};
    }
    // The register will hold what a variable outside holds now. Nobody may read it but for other parts than are emptied.
    void write_alias(uint32_t reg, const Value& value) {
      write_scalar(reg, value.kind(), value.bits());
      if (value.is_heap() && !value.is_string() && reg < 64) aliases |= uint64_t{1} << reg;
    }
    bool is_alias(uint32_t reg) const { return reg < 64 && (aliases >> reg & 1) != 0; }
    // What the register will hold then, if it can be known: what it holds now, or a number or text.
    bool value_of(uint32_t reg, const Value* registers, Borrowed& out) const {
      if (!is_written(reg)) {
        out.set(registers[reg].kind(), registers[reg].bits());
        return true;
      }
      for (uint32_t i = 0; i < scalar_count; ++i) {
        if (scalars[i].reg != reg) continue;
        out.set(scalars[i].kind, scalars[i].bits);
        return true;
      }
      return false;
    }
    Known what(uint32_t reg) const { return reg < 64 ? known[reg] : Known::Nothing; }
    // What the register holds now is not read any more, but for parts that are followed.
    bool is_dead(uint32_t reg) const {
      if ((!is_certain && is_guarded) || reg >= 64 || read >> reg & 1) return false;
      return written >> reg & 1 || returns || !liveness->is_live_before(stop, reg);
    }
    // Whether something that is read on is part of what registers hold now.
    bool keeps_parts() const {
      for (uint64_t left = aliases; left != 0; left &= left - 1) {
        if (!returns && liveness->is_live_before(stop, static_cast<uint32_t>(std::countr_zero(left)))) return true;
      }
      return false;
    }
  };

  Path look_in(Coroutine& coroutine, const Frame& frame, uint32_t limit, bool is_certain, Known result) {
    const Liveness& liveness = frame.proto->liveness();
    uint32_t number = liveness.ending_at(frame.next_word());
    Value* registers = coroutine.stack + frame.base;
    bool is_guarded = liveness.is_guarded(number);
    Path path{.liveness = &liveness,
              .is_certain = is_certain,
              .is_guarded = is_guarded,
              .stop = number + 1,
              .runs = !is_certain};
    Word word = frame.proto->code->words[liveness.start(number)];
    liveness.each_write(number, [&](uint32_t reg) { path.write(reg); });
    if (gives_value(op_of(word))) path.write(a_of(word), is_certain ? result : Known::Nothing);
    if (is_certain || !is_guarded) follow(path, frame, registers, is_guarded);
    if (is_done()) return path;
    left_ -= std::min<size_t>(left_, 1);
    uint32_t count = std::min(frame.proto->registers, limit - frame.base);
    empty_registers(path, number, registers, count, is_certain ? After::Worked : After::Either);
    return path;
  }

  // ---- registers ----

  void empty_registers(const Path& path, uint32_t number, Value* registers, uint32_t count, After after) {
    const Liveness& liveness = *path.liveness;
    left_ -= std::min<size_t>(left_, count);
    bool keeps_parts = path.keeps_parts();
    for (uint32_t reg = 0; reg < count && !is_done(); ++reg) {
      Value& value = registers[reg];
      if (!value.is_heap() || !is_data(value) || liveness.is_read_by(number, reg)) continue;
      if (!liveness.is_live(number, reg, After::Either)) {
        drop(value);
        continue;
      }
      if (!keeps_parts && path.is_dead(reg)) empty_below(value, 0);
      if (!value.is_heap()) continue;
      if (!liveness.is_live(number, reg, after)) give_up(value);
      else empty_parts(liveness, number, reg, registers, after);
    }
  }

  // Nobody reads it, whatever happens. What this register alone holds may have parts that a generator waits in.
  void drop(Value& value) {
    if (&value == &held_) return;
    bool may_run_code = task_.watched > 0 && value.object() != object_ && value.is_unique();
    if (value.object() == object_) take(value);
    else if (!may_run_code) value.set_nil();
  }

  // Nobody reads it unless something fails.
  void give_up(Value& value) {
    if (value.object() == object_) take(value);
    else empty_inside(value);
  }

  void take(Value& place) {
    if (&place != &held_) emptied_.take(place);
  }

  // What is read on, but not this part of it.
  void empty_parts(const Liveness& liveness, uint32_t number, uint32_t reg, const Value* registers, After after) {
    const Value& value = registers[reg];
    if (value.is(Kind::Dict) || value.is(Kind::Struct)) empty_fields(liveness, number, reg, value, after);
    if (value.is_list()) empty_numbers(liveness, number, reg, value, after);
    if (!value.is_unique() || is_done()) return;
    liveness.each_dead_item(number, reg, after, [&](uint32_t key) {
      Value* item = item_of(value, registers[key]);
      if (!item || item == &held_) return;
      if (is(*item, object_)) take(*item);
      else empty_inside(*item);
    });
  }

  // A record that is read on, but not this field of it.
  void empty_fields(const Liveness& liveness, uint32_t number, uint32_t reg, const Value& value, After after) {
    DictObject* dict = value.as_dict();
    if (!dict->shape) return;
    for (uint32_t slot = 0; slot < dict->shape->count; ++slot) {
      if (!is(dict->slots()[slot], object_)) continue;
      if (!liveness.is_field_dead(number, reg, dict->shape->keys[slot]->view(), after)) continue;
      if (holds_alone(value) || owns(value)) take(dict->slots()[slot]);
    }
  }

  // A list that is read on, but not these items: `s = [s[0].push(v), s[1] + 1]`.
  void empty_numbers(const Liveness& liveness, uint32_t number, uint32_t reg, const Value& value, After after) {
    liveness.each_dead_number(number, reg, after, [&](uint32_t at) {
      if (at >= value.as_list()->size || is_done()) return;
      Value& item = value.as_list()->items[at];
      if (is(item, object_) && (holds_alone(value) || owns(value))) take(item);
    });
  }

  // ---- what comes next ----

  // A dict that the code to come builds from a record that is not read again, or with these keys.
  struct Built {
    uint32_t reg = UINT32_MAX;
    const Value* source = nullptr;
    const Keys* keys = nullptr;
  };

  // Goes along the instructions that follow while they cannot read what others are about to write, and empties what
  // they overwrite. One that may fail ends it, unless the frame would be left.
  void follow(Path& path, const Frame& frame, Value* registers, bool is_guarded) {
    constexpr int kMost = 24;
    const Word* words = frame.proto->code->words.data();
    const Word* at = words + frame.next_word();
    // A spread of a list goes on where it jumps to.
    if (op_of(words[path.liveness->start(path.stop - 1)]) == Op::ListSpread) at += static_cast<int32_t>(at[-1]);
    Built built;
    uint32_t moved_from = UINT32_MAX;
    bool is_used_up = false;
    for (int i = 0; i < kMost && !is_done() && left_ > 0; ++i) {
      --left_;
      path.stop = path.liveness->starting_at(static_cast<uint32_t>(at - words));
      Word word = *at;
      Op op = op_of(word);
      if (op != Op::GetField && note_reads(path)) return;
      if (replaced_.source &&
          path.liveness->is_read_by(path.stop, static_cast<uint32_t>(replaced_.source - registers))) {
        replaced_ = {};
      }
      uint32_t a = a_of(word), b = b_of(word), c = c_of(word);
      const Word* next = at + length(row(op).format);
      switch (op) {
        case Op::LoadNil:
        case Op::LoadBool: path.write(a); break;
        case Op::NewDict: path.write(a, Known::Data); break;
        case Op::LoadInt: path.write_scalar(a, Kind::Int, static_cast<uint64_t>(int64_t{sbx_of(word)})); break;
        case Op::LoadConst: {
          const Value& constant = frame.proto->constants[bx_of(word)];
          if (constant.is_heap() && !constant.is_string()) path.write(a);
          else path.write_scalar(a, constant.kind(), constant.bits());
          break;
        }
        case Op::Steal:
        case Op::StealData:
        case Op::Move: {
          Borrowed value;
          bool is_known = path.value_of(b, registers, value);
          bool has_parts = is_known && value->is_heap() && !value->is_string();
          if (op == Op::Move && has_parts) return;  // the copy would keep them
          moved_from = op == Op::Move ? UINT32_MAX : b;
          if (path.is_certain) empty_replaced_at(registers[a]);
          Known what = path.what(b);
          if (is_known && !has_parts && what == Known::Nothing) path.write_scalar(a, value->kind(), value->bits());
          else path.write(a, what);
          break;
        }
        case Op::Jump:
          if (sj_of(word) < 0) return;
          next += sj_of(word);
          break;
        case Op::Return:
        case Op::ReturnNil:
          path.returns = (frame.duties & ~Frame::kOwnsClosure) == 0;
          path.returned = op == Op::Return ? path.what(a) : Known::Nothing;
          return;
        case Op::NewDictOf:
          built = {a, nullptr, &std::get<Keys>(frame.proto->code->constants[at[1]])};
          path.write(a, Known::Data);
          break;
        case Op::DictSpread:
          if (path.is_written(b) || !registers[b].is(Kind::Dict)) return;
          built = {a, registers + b, nullptr};
          is_used_up = c != 0;
          break;
        // What is being built from the object itself.
        case Op::ListPush:
          if (!is(registers[a], object_)) return;
          break;
        case Op::DictPut:
          if (built.source && built.reg == a && !path.is_written(b)) {
            empty_replaced(*built.source, item_of(*built.source, registers[b]), is_used_up);
          } else if (!is(registers[a], object_)) {
            return;
          }
          break;
        case Op::SetField: {
          StringObject* name = frame.proto->caches[at[1]].name;
          if (built.source && built.reg == a) {
            empty_replaced(*built.source, field_of(*built.source, name), is_used_up);
            break;
          }
          if (is(registers[a], object_)) break;
          path.stores = true;
          if (path.is_written(a) || !empty_part(registers[a], field_of(registers[a], name))) return;
          break;
        }
        case Op::SetIndex:
          path.stores = true;
          if (path.is_written(a) || !empty_item(registers[a], path, registers, b, 1)) return;
          break;
        case Op::SetPathLocal: {
          path.stores = true;
          const PathSteps& steps = frame.proto->code->paths[at[1]];
          if (path.is_written(a) || !empty_step(registers[a], path, frame, registers, steps, b)) return;
          break;
        }
        case Op::CallMethod:
          if (built.keys && built.reg == a + 1 && b == 1 && moved_from < frame.proto->registers) {
            empty_merged(registers[moved_from], *frame.proto->caches[at[1]].name, *built.keys);
          }
          [[fallthrough]];
        // What is called cannot see the registers; if it fails, nobody will.
        case Op::Call:
        case Op::CallLocal:
        case Op::CallGlobal:
        case Op::CallLibrary:
        case Op::CallSelf:
        case Op::CallPush:
          if (is_guarded) return;
          path.is_certain = false;
          path.runs = true;
          path.write(a);
          break;
        case Op::GetField: {
          Borrowed record;
          bool is_known = path.value_of(b, registers, record);
          const Value* field = is_known ? field_of(*record, frame.proto->caches[at[1]].name) : nullptr;
          if (is_guarded || !field || is(*field, object_)) return;
          if (path.stores || is(*record, object_)) note_reads(path);
          if (path.stores) {
            path.is_certain = false;
            path.write(a);
          } else {
            path.write_alias(a, *field);
          }
          break;
        }
        case Op::GetGlobal: {
          const Value* globals = own_globals();
          const Value* value = globals ? globals + bx_of(word) : nullptr;
          if (path.stores || path.runs || !value || value->is(Kind::Unset) || is(*value, object_)) return;
          path.write_alias(a, *value);
          break;
        }
        case Op::AddInt: {
          Borrowed number;
          int64_t sum = 0;
          bool is_sum = path.value_of(b, registers, number) && number->is_int() &&
                        !__builtin_add_overflow(number->as_int(), int64_t{sc_of(word)}, &sum);
          if (!is_sum && is_guarded) return;
          path.is_certain &= is_sum;
          if (is_sum) path.write_scalar(a, Kind::Int, static_cast<uint64_t>(sum));
          else path.write(a);
          break;
        }
        case Op::Add:
        case Op::AddTemp:
        case Op::Sub:
        case Op::Mul:
        case Op::AddConst:
        case Op::AddConstTemp:
        case Op::SubConst:
        case Op::MulConst:
          if (is_guarded) return;
          path.is_certain = false;
          path.write(a);
          break;
        default:
          if (!path.is_certain) return;  // code that runs until then may read them
          if (decide(path, frame, at, next)) break;
          path.stores = true;
          if (!empty_outside(frame, registers, at, path)) return;
      }
      at = next;
    }
    path.stop = path.liveness->starting_at(static_cast<uint32_t>(at - words));
  }

  // Present values that the instruction at the end of the path reads. True when one is also held elsewhere.
  static bool note_reads(Path& path) {
    bool reads_alias = false;
    path.liveness->each_read(path.stop, [&](uint32_t reg) {
      if (reg < 64 && !(path.written >> reg & 1)) path.read |= uint64_t{1} << reg;
      reads_alias |= path.is_alias(reg);
    });
    return reads_alias;
  }

  // Results that are wrapped, tested and taken apart again: `match f(xs) { Ok(more) -> { xs = more } ... }`. False for
  // other instructions.
  bool decide(Path& path, const Frame& frame, const Word* at, const Word*& next) {
    Word word = *at;
    uint32_t a = a_of(word);
    Known known = path.what(a);
    switch (op_of(word)) {
      case Op::WrapOk:
        if (path.what(b_of(word)) == Known::Nothing) return false;
        path.write(a, Known::Ok);
        return true;
      case Op::UnwrapOk:
        if (path.what(b_of(word)) != Known::Ok) return false;
        path.write(a, Known::Data);
        next += static_cast<int32_t>(next[-1]);
        return true;
      case Op::EnumField:
        if (path.what(b_of(word)) != Known::Ok) return false;
        path.write(a, Known::Data);
        return true;
      case Op::JumpIfNotVariant: {
        const InlineCache& cache = frame.proto->caches[at[1]];
        if (known != Known::Ok || cache.declaration != kResultDeclaration) return false;
        if (cache.name->view() != "Ok") next += static_cast<int32_t>(next[-1]);
        return true;
      }
      case Op::JumpIf:
      case Op::JumpIfNot:
        if (known != Known::True) return false;
        if (op_of(word) == Op::JumpIf) next += static_cast<int32_t>(next[-1]);
        return true;
      case Op::CallBuiltin: {
        std::string_view name = task_.scheduler->vm().builtins().by_id()[at[1]]->name;
        if (b_of(word) != 1 || known == Known::Nothing) return false;
        if (name == "Ok" && known == Known::Data) path.write(a, Known::Ok);
        else if (name == "is_ok" && known == Known::Ok) path.write(a, Known::True);
        else if (name == "unwrap" && known == Known::Ok) path.write(a, Known::Data);
        else return false;
        return true;
      }
      default: return false;
    }
  }

  static Value* field_of(const Value& record, const StringObject* name) {
    if (!record.is(Kind::Dict) && !record.is(Kind::Struct)) return nullptr;
    return const_cast<Value*>(record.as_dict()->find(name));
  }

  // `{...record, field: value}`. A record that is not used up may be read on until its register is overwritten.
  void empty_replaced(const Value& source, Value* place, bool is_used_up = true) {
    if (!place || !is(*place, object_)) return;
    if (is_used_up && owns(source)) take(*place);
    else replaced_ = {&source, place, is_used_up};
  }

  void empty_replaced_at(const Value& source) {
    if (replaced_.source == &source && owns(source)) take(*replaced_.place);
  }

  // `state = {...state, field: value}`: the variable is the only other one that holds the record.
  void empty_replaced_in(const Value& variable) {
    constexpr int32_t kBoth = 2;
    auto [source, place, is_used_up] = replaced_;
    if (is_used_up && is(variable, source->object()) && refs_of(source->object()) == kBoth) take(*place);
  }

  // `record.merge({field: value})`, where no field has that name
  void empty_merged(const Value& record, const StringObject& method, const Keys& keys) {
    if (method.view() != "merge" || !record.is(Kind::Dict) || record.as_dict()->find(&method)) return;
    for (const std::string& key : keys) empty_replaced(record, const_cast<Value*>(record.as_dict()->find(key)));
  }

  // The program's variables, if no other task sees these.
  Value* own_globals() { return task_.globals && !task_.globals->is_shared() ? task_.globals->values() : nullptr; }

  // Variables outside the registers.
  bool empty_outside(const Frame& frame, Value* registers, const Word* at, const Path& path) {
    Word word = *at;
    Value* globals = own_globals();
    Value* captures = frame.closure ? frame.closure->captures() : nullptr;
    auto cell = [](const Value& holder) { return &holder.as<CellObject>()->value; };
    switch (op_of(word)) {
      case Op::SetGlobal: return empty(globals ? globals + bx_of(word) : nullptr);
      case Op::AssignGlobal: return globals && !globals[bx_of(word)].is(Kind::Unset) && empty(globals + bx_of(word));
      case Op::SetCaptureCell: return empty(cell(captures[b_of(word)]));
      case Op::SetCell: return !path.is_written(a_of(word)) && empty(cell(registers[a_of(word)]));
      case Op::SetPath: {
        uint32_t keys = b_of(word), count = c_of(word);
        switch (static_cast<Place>(a_of(word))) {
          case Place::Global: return globals && empty_item(globals[at[1]], path, registers, keys, count);
          case Place::Capture: return empty_item(*cell(captures[at[1]]), path, registers, keys, count);
          case Place::Cell:
            return !path.is_written(at[1]) && empty_item(*cell(registers[at[1]]), path, registers, keys, count);
        }
        return false;
      }
      default: return false;
    }
  }

  bool empty(Value* place) {
    if (!place) return false;
    // A variable that is itself being changed may be written again after that.
    if (is(*place, object_)) take(*place);
    else empty_inside(*place);
    if (!is_done()) empty_replaced_in(*place);
    note_overwritten(place);
    return true;
  }

  void note_overwritten(const Value* place) {
    auto end = overwritten_.begin() + overwritten_count_;
    bool is_new = std::find(overwritten_.begin(), end, place) == end;
    if (is_new && overwritten_count_ < overwritten_.size()) overwritten_[overwritten_count_++] = place;
  }

  // Whether the register and places that are about to be overwritten are all that hold the record.
  bool holds_alone(const Value& record) const {
    int32_t holders = 1;
    for (uint32_t i = 0; i < overwritten_count_; ++i) holders += is(*overwritten_[i], record.object());
    return refs_of(record.object()) == holders;
  }

  // What is about to be dropped, with the object in it.
  void empty_inside(const Value& value) {
    for (Value& part : parts_of(value)) {
      if (is(part, object_)) take(part);
    }
  }

  // The same, where the object may be a part of a part. Each must be held by the one around it alone.
  void empty_below(Value& value, int depth) {
    constexpr int kDeepest = 3;
    if (value.object() == object_) return take(value);
    if (depth == kDeepest) return;
    for (Value& part : parts_of(value)) {
      if (is_done() || left_ == 0) return;
      --left_;
      if (part.is_heap() && is_data(part)) empty_below(part, depth + 1);
    }
  }

  // Of a small container that nobody else holds.
  static std::span<Value> parts_of(const Value& value) {
    constexpr size_t kFew = 16;
    if (!value.is_unique()) return {};
    if ((value.is(Kind::Dict) || value.is(Kind::Struct)) && value.as_dict()->shape) {
      return {value.as_dict()->slots(), value.as_dict()->shape->count};
    }
    if (value.is_list() && value.as_list()->size <= kFew) return value.as_list()->values();
    return {};
  }

  // A part of a container, which keeps it when somebody else reads the container. False when there is none yet: adding
  // it may fail.
  bool empty_part(const Value& container, Value* place) {
    if (!place || !owns(container)) return false;
    return empty(place);
  }

  // The keys that are no names will be in registers from `first` on.
  bool empty_step(const Value& variable, const Path& path, const Frame& frame, const Value* registers,
                  const PathSteps& steps, uint32_t first) {
    const Value* container = &variable;
    for (size_t i = 0; i < steps.caches.size(); ++i) {
      Borrowed key;
      bool is_key = steps.caches[i] == PathSteps::kKey;
      Value* place = nullptr;
      if (!is_key) place = field_of(*container, frame.proto->caches[steps.caches[i]].name);
      else if (path.value_of(first++, registers, key)) place = item_of(*container, *key);
      if (i + 1 == steps.caches.size()) return empty_part(*container, place);
      if (!place || !owns(*container)) return false;
      container = place;
    }
    return false;
  }

  // The keys will be in `count` registers from `first` on.
  bool empty_item(const Value& variable, const Path& path, const Value* registers, uint32_t first, uint32_t count) {
    const Value* container = &variable;
    for (uint32_t i = 0; i < count; ++i) {
      Borrowed key;
      Value* place = path.value_of(first + i, registers, key) ? item_of(*container, *key) : nullptr;
      if (i + 1 == count) return empty_part(*container, place);
      if (!place || !owns(*container)) return false;
      container = place;
    }
    return false;
  }

  bool owns(const Value& container) {
    constexpr int kDeepest = 3;
    if (container.is_unique()) return true;
    if (depth_ >= kDeepest || left_ == 0 || refs_of(container.object()) <= 0) return false;
    // All of it together costs less than the copy.
    Claim outer(task_, container, emptied_, depth_ + 1, left_);
    outer.run(task_.current);
    left_ = outer.left_;
    return container.is_unique();
  }

  Task& task_;
  const Value& held_;  // for whom it is done
  Object* object_;
  Emptied& emptied_;
  int depth_;
  size_t left_;                              // registers to look at
  std::array<const Value*, 4> overwritten_;  // places that are written before they are read again
  uint32_t overwritten_count_ = 0;
  // A field that holds the object, and is replaced in a copy of its record that somebody else holds, too.
  struct Replaced {
    const Value* source = nullptr;
    Value* place = nullptr;
    bool is_used_up = false;
  };
  Replaced replaced_;
};

}  // namespace

void Interpreter::claim_value(const Value& held, Emptied& emptied) {
  Claim(*task_, held, emptied, 0, cost_of_copy(held.object())).run(co_);
  if (!held.is_unique()) emptied.put_back();  // it was not enough
}

}  // namespace harn::vm
