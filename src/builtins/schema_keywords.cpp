#include "builtins/schema_keywords.h"

#include <charconv>
#include <string>
#include <unordered_map>

#include "vm/objects.h"

namespace harn::builtins::schema {

using namespace vm;

namespace {

const std::unordered_map<std::string_view, Keyword>& words() {
  static const auto* table = new std::unordered_map<std::string_view, Keyword>{
      {"type", Keyword::Type},
      {"nullable", Keyword::Nullable},
      {"default", Keyword::Default},
      {"const", Keyword::Const},
      {"enum", Keyword::Enum},
      {"$ref", Keyword::Ref},
      {"union", Keyword::Union},
      {"anyOf", Keyword::Union},
      {"any_of", Keyword::Union},
      {"oneOf", Keyword::OneOf},
      {"one_of", Keyword::OneOf},
      {"all_of", Keyword::AllOf},
      {"allOf", Keyword::AllOf},
      {"not", Keyword::Not},
      {"if", Keyword::If},
      {"then", Keyword::Then},
      {"else", Keyword::Else},
      {"min", Keyword::Min},
      {"minimum", Keyword::Min},
      {"max", Keyword::Max},
      {"maximum", Keyword::Max},
      {"exclusiveMinimum", Keyword::ExclusiveMin},
      {"exclusive_min", Keyword::ExclusiveMin},
      {"exclusiveMaximum", Keyword::ExclusiveMax},
      {"exclusive_max", Keyword::ExclusiveMax},
      {"multipleOf", Keyword::MultipleOf},
      {"multiple_of", Keyword::MultipleOf},
      {"min_length", Keyword::MinLength},
      {"minLength", Keyword::MinLength},
      {"max_length", Keyword::MaxLength},
      {"maxLength", Keyword::MaxLength},
      {"pattern", Keyword::Pattern},
      {"items", Keyword::Items},
      {"prefixItems", Keyword::PrefixItems},
      {"prefix_items", Keyword::PrefixItems},
      {"min_items", Keyword::MinItems},
      {"minItems", Keyword::MinItems},
      {"max_items", Keyword::MaxItems},
      {"maxItems", Keyword::MaxItems},
      {"uniqueItems", Keyword::UniqueItems},
      {"unique_items", Keyword::UniqueItems},
      {"contains", Keyword::Contains},
      {"minContains", Keyword::MinContains},
      {"min_contains", Keyword::MinContains},
      {"maxContains", Keyword::MaxContains},
      {"max_contains", Keyword::MaxContains},
      {"properties", Keyword::Properties},
      {"required", Keyword::Required},
      {"additional_properties", Keyword::AdditionalProperties},
      {"additionalProperties", Keyword::AdditionalProperties},
      {"patternProperties", Keyword::PatternProperties},
      {"pattern_properties", Keyword::PatternProperties},
      {"propertyNames", Keyword::PropertyNames},
      {"property_names", Keyword::PropertyNames},
      {"minProperties", Keyword::MinProperties},
      {"min_properties", Keyword::MinProperties},
      {"maxProperties", Keyword::MaxProperties},
      {"max_properties", Keyword::MaxProperties},
      {"dependentRequired", Keyword::DependentRequired},
      {"dependent_required", Keyword::DependentRequired},
      {"dependentSchemas", Keyword::DependentSchemas},
      {"dependent_schemas", Keyword::DependentSchemas},
  };
  return *table;
}

// "~1" is "/", "~0" is "~", and "%25" and its kind come from URIs.
std::string decode_step(std::string_view raw) {
  std::string step;
  for (size_t i = 0; i < raw.size(); ++i) {
    unsigned code = 0;
    if (raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1')) {
      step += raw[++i] == '0' ? '~' : '/';
    } else if (raw[i] == '%' && i + 2 < raw.size() &&
               std::from_chars(raw.data() + i + 1, raw.data() + i + 3, code, 16).ptr == raw.data() + i + 3) {
      step += static_cast<char>(code);
      i += 2;
    } else {
      step += raw[i];
    }
  }
  return step;
}

const Value* follow(const Value* at, std::string_view step) {
  if (at->is_dict()) return at->as_dict()->find(step);
  size_t number = 0;
  bool is_number = std::from_chars(step.data(), step.data() + step.size(), number).ptr == step.data() + step.size();
  if (at->is_list() && !step.empty() && is_number && number < at->as_list()->size) return &at->as_list()->items[number];
  return nullptr;
}

const Value* follow_pointer(const Value& root, std::string_view pointer) {
  const Value* at = &root;
  while (at && !pointer.empty()) {
    size_t end = pointer.find('/');
    at = follow(at, decode_step(pointer.substr(0, end)));
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end + 1);
  }
  return at;
}

}  // namespace

Keywords::Keywords(const DictObject* schema) {
  for (auto [key, value] : schema->entries()) {
    auto found = words().find(key->view());
    if (found == words().end()) continue;
    auto& slot = values_[static_cast<size_t>(found->second)];
    if (!slot) slot = value;
  }
}

std::string_view canonical_type(std::string_view name) {
  if (name == "object") return "dict";
  if (name == "array") return "list";
  if (name == "integer") return "int";
  if (name == "boolean") return "bool";
  if (name == "null") return "nil";
  return name;
}

uint32_t type_bits(std::string_view name) {
  name = canonical_type(name);
  if (name == "string") return kString;
  if (name == "int") return kInt;
  if (name == "float") return kFloat;
  if (name == "number") return kInt | kFloat;
  if (name == "bool") return kBool;
  if (name == "list") return kList;
  if (name == "dict") return kDict;
  if (name == "set") return kSet;
  if (name == "nil") return kNil;
  if (name == "closure") return kClosure;
  if (name == "bytes") return kBytes;
  if (name == "any" || name == "unknown") return kAny;
  return 0;
}

uint32_t type_bit(const Value& value) {
  switch (value.kind()) {
    case Kind::Unset:
    case Kind::Nil: return kNil;
    case Kind::Bool: return kBool;
    case Kind::Int: return kInt;
    case Kind::Float: return kFloat;
    case Kind::String: return kString;
    case Kind::Bytes: return kBytes;
    case Kind::List:
    case Kind::Range: return kList;
    case Kind::Dict:
    case Kind::Struct: return kDict;
    case Kind::Set: return kSet;
    case Kind::Closure:
    case Kind::Builtin: return kClosure;
    default: return kOther;
  }
}

bool is_schema(const Value& schema) { return schema.is_dict() || schema.is_bool(); }

const Value* resolve(const Value& root, std::string_view reference) {
  if (reference == "#") return &root;
  if (reference.starts_with("#/")) return follow_pointer(root, reference.substr(2));
  for (std::string_view home : {"$defs", "definitions", "components/schemas"}) {
    const Value* definitions = follow_pointer(root, home);
    if (!definitions || !definitions->is_dict()) continue;
    if (const Value* found = definitions->as_dict()->find(reference)) return found;
  }
  return nullptr;
}

}  // namespace harn::builtins::schema
