// From names to what they mean, and back.
#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "lsp/server.h"

namespace harn::lsp {

void Server::write_location(JsonWriter& json, const modules::Module& module, Span span) {
  json.object().field("uri", workspace_.uri_of(module)).key("range");
  write_range(json, module.source->positions(), span);
  json.end();
}

// For those who want to read it: what comes with Harn, too.
std::string Server::place_to_read(const modules::Module& module, Span span) {
  std::string uri = module.embedded ? workspace_.copy_of(module) : workspace_.uri_of(module);
  if (uri.empty()) return "null";
  JsonWriter json;
  json.object().field("uri", uri).key("range");
  write_range(json, module.source->positions(), span);
  return json.end().take();
}

std::string Server::definition(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  if (const Occurrence* one = at->index->at(at->offset)) {
    const Symbol& symbol = *one->symbol;
    return symbol.module ? place_to_read(*symbol.module, symbol.place) : "null";
  }
  // The path of an import means its module.
  for (const modules::Dependency& dependency : at->document->module->imports) {
    Span path = dependency.import->path_span;
    if (at->offset < path.start || at->offset > path.end || !dependency.target) continue;
    return place_to_read(*dependency.target, {0, 0});
  }
  return "null";
}

// Calls `visit(module, occurrence)` for every place where the symbol stands, in a fixed order.
static void each_use(Index& index, const Symbol& symbol, auto&& visit) {
  std::vector<std::pair<const modules::Module*, const ModuleIndex*>> all;
  for (auto& [module, one] : index.all()) all.emplace_back(module, &one);
  std::ranges::sort(all, {}, [](auto& one) { return one.first->path; });
  for (auto& [module, one] : all) {
    for (const Occurrence& occurrence : one->occurrences) {
      if (occurrence.symbol == &symbol) visit(*module, occurrence);
    }
  }
}

std::string Server::references(const Part& params) {
  workspace_.load_project();
  auto at = place(params);
  const Occurrence* one = at ? at->index->at(at->offset) : nullptr;
  if (!one) return "null";
  Part wants = params["context"]["includeDeclaration"];
  bool with_declaration = wants.json() != "false";
  JsonWriter json;
  json.list();
  each_use(workspace_.index(), *one->symbol, [&](const modules::Module& module, const Occurrence& use) {
    if (with_declaration || !use.is_declaration) write_location(json, module, use.span);
  });
  return json.end().take();
}

std::string Server::highlights(const Part& params) {
  auto at = place(params);
  const Occurrence* one = at ? at->index->at(at->offset) : nullptr;
  if (!one) return "null";
  JsonWriter json;
  json.list();
  for (const Occurrence& use : at->index->occurrences) {
    if (use.symbol != one->symbol) continue;
    json.object().key("range");
    write_range(json, *at->positions, use.span);
    json.field("kind", use.is_declaration ? 3 : 2).end();
  }
  return json.end().take();
}

// Only what is declared in files of the project can be given another name, and no `self`, by which methods are known.
static bool can_rename(const Occurrence* one) {
  return one && one->symbol->module && !one->symbol->module->embedded && one->symbol->name != "self";
}

// The declaration of the module that a place is in.
static const syntax::Node* item_at(const modules::Module& module, uint32_t offset) {
  for (const syntax::Node* item : module.tree->items) {
    if (item->span.start <= offset && offset <= item->span.end) return item;
  }
  return nullptr;
}

static bool is_part(const Symbol& symbol) {
  return symbol.kind == Symbol::Kind::Field || symbol.kind == Symbol::Kind::Method ||
         symbol.kind == Symbol::Kind::Variant;
}

static bool is_local(const Symbol& symbol, const modules::Module& module) {
  const syntax::Node* item = item_at(module, symbol.place.start);
  return item && item->kind >= syntax::NodeKind::Function && item->as<syntax::Declaration>().name.span != symbol.place;
}

// Where something else has that name already, and the two would meet. Null: nowhere.
const modules::Module* Server::name_taken(const Symbol& symbol, std::string_view name) {
  const modules::Module* found = nullptr;
  Index& index = workspace_.index();
  each_use(index, symbol, [&](const modules::Module& module, const Occurrence& use) {
    for (const Occurrence& other : index.find(module)->occurrences) {
      if (found || other.symbol == &symbol || other.symbol->name != name || is_part(symbol) != is_part(*other.symbol))
        continue;
      bool are_near = item_at(module, use.span.start) == item_at(module, other.span.start);
      if (is_part(symbol)) {
        if (use.is_declaration && other.is_declaration && are_near) found = &module;
        continue;
      }
      bool is_apart =
          is_local(symbol, *symbol.module) || !other.symbol->module || is_local(*other.symbol, *other.symbol->module);
      if (are_near || !is_apart) found = &module;
    }
  });
  return found;
}

std::string Server::prepare_rename(const Part& params) {
  auto at = place(params);
  const Occurrence* one = at ? at->index->at(at->offset) : nullptr;
  if (!can_rename(one)) return "null";
  JsonWriter json;
  write_range(json, *at->positions, one->span);
  return json.take();
}

std::expected<std::string, Server::Error> Server::rename(const Part& params) {
  constexpr int kRequestFailed = -32803;
  workspace_.load_project();
  auto at = place(params);
  const Occurrence* one = at ? at->index->at(at->offset) : nullptr;
  if (!can_rename(one)) return std::unexpected(Error{kRequestFailed, "there is no name here that can be changed"});
  std::string name = params["newName"].text();
  if (!text::is_identifier(name)) {
    return std::unexpected(Error{kRequestFailed, fmt::format("`{}` is not a name", name)});
  }
  if (is_keyword(name)) {
    return std::unexpected(Error{kRequestFailed, fmt::format("`{}` is a word of the language", name)});
  }
  if (const modules::Module* where = name_taken(*one->symbol, name)) {
    return std::unexpected(Error{kRequestFailed, fmt::format("`{}` already means something in {}", name,
                                                             where->path.substr(where->path.rfind('/') + 1))});
  }
  std::map<std::string, std::vector<std::pair<const modules::Module*, Span>>> by_file;
  each_use(workspace_.index(), *one->symbol, [&](const modules::Module& module, const Occurrence& use) {
    by_file[workspace_.uri_of(module)].emplace_back(&module, use.span);
  });
  JsonWriter json;
  json.object().key("changes").object();
  for (auto& [uri, edits] : by_file) {
    json.key(uri).list();
    for (auto& [module, span] : edits) {
      json.object().key("range");
      write_range(json, module->source->positions(), span);
      json.field("newText", name).end();
    }
    json.end();
  }
  return json.end().end().take();
}

}  // namespace harn::lsp
