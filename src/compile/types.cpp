// Types at run time: parameter checks and the schema dicts that type aliases stand for.
#include <algorithm>

#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

std::string show_type(const TypeNode& type) {
  auto list = [](List<TypeNode*> items, std::string_view separator) {
    std::string out;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += separator;
      out += show_type(*items[i]);
    }
    return out;
  };
  switch (type.kind) {
    case TypeKind::Named: {
      std::string out(type.name.text);
      if (!type.items.empty()) out += "<" + list(type.items, ", ") + ">";
      return out;
    }
    case TypeKind::List: return "list<" + show_type(*type.items[0]) + ">";
    case TypeKind::Function: {
      std::string out = "fn(" + list(type.items, ", ") + ")";
      if (type.result) out += " -> " + show_type(*type.result);
      return out;
    }
    case TypeKind::Shape: {
      std::string out = "{";
      for (const ShapeField& field : type.fields) {
        if (out.size() > 1) out += ", ";
        out += std::string(field.name.text) + (field.optional ? "?: " : ": ") + show_type(*field.type);
      }
      for (TypeNode* tail : type.row_tails) {
        if (out.size() > 1) out += ", ";
        out += "..." + show_type(*tail);
      }
      return out + "}";
    }
    case TypeKind::Union: return list(type.items, "|");
    case TypeKind::Intersection: return list(type.items, " & ");
    case TypeKind::Optional: return show_type(*type.items[0]) + "|nil";
    case TypeKind::StringLiteral: return "\"" + std::string(type.text) + "\"";
    case TypeKind::IntLiteral: return std::to_string(type.number);
    case TypeKind::BoolLiteral: return type.number ? "true" : "false";
    case TypeKind::Error: return "any";
  }
  return "any";
}

void FunctionCompiler::check_param(const Param& param, Reg reg) {
  auto type = lower(*param.type);
  if (type->kind == TypeCheck::Kind::Any) return;
  code_->checks.push_back({std::string(param.name.text), param.rest, std::move(type)});
  at(param.name.span);
  emit_bx(Op::CheckParam, reg, static_cast<uint32_t>(code_->checks.size() - 1));
}

const Node* FunctionCompiler::find_type(std::string_view name) const {
  auto& globals = context_.names.modules[&context_.module];
  auto found = globals.find(name);
  if (found != globals.end()) return found->second->declaration;
  return nullptr;
}

const TypeAlias* FunctionCompiler::find_alias(const Node* node) const {
  if (!node->is(NodeKind::Identifier)) return nullptr;
  auto& name = node->as<Identifier>();
  if (!name.variable || !name.variable->declaration) return nullptr;
  if (!name.variable->declaration->is(NodeKind::TypeAlias)) return nullptr;
  return &name.variable->declaration->as<TypeAlias>();
}

static std::shared_ptr<TypeCheck> make_check(TypeCheck::Kind kind, const TypeNode& type) {
  auto check = std::make_shared<TypeCheck>();
  check->kind = kind;
  check->text = show_type(type);
  return check;
}

