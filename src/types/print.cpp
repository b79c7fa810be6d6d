#include "types/print.h"

#include <algorithm>

#include "types/table.h"

namespace harn::types {

namespace {

// What a type stands in, and so whether it needs parentheses.
enum class Place : uint8_t { Open, Union, Intersection, Optional };

class Printer {
 public:
  std::string out;

  void type(const Type* type, Place place = Place::Open) {
    bool closes = needs_parentheses(type, place);
    if (closes) out += '(';
    plain(type);
    if (closes) out += ')';
  }

  void signature(const Type* function) {
    generics(function->items);
    params(function->params);
    out += " -> ";
    type(function->result);
  }

 private:
  static bool is_optional(const Type* type) {
    return type->kind == Kind::Union && type->items.size() == 2 && type->items[1]->kind == Kind::Nil &&
           type->items[0]->kind != Kind::Intersection;
  }

  static bool needs_parentheses(const Type* type, Place place) {
    switch (type->kind) {
      // The result of a function goes on as far as it can.
      case Kind::Function: return place != Place::Open;
      case Kind::Union: return !is_optional(type) && place >= Place::Intersection;
      case Kind::Intersection: return place == Place::Optional;
      default: return false;
    }
  }

  void plain(const Type* it) {
    switch (it->kind) {
      case Kind::StringLiteral: return quoted(it->text);
      case Kind::IntLiteral: out += std::to_string(it->integer); return;
      case Kind::BoolLiteral: out += it->integer ? "true" : "false"; return;
      case Kind::Shape: return shape(it);
      case Kind::Function: out += "fn"; return signature(it);
      case Kind::Union:
        if (!is_optional(it)) return list(it->items, " | ", Place::Union);
        type(it->items[0], Place::Optional);
        out += '?';
        return;
      case Kind::Intersection: return list(it->items, " & ", Place::Intersection);
      case Kind::Parameter: out += it->text; return;  // its bounds are written elsewhere
      case Kind::Broken: out += "any"; return;
      case Kind::Alias:
      case Kind::Struct:
      case Kind::Enum:
      case Kind::Interface:
      case Kind::Foreign: out += it->text; return arguments(it->items);
      default: out += name_of(it->kind); return arguments(it->items);
    }
  }

  void list(TypeList items, std::string_view separator, Place place = Place::Open) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += separator;
      type(items[i], place);
    }
  }

  void arguments(TypeList items) {
    if (items.empty()) return;
    out += '<';
    list(items, ", ");
    out += '>';
  }

  void generics(TypeList items) { arguments(items); }

  void params(std::span<const types::Parameter> params) {
    out += '(';
    for (size_t i = 0; i < params.size(); ++i) {
      if (i > 0) out += ", ";
      if (params[i].rest) out += "...";
      out += params[i].name;
      if (params[i].optional) out += '?';
      if (!params[i].name.empty()) out += ": ";
      type(params[i].type);
    }
    out += ')';
  }

  void shape(const Type* it) {
    out += '{';
    std::string_view separator;
    for (const Field& field : it->fields) {
      out += separator;
      field_name(field.name);
      out += field.optional ? "?: " : ": ";
      type(field.type);
      separator = ", ";
    }
    for (const Type* tail : it->items) {
      out += separator;
      out += "...";
      type(tail);
      separator = ", ";
    }
    out += '}';
  }

  void field_name(std::string_view name) {
    auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    auto is_word = [&](char c) { return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (!name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_word)) out += name;
    else quoted(name);
  }

  void quoted(std::string_view text) {
    out += '"';
    for (char c : text) {
      if (c == '\n') out += "\\n";
      else if (c == '\t') out += "\\t";
      else if (c == '"' || c == '\\' || c == '$') (out += '\\') += c;
      else out += c;
    }
    out += '"';
  }
};

}  // namespace

std::string print(const Type* type) {
  Printer printer;
  printer.type(type);
  return std::move(printer.out);
}

std::string print_signature(const Type* type) {
  Printer printer;
  if (type->kind != Kind::Intersection) {
    printer.signature(type);
    return std::move(printer.out);
  }
  for (const Type* overload : type->items) {
    if (!printer.out.empty()) printer.out += "; ";
    printer.signature(overload);
  }
  return std::move(printer.out);
}

}  // namespace harn::types
