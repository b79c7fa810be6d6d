#include "compile/resolver.h"

#include <algorithm>

#include "compile/attributes.h"
#include "compile/redeclare.h"
#include "compile/resolve.h"

namespace harn::compile {

using namespace syntax;

int FunctionInfo::capture_index(const Variable* variable) const {
  auto at = std::find(captures.begin(), captures.end(), variable);
  return at == captures.end() ? -1 : static_cast<int>(at - captures.begin());
}

Resolver::Resolver(const modules::Module& module, ProgramNames& names, const Catalog& catalog, diag::Sink& sink,
                   ResolveOptions options)
    : module_(module),
      names_(names),
      bindings_(names.bindings[&module]),
      catalog_(catalog),
      sink_(sink),
      options_(options),
      scopes_(module, names) {
  bindings_.reserve(module_.pipelines.last_id);
}

FunctionInfo* Resolver::run() {
  FunctionInfo* start = scopes_.function();
  collect_overrides();
  check_redeclared(module_.tree->items, module_.source, sink_);
  for (const Node* node : module_.tree->items) check_attributes(*node, module_.source, sink_);
  statements(module_.tree->items);
  // Reading one may find more.
  for (size_t i = 0; i < waiting_.size(); ++i) read_function(WaitingFunction(waiting_[i]));
  bind_type_names();
  report_unknown_names();
  scopes_.finish();
  return start;
}

// A pipeline may call what only the pipelines that extend it define.
void Resolver::collect_overrides() {
  for (const Node* node : module_.tree->items) {
    if (!node->is(NodeKind::Pipeline) || node->as<Pipeline>().extends.empty()) continue;
    for (const Node* part : module_.pipelines.body_of(node->as<Pipeline>())->statements) {
      if (part->is(NodeKind::Function)) overrides_.insert(part->as<Function>().name.text);
    }
  }
}

void Resolver::read(const Node* node) {
  if (!node) return;
  with_kind(*node, [this](const auto& known) { visit(known); });
}

// Deferred blocks run when the scope is left, so they are read last: they see all that it declares.
void Resolver::statements(NodeList list) {
  std::vector<std::pair<const Defer*, uint32_t>> deferred;
  for (const Node* node : list) {
    if (node->is(NodeKind::Defer)) deferred.push_back({&node->as<Defer>(), scopes_.order()});
    else read(node);
  }
  for (auto& one : deferred) scopes_.in_deferred(one.second, [&] { visit(*one.first); });
}

void Resolver::block(const Block& block) {
  const Block* outer = std::exchange(block_, &block);
  if (!inherited_.contains(&block)) check_redeclared(block.statements, module_.source, sink_);
  scopes_.in_scope(block.id, [&] { statements(block.statements); });
  block_ = outer;
}

void Resolver::body(const Block& block) {
  const Block* outer = std::exchange(block_, &block);
  check_redeclared(block.statements, module_.source, sink_);
  scopes_.in_body([&] { statements(block.statements); });
  block_ = outer;
}

FunctionInfo* resolve_module(const modules::Module& module, ProgramNames& names, const Catalog& catalog,
                             diag::Sink& sink, ResolveOptions options) {
  return Resolver(module, names, catalog, sink, options).run();
}

}  // namespace harn::compile
