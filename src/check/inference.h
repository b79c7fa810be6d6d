#pragma once

#include <algorithm>
#include <vector>

#include "check/checker.h"

namespace harn::check {

// What the type parameters of one call, struct literal or variant stand for, as far as it is known.
struct Checker::Inference {
  struct One {
    const Type* parameter;
    const Type* type = nullptr;
    bool is_fixed = false;  // written out, or asked for
    const Type* clash = nullptr;
  };
  std::vector<One> all;
  bool lenient = false;

  One* find(const Type* parameter) {
    auto found = std::ranges::find(all, parameter, &One::parameter);
    return found == all.end() ? nullptr : &*found;
  }
  // With `any` for those that nothing is known about.
  std::vector<types::Binding> bindings(const Type* otherwise) const {
    std::vector<types::Binding> out;
    for (const One& one : all) out.push_back({one.parameter, one.type ? one.type : otherwise});
    return out;
  }
};

}  // namespace harn::check
