#include "modules/graph.h"

#include <algorithm>

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

Module* Graph::load_file(const std::string& path) {
  std::string canonical = path::normalize(path);
  auto known = modules_.find(loader_.identity(canonical));
  Module* module = known == modules_.end() ? nullptr : known->second.get();
  if (!module) {
    auto text = loader_.read(canonical);
    if (!text) return nullptr;
    module = &add(canonical, path, std::move(*text), false);
  }
  if (std::find(roots_.begin(), roots_.end(), module) == roots_.end()) roots_.push_back(module);
  return module;
}

Module* Graph::load_text(const std::string& name, std::string text, const std::string& directory) {
  roots_.push_back(&add(path::join(directory, name), name, std::move(text), false));
  return roots_.back();
}

Module& Graph::add(const std::string& path, const std::string& display, std::string text, bool embedded) {
  auto& slot = modules_[embedded ? path : loader_.identity(path)];
  slot = std::make_unique<Module>();
  slot->path = path;
  slot->embedded = embedded;
  Module& module = *slot;
  read(module, display, std::move(text));
  return module;
}

void Graph::replace(const Module& known, std::string text) {
  // Modules are ours; others only look at them.
  auto& module = const_cast<Module&>(known);
  module.imports.clear();
  module.found.clear();
  read(module, std::string(module.source->path()), std::move(text));
}

void Graph::read(Module& module, const std::string& display, std::string text) {
  is_linked_ = false;
  module.source = std::make_shared<SourceFile>(display, std::move(text));
  module.tree = syntax::parse(module.source, module.found);
  module.doubts = {};
  module.doubts.add_places(*module.tree);
  module.doubts.filter(module.found,
                       [&](diag::Sink& sink) { module.pipelines = extend_pipelines(*module.tree, sink); });
  for (const Node* node : module.tree->items) {
    if (node->is(NodeKind::Import)) module.imports.push_back({&node->as<Import>(), nullptr});
  }
  load_imports(module);
}

// Those that are not there yet: also when a file has come into being since.
void Graph::load_imports(Module& module) {
  // Loading one may lead back here, but never adds to the list.
  for (Dependency& dependency : module.imports) {
    bool is_named = dependency.import->path_span.length() > 0;  // else the parser has reported it
    if (is_named && !dependency.target) {
      dependency.target = import(std::string(dependency.import->path), path::directory(module.path));
    }
  }
}

Module* Graph::import(const std::string& path, const std::string& directory) {
  if (path.starts_with("std/")) {
    if (auto found = modules_.find(path); found != modules_.end()) return found->second.get();
    for (const EmbeddedSource& source : embedded_) {
      if (source.path == path) return &add(path, path, std::string(source.text), true);
    }
    return nullptr;
  }
  auto file = find_file(path, directory);
  if (!file) return nullptr;
  if (auto found = modules_.find(loader_.identity(*file)); found != modules_.end()) return found->second.get();
  auto text = loader_.read(*file);
  if (!text) return nullptr;
  return &add(*file, *file, std::move(*text), false);
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

}  // namespace harn::modules
