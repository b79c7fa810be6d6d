#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/checker.h"
#include "compile/analysis.h"

namespace harn::lsp {

// Something with a name: a variable, a declaration, a field, a method, a variant.
struct Symbol {
  enum class Kind : uint8_t {
    Variable,
    Parameter,
    Constant,
    Function,
    Method,
    Pipeline,
    Tool,
    Skill,
    Struct,
    Enum,
    Variant,
    Interface,
    Alias,
    Field,
  };
  Kind kind = Kind::Variable;
  std::string_view name;
  const modules::Module* module = nullptr;  // where it is declared; null: nowhere to go
  Span place;                               // its name there
  std::string text;                         // the declaration, for a hover
  std::string doc;                          // the comment above it
};

// A place where a name stands.
struct Occurrence {
  Span span;
  Symbol* symbol = nullptr;
  bool is_declaration = false;
};

// What is in a module, for the outline.
struct Outline {
  Symbol* symbol = nullptr;
  Span whole;
  std::vector<Outline> inside;
};

struct ModuleIndex {
  std::vector<Occurrence> occurrences;  // in the order of the source
  std::vector<Outline> outline;
  check::ModuleTypes types;

  // The name that a place is in or directly behind.
  const Occurrence* at(uint32_t offset) const;
};

// Names and types of all modules of a program, made when it is checked. As an analysis it is the type checker, too.
// What it holds points into the program: it lives until the next check.
class Index : public compile::Analysis {
 public:
  // Modules that are not open are only looked at closely when somebody asks about them: who types waits for the documents
  // that are shown.
  using IsOpen = std::function<bool(const modules::Module&)>;
  Index(const compile::ResolvedProgram& program, IsOpen is_open);

  void inspect(const compile::ResolvedProgram& program, const modules::Module& module, diag::Sink& sink) override;

  const ModuleIndex* find(const modules::Module& module);
  const std::unordered_map<const modules::Module*, ModuleIndex>& all();
  check::Knowledge& knowledge() { return knowledge_; }
  const compile::Bindings& bindings(const modules::Module& module) const { return knowledge_.program.bindings(module); }

  // The symbol behind a variable, a declaration, or a part of one (a field, a method, a variant).
  Symbol& of(const compile::Variable& variable);
  Symbol& of(const syntax::Node& declaration);
  Symbol* of_field(const types::Type* structure, std::string_view name);
  Symbol* of_variant(const syntax::Enum& owner, std::string_view name);

 private:
  class Walk;

  Symbol& symbol(const void* key) { return symbols_[key]; }
  const modules::Module* module_of(const syntax::Node& declaration);
  void read(const modules::Module& module, diag::Sink& sink);

  check::Knowledge knowledge_;
  IsOpen is_open_;
  std::vector<const modules::Module*> unread_;
  std::unordered_map<const void*, Symbol> symbols_;
  std::unordered_map<const modules::Module*, ModuleIndex> modules_;
  std::unordered_map<const syntax::Node*, const modules::Module*> homes_;
};

// The nodes around a place, the outermost first.
std::vector<const syntax::Node*> nodes_at(const syntax::Tree& tree, uint32_t offset);

}  // namespace harn::lsp