std::shared_ptr<TypeCheck> FunctionCompiler::lower(const TypeNode& type, int depth) {
  using K = TypeCheck::Kind;
  if (depth > 32) return make_check(K::Any, type);
  switch (type.kind) {
    case TypeKind::Named: break;
    case TypeKind::List: {
      auto check = make_check(K::List, type);
      check->items.push_back(lower(*type.items[0], depth + 1));
      return check;
    }
    case TypeKind::Function: return make_check(K::Closure, type);
    case TypeKind::Shape: {
      auto check = make_check(K::Shape, type);
      for (const ShapeField& field : type.fields) {
        check->fields.push_back(
            {std::string(field.name.text), field.optional, lower(*field.type, depth + 1)});
      }
      return check;
    }
    case TypeKind::Union: case TypeKind::Intersection: case TypeKind::Optional: {
      auto check = make_check(type.kind == TypeKind::Intersection ? K::Intersection : K::Union, type);
      for (TypeNode* item : type.items) check->items.push_back(lower(*item, depth + 1));
      if (type.kind == TypeKind::Optional) {
        auto nil = std::make_shared<TypeCheck>();
        nil->kind = K::Nil;
        nil->text = "nil";
        check->items.push_back(std::move(nil));
      }
      return check;
    }
    case TypeKind::StringLiteral: {
      auto check = make_check(K::LiteralString, type);
      check->text = std::string(type.text);
      return check;
    }
    case TypeKind::IntLiteral: case TypeKind::BoolLiteral: {
      auto check = make_check(type.kind == TypeKind::IntLiteral ? K::LiteralInt : K::LiteralBool, type);
      check->number = type.number;
      return check;
    }
    case TypeKind::Error: return make_check(K::Any, type);
  }
  static const std::unordered_map<std::string_view, K> kNames = {
      {"int", K::Int}, {"float", K::Float}, {"number", K::Number}, {"string", K::String},
      {"bytes", K::Bytes}, {"bool", K::Bool}, {"list", K::List}, {"dict", K::Dict},
      {"set", K::Set}, {"nil", K::Nil}, {"closure", K::Closure}};
  if (type.name.text == "owned" && type.items.size() == 1) return lower(*type.items[0], depth + 1);
  auto known = kNames.find(type.name.text);
  if (known != kNames.end()) {
    auto check = make_check(known->second, type);
    if (known->second == K::List || known->second == K::Set) {
      if (!type.items.empty()) check->items.push_back(lower(*type.items[0], depth + 1));
    } else if (known->second == K::Dict && type.items.size() == 2) {
      check->items.push_back(lower(*type.items[1], depth + 1));
    }
    return check;
  }
  const Node* declaration = find_type(type.name.text);
  if (declaration && declaration->is(NodeKind::TypeAlias)) {
    auto& alias = declaration->as<TypeAlias>();
    if (alias.generics.empty()) return lower(*alias.type, depth + 1);
  }
  if (declaration && declaration->is(NodeKind::Struct)) {
    // A dict with the fields is as good as an instance: shapes are structural.
    auto check = make_check(K::Struct, type);
    check->text = std::string(type.name.text);
    return check;
  }
  if (declaration && declaration->is(NodeKind::Enum)) {
    auto check = make_check(K::Enum, type);
    check->text = std::string(type.name.text);
    return check;
  }
  return make_check(K::Any, type);  // type parameters, interfaces, types this module does not know
}

// ---- schemas ----

static std::string_view schema_name(std::string_view type) {
  static const std::unordered_map<std::string_view, std::string_view> kNames = {
      {"int", "integer"}, {"float", "number"}, {"number", "number"}, {"string", "string"},
      {"bool", "boolean"}, {"nil", "null"}, {"list", "array"}, {"dict", "object"}};
  auto found = kNames.find(type);
  return found == kNames.end() ? std::string_view() : found->second;
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
      const Node* declaration = find_type(type.name.text);
      bool open = std::find(aliases_open_.begin(), aliases_open_.end(), type.name.text) != aliases_open_.end();
      if (declaration && declaration->is(NodeKind::TypeAlias) && !open) {
        aliases_open_.emplace_back(type.name.text);
        schema(*declaration->as<TypeAlias>().type, to, depth + 1);
        aliases_open_.pop_back();
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
        put_list("required", [&](size_t i, Reg item) { literal_text(required[i], item); }, required.size());
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
        put_list("enum", [&](size_t i, Reg item) {
          if (texts) literal_text(type.items[i]->text, item);
          else integer(type.items[i]->number, item);
        }, type.items.size());
        break;
      }
      put_list("anyOf", [&](size_t i, Reg item) { schema(*type.items[i], item, depth + 1); }, type.items.size());
      break;
    }
    case TypeKind::Optional:
      put_list("anyOf", [&](size_t i, Reg item) {
        if (i == 0) {
          schema(*type.items[0], item, depth + 1);
        } else {
          TypeNode nil{TypeKind::Named, type.span};
          nil.name.text = "nil";
          schema(nil, item, depth + 1);
        }
      }, 2);
      break;
    case TypeKind::Intersection:
      put_list("allOf", [&](size_t i, Reg item) { schema(*type.items[i], item, depth + 1); }, type.items.size());
      break;
    case TypeKind::StringLiteral:
      put_text("type", "string");
      put_text("const", type.text);
      break;
    case TypeKind::IntLiteral: case TypeKind::BoolLiteral: {
      put_text("type", type.kind == TypeKind::IntLiteral ? "integer" : "boolean");
      Reg value = temp();
      if (type.kind == TypeKind::IntLiteral) integer(type.number, value);
      else emit(Op::LoadBool, value, type.number != 0);
      emit_x(Op::SetField, to, value, 0, cache("const"));
      break;
    }
    case TypeKind::Function: case TypeKind::Error: break;  // anything fits
  }
  release_to(mark);
}

}  // namespace harn::compile
