#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace harn::syntax {
struct Node;
}

// Types as data. A type is made by a TypeTable (table.h), never changes, and lives as long as its table.
// Within one table two types that are written alike are the same object.
namespace harn::types {

enum class Kind : uint8_t {
#define HARN_TYPE(kind, name, variances) kind,
#include "types/types.def"
#undef HARN_TYPE
  StringLiteral,
  IntLiteral,
  BoolLiteral,
  Shape,         // {a: T, b?: U, ...rest}
  Function,      // fn(T) -> U
  Union,         // A | B
  Intersection,  // A & B; of functions: overloads
  Parameter,     // a type parameter, or the row variable of an open shape
  // Types that the program declares. They are references, so that a type can mention itself: `Lowering`
  // (lower.h) knows what is inside.
  Alias,
  Struct,
  Enum,
  Interface,
  Foreign,  // a name that nothing in scope declares
  Broken,   // the place of a type that did not parse; already reported, agrees with everything
};

struct Type;
using TypeList = std::span<const Type* const>;

struct Field {
  std::string_view name;
  const Type* type = nullptr;
  bool optional = false;
};

struct Parameter {
  std::string_view name;  // empty in a function type, which has no names
  const Type* type = nullptr;
  bool optional = false;
  bool rest = false;  // takes all further arguments, each of this type
};

enum class Variance : uint8_t { Invariant, In, Out };

struct Type {
  Kind kind = Kind::Any;
  bool has_parameters = false;                // a type parameter occurs in it
  bool loose = false;                         // Shape: of a literal; nobody has promised that there are no other fields
                                              // List: of a literal with items of several kinds, each at its place
  Variance variance = Variance::Invariant;    // Parameter: as declared
  uint32_t number = 0;                        // in the order they were made
  int64_t integer = 0;                        // IntLiteral, BoolLiteral
  std::string_view text;                      // the name; StringLiteral: the text
  const syntax::Node* declaration = nullptr;  // Alias, Struct, Enum, Interface; Parameter: whose it is
  TypeList items;                             // arguments; members; Shape: row tails; Function: its own type
                                              // parameters; Parameter: bounds
  std::span<const Field> fields;              // Shape, as written
  std::span<const types::Parameter> params;   // Function
  const Type* result = nullptr;               // Function
  const Type* canonical = nullptr;            // the same for all types that are equal but written differently
};

// `int | string` and `string | int` are two objects, for they print differently, but one type.
inline bool same_type(const Type* a, const Type* b) { return a->canonical == b->canonical; }

// What types.def says about a kind; for the kinds it lists.
struct NamedKind {
  Kind kind;
  std::string_view name;
  std::string_view variances;
};
std::span<const NamedKind> named_kinds();
std::string_view name_of(Kind kind);
// Null when every program has to declare the name itself.
const NamedKind* find_named_kind(std::string_view name);
// Whether the kind is one of those.
constexpr bool is_named_kind(Kind kind) { return kind < Kind::StringLiteral; }

}  // namespace harn::types
