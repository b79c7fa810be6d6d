#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

// Values: 16 bytes, a kind and a payload. Scalars are stored in place; everything else is a pointer
// to a reference-counted heap object.
//
// A Value owns a count of what it points at: copying takes one more, moving none, and the last one frees the object. What
// a task has made is that task's alone, counted without atomics; once it is frozen (transfer.h), any task may hold it, and
// nobody writes to it. So a Value may be used by one thread at a time, whatever it points at.
//
//   Value list = new_list(2);       // objects.h
//   Value other = list;             // both hold it: whoever changes it now makes a copy first
namespace harn::vm {

struct Builtin;

enum class Kind : uint8_t {
  Unset,  // a register or variable that was never written; no program ever sees it
  Int,
  Float,
  // A bit each, so that many values can be asked at once whether all of them are numbers (or unset).
  Nil = 4,
  Bool = 8,
  Builtin = 16,
  // Heap objects from here on. They have this bit in common, so that many values can be asked at once.
  FirstHeap = 0x20,
  String = FirstHeap,
  Bytes,
  List,
  Range,  // a list of consecutive ints that is not materialised
  Dict,
  Struct,
  Set,
  Enum,
  Pair,
  Closure,
  Iter,
  Generator,
  Rng,
  Cell,  // a captured variable that is assigned after capture
  StructType,
  EnumType,
  Error,   // an error on its way to a handler; catch unwraps it
  Handle,  // a task, channel, lock, ...: see handle.h
  Count,
};

// The header of every heap object.
//
// Who counts: an object that one task owns has a positive count, changed without atomics. An object
// that has been frozen for other tasks has a negative count, changed atomically; writers copy it. A
// count of zero marks an object that is never freed.
struct Object {
  int32_t refs;
  Kind kind;
  uint8_t flags;
  uint16_t known_type;  // lists, dicts, sets: see known_type.h
};

void retain_slow(Object* object);
void release_slow(Object* object);  // frees it, or counts a shared object

// The count, read whole: other tasks may be changing that of a frozen object.
inline int32_t refs_of(const Object* object) { return __atomic_load_n(&object->refs, __ATOMIC_RELAXED); }
inline void set_refs(Object* object, int32_t refs) { __atomic_store_n(&object->refs, refs, __ATOMIC_RELAXED); }

inline void retain(Object* object) {
  int32_t refs = refs_of(object);
  if (refs > 0) [[likely]]
    set_refs(object, refs + 1);
  else retain_slow(object);
}
inline void release(Object* object) {
  int32_t refs = refs_of(object);
  if (refs > 1) [[likely]]
    set_refs(object, refs - 1);
  else release_slow(object);
}

// An owning pointer to a heap object.
template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes over a count the caller owns.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  static Ref share(T* object) {
    if (object) retain(object);
    return adopt(object);
  }

  Ref(const Ref& other) : object_(other.object_) {
    if (object_) retain(object_);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) release(object_);
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  T* detach() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

struct StringObject;
struct BytesObject;
struct ListObject;
struct RangeObject;
struct DictObject;
struct SetObject;
struct EnumObject;
struct PairObject;
struct ClosureObject;
struct IterObject;
struct GeneratorObject;
struct RngObject;
struct CellObject;
struct StructTypeObject;
struct EnumTypeObject;
struct ErrorObject;

class Value {
 public:
  Value() : kind_(Kind::Nil), bits_(0) {}
  Value(const Value& other) : kind_(other.kind_), bits_(other.bits_) {
    if (is_heap()) retain(object());
  }
  Value(Value&& other) noexcept : kind_(other.kind_), bits_(other.bits_) { other.kind_ = Kind::Nil; }
  // Always inlined: the interpreter's loop is so large that the compiler would rather not.
  // `other` may live inside what this value lets go of, so it is read before the old value drops.
  [[gnu::always_inline]] Value& operator=(const Value& other) {
    Kind kind = other.kind_;
    uint64_t bits = other.bits_;
    if (kind >= Kind::FirstHeap) retain(other.object());
    drop();
    kind_ = kind;
    bits_ = bits;
    return *this;
  }
  [[gnu::always_inline]] Value& operator=(Value&& other) noexcept {
    Kind kind = other.kind_;
    uint64_t bits = other.bits_;
    other.kind_ = Kind::Nil;
    drop();
    kind_ = kind;
    bits_ = bits;
    return *this;
  }
  ~Value() { drop(); }

