#include <algorithm>
#include <string_view>

#include "builtins/families.h"

// Pairs and enums, which have nothing but properties, and the list of all properties.
namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> pair_first(Call& call) { return call.arg(0).as_pair()->first; }
Outcome<Value> pair_second(Call& call) { return call.arg(0).as_pair()->second; }
Outcome<Value> enum_fields(Call& call) { return new_list(call.arg(0).as_enum()->values()); }
Outcome<Value> enum_variant(Call& call) { return Value::share(call.arg(0).as_enum()->info().name); }

constinit const Builtin kRows[] = {
    {.name = "fields",
     .receiver = on(Kind::Enum),
     .signature = "() -> list",
     .doc = "The payload of the enum value as a list; property or call.",
     .example = "Ok(1).fields == [1]",
     .call = enum_fields},
    {.name = "first",
     .receiver = on(Kind::Pair),
     .signature = "() -> any",
     .doc = "The first half of the pair; property or call.",
     .example = "pair(1, 2).first == 1",
     .call = pair_first},
    {.name = "second",
     .receiver = on(Kind::Pair),
     .signature = "() -> any",
     .doc = "The second half of the pair; property or call.",
     .example = "pair(1, 2).second == 2",
     .call = pair_second},
    {.name = "variant",
     .receiver = on(Kind::Enum),
     .signature = "() -> string",
     .doc = "The name of the variant; property or call.",
     .example = R"(Ok(1).variant == "Ok")",
     .call = enum_variant},
};

struct Property {
  std::string_view name;
  KindSet kinds;
};

constexpr Property kProperties[] = {
    {"count", on(Kind::String, Kind::List, Kind::Range, Kind::Dict, Kind::Set)},
    {"empty", on(Kind::String, Kind::List, Kind::Range, Kind::Set)},
    {"fields", on(Kind::Enum)},
    {"first", on(Kind::List, Kind::Range, Kind::Pair)},
    {"last", on(Kind::List, Kind::Range)},
    {"second", on(Kind::Pair)},
    {"variant", on(Kind::Enum)},
};

}  // namespace

std::span<const vm::Builtin> property_rows() { return kRows; }

bool is_property(vm::Kind kind, std::string_view name) {
  return std::any_of(std::begin(kProperties), std::end(kProperties), [&](const Property& property) {
    return property.name == name && (property.kinds & on(kind)) != 0;
  });
}

}  // namespace harn::builtins
