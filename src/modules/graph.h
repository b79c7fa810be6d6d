#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "modules/doubts.h"
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
  diag::Sink found{diag::Sink::kAll};  // by the parser
  bool embedded = false;

  // What depends on other modules, too (Graph::order).
  std::map<std::string_view, Export> exports;
  diag::Sink linked{diag::Sink::kAll};  // imports that were not found, re-exports that collide
  bool unresolved_imports = false;      // names may come from an import (or one below it) that was not found
  Doubts doubts;
};

// A module of the standard library, compiled into the binary.
struct EmbeddedSource {
  std::string_view path;  // "std/text"
  std::string_view text;
};

class Graph {
 public:
  Graph(SourceLoader& loader, std::span<const EmbeddedSource> embedded) : loader_(loader), embedded_(embedded) {}

  // Loads a file and everything it imports, unless it is there already. Null when the file cannot be read; problems
  // of the program are in the modules.
  Module* load_file(const std::string& path);
  // The same for text that is not in a file; imports resolve relative to `directory`.
  Module* load_text(const std::string& name, std::string text, const std::string& directory);

  // The module has another text now. It stays where it is; its tree is new. Modules that only it imported go.
  void replace(const Module& module, std::string text);
  // The module and all that import it, directly or through others: what a new text may make a difference to.
  std::vector<Module*> dependents(const Module& module);

  // The modules in the order they must run: what a module imports runs before it (cycles are cut where they close).
  // Brings what modules know of each other up to date.
  const std::vector<Module*>& order();
  // What loading has found: about a module and what it imports, or about all modules.
  void report(const Module& main, diag::Sink& sink);

 private:
  Module& add(const std::string& path, const std::string& display, std::string text, bool embedded);
  void read(Module& module, const std::string& display, std::string text);
  void load_imports(Module& module);
  Module* import(const std::string& path, const std::string& directory);
  std::optional<std::string> find_file(const std::string& path, const std::string& directory);
  std::optional<std::string> find_in_packages(const std::string& path, const std::string& directory);

  // ---- what modules know of each other (link.cpp) ----
  void link();
  void sort_modules();
  void report_missing(Module& module);
  void note_unresolved();
  void pass_on_doubts();
  void declare_exports(Module& module);
  void pass_on_exports();

  SourceLoader& loader_;
  std::span<const EmbeddedSource> embedded_;
  std::unordered_map<std::string, std::unique_ptr<Module>> modules_;  // by the file's identity, or "std/..."
  std::vector<Module*> roots_;                                        // that were asked for
  std::vector<Module*> order_;
  bool is_linked_ = true;
};

// The name a top-level node declares, or an empty name; `is_pub` tells whether it is marked so.
syntax::Name declared_name(const syntax::Node& node, bool& is_pub);

}  // namespace harn::modules
