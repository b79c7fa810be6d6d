#include "vm/leaf.h"

#include <algorithm>
#include <array>

#include "vm/dict.h"
#include "vm/globals.h"
#include "vm/scheduler.h"
#include "vm/task.h"

namespace harn::vm {

using namespace bytecode;

namespace {

// What can be computed here. Everything else is left to the interpreter.
// clang-format off
#define HARN_LEAF_OPS(X)                                                                                        \
  X(LoadNil) X(LoadBool) X(LoadInt) X(LoadConst) X(Move) X(Steal) X(StealData) X(GetGlobal) X(GetCapture)       \
  X(GetCaptureCell) X(Add) X(AddTemp) X(AddConst) X(AddConstTemp) X(AddInt) X(Sub) X(SubConst) X(Mul)           \
  X(MulConst) X(Div) X(DivConst) X(Mod) X(ModConst) X(Neg) X(Not) X(ToBool) X(Equal) X(EqualConst) X(NotEqual)  \
  X(Less) X(LessEqual) X(Jump) X(JumpIf) X(JumpIfNot) X(JumpIfNil) X(JumpIfNotNil) X(JumpLess) X(JumpLessEqual) \
  X(JumpEqual) X(JumpLessConst) X(JumpLessEqualConst) X(JumpGreaterConst) X(JumpGreaterEqualConst)              \
  X(JumpEqualConst) X(GetField) X(GetIndex) X(CheckParam) X(Return) X(ReturnNil)
// clang-format on

constexpr Op kSimple[] = {
#define X(name) Op::name,
    HARN_LEAF_OPS(X)
#undef X
};

// The place in the code for each instruction.
using Labels = std::array<const void*, 256>;
Labels by_op(std::span<const void* const> known, const void* other) {
  Labels labels;
  labels.fill(other);
  for (size_t i = 0; i < known.size(); ++i) labels[static_cast<size_t>(kSimple[i])] = known[i];
  return labels;
}

bool is_simple(Op op) { return std::find(std::begin(kSimple), std::end(kSimple), op) != std::end(kSimple); }

// Straight on, so that it ends soon, and nothing but what is_simple knows.
bool is_leaf(const Code& code) {
  constexpr size_t kLongest = 64;
  if (code.words.size() > kLongest || code.registers > Leaf::kMostRegisters) return false;
  if (code.far_register || !code.handlers.empty() || code.is_generator) return false;
  for (size_t at = 0; at < code.words.size();) {
    Word word = code.words[at];
    Format format = row(op_of(word)).format;
    if (!is_simple(op_of(word))) return false;
    at += length(format);
    bool jumps = format == Format::AJump || format == Format::ABCJump;
    if (jumps && static_cast<int32_t>(code.words[at - 1]) < 0) return false;
    if (op_of(word) == Op::Jump && sj_of(word) < 0) return false;
  }
  return true;
}

bool is_known_leaf(const Prototype& proto) {
  enum : uint8_t { kUnknown, kLeaf, kOther };
  uint8_t known = __atomic_load_n(&proto.known_leaf, __ATOMIC_RELAXED);
  if (known == kUnknown) [[unlikely]] {
    known = is_leaf(*proto.code) ? kLeaf : kOther;
    __atomic_store_n(&proto.known_leaf, known, __ATOMIC_RELAXED);
  }
  return known == kLeaf;
}

bool are_ints(const Value& a, const Value& b) { return a.is_int() && b.is_int(); }
bool are_numbers(const Value& a, const Value& b) { return a.is_number() && b.is_number(); }

int64_t wrapped(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t bits_of(const Value& number) { return static_cast<uint64_t>(number.as_int()); }

void put(Value& to, int64_t number) { to.init_raw(Kind::Int, static_cast<uint64_t>(number)); }
void put(Value& to, double number) { to.init_raw(Kind::Float, std::bit_cast<uint64_t>(number)); }
void put(Value& to, bool is) { to.init_raw(Kind::Bool, is); }
void put(Value& to, const Value& borrowed) { to.init_raw(borrowed.kind(), borrowed.bits()); }

bool add(const Value& a, const Value& b, Value& to) {
  if (are_ints(a, b)) put(to, wrapped(bits_of(a) + bits_of(b)));
  else if (are_numbers(a, b)) put(to, a.as_number() + b.as_number());
  else return false;
  return true;
}
bool subtract(const Value& a, const Value& b, Value& to) {
  if (are_ints(a, b)) put(to, wrapped(bits_of(a) - bits_of(b)));
  else if (are_numbers(a, b)) put(to, a.as_number() - b.as_number());
  else return false;
  return true;
}
bool multiply(const Value& a, const Value& b, Value& to) {
  if (are_ints(a, b)) put(to, wrapped(bits_of(a) * bits_of(b)));
  else if (are_numbers(a, b)) put(to, a.as_number() * b.as_number());
  else return false;
  return true;
}
// Zero fails and -1 may overflow.
bool divides(const Value& divisor) { return static_cast<uint64_t>(divisor.as_int()) + 1 > 1; }
bool divide(const Value& a, const Value& b, Value& to) {
  if (are_ints(a, b) && divides(b)) put(to, a.as_int() / b.as_int());
  else if (are_numbers(a, b) && !are_ints(a, b)) put(to, a.as_number() / b.as_number());
  else return false;
  return true;
}
bool negate(const Value& a, Value& to) {
  if (a.is_int()) put(to, wrapped(0 - bits_of(a)));
  else if (a.is_float()) put(to, -a.as_float());
  else return false;
  return true;
}
bool modulo(const Value& a, const Value& b, Value& to) {
  if (!are_ints(a, b) || !divides(b)) return false;
  put(to, a.as_int() % b.as_int());
  return true;
}

bool is_true(const Value& value) { return value.is_bool() ? value.as_bool() : truthy(value); }
bool is_equal(const Value& a, const Value& b) { return are_ints(a, b) ? a.as_int() == b.as_int() : equal(a, b); }
bool is_less(const Value& a, const Value& b) { return are_ints(a, b) ? a.as_int() < b.as_int() : less(a, b); }
bool is_less_equal(const Value& a, const Value& b) {
  return are_ints(a, b) ? a.as_int() <= b.as_int() : less_equal(a, b);
}

const Value* field(const Value& object, InlineCache& cache) {
  if (!object.is(Kind::Dict) && !object.is(Kind::Struct)) return nullptr;
  DictObject* dict = object.as_dict();
  if (!dict->shape) return dict->find(cache.name);
  uint64_t key = cache.key();
  if (cache_pointer(key) == dict->shape) [[likely]]
    return dict->slots() + (key & 0xFFFF);
  int slot = dict->shape->find(cache.name);
  if (slot < 0) return nullptr;
  cache.set(cache_key(dict->shape, static_cast<uint32_t>(slot)));
  return dict->slots() + slot;
}

const Value* item(const Value& object, const Value& key) {
  if (object.is_list() && key.is_int()) {
    auto at = static_cast<uint64_t>(key.as_int());
    return at < object.as_list()->size ? object.as_list()->items + at : nullptr;
  }
  return object.is_dict() && key.is_string() ? object.as_dict()->find(key.as_string()) : nullptr;
}

}  // namespace

bool Leaf::prepare(const Value& callee, uint32_t count) {
  if (!callee.is(Kind::Closure) || !this_worker || !this_worker->running) return false;
  ClosureObject* closure = callee.as_closure();
  if (closure->proto->exact_args != count || !is_known_leaf(*closure->proto)) return false;
  closure_ = closure;
  const GlobalsRef& globals = this_worker->running->globals;
  if (globals) globals_ = globals->values();
  only_ = only_operation(count);
  return true;
}

Leaf::Operation Leaf::only_operation(uint32_t parameters) {
  const Prototype& proto = *closure_->proto;
  const Value* const K = proto.constants;
  const auto& words = proto.code->words;
  if (words.size() < 2) return {};
  const Word* at = words.data();
  Value& number = registers()[kNumber];
  // One operand may have to be fetched first.
  const Value* fetched = nullptr;
  uint32_t fetched_to = a_of(*at);
  switch (op_of(*at)) {
    case Op::GetCapture: fetched = &closure_->captures()[b_of(*at)]; break;
    case Op::GetCaptureCell: fetched = &closure_->captures()[b_of(*at)].as<CellObject>()->value; break;
    case Op::LoadConst: fetched = &K[bx_of(*at)]; break;
    case Op::LoadInt:
      put(number, int64_t{sbx_of(*at)});
      fetched = &number;
      break;
    default: break;
  }
  if (fetched) ++at;
  auto operand = [&](uint32_t reg) -> const Value* {
    if (fetched && reg == fetched_to) return fetched;
    return reg < parameters ? registers() + reg : nullptr;
  };
  Word word = *at;
  if (at + 1 >= words.data() + words.size() || op_of(at[1]) != Op::Return || a_of(at[1]) != a_of(word)) return {};
  const Value* left = operand(b_of(word));
  const Value* right = nullptr;
  switch (op_of(word)) {
    case Op::Add:
    case Op::AddTemp:
    case Op::Sub:
    case Op::Mul:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual: right = operand(c_of(word)); break;
    case Op::AddConst:
    case Op::AddConstTemp:
    case Op::SubConst:
    case Op::MulConst:
    case Op::EqualConst: right = &K[c_of(word)]; break;
    case Op::AddInt:
      if (fetched == &number) return {};
      put(number, int64_t{sc_of(word)});
      right = &number;
      break;
    default: return {};
  }
  if (!left || !right) return {};
  return {op_of(word), left, right};
}

// Of two ints.
const Value* Leaf::compute() {
  Value& result = registers()[kResult];
  int64_t a = only_.left->as_int(), b = only_.right->as_int();
  switch (only_.op) {
    case Op::Less: put(result, a < b); break;
    case Op::LessEqual: put(result, a <= b); break;
    case Op::Equal:
    case Op::EqualConst: put(result, a == b); break;
    case Op::NotEqual: put(result, a != b); break;
    case Op::Sub:
    case Op::SubConst: subtract(*only_.left, *only_.right, result); break;
    case Op::Mul:
    case Op::MulConst: multiply(*only_.left, *only_.right, result); break;
    default: add(*only_.left, *only_.right, result);
  }
  return &result;
}

// As the interpreter's loop: a label per instruction, each with its own jump to the next.
// clang-format off
const Value* Leaf::run() {
#define X(name) &&op_##name,
  static const void* const known[] = {HARN_LEAF_OPS(X)};
#undef X
  static const Labels kLabels = by_op(known, &&refused);
  const Prototype& proto = *closure_->proto;
  const Value* const K = proto.constants;
  Value* const R = registers();
  const Word* pc = proto.code->words.data();
  Word w;
#define A R[a_of(w)]
#define B R[b_of(w)]
#define C R[c_of(w)]
#define KB K[b_of(w)]
#define KC K[c_of(w)]
#define NEXT               \
  do {                     \
    w = *pc++;             \
    goto* kLabels[w & 0xFF]; \
  } while (false)
#define PUT(value)  \
  do {              \
    put(A, value);  \
    NEXT;           \
  } while (false)
#define COMPUTE(works)                          \
  do {                                          \
    if (!(works)) [[unlikely]] return nullptr;  \
    NEXT;                                       \
  } while (false)
#define BRANCH(condition)                                    \
  do {                                                       \
    pc += (condition) ? static_cast<int32_t>(*pc) + 1 : 1;   \
    NEXT;                                                    \
  } while (false)
#define WANTED (c_of(w) != 0)
  NEXT;
op_LoadNil: A.forget(); NEXT;
op_LoadBool: PUT(b_of(w) != 0);
op_LoadInt: PUT(int64_t{sbx_of(w)});
op_LoadConst: PUT(K[bx_of(w)]);
op_Move: op_Steal: op_StealData: PUT(B);
op_GetGlobal:
  if (!globals_ || globals_[bx_of(w)].is(Kind::Unset)) return nullptr;
  PUT(globals_[bx_of(w)]);
op_GetCapture: PUT(closure_->captures()[b_of(w)]);
op_GetCaptureCell: PUT(closure_->captures()[b_of(w)].as<CellObject>()->value);
op_Add: op_AddTemp: COMPUTE(add(B, C, A));
op_AddConst: op_AddConstTemp: COMPUTE(add(B, KC, A));
op_AddInt: COMPUTE(add(B, Value::integer(sc_of(w)), A));
op_Sub: COMPUTE(subtract(B, C, A));
op_SubConst: COMPUTE(subtract(B, KC, A));
op_Mul: COMPUTE(multiply(B, C, A));
op_MulConst: COMPUTE(multiply(B, KC, A));
op_Div: COMPUTE(divide(B, C, A));
op_DivConst: COMPUTE(divide(B, KC, A));
op_Mod: COMPUTE(modulo(B, C, A));
op_ModConst: COMPUTE(modulo(B, KC, A));
op_Neg: COMPUTE(negate(B, A));
op_Not: PUT(!is_true(B));
op_ToBool: PUT(is_true(B));
op_Equal: PUT(is_equal(B, C));
op_EqualConst: PUT(is_equal(B, KC));
op_NotEqual: PUT(!is_equal(B, C));
op_Less: PUT(is_less(B, C));
op_LessEqual: PUT(is_less_equal(B, C));
op_Jump: pc += sj_of(w); NEXT;
op_JumpIf: BRANCH(is_true(A));
op_JumpIfNot: BRANCH(!is_true(A));
op_JumpIfNil: BRANCH(A.is_nil());
op_JumpIfNotNil: BRANCH(!A.is_nil());
op_JumpLess: BRANCH(is_less(A, B) == WANTED);
op_JumpLessEqual: BRANCH(is_less_equal(A, B) == WANTED);
op_JumpEqual: BRANCH(is_equal(A, B) == WANTED);
op_JumpLessConst: BRANCH(is_less(A, KB) == WANTED);
op_JumpLessEqualConst: BRANCH(is_less_equal(A, KB) == WANTED);
op_JumpGreaterConst: BRANCH(is_less(KB, A) == WANTED);
op_JumpGreaterEqualConst: BRANCH(is_less_equal(KB, A) == WANTED);
op_JumpEqualConst: BRANCH(is_equal(A, KB) == WANTED);
op_GetField: {
  const Value* found = field(B, proto.caches[*pc++]);
  if (!found) return nullptr;
  PUT(*found);
}
op_GetIndex: {
  const Value* found = item(B, C);
  if (!found) return nullptr;
  PUT(*found);
}
op_CheckParam: COMPUTE(proto.quick_checks[bx_of(w)] >> static_cast<unsigned>(A.kind()) & 1);
op_ReturnNil: A.forget();
op_Return: return &A;
refused: return nullptr;
}
// clang-format on

}  // namespace harn::vm
