#pragma once

#include "check/knowledge.h"

// Values of builtin types as receivers of methods.
namespace harn::check {

// As `type_of` names values of this kind; empty for kinds of which no methods are known.
std::string_view receiver_name(Kind kind);
const Type* builtin_signature(Knowledge& known, const compile::MethodInfo& method);
// What a receiver says about the type parameters of its methods: `T` is its item, `V` the value of a dict, `A` and `B`
// are the parts of a pair.
std::vector<types::Binding> receiver_bindings(Knowledge& known, const Type* receiver);
// A type out of the signature of a method, with these in place, and `any` for what is not known.
const Type* with_receiver(Knowledge& known, const Type* type, const Type* receiver);

}  // namespace harn::check
