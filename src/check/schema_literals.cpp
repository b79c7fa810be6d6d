// Schemas that are written as dicts: `{type: "object", properties: {...}}` where a `Schema<T>` is asked for says what T is.
//
// Only what is written out counts. A schema that is put together by the program, or that uses words this file does not know,
// describes `any`: it never makes a type narrower than what the run would accept.
#include <algorithm>
#include <optional>

#include "check/checker.h"

namespace harn::check {

using namespace syntax;

namespace {

constexpr int kDeepest = 32;

const Node* find_entry(const DictLiteral& schema, std::initializer_list<std::string_view> names) {
  for (const DictEntry& entry : schema.entries) {
    if (std::ranges::find(names, entry.key.text) != names.end()) return entry.value;
  }
  return nullptr;
}

// Whether all keys are there to be read.
bool is_written_out(const DictLiteral& schema) {
  return std::ranges::none_of(schema.entries,
                              [](const DictEntry& entry) { return entry.computed || entry.form == KeyForm::Spread; });
}

std::optional<std::vector<std::string_view>> texts_of(const Node* node) {
  if (!node || !node->is(NodeKind::ListLiteral)) return std::nullopt;
  std::vector<std::string_view> out;
  for (const Node* item : node->as<ListLiteral>().items) {
    if (!item->is(NodeKind::StringLiteral)) return std::nullopt;
    out.push_back(item->as<StringLiteral>().value);
  }
  return out;
}

std::optional<Kind> kind_called(std::string_view name) {
  if (name == "string") return Kind::String;
  if (name == "integer" || name == "int") return Kind::Int;
  if (name == "float") return Kind::Float;
  if (name == "number") return Kind::Number;
  if (name == "boolean" || name == "bool") return Kind::Bool;
  if (name == "array" || name == "list") return Kind::List;
  if (name == "object" || name == "dict") return Kind::Dict;
  if (name == "null" || name == "nil") return Kind::Nil;
  return std::nullopt;
}

}  // namespace

const Type* Checker::described_by(const Node& schema, int depth) {
  if (!schema.is(NodeKind::DictLiteral)) {
    // An alias, or a schema in a variable.
    ++quiet_;
    const Type* type = known_.relation.plain(infer(schema));
    --quiet_;
    bool is_schema = type->kind == Kind::Schema && types::argument(type, 0);
    return is_schema ? types::argument(type, 0) : any();
  }
  auto& literal = schema.as<DictLiteral>();
  if (depth > kDeepest || !is_written_out(literal)) return any();
  const Type* type = any();
  if (const Node* values = find_entry(literal, {"enum"})) {
    type = one_of(*values);
  } else if (const Node* choices = find_entry(literal, {"anyOf", "any_of", "oneOf", "one_of", "union"})) {
    if (!choices->is(NodeKind::ListLiteral)) return any();
    std::vector<const Type*> all;
    for (const Node* choice : choices->as<ListLiteral>().items) all.push_back(described_by(*choice, depth + 1));
    type = known_.table.unite(all);
  } else if (const Node* names = find_entry(literal, {"type"})) {
    auto listed = names->is(NodeKind::StringLiteral) ? std::optional(std::vector{names->as<StringLiteral>().value})
                                                     : texts_of(names);
    if (!listed) return any();
    std::vector<const Type*> all;
    for (std::string_view name : *listed) {
      auto kind = kind_called(name);
      if (!kind) return any();
      all.push_back(described_kind(*kind, literal, depth));
    }
    type = known_.table.unite(all);
  } else if (find_entry(literal, {"properties"})) {
    type = described_kind(Kind::Dict, literal, depth);
  }
  const Node* nullable = find_entry(literal, {"nullable"});
  bool is_nullable = nullable && !(nullable->is(NodeKind::BoolLiteral) && !nullable->as<BoolLiteral>().value);
  return is_nullable ? known_.table.optional(type) : type;
}

const Type* Checker::one_of(const Node& values) {
  if (!values.is(NodeKind::ListLiteral)) return any();
  std::vector<const Type*> all;
  for (const Node* value : values.as<ListLiteral>().items) {
    switch (value->kind) {
      case NodeKind::StringLiteral: all.push_back(known_.table.literal(value->as<StringLiteral>().value)); break;
      case NodeKind::IntLiteral: all.push_back(known_.table.literal(value->as<IntLiteral>().value)); break;
      case NodeKind::BoolLiteral: all.push_back(known_.table.literal_bool(value->as<BoolLiteral>().value)); break;
      case NodeKind::NilLiteral: all.push_back(known_.nil()); break;
      default: return any();
    }
  }
  return known_.table.unite(all);
}

const Type* Checker::described_kind(Kind kind, const DictLiteral& schema, int depth) {
  if (kind == Kind::List) {
    const Node* items = find_entry(schema, {"items"});
    return items ? known_.table.named(Kind::List, {described_by(*items, depth + 1)}) : named(Kind::List);
  }
  if (kind != Kind::Dict) return named(kind);
  const Node* properties = find_entry(schema, {"properties"});
  if (!properties || !properties->is(NodeKind::DictLiteral)) return named(Kind::Dict);
  auto& written = properties->as<DictLiteral>();
  if (!is_written_out(written)) return named(Kind::Dict);
  const Node* listed = find_entry(schema, {"required"});
  auto required = texts_of(listed);
  if (listed && !required) return named(Kind::Dict);
  std::vector<types::Field> fields;
  for (const DictEntry& entry : written.entries) {
    bool is_required = required && std::ranges::find(*required, entry.key.text) != required->end();
    // A default takes the place of what is missing, where defaults are asked for.
    bool has_default =
        entry.value->is(NodeKind::DictLiteral) && find_entry(entry.value->as<DictLiteral>(), {"default"});
    const Type* type = has_default ? any() : described_by(*entry.value, depth + 1);
    fields.push_back({entry.key.text, type, !is_required});
  }
  // Other fields are allowed, unless the schema says otherwise.
  return known_.table.shape(fields, {}, true);
}

bool Checker::asks_for_schema(const Type* expected) {
  if (!expected) return false;
  auto& members = known_.members(expected);
  return std::ranges::any_of(members,
                             [&](const Type* one) { return known_.relation.plain(one)->kind == Kind::Schema; });
}

}  // namespace harn::check
