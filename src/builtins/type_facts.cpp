// What is known of the structs and enums of a program while it runs: for what makes values of them from plain data (src/std/prelude/instances.harn).
#include <array>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "compile/schemas.h"
#include "data/program_types.h"
#include "types/signature.h"
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

// JSON Schema, and people, have other names for some types.
struct OtherName {
  std::string_view name, ours;
};
constexpr auto kOtherNames = std::to_array<OtherName>({{"integer", "int"},
                                                       {"boolean", "bool"},
                                                       {"array", "list"},
                                                       {"object", "dict"},
                                                       {"null", "nil"},
                                                       {"str", "string"},
                                                       {"text", "string"}});

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Words in quotes are values and no types.
std::string with_our_names(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '"') {
      end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    } else if (is_of_name(text[at])) {
      while (end < text.size() && is_of_name(text[end])) ++end;
    }
    std::string_view word = text.substr(at, end - at);
    auto* other = std::ranges::find(kOtherNames, word, &OtherName::name);
    out += other == kOtherNames.end() ? word : other->ours;
    at = end;
  }
  return out;
}

// The first word that names no type, with the name of a type that it may have been meant to be.
std::string with_close_name(std::string problem) {
  size_t start = problem.find('`'), end = problem.rfind('`');
  if (start == end) return problem;
  std::vector<std::string_view> names;
  for (const types::NamedKind& kind : types::named_kinds()) names.push_back(kind.name);
  auto close = text::close_names(std::string_view(problem).substr(start + 1, end - start - 1), names, 1);
  return close.empty() ? problem : fmt::format("{}; did you mean `{}`?", problem, close[0]);
}

// A type as Harn or JSON Schema writes it: {schema}, or {problem}.
Outcome<Value> type_schema(Call& call) {
  auto text = HARN_TRY(call.text(0));
  types::TypeTable table;
  std::string problem;
  // The last of a signature, so that both end together.
  const types::Type* signature = types::parse_signature(table, fmt::format("() -> {}", with_our_names(text)), &problem);
  if (!signature || signature->kind != types::Kind::Function) {
    if (problem.empty()) problem = "the text holds more than one type";
    return DictBuilder().add("problem", text_value(with_close_name(std::move(problem)))).done();
  }
  types::NoNames names;
  types::Lowering lowering(table, names);
  return DictBuilder().add("schema", linked(*compile::Schemas(lowering).of(signature->result))).done();
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
    {.name = "__type_schema",
     .signature = "(type: string) -> {schema?: dict, problem?: string}",
     .doc = "The JSON Schema of a type that is written as in Harn, or with the names of JSON Schema.",
     .example = R"(__type_schema("list<int>?").schema.anyOf[0].items == {type: "integer"})",
     .call = type_schema},
    {.name = "__type_near",
     .signature = "(type: any, name: string) -> any",
     .doc = "What the name of a struct or enum means where another struct is declared; nil: nobody can tell.",
     .call = type_near},
};

}  // namespace

std::span<const Builtin> type_fact_rows() { return kRows; }

}  // namespace harn::builtins
