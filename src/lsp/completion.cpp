// What may be written at a place.
#include <algorithm>
#include <set>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/registry.h"
#include "check/builtin_types.h"
#include "compile/attributes.h"
#include "engine/option_checks.h"
#include "lsp/server.h"
#include "std/embedded.h"
#include "syntax/each_node.h"

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

constexpr int kValueItem = 12;  // as the protocol numbers kinds
constexpr int kModuleItem = 9;

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

bool is_keyword(std::string_view word) { return std::ranges::find(kKeywords, word) != std::end(kKeywords); }

static bool is_inside(const Node& node, uint32_t offset) { return node.span.start < offset && offset < node.span.end; }

// In a comment, or in a text and not in a `${}` of it: whatever is written there means nothing.
static bool in_words(const modules::Module& module, uint32_t offset) {
  for (const Comment& comment : module.tree->comments) {
    bool is_open = !comment.is_block;
    if (comment.span.start < offset && (offset < comment.span.end || (is_open && offset == comment.span.end)))
      return true;
  }
  auto around = nodes_at(*module.tree, offset);
  bool is_text = !around.empty() &&
                 (around.back()->is(NodeKind::StringLiteral) || around.back()->is(NodeKind::InterpolatedString));
  return is_text && is_inside(*around.back(), offset);
}

// `@` and what may follow it.
void Server::complete_attributes(JsonWriter& json) {
  for (std::string_view name : compile::known_attributes()) write_item(json, name, kValueItem, "");
}

// The modules that come with Harn, in the path of an import. True in every such path.
bool Server::complete_modules(JsonWriter& json, const Place& at) {
  std::string_view text = at.document->text;
  size_t line = text.rfind('\n', at.offset == 0 ? 0 : at.offset - 1);
  uint32_t begin = line == text.npos || at.offset == 0 ? 0 : static_cast<uint32_t>(line + 1);
  std::string_view before = text.substr(begin, at.offset - begin);
  std::string_view words = text::trim(before);
  if (words.starts_with("pub ")) words = text::trim(words.substr(4));
  size_t quote = before.find('"');
  bool in_path = words.starts_with("import") && quote != before.npos && before.find('"', quote + 1) == before.npos;
  if (!in_path) return false;
  Span typed{static_cast<uint32_t>(begin + quote + 1), at.offset};
  for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
    if (!module.path.starts_with("std/") || module.path.starts_with("std/prelude")) continue;
    json.object().field("label", module.path).field("kind", kModuleItem).key("textEdit").object().key("range");
    write_range(json, *at.positions, typed);
    json.field("newText", module.path).end().end();
  }
  return true;
}

std::string Server::completion(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  std::string_view text = at->document->text;
  std::string_view word = Workspace::word_before(text, at->offset);
  uint32_t before = at->offset - static_cast<uint32_t>(word.size());
  JsonWriter json;
  json.object().key("isIncomplete").boolean(false).key("items").list();
  if (before > 0 && text[before - 1] == '.') {
    complete_members(json, *at, before - 1);
  } else {
    bool in_text = before > 0 && text[before - 1] == '"';
    if (before > 0 && text[before - 1] == '@') complete_attributes(json);
    else if (complete_modules(json, *at)) {
    } else if (!complete_literals(json, *at, in_text) && !in_text && !in_words(*at->document->module, at->offset) &&
               !complete_keys(json, *at)) {
      complete_names(json, *at);
    }
  }
  return json.end().end().take();
}

// The brackets of a line that are open at a place and not closed behind another, as far as round or square ones are around them.
static std::string missing_brackets(std::string_view text, uint32_t start, uint32_t end) {
  size_t line = text.rfind('\n', start == 0 ? 0 : start - 1);
  std::string open;
  bool in_text = false;
  auto read = [&](char c) {
    if (c == '"') in_text = !in_text;
    if (in_text) return;
    if (c == '(') open += ')';
    else if (c == '[') open += ']';
    else if (c == '{') open += '}';
    else if (!open.empty() && c == open.back()) open.pop_back();
  };
  for (size_t i = line == text.npos ? 0 : line + 1; i < start; ++i) read(text[i]);
  if (in_text) return "";
  size_t outer = open.find_first_of(")]");
  if (outer == open.npos) return "";
  open.erase(0, outer);
  for (size_t i = end; i < text.size() && text[i] != '\n'; ++i) read(text[i]);
  std::ranges::reverse(open);
  return in_text ? "" : open;
}

