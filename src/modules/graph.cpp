#include "modules/graph.h"

#include "modules/manifest.h"
#include "modules/path.h"

namespace harn::modules {

using diag::Code;
using namespace syntax;

Name declared_name(const Node& node, bool& is_pub) {
  switch (node.kind) {
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Tool:
    case NodeKind::Skill:
    case NodeKind::EvalPack:
    case NodeKind::Enum:
    case NodeKind::Struct: {
      auto& declaration = node.as<Declaration>();
      is_pub = declaration.is_pub;
      return declaration.name;
    }
    case NodeKind::TypeAlias:
    case NodeKind::Interface:
      is_pub = true;  // the grammar has no `pub` for these: they always go along
      return node.as<Declaration>().name;
    case NodeKind::Const: is_pub = node.as<Const>().is_pub; return node.as<Const>().name;
    default: return {};
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

Module* Graph::load_file(const std::string& path) {
  std::string canonical = path::normalize(path);
  auto known = modules_.find(loader_.identity(canonical));
  if (known != modules_.end()) return known->second.get();
  auto text = loader_.read(canonical);
  if (!text) return nullptr;
  size_t first = order_.size();
  Module* module = add(canonical, path, std::move(*text), false);
  pass_on_exports(first);
  return module;
}

Module* Graph::load_text(const std::string& name, std::string text, const std::string& directory) {
  size_t first = order_.size();
  Module* module = add(path::join(directory, name), name, std::move(text), false);
  pass_on_exports(first);
  return module;
}

Module* Graph::add(const std::string& path, const std::string& display, std::string text, bool embedded) {
  auto& slot = modules_[embedded ? path : loader_.identity(path)];
  slot = std::make_unique<Module>();
  Module& module = *slot;
  module.path = path;
  module.embedded = embedded;
  module.source = std::make_shared<SourceFile>(display, std::move(text));
  module.tree = syntax::parse(module.source, sink_);
  module.pipelines = extend_pipelines(*module.tree, sink_);
  declare_exports(module);
  load_imports(module, path::directory(path));
  order_.push_back(&module);
  return &module;
}

void Graph::load_imports(Module& module, const std::string& directory) {
  for (const Node* node : module.tree->items) {
    if (!node->is(NodeKind::Import)) continue;
    auto& declaration = node->as<Import>();
    if (declaration.path_span.length() == 0) {  // reported by the parser
      module.unresolved_imports = true;
      continue;
    }
    Module* target = import(std::string(declaration.path), directory);
    module.imports.push_back({&declaration, target});
    if (!target) {
      module.unresolved_imports = true;
      sink_.report(Code::ImportNotFound, module.source, declaration.path_span, declaration.path)
          .label("no such file, standard module or installed package")
          .help("a relative path starts at the importing file's folder; `.harn` may be left out");
      continue;
    }
    if (target->tree->has_errors || target->unresolved_imports) module.unresolved_imports = true;
  }
}

Module* Graph::import(const std::string& path, const std::string& directory) {
  if (path.starts_with("std/")) {
    if (auto found = modules_.find(path); found != modules_.end()) return found->second.get();
    for (const EmbeddedSource& source : embedded_) {
      if (source.path == path) return add(path, path, std::string(source.text), true);
    }
    return nullptr;
  }
  auto file = find_file(path, directory);
  if (!file) return nullptr;
  if (auto found = modules_.find(loader_.identity(*file)); found != modules_.end()) return found->second.get();
  auto text = loader_.read(*file);
  if (!text) return nullptr;
  return add(*file, *file, std::move(*text), false);
}

std::optional<std::string> Graph::find_file(const std::string& path, const std::string& directory) {
  std::string base = path::normalize(path::join(directory, path));
  if (base.ends_with(".harn") && loader_.is_file(base)) return base;
  if (loader_.is_file(base + ".harn")) return base + ".harn";
  return find_in_packages(path, directory);
}

// .harn/packages of the nearest ancestor that has it; the search stops where the repository does.
std::optional<std::string> Graph::find_in_packages(const std::string& path, const std::string& directory) {
  constexpr int kHighest = 64;  // folders above a relative path have no end we could see
  std::string at = path::normalize(directory);
  for (int steps = 0; steps < kHighest; ++steps, at = path::parent(at)) {
    std::string packages = path::join(at, ".harn/packages");
    if (loader_.is_directory(packages)) {
      std::string base = path::normalize(path::join(packages, path));
      if (!base.starts_with(packages)) return std::nullopt;  // `..` out of the packages
      if (base.ends_with(".harn") && loader_.is_file(base)) return base;
      if (loader_.is_file(base + ".harn")) return base + ".harn";
      size_t slash = path.find('/');
      std::string package = path::join(packages, path.substr(0, slash));
      if (slash != std::string::npos) {
        if (auto text = loader_.read(path::join(package, "harn.toml"))) {
          if (auto manifest = parse_manifest(*text, package + "/harn.toml")) {
            auto found = manifest->exports.find(path.substr(slash + 1));
            if (found != manifest->exports.end()) {
              std::string file = path::normalize(path::join(package, found->second));
              if (file.starts_with(package) && loader_.is_file(file)) return file;
            }
          }
        }
      }
      if (loader_.is_file(path::join(base, "lib.harn"))) return path::join(base, "lib.harn");
    }
    if (loader_.is_directory(path::join(at, ".git")) || at == "/") return std::nullopt;
  }
  return std::nullopt;
}

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

// Adds what modules pass on to their own exports. One pass is enough unless modules
// import each other in a circle: then names go round until nobody gets a new one, so that it does
// not matter which of them was loaded first.
void Graph::pass_on_exports(size_t first) {
  auto fresh = std::span(order_).subspan(first);
  for (bool changed = true; changed;) {
    changed = false;
    for (Module* module : fresh) {
      each_passed_on(*module, [&](std::string_view name, const Export& from, Span) {
        changed |= module->exports.try_emplace(name, from).second;
      });
    }
  }
  for (Module* module : fresh) {
    each_passed_on(*module, [&](std::string_view name, const Export& from, Span span) {
      const Export& kept = module->exports.at(name);
      if (kept.declaration == from.declaration) return;
      std::string sources = fmt::format("\"{}\" and \"{}\"", kept.origin->source->path(), from.origin->source->path());
      sink_.report(Code::ReexportConflict, module->source, span, name, sources)
          .help("re-export selectively: pub import { ... } from \"...\"");
    });
  }
}

}  // namespace harn::modules
