#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "modules/extend.h"
#include "syntax/tree.h"

// The files of a program: which module each import means and what it exports.
namespace harn::modules {

// Where source text comes from. The CLI reads files; tests hand in a map.
class SourceLoader {
 public:
  virtual ~SourceLoader() = default;
  // The text of a file, or nothing when there is no such file.
  virtual std::optional<std::string> read(const std::string& path) = 0;
  virtual bool is_file(const std::string& path) = 0;
  virtual bool is_directory(const std::string& path) = 0;
  // The same for all paths to one file: a file that is imported under two names runs once.
  virtual std::string identity(const std::string& path) { return path; }
};

struct Module;

// A name that a module offers: declared there, or passed on from another module by `pub import`.
struct Export {
  std::string_view name;
  Module* origin = nullptr;  // the module that declares it
  const syntax::Node* declaration = nullptr;
};

struct Dependency {
  const syntax::Import* import = nullptr;
  Module* target = nullptr;  // null: not found
};

struct Module {
  std::string path;  // normalized: a file path, or "std/..."
  SourcePtr source;
  std::unique_ptr<const syntax::Tree> tree;
  ExtendedPipelines pipelines;
  std::vector<Dependency> imports;
  std::map<std::string_view, Export> exports;
  bool embedded = false;
  bool unresolved_imports = false;  // some import (or one below it) was not found
};

// A module of the standard library, compiled into the binary.
struct EmbeddedSource {
  std::string_view path;  // "std/text"
  std::string_view text;
};

class Graph {
 public:
  Graph(SourceLoader& loader, std::span<const EmbeddedSource> embedded, diag::Sink& sink)
      : loader_(loader), embedded_(embedded), sink_(sink) {}

  // Loads a file and everything it imports, unless it is there already. Problems go to the sink. The
  // modules come in the order they must run: what a module imports runs before it (cycles are cut
  // where they close). Null when the file cannot be read.
  Module* load_file(const std::string& path);
  // The same for text that is not in a file; imports resolve relative to `directory`.
  Module* load_text(const std::string& name, std::string text, const std::string& directory);

  const std::vector<Module*>& order() const { return order_; }

 private:
  Module* add(const std::string& path, const std::string& display, std::string text, bool embedded);
  void load_imports(Module& module, const std::string& directory);
  Module* import(const std::string& path, const std::string& directory);
  std::optional<std::string> find_file(const std::string& path, const std::string& directory);
  std::optional<std::string> find_in_packages(const std::string& path, const std::string& directory);
  void declare_exports(Module& module);
  void pass_on_exports(size_t first);

  SourceLoader& loader_;
  std::span<const EmbeddedSource> embedded_;
  diag::Sink& sink_;
  std::unordered_map<std::string, std::unique_ptr<Module>> modules_;  // by the file's identity, or "std/..."
  std::vector<Module*> order_;
};

// The name a top-level node declares, or an empty name; `is_pub` tells whether it is marked so.
syntax::Name declared_name(const syntax::Node& node, bool& is_pub);

}  // namespace harn::modules
