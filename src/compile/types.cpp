// Types at run time: parameter checks and the schema dicts that type aliases stand for.
#include <algorithm>

#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

void FunctionCompiler::check_param(const Param& param, Reg reg) {
  auto type = lower_type(*param.type, UnknownTypes::Anything);
  if (type->kind == TypeCheck::Kind::Any) return;
  code_->checks.push_back({std::string(param.name.text), param.rest, std::move(type)});
  at(param.name.span);
  emit_bx(Op::CheckParam, reg, static_cast<uint32_t>(code_->checks.size() - 1));
}

const TypeAlias* FunctionCompiler::find_alias(const Node* node) const {
  if (!node->is(NodeKind::Identifier)) return nullptr;
  auto& name = node->as<Identifier>();
  if (!name.variable || !name.variable->declaration) return nullptr;
  if (!name.variable->declaration->is(NodeKind::TypeAlias)) return nullptr;
  return &name.variable->declaration->as<TypeAlias>();
}

// ---- schemas ----

static std::string_view schema_name(std::string_view type) {
  static const std::unordered_map<std::string_view, std::string_view> kNames = {
      {"int", "integer"},  {"float", "number"}, {"number", "number"}, {"string", "string"},
      {"bool", "boolean"}, {"nil", "null"},     {"list", "array"},    {"dict", "object"}};
  auto found = kNames.find(type);
  return found == kNames.end() ? std::string_view() : found->second;
}

void FunctionCompiler::alias_schema(const TypeAlias& alias, List<TypeNode*> args, Reg to, int depth) {
  size_t outer = schema_arguments_.size();
  for (size_t i = 0; i < alias.generics.size() && i < args.size(); ++i) {
    schema_arguments_.push_back({alias.generics[i].name.text, args[i], aliases_open_.size(), outer});
  }
  aliases_open_.push_back(&alias);
  schema(*alias.type, to, depth);
  aliases_open_.pop_back();
  schema_arguments_.resize(outer);
}

// A type parameter stands for a type that is written outside the alias, and means what it means there.
void FunctionCompiler::argument_schema(std::string_view parameter, Reg to, int depth) {
  auto found = std::find_if(schema_arguments_.rbegin(), schema_arguments_.rend(),
                            [&](const SchemaArgument& argument) { return argument.name == parameter; });
  if (found == schema_arguments_.rend()) return;
  SchemaArgument argument = *found;
  auto aliases = aliases_open_;
  auto arguments = schema_arguments_;
  aliases_open_.resize(argument.aliases);
  schema_arguments_.resize(argument.arguments);
  schema(*argument.type, to, depth);
  aliases_open_ = std::move(aliases);
  schema_arguments_ = std::move(arguments);
}

void FunctionCompiler::schema(const TypeNode& type, Reg to, int depth) {
  int mark = next_;
  auto put_text = [&](std::string_view key, std::string_view value) {
    int inner = next_;
    Reg reg = temp();
    literal_text(value, reg);
    emit_x(Op::SetField, to, reg, 0, cache(key));
    release_to(inner);
  };
  auto put_schema = [&](std::string_view key, const TypeNode& value) {
    int inner = next_;
    Reg reg = temp();
    schema(value, reg, depth + 1);
    emit_x(Op::SetField, to, reg, 0, cache(key));
    release_to(inner);
  };
  auto put_list = [&](std::string_view key, auto each, size_t count) {
    int inner = next_;
    Reg list = temp();
    emit(Op::NewList, list, 0, 0);
    for (size_t i = 0; i < count; ++i) {
      Reg item = temp();
      each(i, item);
      emit(Op::ListPush, list, item);
      release_to(item);
    }
    emit_x(Op::SetField, to, list, 0, cache(key));
    release_to(inner);
  };
  emit(Op::NewDict, to);
  if (depth > 40) return release_to(mark);
  switch (type.kind) {
    case TypeKind::Named: {
      if (std::string_view name = schema_name(type.name.text); !name.empty()) {
        put_text("type", name);
        if (type.name.text == "list" && !type.items.empty()) put_schema("items", *type.items[0]);
        if (type.name.text == "dict" && type.items.size() == 2) {
          put_schema("additionalProperties", *type.items[1]);
        }
        break;
      }
      const Node* declaration = type.declaration;
      bool open = std::find(aliases_open_.begin(), aliases_open_.end(), declaration) != aliases_open_.end();
      if (type.is_parameter) {
        argument_schema(type.name.text, to, depth + 1);
      } else if (declaration && declaration->is(NodeKind::TypeAlias) && !open) {
        alias_schema(declaration->as<TypeAlias>(), type.items, to, depth + 1);
      }
      break;
    }
    case TypeKind::List:
      put_text("type", "array");
      put_schema("items", *type.items[0]);
      break;
    case TypeKind::Shape: {
      put_text("type", "object");
      int inner = next_;
      Reg properties = temp();
      emit(Op::NewDict, properties);
      std::vector<std::string_view> required;
      for (const ShapeField& field : type.fields) {
        Reg value = temp();
        schema(*field.type, value, depth + 1);
        emit_x(Op::SetField, properties, value, 0, cache(field.name.text));
        release_to(value);
        if (!field.optional) required.push_back(field.name.text);
      }
      emit_x(Op::SetField, to, properties, 0, cache("properties"));
      release_to(inner);
      if (!required.empty()) {
        put_list(
            "required", [&](size_t i, Reg item) { literal_text(required[i], item); }, required.size());
      }
      break;
    }
    case TypeKind::Union: {
      bool texts = true, ints = true;
      for (TypeNode* item : type.items) {
        texts &= item->kind == TypeKind::StringLiteral;
        ints &= item->kind == TypeKind::IntLiteral;
      }
      if (texts || ints) {
        put_text("type", texts ? "string" : "integer");
        put_list(
            "enum",
            [&](size_t i, Reg item) {
              if (texts) literal_text(type.items[i]->text, item);
              else integer(type.items[i]->number, item);
            },
            type.items.size());
        break;
      }
      put_list(
          "anyOf", [&](size_t i, Reg item) { schema(*type.items[i], item, depth + 1); }, type.items.size());
      break;
    }
    case TypeKind::Optional:
      put_list(
          "anyOf",
          [&](size_t i, Reg item) {
            if (i == 0) {
              schema(*type.items[0], item, depth + 1);
            } else {
              TypeNode nil{TypeKind::Named, type.span};
              nil.name.text = "nil";
              schema(nil, item, depth + 1);
            }
          },
          2);
      break;
    case TypeKind::Intersection:
      put_list(
          "allOf", [&](size_t i, Reg item) { schema(*type.items[i], item, depth + 1); }, type.items.size());
      break;
    case TypeKind::StringLiteral:
      put_text("type", "string");
      put_text("const", type.text);
      break;
    case TypeKind::IntLiteral:
    case TypeKind::BoolLiteral: {
      put_text("type", type.kind == TypeKind::IntLiteral ? "integer" : "boolean");
      Reg value = temp();
      if (type.kind == TypeKind::IntLiteral) integer(type.number, value);
      else emit(Op::LoadBool, value, type.number != 0);
      emit_x(Op::SetField, to, value, 0, cache("const"));
      break;
    }
    case TypeKind::Function:
    case TypeKind::Error: break;  // anything fits
  }
  release_to(mark);
}

}  // namespace harn::compile
