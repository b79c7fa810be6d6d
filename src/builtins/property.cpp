#include "builtins/families.h"

// Pairs and enums, which have nothing but properties.
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
     .flags = BuiltinFlags::Property,
     .call = enum_fields},
    {.name = "first",
     .receiver = on(Kind::Pair),
     .signature = "<A>() -> A",
     .doc = "The first half of the pair; property or call.",
     .example = "pair(1, 2).first == 1",
     .flags = BuiltinFlags::Property,
     .call = pair_first},
    {.name = "second",
     .receiver = on(Kind::Pair),
     .signature = "<B>() -> B",
     .doc = "The second half of the pair; property or call.",
     .example = "pair(1, 2).second == 2",
     .flags = BuiltinFlags::Property,
     .call = pair_second},
    {.name = "variant",
     .receiver = on(Kind::Enum),
     .signature = "() -> string",
     .doc = "The name of the variant; property or call.",
     .example = R"(Ok(1).variant == "Ok")",
     .flags = BuiltinFlags::Property,
     .call = enum_variant},
};

}  // namespace

std::span<const vm::Builtin> property_rows() { return kRows; }

}  // namespace harn::builtins
