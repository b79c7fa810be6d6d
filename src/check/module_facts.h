#pragma once

#include <memory>

#include "check/knowledge.h"

// What the type checker knows about the expressions of a module, for those who ask afterwards: the lints.
//
//   check::ModuleFacts facts(knowledge, module);
//   if (facts.never_nil(*node.left) != Trust::None) ...
namespace harn::check {

// How sure it is that something holds when the program runs.
enum class Trust : uint8_t {
  None,
  Promised,  // an annotation or a declared result says so, and nothing looks when it runs
  Certain,   // by what it is, or because the run checks it
};

// Points into the program and the knowledge, which must outlive it. Reports nothing: whoever checks has told.
class ModuleFacts {
 public:
  ModuleFacts(Knowledge& knowledge, const modules::Module& module);

  // Null: not known.
  const Type* type(const syntax::Node& node) const { return types_.of(node); }
  Trust never_nil(const syntax::Node& node) const { return has_no_nil(node) ? trust(node) : Trust::None; }
  // A string, for certain.
  bool is_text(const syntax::Node& node) const;

 private:
  bool has_no_nil(const syntax::Node& node) const;
  Trust trust(const syntax::Node& node) const;
  Trust trust_name(const syntax::Node& name) const;
  Trust trust_call(const syntax::Node& callee) const;
  Trust trust_method(const syntax::Node& object, std::string_view name) const;

  Knowledge& known_;
  const modules::Module& module_;
  ModuleTypes types_;
};

}  // namespace harn::check