  template <class T>
  Value(Ref<T> ref) : kind_(ref->kind), bits_(reinterpret_cast<uint64_t>(ref.detach())) {}

  static Value unset() { return Value(Kind::Unset, 0); }
  static Value boolean(bool value) { return Value(Kind::Bool, value); }
  static Value integer(int64_t value) { return Value(Kind::Int, static_cast<uint64_t>(value)); }
  static Value number(double value) { return Value(Kind::Float, std::bit_cast<uint64_t>(value)); }
  static Value builtin(const Builtin* row) { return Value(Kind::Builtin, reinterpret_cast<uint64_t>(row)); }
  static Value share(Object* object) {
    retain(object);
    return Value(object->kind, reinterpret_cast<uint64_t>(object));
  }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_heap() const { return kind_ >= Kind::FirstHeap; }
  bool is_nil() const { return kind_ == Kind::Nil; }
  bool is_bool() const { return kind_ == Kind::Bool; }
  bool is_int() const { return kind_ == Kind::Int; }
  bool is_float() const { return kind_ == Kind::Float; }
  bool is_number() const { return is_int() || is_float(); }
  bool is_string() const { return kind_ == Kind::String; }
  bool is_list() const { return kind_ == Kind::List; }  // not a range: see list_size in objects.h
  bool is_dict() const { return kind_ == Kind::Dict; }
  bool is_callable() const { return kind_ == Kind::Closure || kind_ == Kind::Builtin; }

  bool as_bool() const { return bits_ != 0; }
  int64_t as_int() const { return static_cast<int64_t>(bits_); }
  double as_float() const { return std::bit_cast<double>(bits_); }
  // The number as a float, whichever kind it has.
  double as_number() const { return is_int() ? static_cast<double>(as_int()) : as_float(); }
  const Builtin* as_builtin() const { return reinterpret_cast<const Builtin*>(bits_); }
  Object* object() const { return reinterpret_cast<Object*>(bits_); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(bits_);
  }
  StringObject* as_string() const { return as<StringObject>(); }
  BytesObject* as_bytes() const { return as<BytesObject>(); }
  ListObject* as_list() const { return as<ListObject>(); }
  RangeObject* as_range() const { return as<RangeObject>(); }
  DictObject* as_dict() const { return as<DictObject>(); }  // Dict and Struct
  SetObject* as_set() const { return as<SetObject>(); }
  EnumObject* as_enum() const { return as<EnumObject>(); }
  PairObject* as_pair() const { return as<PairObject>(); }
  ClosureObject* as_closure() const { return as<ClosureObject>(); }
  IterObject* as_iter() const { return as<IterObject>(); }
  GeneratorObject* as_generator() const { return as<GeneratorObject>(); }

  // True when a write may go in place: nobody else holds the object.
  bool is_unique() const { return is_heap() && refs_of(object()) == 1; }

  // Raw access for the interpreter.
  void set_int(int64_t value) {
    drop();
    kind_ = Kind::Int;
    bits_ = static_cast<uint64_t>(value);
  }
  void set_float(double value) {
    drop();
    kind_ = Kind::Float;
    bits_ = std::bit_cast<uint64_t>(value);
  }
  void set_bool(bool value) {
    drop();
    kind_ = Kind::Bool;
    bits_ = value;
  }
  void set_nil() {
    drop();
    kind_ = Kind::Nil;
    bits_ = 0;
  }
  // Without releasing what was there: only for slots known to hold no heap object.
  void init_raw(Kind kind, uint64_t bits) {
    kind_ = kind;
    bits_ = bits;
  }
  void forget() { kind_ = Kind::Nil; }
  uint64_t bits() const { return bits_; }

 private:
  Value(Kind kind, uint64_t bits) : kind_(kind), bits_(bits) {}
  void drop() {
    if (is_heap()) release(object());
  }

  Kind kind_;
  uint64_t bits_;
};
static_assert(sizeof(Value) == 16);

}  // namespace harn::vm
