#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "check/module_facts.h"
#include "compile/analysis.h"
#include "lint/facts.h"
#include "lint/places.h"
#include "lint/rule.h"
#include "lint/settings.h"
#include "lint/uses.h"
#include "syntax/lexer.h"
#include "syntax/tree.h"

// What a rule sees of a module, and where it reports. Made anew for each module; rules keep nothing between modules.
//
//   static void check(Pass& pass, const Node& node) {
//     auto& binary = node.as<Binary>();
//     if (binary.op != BinaryOp::Coalesce || !is_nil(*binary.right)) return;
//     pass.report(binary.span).fix({"remove `?? nil`", binary.span, pass.left_text(binary)});
//   }
namespace harn::lint {

class Pass {
 public:
  enum class Imported : bool { No, Yes };  // whether another module imports this one
  Pass(check::Knowledge& knowledge, const modules::Module& module, Imported imported, const Settings& settings,
       diag::Sink& sink);

  const compile::ResolvedProgram& program() const { return program_; }
  const modules::Module& module() const { return module_; }
  const syntax::Tree& tree() const { return *module_.tree; }
  const Settings& settings() const { return settings_; }
  const SourcePtr& source() const { return module_.source; }
  const compile::Bindings& bindings() const { return program_.bindings(module_); }
  const Uses& uses();
  // What the type checker knows; found out when the first rule asks.
  const check::ModuleFacts& facts();
  // Those of the text, with brackets paired.
  const std::vector<syntax::Token>& tokens();
  // Where the first token at or behind an offset is in that list.
  size_t token_at(uint32_t offset);

  // ---- reporting ----
  // With the code of the rule that is being asked, and its label.
  template <class... Args>
  diag::Report report(Span span, const Args&... args) {
    diag::Report report = sink_.report(rule_->code, source(), span, args...);
    report.label(label_);
    return report;
  }

  // ---- around the node that a rule is handed ----
  const std::vector<Place>& nodes() const { return places_.nodes; }
  const Places& places() const { return places_; }
  uint32_t at() const { return at_; }  // its number in `nodes`
  // What it stands in, `levels` above; null: nothing.
  const syntax::Node* parent(uint32_t levels = 1) const;
  // The function that it is in; null: the module's own code.
  const syntax::Node* function() const { return function_around(at_); }
  const syntax::Node* function_around(uint32_t place) const;
  // It is in a pipeline that `harn test` runs.
  bool is_in_test() const;
  // A statement whose value nobody asks for: not the last one of a block that gives its value to somebody.
  bool is_dropped(uint32_t place) const;
  // A statement of a block or of the file.
  bool is_statement(uint32_t place) const;

  // ---- names ----
  compile::Variable* variable(const auto& node) const { return bindings().variable(node); }
  // The name of the builtin that a call means; empty: it is something else.
  std::string_view builtin(const syntax::Node& call) const;
  bool is_builtin(const syntax::Identifier& name) const;
  // The declaration that a name means, if it is one.
  const syntax::Node* declaration(const syntax::Identifier& name) const;
  bool never_returns(const syntax::Call& call) const;
  // Control never comes to the statement behind it. Loops count as left.
  bool terminates(const syntax::Node& statement) const;
  // Gives true or false for certain: by its operator, by the signature of a builtin, or by the declared type of a variable.
  bool is_bool(const syntax::Node& node);
  // There are names in the file that mean nothing: what seems to be unused may be what they should have been.
  bool has_unknown_names();
  // Nothing in the file has this name.
  bool is_new_name(std::string_view name);
  // Others can see it: it is `pub`, or the module marks nothing and is there to be imported.
  bool is_exported(std::string_view name, bool is_pub) const;
  // Nobody needs the module but as a program: it has code or pipelines of its own, and no module imports it.
  bool is_program() const { return is_program_; }
  bool has_tests() const { return has_tests_; }

  // ---- text ----
  std::string_view text() const { return source()->text(); }
  std::string_view text(Span span) const { return source()->text(span); }
  bool has_comment(Span span) const;
  // The comment that ends on the line before the one that an offset is on; null: there is none.
  const syntax::Comment* comment_above(uint32_t offset) const;
  // The operands of an operator as they are written, with parentheses around them.
  std::string left_text(const syntax::Binary& node) const;
  std::string right_text(const syntax::Binary& node) const;
  // The white space that the line of an offset begins with.
  std::string_view indent(uint32_t offset) const;
  bool starts_line(const syntax::Node& node) const;
  // The statements between the braces of a block, written where lines begin with `indent`. Those with lines inside a text
  // cannot be moved.
  bool can_move(const syntax::Block& block);
  std::string moved(const syntax::Block& block, std::string_view indent) const;
  // The whole lines that a span is on, with the last line end, if nothing else is on them; else the span.
  Span whole_lines(Span span) const;
  bool is_alone_on_lines(Span span) const;
  uint32_t line(uint32_t offset) const { return source()->position(offset).line; }
  uint32_t column(uint32_t offset) const { return offset - source()->line_start(line(offset)); }  // in bytes, from 0

 private:
  friend class Linter;
  void set_rule(const Rule& rule);
  bool does_something() const;
  bool block_terminates(const syntax::Block& block) const;
  const std::unordered_set<const compile::Variable*>& bools();

  check::Knowledge& knowledge_;
  const compile::ResolvedProgram& program_;
  const modules::Module& module_;
  const Settings& settings_;
  diag::Sink& sink_;
  Places places_;
  uint32_t at_ = 0;
  const Rule* rule_ = nullptr;
  std::string label_;
  std::optional<Uses> uses_;
  std::optional<check::ModuleFacts> facts_;
  std::optional<std::vector<syntax::Token>> tokens_;
  std::optional<std::unordered_set<std::string_view>> names_;          // all words of the text
  std::optional<std::unordered_set<const compile::Variable*>> bools_;  // variables that are declared as `bool`
  std::optional<bool> has_unknown_names_;
  bool is_program_ = false;
  bool has_tests_ = false;
};

}  // namespace harn::lint
