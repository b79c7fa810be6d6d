#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vm/char_index.h"
#include "vm/hash_index.h"
#include "vm/value.h"

// Strings, bytes, lists, ranges, sets, pairs and enums. Dicts and structs are in dict.h.
//
// All of them are values to the program: a function that "changes" one takes the `Value` that holds
// it by reference, changes it in place when nobody else holds it and copies it first otherwise.
namespace harn::vm {

// ---- strings ----

// UTF-8 text. `hash` and `chars` are filled on first use.
struct ErrorFacts;  // error.h

struct StringObject : Object {
  static constexpr uint8_t kInterned = 1;      // flags: the one copy that dict shapes compare by address
  static constexpr uint8_t kErrorText = 0x10;  // flags: see error_text.h; known_type is the kind
  static constexpr uint32_t kUnknown = 0xFFFFFFFF;

  uint32_t size;                // bytes
  uint32_t capacity;            // bytes
  mutable uint32_t hash_value;  // 0: not computed
  mutable uint32_t chars_value;

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view view() const { return {data(), size}; }
  // Tasks may compute these side by side: the same word, written whole.
  uint32_t hash() const {
    uint32_t known = __atomic_load_n(&hash_value, __ATOMIC_RELAXED);
    return known ? known : compute_hash();
  }
  uint32_t chars() const {
    uint32_t known = __atomic_load_n(&chars_value, __ATOMIC_RELAXED);
    return known != kUnknown ? known : compute_chars();
  }
  bool is_ascii() const { return chars() == size; }
  // The byte offset of a character, or the size when there are fewer; and the other way round.
  // Neither walks the text: see char_index.h.
  size_t char_offset(size_t index) const;
  size_t char_number(size_t offset) const;

  // Strings that may become long have a place for their CharIndex behind their text.
  static constexpr size_t kIndexedCapacity = 128;
  bool has_index_slot() const { return capacity >= kIndexedCapacity; }
  CharIndex** index_slot() const { return reinterpret_cast<CharIndex**>(const_cast<char*>(data()) + capacity); }
  // Texts of errors have a place for what is known about them behind that.
  bool is_error() const { return flags & kErrorText; }
  ErrorFacts** facts_slot() const { return reinterpret_cast<ErrorFacts**>(index_slot() + (has_index_slot() ? 1 : 0)); }
  size_t block_size() const {
    return sizeof(StringObject) + capacity + (has_index_slot() ? sizeof(CharIndex*) : 0) +
           (is_error() ? sizeof(ErrorFacts*) : 0);
  }

 private:
  uint32_t compute_hash() const;
  uint32_t compute_chars() const;
};

constexpr size_t kMaxStringSize = 0xFFFFFF00;

Ref<StringObject> new_string(std::string_view text);
Ref<StringObject> new_string(size_t size);                       // uninitialised text
Ref<StringObject> new_string_with_facts(std::string_view text);  // error_text.h
// Characters from..to of a text (from <= to <= chars). The beginning of a text that nobody else holds is
// made in place.
Value part_of_text(Value text, size_t from, size_t to);
// The shared object for the empty string and for each one-character ASCII string; a new one else.
Ref<StringObject> char_string(std::string_view character);
// The one copy of this text. Interned strings are never freed: only for names in programs and keys
// of dict shapes.
StringObject* intern(std::string_view text);
// The interned copy of this text when there is one, else null.
StringObject* find_interned(std::string_view text);
StringObject* find_interned(const StringObject* text);
// The hash that StringObject::hash gives for this text.
uint32_t text_hash(std::string_view text);
inline Value text_value(std::string_view text) { return new_string(text); }
// Appends to the string in `target`, in place when it is not shared.
void append(Value& target, std::string_view text);
bool same_text(const StringObject* a, const StringObject* b);

// ---- bytes ----

struct BytesObject : Object {
  size_t size;
  uint8_t* data() { return reinterpret_cast<uint8_t*>(this + 1); }
  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(this + 1); }
  std::string_view view() const { return {reinterpret_cast<const char*>(data()), size}; }
};
Ref<BytesObject> new_bytes(std::string_view octets);

// ---- lists and ranges ----

struct ListObject : Object {
  uint32_t size;
  uint32_t capacity;  // from `items` on
  Value* items;
  uint32_t front;  // places before `items` that belong to the same block: what was taken off the front
  uint32_t unused;

