// Structs and enum variants where they are made: their parts against the declaration, and what its type parameters are.
#include "base/fmt.h"
#include "base/text.h"
#include "check/checker.h"
#include "check/inference.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

void Checker::bind_expected(Inference& inference, const Node& declaration, const Type* expected) {
  if (!expected) return;
  for (const Type* member : known_.members(expected)) {
    const Type* plain = known_.relation.plain(member);
    if (plain->declaration != &declaration) continue;
    for (size_t i = 0; i < inference.all.size(); ++i) {
      const Type* asked = argument(plain, i);
      if (!asked || types::is_gradual(asked)) continue;
      inference.all[i].type = asked;
      inference.all[i].is_fixed = true;
    }
    return;
  }
}

const Type* Checker::constructed(const Type* self, Inference& inference, Span where) {
  std::vector<const Type*> arguments;
  for (Inference::One& one : inference.all) {
    if (one.clash) {
      report(Code::TypeParameterClash, where, one.parameter->text, shown(one.type), shown(one.clash));
      one.type = any();
    }
    // What begins as nil is about to become something else.
    if (one.type && !one.is_fixed && one.type->kind == Kind::Nil) one.type = any();
    arguments.push_back(one.type ? one.type : any());
  }
  return known_.table.declared(self->kind, self->text, *self->declaration, arguments);
}

// ---- structs ----

const Type* Checker::struct_literal(const StructLiteral& node, const Type* expected) {
  const compile::Variable* owner = variable(node);
  const Node* declaration = owner ? owner->declaration : nullptr;
  if (!declaration || !declaration->is(NodeKind::Struct)) {
    for (const DictEntry& entry : node.fields) infer(*entry.value);
    return any();
  }
  return construct(declaration->as<Struct>(), node.type_args, node.fields, node.name.span, expected);
}

static const types::Field* find_field(const std::vector<types::Field>& fields, std::string_view name) {
  auto found = std::ranges::find(fields, name, &types::Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const Type* Checker::construct(const Struct& structure, List<const TypeNode*> written, List<DictEntry> entries,
                               Span where, const Type* expected) {
  const Type* self = known_.lowering.self_type(structure);
  Inference inference;
  for (const Type* own : self->items) inference.all.push_back({own});
  bind_expected(inference, structure, expected);
  for (size_t i = 0; i < written.size() && i < inference.all.size(); ++i) {
    inference.all[i].type = known_.lowering.lower(*written[i]);
    inference.all[i].is_fixed = true;
  }
  auto fields = known_.lowering.fields(self);
  auto asked_for = [&](const types::Field& field, std::span<const types::Binding> bindings) {
    const Type* type = known_.table.substitute(field.type, bindings);
    return field.optional ? known_.table.optional(type) : type;
  };
  // First what the parts are, then whether they fit: a later one may say what a parameter stands for.
  std::vector<const Type*> given(entries.size(), nullptr);
  for (size_t i = 0; i < entries.size(); ++i) {
    const DictEntry& entry = entries[i];
    const types::Field* field =
        entry.form == KeyForm::Spread || entry.computed ? nullptr : find_field(fields, entry.key.text);
    if (!field) {
      infer(*entry.value);
      continue;
    }
    given[i] = infer(*entry.value, asked_for(*field, inference.bindings(any())));
    bind_parameters(inference, field->type, given[i], 0);
  }
  const Type* type = constructed(self, inference, where);
  auto bindings = inference.bindings(any());
  bool has_spread = false;
  std::unordered_set<std::string_view> present;
  for (size_t i = 0; i < entries.size(); ++i) {
    const DictEntry& entry = entries[i];
    if (entry.form == KeyForm::Spread || entry.computed) {
      has_spread = true;
      continue;
    }
    present.insert(entry.key.text);
    const types::Field* field = find_field(fields, entry.key.text);
    if (!field) {
      unknown_struct_field(structure, entry.key);
      continue;
    }
    const Type* wanted = asked_for(*field, bindings);
    if (fits(given[i], wanted)) continue;
    mismatch(*entry.value, given[i], wanted, Code::FieldMismatch,
             fmt::format("field `{}` in struct `{}`", entry.key.text, structure.name.text));
  }
  if (has_spread) return type;
  for (const types::Field& field : fields) {
    const Type* wanted = asked_for(field, bindings);
    if (present.contains(field.name) || known_.has_nil(wanted) || types::is_gradual(wanted)) continue;
    report(Code::MissingStructField, where, field.name, structure.name.text)
        .help(fmt::format("its type is {}", shown(wanted)));
  }
  return type;
}

void Checker::unknown_struct_field(const Struct& structure, const Name& key) {
  std::vector<std::string_view> names;
  for (const StructField& field : structure.fields) names.push_back(field.name.text);
  auto told = report(Code::UnknownStructField, key.span, key.text, structure.name.text);
  auto close = text::close_names(key.text, names);
  if (!close.empty()) {
    told.help(fmt::format("did you mean `{}`?", close[0]));
    told.fix({fmt::format("use `{}`", close[0]), key.span, std::string(close[0]), false});
  } else {
    told.help(fmt::format("it has {}", fmt::join(names, ", ")));
  }
}

// ---- variants ----

const Type* Checker::variant_call(const Enum& owner, const Name& variant, NodeList args, const Type* expected) {
  const Type* self = known_.lowering.self_type(owner);
  auto found = std::ranges::find_if(owner.variants, [&](auto& one) { return one.name.text == variant.text; });
  Inference inference;
  for (const Type* own : self->items) inference.all.push_back({own});
  if (found == owner.variants.end()) {
    infer_all(args);
    if (known_.method_node(self, variant.text)) return any();
    unknown_variant(owner, variant);
    return constructed(self, inference, variant.span);
  }
  bind_expected(inference, owner, expected);
  std::vector<const Type*> payload;
  for (const types::Field& field : known_.lowering.payloads(self)) {
    if (field.name == variant.text) payload.push_back(field.type);
  }
  std::vector<const Type*> given(args.size(), nullptr);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i]->is(NodeKind::Spread) || i >= payload.size()) {
      infer(*args[i]);
      continue;
    }
    given[i] = infer(*args[i], known_.table.substitute(payload[i], inference.bindings(any())));
    bind_parameters(inference, payload[i], given[i], 0);
  }
  const Type* type = constructed(self, inference, variant.span);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!given[i]) continue;
    const Type* wanted = known_.table.substitute(payload[i], inference.bindings(any()));
    if (fits(given[i], wanted)) continue;
    std::string_view name = i < found->fields.size() ? found->fields[i].name.text : "";
    mismatch(*args[i], given[i], wanted, Code::ArgumentMismatch,
             fmt::format("{}.{} argument `{}`", owner.name.text, variant.text, name));
  }
  return type;
}

void Checker::unknown_variant(const Enum& owner, const Name& variant) {
  std::vector<std::string_view> names;
  for (const EnumVariant& one : owner.variants) names.push_back(one.name.text);
  auto told = report(Code::UnknownVariant, variant.span, variant.text, owner.name.text);
  auto close = text::close_names(variant.text, names);
  if (!close.empty()) {
    told.help(fmt::format("did you mean `{}`?", close[0]));
    told.fix({fmt::format("use `{}`", close[0]), variant.span, std::string(close[0]), false});
  } else {
    told.help(fmt::format("it has {}", fmt::join(names, ", ")));
  }
}

}  // namespace harn::check
