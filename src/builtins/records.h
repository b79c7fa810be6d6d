#pragma once

#include <string_view>

#include "vm/dict.h"

namespace harn::builtins {

// Makes many dicts with the same two fields, such as {key, value}, without looking the keys up each
// time.
class TwoFieldDict {
 public:
  TwoFieldDict(std::string_view first, std::string_view second)
      : first_(vm::intern(first)), second_(vm::intern(second)) {
    if (vm::Shape* one = vm::empty_shape()->with(first_)) shape_ = one->with(second_);
  }

  vm::Value make(vm::Value first, vm::Value second) const {
    if (!shape_) {
      return vm::DictBuilder().add(first_, std::move(first)).add(second_, std::move(second)).done();
    }
    auto dict = vm::new_dict(shape_);
    dict->slots()[0] = std::move(first);
    dict->slots()[1] = std::move(second);
    return dict;
  }

 private:
  const vm::StringObject* first_;
  const vm::StringObject* second_;
  vm::Shape* shape_ = nullptr;  // null: the table of shapes is full
};

}  // namespace harn::builtins
