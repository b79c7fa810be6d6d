#pragma once

#include "vm/objects.h"

// What the set functions and the set methods share. They differ in when two items are the same.
namespace harn::builtins {

// A set that was claimed is changed in one go, so only for few items.
constexpr size_t kInOneGo = 4096;

using Match = vm::SetObject::Match;

bool holds(const vm::SetObject& set, const vm::Value& item, Match match);
bool holds_all(const vm::SetObject& set, const vm::SetObject& items, Match match);
bool holds_any(const vm::SetObject& set, const vm::SetObject& items, Match match);

// Items of `a` come first, in their order. `a` is a set; one that nobody else holds is changed in
// place, so that the cost is that of the smaller set.
vm::Value set_union(vm::Value a, const vm::SetObject& b, Match match);
vm::Value intersection(vm::Value a, const vm::SetObject& b, Match match);
vm::Value difference(vm::Value a, const vm::SetObject& b, Match match);
// All items that are the same as this one; false when there is none.
bool erase_all(vm::Value& set, const vm::Value& item, Match match);
vm::Value symmetric_difference(vm::Value a, const vm::SetObject& b, Match match);

}  // namespace harn::builtins
