#pragma once

#include "vm/value.h"

// Inside src/vm only: how memory.cpp destroys the kinds that objects.h, dict.h and error.h declare.
// Each function releases what the object holds and frees it.
namespace harn::vm {

struct DictObject;

void destroy_known(Object* object);
void destroy_dict(DictObject* dict);       // dict.cpp
void destroy_set(SetObject* set);          // set.cpp
void destroy_string(StringObject* text);   // string.cpp
void destroy_struct_type(Object* object);  // struct.cpp
void destroy_cell(CellObject* cell);       // cell.cpp

}  // namespace harn::vm