void Server::ask_before(const Place& at, uint32_t start, uint32_t end, const AskBefore& ask) {
  std::string text = at.document->text;
  std::string without = text;
  without.replace(start, end - start, missing_brackets(text, start, end));
  Document& document = *at.document;
  int64_t version = document.version;
  workspace_.change(document, std::move(without), version);
  const ModuleIndex* module = workspace_.index().find(*document.module);
  const Node* object = nullptr;
  for_each_node(*document.module->tree, [&](const Node& node) {
    if (node.span.end == start && node.kind < NodeKind::Block && (!object || node.span.start <= object->span.start)) {
      object = &node;
    }
  });
  // Of nodes that end here the outermost that is no operator: `a + b.` asks about b.
  if (object && object->is(NodeKind::Binary)) {
    object = nullptr;
    for_each_node(*document.module->tree, [&](const Node& node) {
      bool fits = node.span.end == start && node.kind < NodeKind::Block && !node.is(NodeKind::Binary);
      if (fits && !object) object = &node;
    });
  }
  ask(object, module);
  workspace_.change(document, std::move(text), version);
}

// The program is looked at without the dot and what follows it: with them it does not parse yet.
void Server::complete_members(JsonWriter& json, const Place& at, uint32_t dot) {
  const std::string& text = at.document->text;
  uint32_t start = dot > 0 && text[dot - 1] == '?' ? dot - 1 : dot;
  // A name that is there already goes, too: `p.|x` asks about `p`. So do the values that an arm takes out of a variant.
  while (start > 0 && std::string_view(" \t\r\n").contains(text[start - 1])) --start;  // `.method` on a line of its own
  uint32_t end = at.offset;
  while (end < text.size() && text::is_identifier_part(text[end])) ++end;
  // In a pattern it is not an expression that stands there.
  auto& names = workspace_.index().knowledge().program.names.modules;
  auto own = names.find(at.document->module);
  auto named =
      own == names.end() ? decltype(own->second.end()){} : own->second.find(Workspace::word_before(text, start));
  bool is_known = own != names.end() && named != own->second.end();
  const Node* declaration = is_known ? named->second->declaration : nullptr;
  if (declaration && declaration->is(NodeKind::Enum)) {
    for (const EnumVariant& variant : declaration->as<Enum>().variants) {
      write_item(json, variant.name.text, completion_kind(Symbol::Kind::Variant), "");
    }
    return;
  }
  ask_before(at, start, end, [&](const Node* object, const ModuleIndex* module) {
    write_members(json, *at.document->module, object, module);
  });
}

void Server::write_members(JsonWriter& json, const modules::Module& own, const Node* object,
                           const ModuleIndex* module) {
  Index& index = workspace_.index();
  check::Knowledge& known = index.knowledge();
  std::set<std::string, std::less<>> seen;
  auto add = [&](std::string_view name, int kind, const std::string& detail, std::string_view doc = {}) {
    if (seen.insert(std::string(name)).second) write_item(json, name, kind, detail, doc);
  };
  const compile::Variable* variable =
      object && object->is(NodeKind::Identifier) ? index.bindings(own).variable(*object) : nullptr;
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
}

// ---- what fits at a place ----

// The value whose literals may be written here: what a `match` takes apart, where an arm begins, and the other side of a
// comparison. Null when there is none.
static const Node* compared(const std::vector<const Node*>& around, uint32_t offset, bool in_text) {
  for (auto node = around.rbegin(); node != around.rend(); ++node) {
    if ((*node)->is(NodeKind::Match)) {
      auto& match = (*node)->as<Match>();
      bool in_body = std::ranges::any_of(match.arms, [&](const MatchArm& arm) { return is_inside(*arm.body, offset); });
      return in_body || offset <= match.subject->span.end ? nullptr : match.subject;
    }
    if ((*node)->is(NodeKind::Binary)) {
      auto& binary = (*node)->as<Binary>();
      if (!in_text || (binary.op != BinaryOp::Equal && binary.op != BinaryOp::NotEqual)) return nullptr;
      return is_inside(*binary.right, offset) ? binary.left : binary.right;
    }
    if (!(*node)->is(NodeKind::StringLiteral) && !(*node)->is(NodeKind::Identifier)) return nullptr;
  }
  return nullptr;
}

// The texts of a union, and the variants of an enum. True when nothing else can stand here.
bool Server::complete_literals(JsonWriter& json, const Place& at, bool in_text) {
  const Node* value = compared(nodes_at(*at.document->module->tree, at.offset), at.offset, in_text);
  const types::Type* type = value ? at.index->types.of(*value) : nullptr;
  if (!type) return false;
  check::Knowledge& known = workspace_.index().knowledge();
  for (const types::Type* member : known.members(known.without_nil(type))) {
    const types::Type* plain = known.relation.plain(member);
    if (plain->kind == types::Kind::StringLiteral) {
      write_item(json, in_text ? std::string(plain->text) : check::shown(plain), kValueItem, "");
    } else if (plain->kind == types::Kind::IntLiteral && !in_text) {
      write_item(json, check::shown(plain), kValueItem, "");
    } else if (plain->kind == types::Kind::Enum && !in_text) {
      for (const EnumVariant& variant : plain->declaration->as<Enum>().variants) {
        write_item(json, fmt::format("{}.{}", plain->text, variant.name.text), completion_kind(Symbol::Kind::Variant),
                   "");
      }
    }
  }
  return in_text;
}

