// What is known of the structs and enums of a program while it runs: for what makes values of them from plain data (src/std/prelude/instances.harn).
#include "base/result.h"
#include "builtins/families.h"
#include "data/program_types.h"
#include "vm/dict.h"
#include "vm/function.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;

StructTypeObject* struct_type_of(const Value& value) {
  if (value.is(Kind::StructType)) return value.as<StructTypeObject>();
  return value.is(Kind::Struct) ? struct_type(value.as_dict()) : nullptr;
}

// (struct or instance): {id, name, type, schema, instances?}, or nil. Two declarations have two ids, copies for other tasks the same.
Outcome<Value> struct_facts(Call& call) {
  StructTypeObject* type = struct_type_of(call.arg(0));
  if (!type) return Value();
  Value schema = struct_schema(type);
  if (schema.is_nil()) schema = new_dict();
  return DictBuilder()
      .add("id", text_value(fmt::format("{}#{}", type->name->view(), type->declaration)))
      .add("name", Value::share(type->name))
      .add("type", Value::share(type))
      .add("schema", std::move(schema))
      .add("instances", struct_instances(type))
      .done();
}

// {variant: [{schema}]}: what each carries may be anything.
Outcome<Value> enum_variants(Call& call) {
  if (!call.arg(0).is(Kind::EnumType)) return Value();
  auto* type = call.arg(0).as<EnumTypeObject>();
  DictBuilder out;
  for (const EnumVariantInfo& variant : std::span(type->variants, type->count)) {
    auto carried = new_list();
    for (uint16_t i = 0; i < variant.arity; ++i) carried->push(DictBuilder().add("schema", new_dict()).done());
    out.add(variant.name, std::move(carried));
  }
  return out.done();
}

Outcome<Value> type_near(Call& call) {
  StructTypeObject* type = struct_type_of(call.arg(0));
  if (!type) return call.wrong_type(0, "a struct");
  return data::ProgramTypes(call.vm()).near(*type, HARN_TRY(call.text(1)));
}

constinit const Builtin kRows[] = {
    {.name = "__enum_variants",
     .signature = "(type: any) -> dict?",
     .doc = "The variants of an enum, {name: [{schema}, ...]}: so many as each carries; nil for others.",
     .example = "__enum_variants(1) == nil",
     .call = enum_variants},
    {.name = "__fit_instance",
     .signature = "(made: dict, what: string, value: any, schema: dict, instances: dict?) -> any",
     .doc = "Plain data as a value of a declared type, with instances of structs, variants of enums and sets where the "
            "type has them.",
     .prelude = "instances:fit_instance"},
    {.name = "__struct_facts",
     .signature = "(value: any) -> dict?",
     .doc = "What is known of a struct, or of the struct of an instance: {id, name, type, schema, instances}; nil for "
            "others.",
     .example = "__struct_facts({a: 1}) == nil",
     .call = struct_facts},
    {.name = "__type_near",
     .signature = "(type: any, name: string) -> any",
     .doc = "What the name of a struct or enum means where another struct is declared; nil: nobody can tell.",
     .call = type_near},
};

}  // namespace

std::span<const Builtin> type_fact_rows() { return kRows; }

}  // namespace harn::builtins