  std::span<Value> values() { return {items, size}; }
  std::span<const Value> values() const { return {items, size}; }
  // For building a new list: only while the caller is its one owner.
  void push(Value value) {
    if (size == capacity) grow(size + 1);
    new (items + size++) Value(std::move(value));
  }
  void grow(size_t at_least);
  // Keeps items from..to only: while the caller is its one owner. The rest is let go of in time for what goes.
  void keep(size_t from, size_t to);
};
// Larger lists (a range written out, a repetition) are refused with an error.
constexpr size_t kMaxListSize = size_t{1} << 28;

Ref<ListObject> new_list(size_t capacity = 0);
Ref<ListObject> new_list(std::span<const Value> values);

// start, start + 1, ... , end - 1.
struct RangeObject : Object {
  int64_t start;
  int64_t count;  // not the end: behind the largest int there is no number
  int64_t size() const { return count; }
  int64_t item(int64_t place) const { return start + place; }
};
Ref<RangeObject> new_range(int64_t start, int64_t count);
// Items from..to of a range. Only the range itself is lazy for the program (`(1 to 3).map(f)` is an iterator): what is
// taken of it is a list like any other.
Ref<ListObject> part_of_range(const RangeObject* range, size_t from, size_t to);

// A list to the program may be a ListObject or a RangeObject. These read either.
inline bool is_list_like(const Value& value) { return value.is(Kind::List) || value.is(Kind::Range); }
size_t list_size(const Value& list);
Value list_item(const Value& list, size_t index);
// The list as a ListObject: itself, or a range written out.
Ref<ListObject> to_list_object(const Value& list);
// Items from..to: the list itself, shortened, when nobody else needs it.
Value part_of_list(Value list, size_t from, size_t to);
// The list in `target` as an object that nobody else holds. Whoever writes to it keeps its type (known_type.h).
ListObject* own_list(Value& target);
// The same for writing anything.
ListObject* writable_list(Value& target);

// ---- sets ----

// Unique values in insertion order, looked up by structural hash and equality. Int 1 and float 1.0
// are two elements. A removed item leaves a hole; no more than half of the places are holes, and
// none before `first` is anything else, so that taking the first item out again and again is cheap.
struct SetObject : Object {
  uint32_t size;      // items
  uint32_t used;      // places, holes included
  uint32_t first;     // the place of the first item
  uint32_t capacity;  // places
  Value* items;       // in insertion order; Unset: a hole
  HashIndex index;    // none while small

  uint32_t* hashes() { return reinterpret_cast<uint32_t*>(items + capacity); }
  const uint32_t* hashes() const { return reinterpret_cast<const uint32_t*>(items + capacity); }
  bool is_hole(size_t place) const { return items[place].is(Kind::Unset); }
  // The place of the next item, at `place` or behind it; `used` when there is none.
  size_t next_place(size_t place) const {
    if (place < first) place = first;
    while (place < used && is_hole(place)) ++place;
    return place;
  }

  struct Iterator {
    const SetObject* set;
    size_t place;
    const Value& operator*() const { return set->items[place]; }
    uint32_t hash() const { return set->hashes()[place]; }
    Iterator& operator++() {
      place = set->next_place(place + 1);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return place != other.place; }
    bool operator==(const Iterator& other) const { return place == other.place; }
  };
  struct Range {
    const SetObject* set;
    Iterator begin() const { return {set, set->next_place(0)}; }
    Iterator end() const { return {set, set->used}; }
  };
  Range values() const { return {this}; }

  // When an item and a value are the same: int 1 and float 1.0 differ, or `==` decides.
  enum class Match : uint8_t { Structure, Equality };
  bool contains(const Value& value, Match match = Match::Structure) const;
  // With the hash that another set keeps for the value.
  bool contains(const Value& value, uint32_t hash, Match match = Match::Structure) const;
  // Where the value is, or `used`.
  size_t place(const Value& value, Match match = Match::Structure) const;
  // For building a new set: only while the caller is its one owner. False when it was there.
  bool insert(Value value);
  bool insert(Value value, uint32_t hash);
  // The same for a place without an item, in a set with so many places.
  void leave_hole();
  // Room for so many items in an empty set, so that it need not grow on the way. And what is left of it afterwards.
  void reserve(size_t count);
  void trim();
  // So that this many more are inserted without growing. May be stopped, like whatever makes the set grow.
  void make_room(size_t more);
};
Ref<SetObject> new_set();
// One that gets exactly so many items and holes, each at its place.
Ref<SetObject> new_set_of_places(size_t places);
Ref<ListObject> set_items(const SetObject* set);
// The set in `target` as an object that may be written to.
SetObject* writable_set(Value& target);
void set_insert(Value& target, Value value);
// False when there is no such item.
bool set_erase(Value& target, const Value& value, SetObject::Match match = SetObject::Match::Structure);

