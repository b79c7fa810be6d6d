#pragma once

#include <string>

#include "cli/json.h"
#include "vm/builtin.h"

// Builtin rows as people and programs read them.
namespace harn::cli {

// "trim(text: string) -> string", "list.push(item: any) -> list"
std::string heading(const vm::Builtin& row);
// Heading, sentence, example and what it needs, for `harn explain`.
std::string description(const vm::Builtin& row);
void write_row(JsonWriter& json, const vm::Builtin& row);

// Whether the row is a method of the kind `type_of` calls so.
bool is_method_of(const vm::Builtin& row, std::string_view kind);
// Names that begin with `__` are for the library itself.
bool is_internal(const vm::Builtin& row);

}  // namespace harn::cli
