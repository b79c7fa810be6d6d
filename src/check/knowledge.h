#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/assignments.h"
#include "check/flow.h"
#include "compile/analysis.h"
#include "types/relation.h"

namespace harn::check {

using types::Kind;
using types::Type;

// A type in a message; a long one is cut.
std::string shown(const Type* type);

// What is known of a variable wherever it is read.
struct VariableType {
  const Type* type = nullptr;  // null: nothing was said, and nothing could be found out
  bool annotated = false;
  bool loose = false;  // see Fact::loose
  // `var x = nil` waits for the first value that is something else; that says what else may be assigned.
  bool is_waiting = false;
  const Type* fixed = nullptr;
};

// What was found out about the expressions of a module, for editors.
struct ModuleTypes {
  std::vector<const Type*> nodes;                                       // by the number of the node; null: not known
  std::unordered_map<const compile::Variable*, const Type*> variables;  // as they are declared

  const Type* of(const syntax::Node& node) const {
    return node.id.number < nodes.size() ? nodes[node.id.number] : nullptr;
  }
};

// The types of a program's declarations, found out when somebody asks. One for all modules that are checked together.
class Knowledge : public types::Methods {
 public:
  explicit Knowledge(const compile::ResolvedProgram& program);

  const compile::ResolvedProgram program;

 private:
  // What the resolver has found out about the names in annotations.
  class Names : public types::Scope {
   public:
    explicit Names(const compile::TypeBindings& bindings) : bindings_(bindings) {}
    Meaning find(const syntax::TypeNode& named) const override {
      return {.is_parameter = bindings_.is_parameter(named), .declaration = bindings_.declaration(named)};
    }
    const syntax::Node* find_bound(const syntax::WhereBound& bound) const override {
      return bindings_.declaration(bound);
    }

   private:
    const compile::TypeBindings& bindings_;
  };
  Names names_;

 public:
  bool is_declared(const syntax::WhereBound& bound) const { return names_.find_bound(bound) != nullptr; }

  types::TypeTable table;
  types::Lowering lowering{table, names_};
  types::Relation relation{lowering, *this};
  Paths paths;
  std::unordered_map<const compile::Variable*, VariableType> variables;
  Assignments assignments{program};
  std::unordered_map<const compile::Variable*, Fact> given;  // what is found out by Checker::given
  // What a field of a union is: of all alternatives together; null when one has none.
  std::unordered_map<const Type*, std::unordered_map<std::string_view, const Type*>> union_fields;

  const Type* any() { return any_; }
  const Type* nil() { return nil_; }

  // The type of a function as its declaration writes it: what is not written is `any`. `Self::Skip`: of a method, as it is
  // called.
  enum class Self : uint8_t { Keep, Skip };
  const Type* function(const syntax::Function& node, Self self = Self::Keep);
  const Type* pipeline(const syntax::Pipeline& node);
  // The method of a struct, with its type arguments in place; null when it has none of that name.
  const Type* method(const Type* structure, std::string_view name);
  const syntax::Function* method_node(const Type* structure, std::string_view name) const;
  const std::vector<const syntax::Function*>* methods(const Type* structure) const;
  // The method of an interface, as it is called through it; null when it has none of that name (interfaces.cpp).
  const Type* interface_method(const Type* interface, std::string_view name);

  // A builtin, and the method of a value of builtin type, by the names that `type_of` gives.
  const Type* builtin(std::string_view name);
  const compile::MethodInfo* builtin_method(std::string_view receiver, std::string_view name);
  std::vector<std::string_view> method_names(std::string_view receiver);

  std::string unsatisfied(const Type* type, const Type* interface) override;

  // The alternatives of a type, each once: of `A | B` both, also where an alias stands for it.
  const std::vector<const Type*>& members(const Type* type);
  // With the base type for each literal: what a variable without annotation is.
  const Type* widened(const Type* type);
  bool has_nil(const Type* type);
  const Type* without_nil(const Type* type);

 private:
  const Type* signature(const syntax::Node& node, syntax::List<syntax::GenericParam> generics,
                        syntax::List<syntax::WhereBound> where, syntax::List<syntax::Param> params,
                        const syntax::TypeNode* result, bool is_gen, Self self);
  void read_impls();
  const Type* promised(const Type* interface, const syntax::Function& method);
  const Type* method_of(const Type* type, std::string_view name);

  const Type* any_;
  const Type* nil_;
  bool has_impls_ = false;
  std::unordered_map<const syntax::Node*, std::vector<const syntax::Function*>> impls_;  // by struct
  std::unordered_map<const syntax::Node*, const Type*> functions_, called_methods_;
  std::unordered_map<std::string, compile::MethodInfo> builtin_methods_;  // "list.map"
  std::vector<compile::MethodInfo> all_methods_;
  std::unordered_map<const Type*, std::vector<const Type*>> members_;
  std::unordered_map<const Type*, bool> nilable_;
};

}  // namespace harn::check