// The type of an argument of a call, as its function is declared.
const types::Type* Server::wanted_argument(const Call& call, const Node& arg, const modules::Module& module) {
  Index& index = workspace_.index();
  check::Knowledge& known = index.knowledge();
  if (!call.callee->is(NodeKind::Identifier)) return nullptr;
  const compile::Variable* variable = index.bindings(module).variable(*call.callee);
  const Node* declaration = variable ? variable->declaration : nullptr;
  const types::Type* function = nullptr;
  if (!variable) function = known.builtin(call.callee->as<Identifier>().name);
  else if (declaration && declaration->is(NodeKind::Function)) function = known.function(declaration->as<Function>());
  if (function && function->kind == types::Kind::Intersection) function = function->items[0];
  if (!function || function->kind != types::Kind::Function) return nullptr;
  size_t number = static_cast<size_t>(std::ranges::find(call.args, &arg) - call.args.begin());
  return number < function->params.size() ? function->params[number].type : nullptr;
}

// The names that a module exports, in an import; fields of a struct and options, in a literal. False when none are asked for.
bool Server::complete_keys(JsonWriter& json, const Place& at) {
  const modules::Module& module = *at.document->module;
  auto around = nodes_at(*module.tree, at.offset);
  if (around.empty()) return false;
  if (around.back()->is(NodeKind::Identifier)) around.pop_back();
  if (around.empty()) return false;
  const Node& node = *around.back();
  Index& index = workspace_.index();
  if (node.is(NodeKind::Import)) {
    for (const modules::Dependency& dependency : module.imports) {
      if (dependency.import != &node || !dependency.target || !is_inside(node, at.offset)) continue;
      for (auto& [name, from] : dependency.target->exports) write_item(json, name, kValueItem, "");
      return true;
    }
    return false;
  }
  List<DictEntry> given;
  const types::Type* shape = nullptr;
  std::vector<const types::Type*> variants;
  std::vector<std::pair<std::string_view, std::string>> options;
  check::Knowledge& known = index.knowledge();
  if (node.is(NodeKind::StructLiteral)) {
    auto& literal = node.as<StructLiteral>();
    const compile::Variable* owner = index.bindings(module).variable(literal);
    if (!owner || !owner->declaration || !owner->declaration->is(NodeKind::Struct)) return false;
    given = literal.fields;
    shape = known.relation.as_shape(known.lowering.self_type(owner->declaration->as<Struct>()));
    if (at.offset <= literal.name.span.end) return false;
  } else if (node.is(NodeKind::DictLiteral) && around.size() > 1 && around[around.size() - 2]->is(NodeKind::Call)) {
    given = node.as<DictLiteral>().entries;
    auto& call = around[around.size() - 2]->as<Call>();
    const types::Type* wanted = wanted_argument(call, node, module);
    if (wanted) wanted = known.without_nil(wanted);
    shape = wanted ? known.relation.as_shape(wanted) : nullptr;
    // Of several variants any field may come next.
    for (const types::Type* member : wanted && !shape ? known.members(wanted) : std::vector<const types::Type*>()) {
      if (const types::Type* one = known.relation.as_shape(member)) variants.push_back(one);
    }
    if (call.callee->is(NodeKind::Identifier) && !index.bindings(module).variable(*call.callee)) {
      options = engine::model_options(call.callee->as<Identifier>().name,
                                      static_cast<size_t>(std::ranges::find(call.args, &node) - call.args.begin()));
    }
  }
  if (shape) variants.push_back(shape);
  if (!is_inside(node, at.offset)) return false;
  std::set<std::string_view> seen;
  for (const DictEntry& entry : given) seen.insert(entry.key.text);
  size_t count = 0;
  for (const types::Type* one : variants) {
    for (const types::Field& field : one->fields) {
      ++count;
      if (seen.insert(field.name).second) {
        write_item(json, field.name, completion_kind(Symbol::Kind::Field), check::shown(field.type));
      }
    }
  }
  for (auto& [name, kinds] : options) {
    ++count;
    if (seen.insert(name).second) write_item(json, name, completion_kind(Symbol::Kind::Field), kinds);
  }
  return count > 0;
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
