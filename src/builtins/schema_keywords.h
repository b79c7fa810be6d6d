#pragma once

#include <array>
#include <string_view>

#include "vm/dict.h"
#include "vm/error.h"

// The words of a schema. Canonical and JSON Schema spellings mean the same.
namespace harn::builtins::schema {

enum class Keyword : uint8_t {
  Type,
  Nullable,
  Default,
  Const,
  Enum,
  Ref,
  Union,
  OneOf,
  AllOf,
  Not,
  If,
  Then,
  Else,
  // numbers
  Min,
  Max,
  ExclusiveMin,
  ExclusiveMax,
  MultipleOf,
  // strings
  MinLength,
  MaxLength,
  Pattern,
  // lists
  Items,
  PrefixItems,
  MinItems,
  MaxItems,
  UniqueItems,
  Contains,
  MinContains,
  MaxContains,
  // dicts
  Properties,
  Required,
  AdditionalProperties,
  PatternProperties,
  PropertyNames,
  MinProperties,
  MaxProperties,
  DependentRequired,
  DependentSchemas,
  Count,
};

// The words of one schema, found in one pass over its keys.
class Keywords {
 public:
  explicit Keywords(const vm::DictObject* schema);
  const vm::Value* operator[](Keyword word) const { return values_[static_cast<size_t>(word)]; }

 private:
  std::array<const vm::Value*, static_cast<size_t>(Keyword::Count)> values_{};
};

// Types as bits: what a value is, and what a schema allows.
enum TypeBit : uint32_t {
  kString = 1,
  kInt = 2,
  kFloat = 4,
  kBool = 8,
  kList = 16,
  kDict = 32,
  kSet = 64,
  kNil = 128,
  kClosure = 256,
  kBytes = 512,
  kOther = 1024,
  kAny = 2047,
};
// 0 when there is no such type.
uint32_t type_bits(std::string_view name);
uint32_t type_bit(const vm::Value& value);
// "dict" for "object" and so on; the name itself when it is canonical or unknown.
std::string_view canonical_type(std::string_view name);

// What `schema` means as a schema: a dict, or true and false. Structs and other values mean none.
bool is_schema(const vm::Value& schema);

// Finds "#/$defs/Name", "#/definitions/Name", "#/components/schemas/Name", any other "#/..."
// pointer, "#" and bare names. Null when there is none.
const vm::Value* resolve(const vm::Value& root, std::string_view reference);

}  // namespace harn::builtins::schema
