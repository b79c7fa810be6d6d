// What a call takes that somebody is about to write.
#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/registry.h"
#include "check/builtin_types.h"
#include "lsp/server.h"

namespace harn::lsp {

using namespace syntax;

const vm::Builtin* find_builtin(std::string_view name) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->receiver == 0 && row->name == name) return row;
  }
  return nullptr;
}

const vm::Builtin* find_builtin_method(std::string_view type, std::string_view name) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->receiver == 0 || row->name != name) continue;
    auto all = builtins::receivers(*row);
    if (std::ranges::find(all, type) != all.end()) return row;
  }
  return nullptr;
}

namespace {

// A call that need not be complete, found in the text.
struct OpenCall {
  std::string_view name;
  uint32_t dot = 0;  // where `.` or `?.` stands, of a method; 0: there is none
  int64_t commas = 0;
};

std::optional<OpenCall> open_call(std::string_view text, uint32_t offset) {
  int depth = 0;
  OpenCall out;
  for (size_t i = offset; i-- > 0;) {
    char c = text[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    else if ((c == '[' || c == '{') && depth-- == 0) return std::nullopt;
    else if (c == ',' && depth == 0) ++out.commas;
    else if (c == '(') {
      if (depth-- > 0) continue;
      out.name = Workspace::word_before(text, static_cast<uint32_t>(i));
      if (out.name.empty()) return std::nullopt;
      size_t start = i - out.name.size();
      if (start > 0 && text[start - 1] == '.') out.dot = static_cast<uint32_t>(start - 1);
      if (out.dot > 0 && text[out.dot - 1] == '?') --out.dot;
      return out;
    }
  }
  return std::nullopt;
}

// Where the call ends: behind its bracket, or at the place when that is not written yet.
uint32_t end_of_call(std::string_view text, uint32_t offset) {
  int depth = 0;
  for (size_t i = offset; i < text.size() && text[i] != '\n'; ++i) {
    char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' && depth == 0) return static_cast<uint32_t>(i + 1);
    else if ((c == ')' || c == ']' || c == '}') && depth-- == 0) break;
  }
  return offset;
}

// Who calls a method does not write `self`.
std::string without_self(std::string label) {
  for (std::string_view first : {"self, ", "self"}) {
    size_t at = label.find(fmt::format("({}", first));
    if (at == std::string::npos) continue;
    label.erase(at + 1, first.size());
    break;
  }
  return label;
}

}  // namespace

// A function of the program or of Harn.
Server::Signature Server::signature_of(const Place& at, std::string_view name) {
  for (const Outline& one : at.index->outline) {
    if (one.symbol->name == name) return {one.symbol->text, one.symbol->doc};
  }
  for (const Occurrence& one : at.index->occurrences) {
    bool is_field = one.symbol->kind == Symbol::Kind::Method || one.symbol->kind == Symbol::Kind::Field;
    if (one.symbol->name == name && !one.symbol->text.empty() && !is_field) return {one.symbol->text, one.symbol->doc};
  }
  const vm::Builtin* row = find_builtin(name);
  return row ? Signature{row->signature.shown(name), std::string(row->doc)} : Signature{};
}

// What `name` is behind a dot.
Server::Signature Server::signature_of_method(const Node& object, const modules::Module& module,
                                              const ModuleIndex& index, std::string_view name) {
  Index& names = workspace_.index();
  check::Knowledge& known = names.knowledge();
  const compile::Variable* variable =
      object.is(NodeKind::Identifier) ? names.bindings(module).variable(object) : nullptr;
  if (object.is(NodeKind::Identifier) && !variable) {
    std::string whole = fmt::format("{}.{}", object.as<Identifier>().name, name);
    const vm::Builtin* row = find_builtin(whole);
    return row ? Signature{row->signature.shown(whole), std::string(row->doc)} : Signature{};
  }
  if (variable && variable->declaration && variable->declaration->is(NodeKind::Enum)) {
    Symbol* variant = names.of_variant(variable->declaration->as<Enum>(), name);
    return variant ? Signature{variant->text, variant->doc} : Signature{};
  }
  const types::Type* type = index.types.of(object);
  if (!type) return {};
  for (const types::Type* member : known.members(known.widened(known.without_nil(type)))) {
    const types::Type* plain = known.relation.plain(member);
    if (const Function* method = known.method_node(plain, name)) {
      Symbol& symbol = names.of(*method);
      return {without_self(symbol.text), symbol.doc};
    }
    if (plain->kind == types::Kind::Interface) {
      for (const Function* method : plain->declaration->as<Interface>().methods) {
        if (method->name.text == name) return {without_self(names.of(*method).text), ""};
      }
    }
    std::string_view receiver = check::receiver_name(plain->kind);
    if (const vm::Builtin* row = find_builtin_method(receiver, name)) {
      return {row->signature.shown(row->name), std::string(row->doc)};
    }
    const types::Type* shape = known.relation.as_shape(plain);
    for (const types::Field& field : shape ? shape->fields : std::span<const types::Field>()) {
      if (field.name == name) return {fmt::format("{}: {}", name, check::shown(field.type)), ""};
    }
  }
  return {};
}

std::string Server::signature_help(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  std::string text = at->document->text;
  auto call = open_call(text, at->offset);
  if (!call) return "null";
  Signature found;
  if (call->dot > 0) {
    ask_before(*at, call->dot, end_of_call(text, at->offset), [&](const Node* object, const ModuleIndex* index) {
      if (object && index) found = signature_of_method(*object, *at->document->module, *index, call->name);
    });
  } else {
    found = signature_of(*at, call->name);
  }
  auto& [label, doc] = found;
  if (label.empty()) return "null";
  JsonWriter json;
  json.object()
      .key("signatures")
      .list()
      .object()
      .field("label", label)
      .field("documentation", doc)
      .key("parameters")
      .list();
  // Parameters are the parts between the commas of the first bracket.
  size_t open = label.find('(');
  int depth = 0;
  size_t start = open + 1;
  for (size_t i = open; open != std::string::npos && i < label.size(); ++i) {
    char c = label[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    bool closes = c == ')' || c == ']' || c == '}' || (c == '>' && label[i - 1] != '-');
    if (closes) --depth;
    if ((c == ',' && depth == 1) || depth == 0) {
      std::string one = label.substr(start, i - start);
      while (one.starts_with(' ')) one.erase(0, 1);
      if (!one.empty()) json.object().field("label", one).end();
      start = i + 1;
    }
    if (depth == 0) break;
  }
  json.end().end().end().field("activeSignature", 0).field("activeParameter", call->commas).end();
  return json.take();
}

}  // namespace harn::lsp
