// Who calls a function, and what it calls.
#include <algorithm>
#include <map>

#include "lsp/server.h"
#include "syntax/children.h"

namespace harn::lsp {

using namespace syntax;

namespace {

constexpr int kFile = 1;  // the protocol's number: what is at the top level is called by its file

bool is_callable(const Symbol& symbol) {
  switch (symbol.kind) {
    case Symbol::Kind::Function:
    case Symbol::Kind::Method:
    case Symbol::Kind::Pipeline:
    case Symbol::Kind::Tool: return symbol.module && !symbol.module->embedded;
    default: return false;
  }
}

bool is_body(const Node& node) {
  return node.is(NodeKind::Function) || node.is(NodeKind::Pipeline) || node.is(NodeKind::Tool);
}

// Whether the name at this place is called there: `f(x)`, `o.f(x)`, `x |> f`.
bool is_called(const std::vector<const Node*>& around, Span name) {
  for (size_t i = around.size(); i-- > 0;) {
    const Node& node = *around[i];
    if (node.is(NodeKind::Call) && node.as<Call>().callee->span == name) return true;
    if (node.is(NodeKind::MethodCall) && node.as<MethodCall>().name.span == name) return true;
    if (node.is(NodeKind::Pipe) && node.as<syntax::Pipe>().right->span == name) return true;
  }
  return false;
}

// The function around a place; null at the top level.
const Node* body_around(const std::vector<const Node*>& around, Span name) {
  for (size_t i = around.size(); i-- > 0;) {
    if (is_body(*around[i]) && around[i]->as<Declaration>().name.span != name) return around[i];
  }
  return nullptr;
}

// The declaration whose name stands there; null when it is none of a function.
const Node* declaration_at(const Tree& tree, Span name) {
  for (const Node* node : nodes_at(tree, name.start)) {
    if (is_body(*node) && node->as<Declaration>().name.span == name) return node;
  }
  return nullptr;
}

}  // namespace

void Server::write_call_item(JsonWriter& json, const modules::Module& module, const Node* declaration) {
  const Positions& positions = module.source->positions();
  if (!declaration) {
    std::string_view path = module.path;
    json.object().field("name", path.substr(path.rfind('/') + 1)).field("kind", kFile);
    json.field("uri", workspace_.uri_of(module)).key("range");
    write_range(json, positions, {0, static_cast<uint32_t>(module.source->text().size())});
    json.key("selectionRange");
    write_range(json, positions, {0, 0});
    json.end();
    return;
  }
  auto& name = declaration->as<Declaration>().name;
  json.object().field("name", name.text);
  json.field("kind", symbol_kind(workspace_.index().of(*declaration).kind));
  json.field("uri", workspace_.uri_of(module)).key("range");
  write_range(json, positions, declaration->span);
  json.key("selectionRange");
  write_range(json, positions, name.span);
  json.end();
}

std::string Server::prepare_calls(const Part& params) {
  auto at = place(params);
  const Occurrence* one = at ? at->index->at(at->offset) : nullptr;
  if (!one || !is_callable(*one->symbol)) return "null";
  const Node* declaration = declaration_at(*one->symbol->module->tree, one->symbol->place);
  if (!declaration) return "null";
  JsonWriter json;
  json.list();
  write_call_item(json, *one->symbol->module, declaration);
  return json.end().take();
}

// What an item of an earlier answer means now. Its declaration is null when it stands for a file.
std::optional<Server::CallItem> Server::call_item(const Part& params) {
  Part item = params["item"];
  std::string uri = item["uri"].text();
  if (!workspace_.has_modules()) return std::nullopt;
  for (auto& [module, index] : workspace_.index().all()) {
    if (workspace_.uri_of(*module) != uri) continue;
    CallItem out{module, &index, nullptr, nullptr};
    if (item["kind"].number() == kFile) return out;
    uint32_t offset = offset_of(module->source->positions(), item["selectionRange"]["start"]);
    const Occurrence* one = index.at(offset);
    if (!one || !is_callable(*one->symbol) || one->symbol->module != module) return std::nullopt;
    out.symbol = one->symbol;
    out.declaration = declaration_at(*module->tree, one->symbol->place);
    return out.declaration ? std::optional(out) : std::nullopt;
  }
  return std::nullopt;
}

std::string Server::incoming_calls(const Part& params) {
  workspace_.load_project();
  auto item = call_item(params);
  if (!item || !item->symbol) return "[]";
  // In the order of files and places.
  std::map<std::string, std::pair<const modules::Module*, const ModuleIndex*>> files;
  for (auto& [module, index] : workspace_.index().all()) files[module->path] = {module, &index};
  JsonWriter json;
  json.list();
  for (auto& [path, file] : files) {
    std::map<uint32_t, std::pair<const Node*, std::vector<Span>>> callers;
    for (const Occurrence& use : file.second->occurrences) {
      if (use.symbol != item->symbol || use.is_declaration) continue;
      auto around = nodes_at(*file.first->tree, use.span.start);
      if (!is_called(around, use.span)) continue;
      const Node* caller = body_around(around, use.span);
      auto& entry = callers[caller ? caller->span.start + 1 : 0];
      entry.first = caller;
      entry.second.push_back(use.span);
    }
    for (auto& [start, caller] : callers) {
      json.object().key("from");
      write_call_item(json, *file.first, caller.first);
      json.key("fromRanges").list();
      for (Span span : caller.second) write_range(json, file.first->source->positions(), span);
      json.end().end();
    }
  }
  return json.end().take();
}

std::string Server::outgoing_calls(const Part& params) {
  auto item = call_item(params);
  if (!item) return "[]";
  std::vector<std::pair<const Symbol*, std::vector<Span>>> called;
  for (const Occurrence& use : item->index->occurrences) {
    if (use.is_declaration || !is_callable(*use.symbol)) continue;
    auto around = nodes_at(*item->module->tree, use.span.start);
    if (!is_called(around, use.span) || body_around(around, use.span) != item->declaration) continue;
    auto found = std::ranges::find(called, use.symbol, [](auto& one) { return one.first; });
    if (found == called.end()) found = called.insert(called.end(), {use.symbol, {}});
    found->second.push_back(use.span);
  }
  JsonWriter json;
  json.list();
  for (auto& [symbol, places] : called) {
    const Node* declaration = declaration_at(*symbol->module->tree, symbol->place);
    if (!declaration) continue;
    json.object().key("to");
    write_call_item(json, *symbol->module, declaration);
    json.key("fromRanges").list();
    for (Span span : places) write_range(json, item->module->source->positions(), span);
    json.end().end();
  }
  return json.end().take();
}

}  // namespace harn::lsp
