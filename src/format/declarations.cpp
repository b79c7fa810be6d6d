#include "format/lists.h"

namespace harn::formatter {

using namespace syntax;

void Printer::begin_declaration(const Declaration& node) {
  attributes(node);
  if (node.is_pub) text("pub ");
}

void Printer::declared(const Pipeline& node) {
  text("pipeline ");
  text(node.name.text);
  params(node.params, node.body->span.start);
  return_type(node.return_type);
  if (!node.extends.empty()) {
    text(" extends ");
    text(node.extends.text);
  }
  text(" ");
  block(node.body);
}

void Printer::declared(const Override& node) {
  text("override ");
  text(node.name.text);
  params(node.params, node.body->span.start);
  text(" ");
  block(node.body);
}

void Printer::declared(const Skill& node) {
  text("skill ");
  text(node.name.text);
  fields(node.fields, node, false);
}

void Printer::declared(const EvalPack& node) {
  text("eval_pack");
  if (!node.name.empty()) {
    text(" ");
    text(node.name.text);
  }
  if (node.id_text.span.length() > 0) {
    text(" ");
    text(source(node.id_text.span));
  }
  fields(node.fields, node, true);
}

void Printer::declared(const TypeAlias& node) {
  text("type ");
  text(node.name.text);
  generics(node.generics);
  text(" = ");
  type(node.type);
}

void Printer::declared(const Impl& node) {
  text("impl ");
  text(node.name.text);
  text(" ");
  braced_sequence(
      node.methods.size(), open_brace_after(node.name.span.end, node.span.end), node.span.end - 1,
      [&](size_t i) { return node.methods[i]->span.start; }, [&](size_t i) { return node.methods[i]->span.end; },
      [&](size_t i) { declaration(*node.methods[i]); });
}

void Printer::attributes(const Declaration& decl) {
  for (const Attribute& attribute : decl.attributes) {
    while (const Comment* comment = next_comment(attribute.span.start)) {
      ++comment_;
      layout_.verbatim(comment_text(*comment));
      layout_.hard_line();
    }
    text("@");
    text(attribute.name.text);
    if (!attribute.args.empty()) {
      comma_list(
          {"(", ")"}, attribute.args.size(), attribute.span.end - 1,
          [&](size_t i) {
            const AttributeArg& arg = attribute.args[i];
            return arg.name.empty() ? arg.value->span.start : arg.name.span.start;
          },
          [&](size_t i) {
            const AttributeArg& arg = attribute.args[i];
            if (!arg.name.empty()) {
              text(arg.name.text);
              text(": ");
            }
            attribute_value(arg.value);
          });
    }
    layout_.hard_line();
  }
  if (decl.attributes.empty()) return;
  uint32_t name = decl.name.empty() ? decl.span.end : decl.name.span.start;
  if (decl.name.empty() && decl.is(NodeKind::EvalPack)) name = decl.as<EvalPack>().id_text.span.start;
  while (const Comment* comment = next_comment(name)) {
    ++comment_;
    layout_.verbatim(comment_text(*comment));
    layout_.hard_line();
  }
}

void Printer::attribute_value(const AttributeValue* value) {
  auto start = [&](size_t i) { return value->items[i]->span.start; };
  auto item = [&](size_t i) { attribute_value(value->items[i]); };
  switch (value->kind) {
    case AttributeValueKind::Symbol: text(value->text); return;
    case AttributeValueKind::List:
      comma_list({"[", "]"}, value->items.size(), value->span.end - 1, start, item);
      return;
    case AttributeValueKind::Dict:
      comma_list(
          {"{", "}"}, value->items.size(), value->span.end - 1, [&](size_t i) { return value->keys[i].span.start; },
          [&](size_t i) {
            key(value->keys[i], true);
            text(": ");
            item(i);
          });
      return;
    case AttributeValueKind::Call:
      text(value->text);
      comma_list({"(", ")"}, value->items.size(), value->span.end - 1, start, item);
      return;
    case AttributeValueKind::Int:
    case AttributeValueKind::Float:
      if (source_[value->span.start] == '-') {
        size_t digits = source_.find_first_of("0123456789", value->span.start);
        text("-");
        text(source_.substr(digits, value->span.end - digits));
        return;
      }
      [[fallthrough]];
    default: layout_.verbatim(source(value->span)); return;
  }
}

void Printer::declared(const Function& fn) {
  text(fn.is_gen ? "gen fn " : "fn ");
  text(fn.name.text);
  generics(fn.generics);
  params(fn.params, fn.body ? fn.body->span.start : fn.span.end);
  return_type(fn.return_type);
  for (size_t i = 0; i < fn.where.size(); ++i) {
    text(i == 0 ? " where " : ", ");
    text(fn.where[i].type.text);
    text(": ");
    text(fn.where[i].interface.text);
  }
  if (!fn.body) return;
  text(" ");
  block(fn.body);
}

void Printer::declared(const Tool& tool) {
  text("tool ");
  text(tool.name.text);
  params(tool.params, tool.body->span.start);
  return_type(tool.return_type);
  text(" ");
  const auto& statements = tool.body->statements;
  size_t first = tool.description ? 1 : 0;
  braced_sequence(
      statements.size() + first, tool.body->span.start + 1, tool.body->span.end - 1,
      [&](size_t i) { return i < first ? tool.description->span.start : statements[i - first]->span.start; },
      [&](size_t i) { return i < first ? tool.description->span.end : statements[i - first]->span.end; },
      [&](size_t i) {
        if (i >= first) return statement(statements[i - first]);
        text("description ");
        literal(tool.description);
      });
}

void Printer::declared(const Import& import) {
  text("import ");
  if (!import.selective) {
    layout_.verbatim(source(import.path_span));
    return;
  }
  if (import.scoped) {
    std::string_view path = import.path;
    for (;;) {
      size_t slash = path.find('/');
      text(path.substr(0, slash));
      text("::");
      if (slash == std::string_view::npos) break;
      path.remove_prefix(slash + 1);
    }
  }
  auto start = [&](size_t i) { return import.names[i].span.start; };
  uint32_t close_at = import.scoped ? import.span.end - 1 : import.path_span.start;
  // `{ a, b }` with spaces inside, unlike a dict.
  comma_list({"{", "}", !import.scoped}, import.names.size(), close_at, start,
             [&](size_t i) { text(import.names[i].text); });
  if (import.scoped) return;
  text(" from ");
  layout_.verbatim(source(import.path_span));
}

void Printer::params(List<Param> items, uint32_t end) {
  // Comments behind the last parameter that are still inside the parentheses.
  uint32_t close_at = end;
  if (!items.empty()) {
    const Param& last = items.back();
    uint32_t last_end = last.name.span.end;
    if (last.type) last_end = last.type->span.end;
    if (last.default_value) last_end = last.default_value->span.end;
    close_at = find_char(')', last_end, end);
  } else {
    close_at = 0;
  }
  comma_list(
      {"(", ")"}, items.size(), close_at, [&](size_t i) { return items[i].name.span.start; },
      [&](size_t i) { param(items[i]); });
}

void Printer::param(const Param& param) {
  inner_comments(param.name.empty() ? 0 : param.name.span.start);
  if (param.rest) text("...");
  text(param.name.text);
  if (param.type) {
    if (!param.name.empty()) text(": ");
    type(param.type);
  }
  if (param.default_value) {
    text(" = ");
    expr(param.default_value);
  }
}

void Printer::generics(List<GenericParam> items) {
  if (items.empty()) return;
  text("<");
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text(", ");
    if (items[i].variance == Variance::In) text("in ");
    if (items[i].variance == Variance::Out) text("out ");
    text(items[i].name.text);
  }
  text(">");
}

