// What is in a file, and in the whole workspace.
#include <algorithm>

#include "base/text.h"
#include "lsp/server.h"
#include "syntax/each_node.h"

namespace harn::lsp {

using namespace syntax;

static void write_outline(JsonWriter& json, const Positions& positions, const std::vector<Outline>& outline) {
  json.list();
  for (const Outline& one : outline) {
    if (one.symbol->name.empty()) continue;
    json.object().field("name", one.symbol->name).field("kind", symbol_kind(one.symbol->kind));
    json.key("range");
    write_range(json, positions, cover(one.whole, one.symbol->place));
    json.key("selectionRange");
    write_range(json, positions, one.symbol->place);
    if (!one.inside.empty()) {
      json.key("children");
      write_outline(json, positions, one.inside);
    }
    json.end();
  }
  json.end();
}

std::string Server::document_symbols(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  JsonWriter json;
  write_outline(json, *at->positions, at->index->outline);
  return json.take();
}

// Whether the letters of a query come in this order.
static bool is_like(std::string_view name, std::string_view query) {
  size_t at = 0;
  for (char c : name) {
    if (at < query.size() && text::ascii_lower(c) == text::ascii_lower(query[at])) ++at;
  }
  return at == query.size();
}

std::string Server::workspace_symbols(const Part& params) {
  std::string query = params["query"].text();
  JsonWriter json;
  json.list();
  workspace_.load_project();
  if (!workspace_.has_modules()) return json.end().take();
  for (auto& [module, index] : workspace_.index().all()) {
    for (const Outline& one : index.outline) {
      if (module->embedded || !is_like(one.symbol->name, query)) continue;
      json.object().field("name", one.symbol->name).field("kind", symbol_kind(one.symbol->kind)).key("location");
      write_location(json, *module, one.symbol->place);
      json.end();
    }
  }
  return json.end().take();
}

std::string Server::folding(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  const Tree& tree = *at->document->module->tree;
  JsonWriter json;
  json.list();
  auto fold = [&](Span span, std::string_view kind) {
    uint32_t first = at->positions->line_of(span.start), last = at->positions->line_of(span.end);
    if (last <= first) return;
    json.object().field("startLine", first - 1).field("endLine", last - 1);
    if (!kind.empty()) json.field("kind", kind);
    json.end();
  };
  for_each_node(tree, [&](const Node& node) {
    switch (node.kind) {
      case NodeKind::Block:
      case NodeKind::ListLiteral:
      case NodeKind::DictLiteral:
      case NodeKind::StructLiteral:
      case NodeKind::Match:
      case NodeKind::Struct:
      case NodeKind::Enum:
      case NodeKind::Interface:
      case NodeKind::Impl:
      case NodeKind::StringLiteral:
      case NodeKind::InterpolatedString: fold(node.span, ""); break;
      default: break;
    }
  });
  for (const Comment& comment : tree.comments) fold(comment.span, "comment");
  Span imports;
  for (const Node* node : tree.items) {
    if (node->is(NodeKind::Import)) imports = imports.length() ? cover(imports, node->span) : node->span;
  }
  if (imports.length()) fold(imports, "imports");
  return json.end().take();
}

}  // namespace harn::lsp
