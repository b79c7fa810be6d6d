#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "compile/analysis.h"

// What a module does with its names, counted once for all rules.
namespace harn::lint {

struct Places;

struct Use {
  uint32_t reads = 0;         // not counting those inside the function that the name is of
  uint32_t writes = 0;        // assignments, also to a part of it
  uint32_t values = 0;        // reads that are no calls: the name is handed on
  uint32_t declarations = 0;  // of variables
};

class Uses {
 public:
  Uses(const compile::ResolvedProgram& program, const modules::Module& module, const Places& places);

  const Use& of(const compile::Variable* variable) const {
    static const Use kNone;
    auto found = variables_.find(variable);
    return found == variables_.end() ? kNone : found->second;
  }
  // Of a struct, enum, interface or alias: somewhere in a type, a pattern or a literal.
  bool is_type_used(const syntax::Node* declaration) const { return types_.contains(declaration); }
  // Attributes and strings may mean a declaration by its name: `@handoff(target: review)`.
  bool is_mentioned(std::string_view name) const { return mentioned_.contains(name); }

 private:
  struct Counting;

  std::unordered_map<const compile::Variable*, Use> variables_;
  std::unordered_set<const syntax::Node*> types_;
  std::unordered_set<std::string_view> mentioned_;
};

}  // namespace harn::lint
