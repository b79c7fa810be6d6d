#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vm/value.h"

// Any value that is data, as bytes, and back: nothing is lost on the way.
//
//   std::string bytes;
//   HARN_CHECK(encode(bytes, value, types));
//   Value again = HARN_TRY(decode(bytes, types));
//
// Unlike JSON this keeps ints and floats apart, NaNs and -0.0, bytes, sets with their order, ranges, pairs, enums,
// structs with their types, iterators with their place, and what is shared: a part that is reached on several ways is
// written once and is one part again after reading. Time and size grow with the number of parts, not of ways, and
// nesting is bounded by memory only.
//
// Functions, generators, tasks, channels and other handles are no data. They are refused before the first byte is
// written. docs/internals/data.md describes the bytes; `encoding_kinds.h` is where one more kind is added.
namespace harn::data {

// Where a struct or enum is declared: types are found again by name.
struct TypeName {
  std::string module;  // empty: the main module
  std::string name;
};

// Which types there are. A program's are in program_types.h.
class TypeNames {
 public:
  virtual ~TypeNames() = default;
  // Nothing when the type could not be found again.
  virtual std::optional<TypeName> name_of(const vm::Value& type) = 0;
  // A struct or enum type; nil when there is none of that name.
  virtual vm::Value find(const TypeName& name) = 0;
};
// For data without structs and enums of a program: knows nothing but `Result`.
class BuiltInTypes : public TypeNames {
 public:
  std::optional<TypeName> name_of(const vm::Value& type) override;
  vm::Value find(const TypeName& name) override;
};

// What cannot be encoded, and where it is.
struct NotData {
  std::string path;  // ".items[3].f"; empty: the value itself
  std::string kind;  // "closure", as type_of has it
  std::string why;

  std::string text() const;
};
// Appends to `out`, or refuses and leaves it alone.
std::expected<void, NotData> encode(std::string& out, const vm::Value& value, TypeNames& types);

struct DecodeError {
  std::string detail;
  size_t offset = 0;  // of the byte where it was noticed

  std::string text() const;
};
// Takes anything: bytes that were cut, changed or made up are an error. Memory is bounded by the number of bytes.
std::expected<vm::Value, DecodeError> decode(std::string_view bytes, TypeNames& types);

// ---- values of a whole program ----

// What is no data because it has an identity, and may lead back to itself: functions, cells, generators, handles, types.
// Whoever writes a whole program (src/park) writes these itself and knows them by number; values refer to them.
class Objects {
 public:
  virtual ~Objects() = default;
  // Writing. The number it has, or gets now; nothing when it cannot be written, which `why_not` explains: "is ...".
  virtual std::optional<uint64_t> number_of(const vm::Value& object) = 0;
  virtual std::string why_not() = 0;
  virtual uint64_t number_of(const vm::Builtin* builtin) = 0;
  // Reading. Nil and null when there is none of that number.
  virtual vm::Value object(uint64_t number) = 0;
  virtual const vm::Builtin* builtin(uint64_t number) = 0;
};

// Values that are written one after the other, and between other bytes. A part that several of them share is written
// once. They may hold objects, builtins, and places that were never set; what is frozen for several tasks stays so, and
// sets keep their holes, which loops count.
class ValuesWriter {
 public:
  explicit ValuesWriter(Objects& objects);
  ~ValuesWriter();

  // First for all of them: whether they can be written, and what they share.
  std::expected<void, NotData> look(const vm::Value& value);
  void write(std::string& out, const vm::Value& value);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads them again, in the same order. `take` functions are for the bytes in between; they give zeros once something was
// wrong.
class ValuesReader {
 public:
  ValuesReader(std::string_view bytes, Objects& objects);
  ~ValuesReader();

  vm::Value value();
  uint64_t number();
  int64_t signed_number();
  uint64_t word();
  uint8_t byte();
  std::string_view text();
  // How many of something follow that take a byte each at least.
  size_t count();
  size_t left() const;

  bool is_good() const;
  // Says what is wrong with what was read; the first one counts. False.
  bool fail(std::string detail);
  DecodeError error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace harn::data
