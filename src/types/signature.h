#pragma once

#include <string>
#include <string_view>

#include "types/table.h"

namespace harn::types {

// The type of a function whose signature is written as in the rows of builtins:
//
//   <T>(items: list<T>, n?: int, ...more: T) -> list<T>
//
// `name?` may be left out by the caller. Overloads are separated by `;` and give the intersection of their types.
// A table reads a text once. Null when the text is not a signature or names a type that is neither its own nor one that every program knows;
// `problem` then says why.
const Type* parse_signature(TypeTable& table, std::string_view text, std::string* problem = nullptr);

}  // namespace harn::types
