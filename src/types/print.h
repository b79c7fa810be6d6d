#pragma once

#include <string>

#include "types/type.h"

namespace harn::types {

// A type as Harn writes it: `list<int>`, `{name: string, age?: int}`, `fn(T) -> U`, `int?`.
std::string print(const Type* type);
// A function as a declaration writes it behind its name: `<T>(items: list<T>, n?: int) -> T`. Overloads are
// separated by `; `.
std::string print_signature(const Type* type);

}  // namespace harn::types
