// What may be written at a place.
#include <algorithm>
#include <set>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/registry.h"
#include "check/builtin_types.h"
#include "lsp/server.h"
#include "syntax/children.h"

namespace harn::lsp {

using namespace syntax;

namespace {

void write_item(JsonWriter& json, std::string_view label, int kind, std::string_view detail,
                std::string_view doc = {}) {
  json.object().field("label", label).field("kind", kind);
  if (!detail.empty()) json.field("detail", detail);
  if (!doc.empty()) json.field("documentation", doc);
  json.end();
}

bool is_scope(const Node& node) {
  switch (node.kind) {
    case NodeKind::Block:
    case NodeKind::Closure:
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Tool:
    case NodeKind::For:
    case NodeKind::Try:
    case NodeKind::Match:
    case NodeKind::Select: return true;
    default: return false;
  }
}

constexpr std::string_view kKeywords[] = {
#define HARN_KEYWORD(name, text) text,
#include "syntax/keywords.def"
#undef HARN_KEYWORD
};

}  // namespace

std::string Server::completion(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  std::string_view text = at->document->text;
  std::string_view word = Workspace::word_before(text, at->offset);
  uint32_t before = at->offset - static_cast<uint32_t>(word.size());
  JsonWriter json;
  json.object().key("isIncomplete").boolean(false).key("items").list();
  if (before > 0 && text[before - 1] == '.') complete_members(json, *at, before - 1);
  else complete_names(json, *at);
  return json.end().end().take();
}

// The program is looked at without the dot and what follows it: with them it does not parse yet.
void Server::complete_members(JsonWriter& json, const Place& at, uint32_t dot) {
  std::string text = at.document->text;
  uint32_t start = dot > 0 && text[dot - 1] == '?' ? dot - 1 : dot;
  std::string without = text;
  // A name that is there already goes, too: `p.|x` asks about `p`.
  uint32_t end = at.offset;
  while (end < text.size() && text::is_identifier_part(text[end])) ++end;
  without.erase(start, end - start);
  Document& document = *at.document;
  int64_t version = document.version;
  workspace_.change(document, std::move(without), version);
  Index& index = workspace_.index();
  const ModuleIndex* module = index.find(*document.module);
  const Node* object = nullptr;
  each_node(*document.module->tree, [&](const Node& node) {
    if (node.span.end == start && node.kind < NodeKind::Block && (!object || node.span.start <= object->span.start)) {
      object = &node;
    }
  });
  // Of nodes that end here the outermost that is no operator: `a + b.` asks about b.
  if (object && object->is(NodeKind::Binary)) {
    object = nullptr;
    each_node(*document.module->tree, [&](const Node& node) {
      bool fits = node.span.end == start && node.kind < NodeKind::Block && !node.is(NodeKind::Binary);
      if (fits && !object) object = &node;
    });
  }
  check::Knowledge& known = index.knowledge();
  std::set<std::string, std::less<>> seen;
  auto add = [&](std::string_view name, int kind, const std::string& detail, std::string_view doc = {}) {
    if (seen.insert(std::string(name)).second) write_item(json, name, kind, detail, doc);
  };
  const compile::Variable* variable =
      object && object->is(NodeKind::Identifier) ? index.bindings(*document.module).variable(*object) : nullptr;
  if (variable && variable->declaration && variable->declaration->is(NodeKind::Enum)) {
    for (const EnumVariant& variant : variable->declaration->as<Enum>().variants) {
      add(variant.name.text, completion_kind(Symbol::Kind::Variant), "");
    }
  } else if (object && object->is(NodeKind::Identifier) && !variable) {
    // Builtins that share a first name: `stream.`, `event_log.`
    std::string prefix = std::string(object->as<Identifier>().name) + ".";
    for (const vm::Builtin* row : builtins::table().rows()) {
      if (row->receiver != 0 || !row->name.starts_with(prefix)) continue;
      add(row->name.substr(prefix.size()), completion_kind(Symbol::Kind::Function), row->signature.shown(row->name),
          row->doc);
    }
  } else if (const types::Type* type = object && module ? module->types.of(*object) : nullptr) {
    for (const types::Type* member : known.members(known.widened(known.without_nil(type)))) {
      const types::Type* plain = known.relation.plain(member);
      if (const types::Type* shape = known.relation.as_shape(plain)) {
        for (const types::Field& field : shape->fields) {
          add(field.name, completion_kind(Symbol::Kind::Field), check::shown(field.type));
        }
      }
      if (plain->kind == types::Kind::Struct || plain->kind == types::Kind::Enum) {
        if (auto* methods = known.methods(plain)) {
          for (const Function* method : *methods) {
            Symbol& symbol = index.of(*method);
            add(method->name.text, completion_kind(Symbol::Kind::Method), symbol.text, symbol.doc);
          }
        }
      }
      if (plain->kind == types::Kind::Interface) {
        for (const Function* method : plain->declaration->as<Interface>().methods) {
          add(method->name.text, completion_kind(Symbol::Kind::Method), "");
        }
      }
      std::string_view receiver = check::receiver_name(plain->kind);
      if (receiver.empty()) continue;
      for (const vm::Builtin* row : builtins::table().rows()) {
        if (row->receiver == 0) continue;
        auto receivers = builtins::receivers(*row);
        if (std::ranges::find(receivers, receiver) == receivers.end()) continue;
        add(row->name, completion_kind(Symbol::Kind::Method), row->signature.shown(row->name), row->doc);
      }
    }
  }
  workspace_.change(document, std::move(text), version);
}

void Server::complete_names(JsonWriter& json, const Place& at) {
  const Tree& tree = *at.document->module->tree;
  auto around = nodes_at(tree, at.offset);
  std::set<std::string_view> seen;
  // Declared before this place, in a scope that is open here; or at the top level, anywhere.
  for (const Occurrence& one : at.index->occurrences) {
    const Symbol& symbol = *one.symbol;
    if (!one.is_declaration || symbol.kind == Symbol::Kind::Field || symbol.kind == Symbol::Kind::Variant ||
        symbol.kind == Symbol::Kind::Method) {
      continue;
    }
    auto outside = nodes_at(tree, one.span.start);
    bool is_visible = true;
    for (const Node* node : outside) {
      if (!is_scope(*node)) continue;
      bool declares = node->kind >= NodeKind::Function && node->as<Declaration>().name.span == one.span;
      if (!declares && std::ranges::find(around, node) == around.end()) is_visible = false;
    }
    bool is_local = symbol.kind == Symbol::Kind::Variable || symbol.kind == Symbol::Kind::Parameter;
    if (!is_visible || (is_local && one.span.start >= at.offset) || !seen.insert(symbol.name).second) continue;
    write_item(json, symbol.name, completion_kind(symbol.kind), symbol.text, symbol.doc);
  }
  // What is imported.
  auto& names = workspace_.index().knowledge().program.names.modules;
  if (auto own = names.find(at.document->module); own != names.end()) {
    for (auto& [name, variable] : own->second) {
      if (!seen.insert(name).second) continue;
      Symbol& symbol = workspace_.index().of(*variable);
      write_item(json, name, completion_kind(symbol.kind), symbol.text, symbol.doc);
    }
  }
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->receiver != 0 || row->name.starts_with("__") || row->name.find('.') != std::string_view::npos) continue;
    if (seen.insert(row->name).second) write_item(json, row->name, 3, row->signature.shown(row->name), row->doc);
  }
  for (std::string_view word : kKeywords) {
    if (seen.insert(word).second) write_item(json, word, 14, "");
  }
}

}  // namespace harn::lsp
