// What modules know of each other: their order, what they export, what is missing.
#include <algorithm>
#include <unordered_set>

#include "modules/graph.h"

namespace harn::modules {

using diag::Code;
using namespace syntax;

const std::vector<Module*>& Graph::order() {
  if (!is_linked_) link();
  return order_;
}

void Graph::link() {
  // Files may have come into being since an import was looked for. Loading them may add modules.
  std::vector<Module*> known;
  for (auto& [path, module] : modules_) known.push_back(module.get());
  for (Module* module : known) load_imports(*module);
  is_linked_ = true;
  sort_modules();
  for (Module* module : order_) {
    module->exports.clear();
    module->linked.clear();
    report_missing(*module);
    declare_exports(*module);
  }
  note_unresolved();
  pass_on_exports();
  pass_on_doubts();
}

// Those that can be reached, each behind what it imports. The others are gone.
void Graph::sort_modules() {
  order_.clear();
  std::unordered_set<const Module*> seen;
  std::vector<std::pair<Module*, size_t>> open;
  for (Module* root : roots_) {
    if (!seen.insert(root).second) continue;
    open.emplace_back(root, 0);
    while (!open.empty()) {
      auto& [module, next] = open.back();
      if (next == module->imports.size()) {
        order_.push_back(module);
        open.pop_back();
        continue;
      }
      Module* target = module->imports[next++].target;
      if (target && seen.insert(target).second) open.emplace_back(target, 0);
    }
  }
  std::erase_if(modules_, [&](const auto& entry) { return !seen.contains(entry.second.get()); });
}

std::vector<Module*> Graph::dependents(const Module& module) {
  std::unordered_set<const Module*> found = {&module};
  for (bool changed = true; changed;) {
    changed = false;
    for (Module* other : order()) {
      bool imports = std::any_of(other->imports.begin(), other->imports.end(),
                                 [&](const Dependency& one) { return one.target && found.contains(one.target); });
      if (imports) changed |= found.insert(other).second;
    }
  }
  std::vector<Module*> out;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(out), [&](Module* one) { return found.contains(one); });
  return out;
}

void Graph::report(const Module& main, diag::Sink& sink) {
  order();
  std::unordered_set<const Module*> seen = {&main};
  std::vector<const Module*> open = {&main};
  while (!open.empty()) {
    const Module* module = open.back();
    open.pop_back();
    sink.add_all(module->found);
    sink.add_all(module->linked);
    for (auto at = module->imports.rbegin(); at != module->imports.rend(); ++at) {
      if (at->target && seen.insert(at->target).second) open.push_back(at->target);
    }
  }
}

void Graph::report_missing(Module& module) {
  for (const Dependency& dependency : module.imports) {
    const Import& import = *dependency.import;
    if (dependency.target || import.path_span.length() == 0) continue;
    module.linked.report(Code::ImportNotFound, module.source, import.path_span, import.path)
        .label("no such file, standard module or installed package")
        .help("a relative path starts at the importing file's folder; `.harn` may be left out");
  }
}

void Graph::note_unresolved() {
  for (Module* module : order_) {
    module->unresolved_imports = std::any_of(module->imports.begin(), module->imports.end(), [](const Dependency& one) {
      return !one.target && !one.import->selective;
    });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Module* module : order_) {
      bool below = std::any_of(module->imports.begin(), module->imports.end(),
                               [](const Dependency& one) { return one.target && one.target->unresolved_imports; });
      changed |= below > module->unresolved_imports;
      module->unresolved_imports |= below;
    }
  }
}

void Graph::pass_on_doubts() {
  for (Module* module : order_) {
    module->doubts = {};
    module->doubts.add_places(*module->tree);
    for (const Dependency& dependency : module->imports) {
      // A name that is not there is told where it is imported.
      for (const Name& name : dependency.import->names) {
        bool is_there = dependency.target && dependency.target->exports.contains(name.text);
        if (!is_there) module->doubts.names.insert(name.text);
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Module* module : order_) {
      for (const Dependency& dependency : module->imports) {
        if (dependency.target) changed |= module->doubts.add_names(dependency.target->doubts);
      }
    }
  }
}

// Calls `visit(name, is_pub, node)` for each name a top-level statement introduces.
template <class Visit>
static void each_declared(const Node& node, Visit visit) {
  if (node.is(NodeKind::Let)) {
    auto& let = node.as<Let>();
    for (const PatternField& field : let.pattern->fields) visit(field.binding, let.is_pub, node);
    return;
  }
  bool is_pub = false;
  Name name = declared_name(node, is_pub);
  if (!name.empty()) visit(name, is_pub, node);
}

static bool counts_as_pub(const Node& node) { return !node.is(NodeKind::TypeAlias) && !node.is(NodeKind::Interface); }

void Graph::declare_exports(Module& module) {
  bool any_pub = false;
  for (const Node* node : module.tree->items) {
    each_declared(*node, [&](Name, bool is_pub, const Node& at) { any_pub |= is_pub && counts_as_pub(at); });
  }
  for (const Node* node : module.tree->items) {
    each_declared(*node, [&](Name name, bool is_pub, const Node& at) {
      if (any_pub && !is_pub) return;
      module.exports.try_emplace(name.text, Export{name.text, &module, &at});
    });
  }
}

// Calls `visit(name, export, span)` for each name that `pub import` passes on.
template <class Visit>
static void each_passed_on(const Module& module, Visit visit) {
  for (const Dependency& dependency : module.imports) {
    if (!dependency.import->is_pub || !dependency.target) continue;
    const auto& exports = dependency.target->exports;
    if (!dependency.import->selective) {
      for (auto& [name, from] : exports) visit(name, from, dependency.import->path_span);
      continue;
    }
    for (const Name& imported : dependency.import->names) {
      auto found = exports.find(imported.text);
      if (found != exports.end()) visit(found->first, found->second, imported.span);
    }
  }
}

// Adds what modules pass on to their own exports. One pass is enough unless modules import each other in a circle: then
// names go round until nobody gets a new one, so that it does not matter which of them was loaded first.
void Graph::pass_on_exports() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Module* module : order_) {
      each_passed_on(*module, [&](std::string_view name, const Export& from, Span) {
        changed |= module->exports.try_emplace(name, from).second;
      });
    }
  }
  for (Module* module : order_) {
    each_passed_on(*module, [&](std::string_view name, const Export& from, Span span) {
      const Export& kept = module->exports.at(name);
      if (kept.declaration == from.declaration) return;
      std::string sources = fmt::format("\"{}\" and \"{}\"", kept.origin->source->path(), from.origin->source->path());
      module->linked.report(Code::ReexportConflict, module->source, span, name, sources)
          .help("re-export selectively: pub import { ... } from \"...\"");
    });
  }
}

}  // namespace harn::modules
