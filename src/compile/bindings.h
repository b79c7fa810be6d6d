#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/arena.h"
#include "syntax/ast.h"

namespace harn::compile {

struct Variable;
struct FunctionInfo;

// What the resolver found out about the nodes of one module, for the code generator. The tree itself does not change:
// it can be resolved again, or for another program, at any time.
class Bindings {
 public:
  // The variable that a node or a keyed part declares or means. Null for builtins, `_`, and names nobody knows.
  Variable* variable(const auto& node) const {
    return node.id.number < variables_.size() ? variables_[node.id.number] : nullptr;
  }
  Variable* bind(const auto& node, Variable* variable) {
    if (node.id.number >= variables_.size()) variables_.resize(node.id.number + 1);
    return variables_[node.id.number] = variable;
  }
  void reserve(syntax::NodeId last) { variables_.resize(last.number + 1); }

  // Functions, closures, methods, pipelines: each is one function of the program.
  FunctionInfo* function(const syntax::Node& node) const {
    auto found = functions_.find(node.id.number);
    return found == functions_.end() ? nullptr : found->second;
  }
  FunctionInfo& bind_function(const syntax::Node& node, FunctionInfo& info) {
    functions_[node.id.number] = &info;
    return info;
  }

  // The variables that exist, unset, from the start of the scope of a node: a block, a loop, a catch clause (by its
  // `try`) or a select case.
  std::span<Variable* const> hoisted(const auto& node) const {
    auto found = hoisted_.find(node.id.number);
    return found == hoisted_.end() ? std::span<Variable* const>() : found->second;
  }
  void hoist(syntax::NodeId scope, Variable& variable) { hoisted_[scope.number].push_back(&variable); }

  // Blocks in which a call acquires a permit: the block holds it.
  bool acquires(const syntax::Block& block) const { return acquiring_.contains(block.id.number); }
  void note_acquire(const syntax::Block& block) { acquiring_.insert(block.id.number); }

  // A pattern as it is meant, where that is not how it looks: a name may be a variant, `Thing.part` a value.
  struct PatternMeaning {
    syntax::MatchPatternKind kind;
    const syntax::Enum* owner = nullptr;  // Variant: the enum, null for Result
    const syntax::Node* value = nullptr;  // Value
  };
  PatternMeaning meaning(const syntax::MatchPattern& pattern) const {
    auto found = patterns_.find(pattern.id.number);
    return found == patterns_.end() ? PatternMeaning{pattern.kind, nullptr, pattern.value} : found->second;
  }
  void bind_meaning(const syntax::MatchPattern& pattern, PatternMeaning meaning) {
    patterns_[pattern.id.number] = meaning;
  }

  // For nodes that stand in no source, such as the value of `Thing.part` as a pattern.
  Arena& arena() { return arena_; }

 private:
  std::vector<Variable*> variables_;
  std::unordered_map<uint32_t, FunctionInfo*> functions_;
  std::unordered_map<uint32_t, std::vector<Variable*>> hoisted_;
  std::unordered_map<uint32_t, PatternMeaning> patterns_;
  std::unordered_set<uint32_t> acquiring_;
  Arena arena_;
};

// What the names of types mean, of all modules of a program: a type may be written in one and used in another.
class TypeBindings {
 public:
  // The alias, struct, enum or interface; null when nothing in scope has the name.
  const syntax::Node* declaration(const syntax::TypeNode& type) const {
    auto found = declarations_.find(&type);
    return found == declarations_.end() ? nullptr : found->second;
  }
  void bind(const syntax::TypeNode& type, const syntax::Node* declaration) { declarations_[&type] = declaration; }

  // The same for the interface that a `where` clause asks for.
  const syntax::Node* declaration(const syntax::WhereBound& bound) const {
    auto found = bounds_.find(&bound);
    return found == bounds_.end() ? nullptr : found->second;
  }
  void bind(const syntax::WhereBound& bound, const syntax::Node* declaration) { bounds_[&bound] = declaration; }

  // Whether the name is that of a type parameter.
  bool is_parameter(const syntax::TypeNode& type) const { return parameters_.contains(&type); }
  void note_parameter(const syntax::TypeNode& type) { parameters_.insert(&type); }

 private:
  std::unordered_map<const syntax::TypeNode*, const syntax::Node*> declarations_;
  std::unordered_map<const syntax::WhereBound*, const syntax::Node*> bounds_;
  std::unordered_set<const syntax::TypeNode*> parameters_;
};

}  // namespace harn::compile
