#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/encoding.h"
#include "base/wire.h"
#include "vm/dict.h"
#include "vm/objects.h"

// Inside src/data only: the kinds of values that can be encoded, one row each, and what their rows may ask for.
//
// A value is a tag, what its row writes, and its parts, each of which is a value again. The loops that go from part to
// part (encode.cpp, decode.cpp) are the same for all kinds and do not recurse. To add a kind: a tag that was never used,
// a row in encoding_kinds.cpp.
namespace harn::data {

// The first byte of a value. They are in files: a number is never used for another kind.
enum class Tag : uint8_t {
  Nil = 0,
  False = 1,
  True = 2,
  Int = 3,
  Float = 4,
  String = 5,
  Bytes = 6,
  List = 7,
  Range = 8,
  Dict = 9,
  Set = 10,
  Struct = 11,
  Enum = 12,
  Pair = 13,
  Iter = 14,
  Rng = 15,
  Type = 16,
  Shared = 17,     // the value that follows is referred to later: it gets the next number when it is complete
  ErrorText = 19,  // a string that a `catch` got from the runtime
  Again = 18,      // such a value, by its number
  // Only among the values of a whole program (`Objects`).
  Unset = 20,
  Builtin = 21,
  Object = 22,    // by its number
  Frozen = 23,    // the value that follows is for several tasks
  HoledSet = 24,  // a set whose places count
  FrozenWithFunctions = 25,
  SmallInt = 0x80,  // and above: the int itself in seven bits
};

constexpr std::string_view kMagic = "HARN";
constexpr uint8_t kVersion = 1;

// What a writer knows of an object that several others hold.
struct Sighting {
  uint32_t times = 0;
  uint32_t number_plus_one = 0;  // once it is written
};

// What was learnt about a value before it is written.
struct Survey {
  std::unordered_map<const vm::Object*, Sighting> shared;
  std::unordered_map<const vm::Object*, TypeName> types;
};

// Things that are written in full the first time and as a number from then on.
template <class Key>
class Numbers {
 public:
  // The number, and whether it is new.
  std::pair<uint64_t, bool> of(Key key) {
    auto [found, is_new] = numbers_.try_emplace(key, numbers_.size());
    return {found->second, is_new};
  }

 private:
  std::unordered_map<Key, uint64_t> numbers_;
};

// What rows write with.
class Encoder : public WireWriter {
 public:
  // `objects`: null where there are none.
  Encoder(std::string& out, Survey& survey, Objects* objects = nullptr)
      : WireWriter(out), survey_(survey), objects_(objects) {}

  void long_text(std::string_view text);
  // A name that other objects may have, too.
  void name(const vm::StringObject* name);
  // A struct or enum type.
  void type(const vm::Object* type);
  // The keys of a dict or struct, all at once, or (a table) each before its value.
  void keys(const vm::DictObject* dict);

 private:
  void describe(const vm::Object* type);

  Survey& survey_;
  Objects* objects_;
  Numbers<const vm::StringObject*> names_;
  Numbers<const vm::Object*> types_;
  Numbers<const vm::Shape*> shapes_;
};

// Keys in ascending order, and the shape that dicts with them have (null: a table).
struct KeyList {
  std::vector<vm::Ref<vm::StringObject>> keys;
  vm::Shape* shape = nullptr;
};

// A type as it was where the value was written, and as it is here.
struct KnownType {
  struct Variant {
    vm::Ref<vm::StringObject> name;
    uint64_t arity_plus_one;  // 0: no payload
  };
  vm::Value type;
  std::vector<Variant> variants;  // of an enum, as they were numbered there
};

struct KindRow;

// A value that is being read.
struct Opened {
  const KindRow* row = nullptr;
  bool is_shared = false;
  bool is_frozen = false;
  bool holds_functions = false;   // and is frozen
  vm::Value value;                // what is being made
  size_t parts = 0;               // how many it has
  size_t number = 0;              // of the next one
  size_t keys = SIZE_MAX;         // Dict, Struct: which KeyList; SIZE_MAX: a key before each part
  vm::Ref<vm::StringObject> key;  // that one
  int64_t position = 0;           // Iter
  bool is_exhausted = false;
};

// What rows read with. `fail` is remembered: what comes after it counts no more.
class Decoder : public WireReader {
 public:
  Decoder(std::string_view bytes, TypeNames& types, Objects* objects = nullptr)
      : WireReader(bytes), types_(types), objects_(objects) {}

  Objects* objects() { return objects_; }

  bool fail(std::string detail);
  bool is_good() const { return error_.empty() && !failed(); }
  DecodeError error() const;

  vm::Ref<vm::StringObject> name();
  // Null when it failed.
  const KnownType* type();
  void keys(Opened& opened);
  // That so many parts follow. Each takes a byte at least, also those of the values around: what is made for them in
  // advance is bounded by the bytes that there are.
  bool owe_parts(Opened& opened, uint64_t parts);
  void pay_part() { --owed_; }
  const KeyList& key_list(size_t number) const { return key_lists_[number]; }

 private:
  void read_key_list();
  bool read_struct_type(const TypeName& name, const vm::Value& found);
  bool read_enum_type(const TypeName& name, KnownType& known);
  const KnownType* type_among_objects();

  TypeNames& types_;
  Objects* objects_;
  std::unordered_map<uint64_t, KnownType> object_types_;  // by number
  std::string error_;
  size_t error_offset_ = 0;
  size_t owed_ = 0;  // parts that have not begun
  std::vector<vm::Ref<vm::StringObject>> names_;
  std::vector<KnownType> known_types_;
  std::vector<KeyList> key_lists_;
};

// One kind of value. Functions that a kind has no use for are null.
struct KindRow {
  vm::Kind kind;
  Tag tag;

  // ---- writing ----
  // All that comes before the parts.
  void (*write)(Encoder& out, const vm::Value& value);
  // The part at `cursor`, which it moves on; null behind the last one.
  const vm::Value* (*part)(const vm::Value& whole, size_t& cursor) = nullptr;
  // What stands before part `number`.
  void (*write_before)(Encoder& out, const vm::Value& whole, size_t number) = nullptr;
  // Whether the object is worth being written once when several hold it.
  bool (*is_shareable)(const vm::Value& value) = nullptr;
  // The struct or enum type that it needs; null: none.
  const vm::Object* (*type)(const vm::Value& value) = nullptr;
  // How a program gets from the value to part `number`: `.name`, `[3]`.
  void (*append_path)(std::string& path, const vm::Value& whole, size_t number) = nullptr;

  // ---- reading ----
  // Reads what `write` wrote, makes the value and says how many parts it gets.
  void (*read)(Decoder& in, Opened& opened);
  void (*read_before)(Decoder& in, Opened& opened) = nullptr;
  void (*add)(Decoder& in, Opened& opened, vm::Value part) = nullptr;
  // Checks what could not be checked before all parts were there.
  void (*finish)(Decoder& in, Opened& opened) = nullptr;
};

// Null: not data.
const KindRow* row_of(const vm::Value& value);
// The same for a value of a whole program: null when it is an object.
const KindRow* row_among_objects(const vm::Value& value);
const KindRow* row_of(Tag tag);

}  // namespace harn::data