void Printer::fields(List<SkillField> items, const Node& decl, bool colons) {
  const auto& header = static_cast<const Declaration&>(decl);
  uint32_t from = header.name.empty() ? decl.span.start : header.name.span.end;
  if (colons) from = std::max(from, decl.as<EvalPack>().id_text.span.end);
  text(" ");
  braced_sequence(
      items.size(), open_brace_after(from, decl.span.end), decl.span.end - 1,
      [&](size_t i) { return items[i].name.span.start; }, [&](size_t i) { return items[i].value->span.end; },
      [&](size_t i) {
        text(items[i].name.text);
        text(colons ? ": " : " ");
        expr(items[i].value);
      });
}

void Printer::declared(const Struct& decl) {
  text("struct ");
  text(decl.name.text);
  generics(decl.generics);
  text(" ");
  braced_sequence(
      decl.fields.size(), open_brace_after(decl.name.span.end, decl.span.end), decl.span.end - 1,
      [&](size_t i) { return decl.fields[i].name.span.start; }, [&](size_t i) { return decl.fields[i].type->span.end; },
      [&](size_t i) {
        text(decl.fields[i].name.text);
        text(decl.fields[i].optional ? "?: " : ": ");
        type(decl.fields[i].type);
      });
}

void Printer::declared(const Enum& decl) {
  auto end = [&](size_t i) {
    const EnumVariant& variant = decl.variants[i];
    if (variant.fields.empty()) return variant.name.span.end;
    const Param& last = variant.fields.back();
    return last.default_value ? last.default_value->span.end : last.type->span.end;
  };
  text("enum ");
  text(decl.name.text);
  generics(decl.generics);
  text(" ");
  braced_sequence(
      decl.variants.size(), open_brace_after(decl.name.span.end, decl.span.end), decl.span.end - 1,
      [&](size_t i) { return decl.variants[i].name.span.start; }, end,
      [&](size_t i) {
        const EnumVariant& variant = decl.variants[i];
        text(variant.name.text);
        if (variant.has_payload) {
          comma_list(
              {"(", ")"}, variant.fields.size(), find_char(')', end(i), decl.span.end),
              [&](size_t j) {
                const Param& field = variant.fields[j];
                return field.name.empty() ? field.type->span.start : field.name.span.start;
              },
              [&](size_t j) { param(variant.fields[j]); });
        }
        text(",");
      });
}

// Associated types and methods in the order they were written.
void Printer::declared(const Interface& decl) {
  text("interface ");
  text(decl.name.text);
  generics(decl.generics);
  text(" ");
  size_t type_at = 0;
  size_t method_at = 0;
  auto type_is_next = [&] {
    if (method_at == decl.methods.size()) return true;
    if (type_at == decl.types.size()) return false;
    return decl.types[type_at].name.span.start < decl.methods[method_at]->span.start;
  };
  uint32_t last_end = 0;
  braced_sequence(
      decl.types.size() + decl.methods.size(), open_brace_after(decl.name.span.end, decl.span.end), decl.span.end - 1,
      [&](size_t) {
        return type_is_next() ? decl.types[type_at].name.span.start : decl.methods[method_at]->span.start;
      },
      [&](size_t) { return last_end; },
      [&](size_t) {
        if (!type_is_next()) {
          last_end = decl.methods[method_at]->span.end;
          declared(*decl.methods[method_at++]);
          return;
        }
        const AssociatedType& item = decl.types[type_at++];
        last_end = item.default_type ? item.default_type->span.end : item.name.span.end;
        text("type ");
        text(item.name.text);
        if (item.default_type) {
          text(" = ");
          type(item.default_type);
        }
      });
}

}  // namespace harn::formatter