// ---- pairs, cells ----

struct PairObject : Object {
  Value first;
  Value second;
};
Ref<PairObject> new_pair(Value first, Value second);

class CellList;

// A captured variable that changes. Cells are the only way to a cycle (a cell that holds a closure that
// captures the cell), so a task knows all of its cells: see cycles.h.
struct CellObject : Object {
  Value value;
  CellObject* next;   // in the list of the task that made it
  CellObject** link;  // what points at this one
  CellList* list;     // null: on its way to another task
};
// Belongs to the list that is current on this thread.
Ref<CellObject> new_cell(Value value);
// A cell on its way to another task: in a list of its own that all threads may use.
Ref<CellObject> new_travelling_cell();
// The cell has arrived: it belongs to the current list from now on.
void adopt_cell(CellObject* cell);
// Empties the travelling cells that are still alive: when no task runs any more.
void empty_travelling_cells();

class CellList {
 public:
  CellList() = default;
  ~CellList() { clear(); }
  void clear();  // empties the cells that are still alive
  CellList(const CellList&) = delete;

  CellObject* first() const { return first_; }
  size_t size() const { return size_; }

 private:
  friend Ref<CellObject> new_cell(Value value);
  friend void adopt_cell(CellObject* cell);
  friend void destroy_cell(CellObject* cell);
  friend void settle_travelling_cells(const Value& arrived);
  void enter(CellObject* cell);
  void look_if_due();
  void look_for_cycles();

  CellObject* first_ = nullptr;
  size_t size_ = 0;
  // When it is time to look for cycles: so many cells, or so many bytes that were asked for meanwhile.
  size_t most_cells_ = kLeastCells;
  size_t most_bytes_ = kLeastBytes;
  size_t bytes_then_ = 0;
  size_t cells_then_ = 0;
  static constexpr size_t kLeastCells = 1000;
  static constexpr size_t kLeastBytes = 32 << 20;
};
// Makes a list current on this thread; the one that was (null: none).
CellList* use_cells(CellList* list);

// ---- enums ----

struct EnumVariantInfo {
  StringObject* name;  // interned
  uint16_t arity;
  bool has_payload;
};

// An enum declaration. Value of the enum's name.
struct EnumTypeObject : Object {
  StringObject* name;    // interned
  StringObject* module;  // interned: the path of the source that declares it; empty: built in
  uint32_t count;
  EnumVariantInfo* variants;
  Value* plain;                                 // the one value of each variant without payload (Unset for the others)
  uint64_t declaration;                         // which one it comes from: two enums may have one name
  int find(const StringObject* variant) const;  // -1 when there is none
};
Ref<EnumTypeObject> new_enum_type(std::string_view name, std::span<const EnumVariantInfo> variants,
                                  uint64_t declaration = 0, std::string_view module = "");
// The one type of a declaration.
EnumTypeObject* declared_enum_type(std::string_view name, std::span<const EnumVariantInfo> variants,
                                   uint64_t declaration, std::string_view module = "");

struct EnumObject : Object {
  EnumTypeObject* type;
  uint32_t variant;
  uint32_t count;
  Value* fields() { return reinterpret_cast<Value*>(this + 1); }
  std::span<const Value> values() const { return {reinterpret_cast<const Value*>(this + 1), count}; }
  const EnumVariantInfo& info() const { return type->variants[variant]; }
};
// Moves the fields out of `fields`.
Ref<EnumObject> new_enum(EnumTypeObject* type, uint32_t variant, std::span<Value> fields);

// The built-in enum Result: variant 0 is Ok, 1 is Err.
EnumTypeObject* result_type();
Value new_ok(Value value);
Value new_err(Value value);
bool is_result(const Value& value);
inline bool is_ok(const Value& value) { return is_result(value) && value.as_enum()->variant == 0; }
inline bool is_err(const Value& value) { return is_result(value) && value.as_enum()->variant == 1; }
// The payload of a Result.
inline const Value& result_payload(const Value& value) { return value.as_enum()->fields()[0]; }

// ---- iterators, random numbers ----

// A lazy, single-pass iterator: a source and how far it has been read.
struct IterObject : Object {
  Value source;      // List, Range, Dict, Set, String, Generator, or an Iter's own source
  int64_t position;  // item number, or byte offset in a string
  bool exhausted;
};
Ref<IterObject> new_iter(Value source);

struct RngObject : Object {
  uint64_t state[4];  // xoshiro256**
};
Ref<RngObject> new_rng(uint64_t seed);

}  // namespace harn::vm
