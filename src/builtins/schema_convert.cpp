#include <string>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/schema_keywords.h"

// Schemas in other spellings (JSON Schema, OpenAPI) and schemas made from schemas.
namespace harn::builtins {
namespace {

using namespace vm;

constexpr int kMaxDepth = 300;

enum class Form { Canonical, JsonSchema, OpenApi };

struct Spelling {
  std::string_view canonical;
  std::string_view json;
};
constexpr Spelling kSpellings[] = {
    {"min", "minimum"},
    {"max", "maximum"},
    {"min_length", "minLength"},
    {"max_length", "maxLength"},
    {"min_items", "minItems"},
    {"max_items", "maxItems"},
    {"additional_properties", "additionalProperties"},
    {"all_of", "allOf"},
    {"union", "anyOf"},
    {"union", "oneOf"},
};
constexpr Spelling kTypes[] = {
    {"dict", "object"},  {"list", "array"},   {"int", "integer"},
    {"float", "number"}, {"bool", "boolean"}, {"nil", "null"},
};

std::string_view key_in(Form form, std::string_view key) {
  for (const Spelling& spelling : kSpellings) {
    if (form == Form::Canonical && spelling.json == key) return spelling.canonical;
    if (form != Form::Canonical && spelling.canonical == key) return spelling.json;
  }
  return key;
}

// `number` stays what it is in the canonical form: it covers int and float there too.
std::string_view type_in(Form form, std::string_view type) {
  for (const Spelling& spelling : kTypes) {
    if (form == Form::Canonical && spelling.json == type && type != "number") return spelling.canonical;
    if (form != Form::Canonical && spelling.canonical == type) return spelling.json;
  }
  return type;
}

// What stands under a key: another schema, a list of them, a dict of them, or data.
enum class Content { Data, Schema, SchemaList, SchemaDict };
Content content_of(std::string_view key) {
  for (std::string_view name : {"items", "additional_properties", "additionalProperties", "not", "if", "then", "else",
                                "contains", "propertyNames"}) {
    if (key == name) return Content::Schema;
  }
  for (std::string_view name : {"union", "anyOf", "oneOf", "all_of", "allOf", "prefixItems"}) {
    if (key == name) return Content::SchemaList;
  }
  for (std::string_view name : {"properties", "definitions", "$defs", "patternProperties", "dependentSchemas"}) {
    if (key == name) return Content::SchemaDict;
  }
  return Content::Data;
}

// Applies `change` to every schema directly below this one.
template <class Change>
Value change_below(std::string_view key, const Value& value, Change change) {
  switch (content_of(key)) {
    case Content::Schema: return change(value);
    case Content::SchemaList: {
      if (!value.is_list()) return value;
      auto list = new_list(value.as_list()->size);
      for (const Value& item : value.as_list()->values()) list->push(change(item));
      return list;
    }
    case Content::SchemaDict: {
      if (!value.is_dict()) return value;
      Value dict = new_dict();
      for (auto [name, item] : value.as_dict()->entries())
        dict_set(dict, static_cast<const StringObject*>(name), change(*item));
      return dict;
    }
    case Content::Data: break;
  }
  return value;
}

// {components: {schemas: {...}}}
template <class Change>
Value change_components(const Value& components, Change change) {
  const Value* schemas = components.is_dict() ? components.as_dict()->find("schemas") : nullptr;
  if (!schemas) return components;
  Value changed = components;
  dict_set(changed, "schemas", change_below("definitions", *schemas, change));
  return changed;
}

// ["string", "null"] is a nullable string; several other types become a list of types.
void set_canonical_type(Value& result, const Value& type) {
  if (type.is_string()) return dict_set(result, "type", text_value(type_in(Form::Canonical, type.as_string()->view())));
  if (!type.is_list()) return dict_set(result, "type", type);
  auto types = new_list();
  for (const Value& name : type.as_list()->values()) {
    bool is_null = name.is_string() && (name.as_string()->view() == "null" || name.as_string()->view() == "nil");
    if (is_null) dict_set(result, "nullable", Value::boolean(true));
    else types->push(name.is_string() ? text_value(type_in(Form::Canonical, name.as_string()->view())) : name);
  }
  if (types->size == 0) dict_set(result, "type", text_value("nil"));
  else if (types->size == 1) dict_set(result, "type", types->items[0]);
  else dict_set(result, "type", std::move(types));
}

Value to_canonical(const Value& schema, int depth) {
  if (!schema.is_dict() || depth > kMaxDepth) return schema;
  auto below = [&](const Value& inner) { return to_canonical(inner, depth + 1); };
  Value result = new_dict();
  for (auto [key, value] : schema.as_dict()->entries()) {
    std::string_view name = key->view();
    if (name == "type") set_canonical_type(result, *value);
    else if (name == "components") dict_set(result, "components", change_components(*value, below));
    else dict_set(result, key_in(Form::Canonical, name), change_below(name, *value, below));
  }
  return result;
}

bool is_nullable(const Value& schema) {
  const Value* nullable = schema.as_dict()->find("nullable");
  return nullable && truthy(*nullable);
}

// The type as JSON Schema names it; `any` has no name there, a set is an array of unique items.
void set_json_type(Value& result, const Value& type, bool adds_null) {
  auto types = new_list();
  auto add = [&](std::string_view name) {
    if (name == "any") return;
    if (name == "set") dict_set(result, "uniqueItems", Value::boolean(true));
    types->push(text_value(name == "set" ? "array" : type_in(Form::JsonSchema, name)));
  };
  if (type.is_string()) add(type.as_string()->view());
  else if (type.is_list()) {
    for (const Value& name : type.as_list()->values()) {
      if (name.is_string()) add(name.as_string()->view());
    }
  }
  if (types->size == 0) return;
  if (adds_null) types->push(text_value("null"));
  if (types->size == 1) dict_set(result, "type", types->items[0]);
  else dict_set(result, "type", std::move(types));
}

Value from_canonical(const Value& schema, Form form, int depth) {
  if (!schema.is_dict() || depth > kMaxDepth) return schema;
  auto below = [&](const Value& inner) { return from_canonical(inner, form, depth + 1); };
  bool adds_null = form == Form::JsonSchema && is_nullable(schema);
  Value result = new_dict();
  for (auto [key, value] : schema.as_dict()->entries()) {
    std::string_view name = key->view();
    if (name == "type") set_json_type(result, *value, adds_null);
    else if (name == "nullable" && form == Form::JsonSchema) continue;
    else if (name == "components") dict_set(result, "components", change_components(*value, below));
    else dict_set(result, key_in(form, name), change_below(name, *value, below));
  }
  return result;
}

Outcome<Value> schema_argument(Call& call, uint32_t i) {
  if (!call.arg(i).is_dict()) return throw_text(ErrorKind::Type, "{}: schema must be a dict", call.row().name);
  return call.arg(i);
}

Outcome<Value> to_canonical_form(Call& call) { return to_canonical(HARN_TRY(schema_argument(call, 0)), 0); }
Outcome<Value> schema_to_json_schema(Call& call) {
  return from_canonical(to_canonical(HARN_TRY(schema_argument(call, 0)), 0), Form::JsonSchema, 0);
}
Outcome<Value> schema_to_openapi_schema(Call& call) {
  return from_canonical(to_canonical(HARN_TRY(schema_argument(call, 0)), 0), Form::OpenApi, 0);
}

Outcome<Value> schema_extend(Call& call) {
  Value result = HARN_TRY(schema_argument(call, 0));
  Value more = HARN_TRY(schema_argument(call, 1));
  dict_merge(result, more.as_dict());
  return result;
}

Value without_required(const Value& schema, int depth) {
  if (!schema.is_dict() || depth > kMaxDepth) return schema;
  auto below = [&](const Value& inner) { return without_required(inner, depth + 1); };
  Value result = new_dict();
  for (auto [key, value] : schema.as_dict()->entries()) {
    if (key->view() == "required") continue;
    dict_set(result, static_cast<const StringObject*>(key), change_below(key->view(), *value, below));
  }
  return result;
}

Outcome<Value> schema_partial(Call& call) { return without_required(HARN_TRY(schema_argument(call, 0)), 0); }

// Keeps the properties, and the names in `required`, for which listed == keep.
Outcome<Value> choose_properties(Call& call, bool keep) {
  Value schema = HARN_TRY(schema_argument(call, 0));
  if (!is_list_like(call.arg(1))) return throw_text(ErrorKind::Type, "{}: keys must be a list", call.row().name);
  const Value& keys = call.arg(1);
  const Value* properties = schema.as_dict()->find("properties");
  if (properties && properties->is_dict()) {
    Value chosen = new_dict();
    for (auto [key, value] : properties->as_dict()->entries()) {
      if (contains(keys, Value::share(key)) == keep) dict_set(chosen, static_cast<const StringObject*>(key), *value);
    }
    dict_set(schema, "properties", std::move(chosen));
  }
  const Value* required = schema.as_dict()->find("required");
  if (required && required->is_list()) {
    auto chosen = new_list();
    for (const Value& name : required->as_list()->values()) {
      if (contains(keys, name) == keep) chosen->push(name);
    }
    dict_set(schema, "required", std::move(chosen));
  }
  return schema;
}

Outcome<Value> schema_pick(Call& call) { return choose_properties(call, true); }
Outcome<Value> schema_omit(Call& call) { return choose_properties(call, false); }

constexpr std::string_view kOneSchema = "(schema: dict) -> dict";

constinit const Builtin kRows[] = {
    {.name = "schema_extend",
     .signature = "(base: dict, more: dict) -> dict",
     .doc = "Returns the first schema with the keys of the second; the second wins.",
     .example = R"(schema_extend({type: "int"}, {min: 1}) == {type: "int", min: 1})",
     .call = schema_extend},
    {.name = "schema_from_json_schema",
     .signature = kOneSchema,
     .doc = "Returns a JSON Schema in canonical spelling.",
     .example = R"(schema_from_json_schema({type: ["integer", "null"]}) == {type: "int", nullable: true})",
     .call = to_canonical_form},
    {.name = "schema_from_openapi_schema",
     .signature = kOneSchema,
     .doc = "Returns an OpenAPI schema in canonical spelling.",
     .example = R"(schema_from_openapi_schema({type: "object"}) == {type: "dict"})",
     .call = to_canonical_form},
    {.name = "schema_omit",
     .signature = "(schema: dict, keys: list<string>) -> dict",
     .doc = "Returns the schema without the named properties.",
     .example = R"(schema_omit({properties: {a: {}, b: {}}}, ["a"]) == {properties: {b: {}}})",
     .call = schema_omit},
    {.name = "schema_partial",
     .signature = kOneSchema,
     .doc = "Returns the schema with nothing required, at every level.",
     .example = R"(schema_partial({type: "dict", required: ["a"]}) == {type: "dict"})",
     .call = schema_partial},
    {.name = "schema_pick",
     .signature = "(schema: dict, keys: list<string>) -> dict",
     .doc = "Returns the schema with only the named properties.",
     .example = R"(schema_pick({properties: {a: {}, b: {}}}, ["a"]) == {properties: {a: {}}})",
     .call = schema_pick},
    {.name = "schema_to_json_schema",
     .signature = kOneSchema,
     .doc = "Returns the schema as JSON Schema.",
     .example = R"(schema_to_json_schema({type: "int", nullable: true}) == {type: ["integer", "null"]})",
     .call = schema_to_json_schema},
    {.name = "schema_to_openapi_schema",
     .signature = kOneSchema,
     .doc = "Returns the schema as OpenAPI writes it.",
     .example = R"(schema_to_openapi_schema({type: "int", nullable: true}) == {type: "integer", nullable: true})",
     .call = schema_to_openapi_schema},
};

}  // namespace

std::span<const vm::Builtin> schema_convert_rows() { return kRows; }

}  // namespace harn::builtins
