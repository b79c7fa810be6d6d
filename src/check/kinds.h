#pragma once

#include <cstdint>

#include "types/type.h"

// What the run time lets be done with values of a kind. A kind that does not say which values it has (`any`, type
// parameters, interfaces) takes part in everything: there is nothing to tell about it.
namespace harn::check {

enum Use : uint8_t {
  kCounted = 1 << 0,    // an operand of + - * / % **, with some other operand
  kIndexed = 1 << 1,    // x[i]
  kSliced = 1 << 2,     // x[a:b]
  kIterated = 1 << 3,   // for, and `...x` in a list or a call
  kDictSpread = 1 << 4, // `...x` in a dict
  kCalled = 1 << 5,     // x(...)
  kUnwrapped = 1 << 6,  // x?
  kAnything = 0xFF,
};

constexpr uint8_t uses_of(types::Kind kind) {
  using types::Kind;
  switch (kind) {
    case Kind::Any:
    case Kind::Unknown:
    case Kind::Never:
    case Kind::Owned:
    case Kind::Error:
    case Kind::Union:
    case Kind::Intersection:
    case Kind::Parameter:
    case Kind::Alias:
    case Kind::Interface:
    case Kind::Foreign:
    case Kind::Broken: return kAnything;
    case Kind::Int:
    case Kind::Float:
    case Kind::Number:
    case Kind::Duration:
    case Kind::IntLiteral: return kCounted;
    case Kind::String:
    case Kind::StringLiteral:
    case Kind::List: return kCounted | kIndexed | kSliced | kIterated;
    case Kind::Dict:
    case Kind::Schema:
    case Kind::Shape: return kCounted | kIndexed | kIterated | kDictSpread;
    case Kind::Struct: return kIndexed | kDictSpread;
    case Kind::Bytes: return kIndexed | kSliced;
    case Kind::Set:
    case Kind::Iter:
    case Kind::Iterable:
    case Kind::Generator:
    case Kind::Stream:
    case Kind::Channel: return kIterated;
    case Kind::Closure:
    case Kind::Function: return kCalled;
    case Kind::Result: return kUnwrapped;
    case Kind::Nil: return kDictSpread;
    case Kind::Bool:
    case Kind::BoolLiteral:
    case Kind::Pair:
    case Kind::Task:
    case Kind::Permit:
    case Kind::Atomic:
    case Kind::Rng:
    case Kind::Enum: return 0;
  }
  return kAnything;
}

constexpr bool says_nothing(types::Kind kind) { return uses_of(kind) == kAnything; }
constexpr bool has_use(types::Kind kind, Use use) { return (uses_of(kind) & use) != 0; }

}  // namespace harn::check
