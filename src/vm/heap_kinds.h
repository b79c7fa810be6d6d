#pragma once

#include "vm/value.h"

// Inside src/vm only: how memory.cpp destroys objects of each kind. Each function releases what the object holds and frees it.
namespace harn::vm {

struct DictObject;

void destroy_now(Object* object);          // destroy.cpp: one of the others, by the object's kind
void destroy_dict(DictObject* dict);       // dict.cpp
void destroy_set(SetObject* set);          // set.cpp
void destroy_string(StringObject* text);   // string.cpp
void destroy_struct_type(Object* object);  // struct.cpp
void destroy_cell(CellObject* cell);       // cell.cpp
void destroy_closure(ClosureObject* closure);
void destroy_generator(GeneratorObject* generator);  // both function.cpp; one that must clean up lives on

}  // namespace harn::vm
