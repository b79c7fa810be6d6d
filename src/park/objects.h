#pragma once

#include "park/archive.h"

// Inside src/park only: the kinds of objects, one row each.
namespace harn::park {

// What an object is in a file. Numbers are never used for another kind.
enum class ObjectKind : uint8_t {
  Cell = 1,
  Closure = 2,
  LibraryFunction = 3,  // of the prelude: one for all
  Generator = 4,
  Iter = 5,
  Rng = 6,
  StructType = 7,
  EnumType = 8,
  ResultType = 9,
  Error = 10,
  Handle = 11,
};

struct ObjectRow {
  ObjectKind kind;
  // All that is needed to make it. Reading: makes it; else `object` is it.
  void (*make)(Archive& archive, vm::Value& object);
  void (*fields)(Archive& archive, vm::Value& object) = nullptr;
};
const ObjectRow& row_of(const vm::Value& object);
const ObjectRow* row_of(ObjectKind kind);

// coroutines.cpp
void fields(Archive& archive, vm::Coroutine& coroutine);
// That of a generator which has not ended.
void make_coroutine(vm::GeneratorObject& generator);

// Generators that hang together by Coroutine::next_closing, each counted by the chain.
void chain(Archive& archive, vm::GeneratorObject*& first, vm::GeneratorObject*& last);

// handles.cpp, tasks.cpp
extern const HandleRow kTaskRow;
std::vector<const HandleRow*> own_handles();

}  // namespace harn::park
