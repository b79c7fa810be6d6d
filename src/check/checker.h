#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/knowledge.h"
#include "syntax/ast.h"

namespace harn::check {

// Checks the types of one module: walks over it once, in the order in which it runs (functions behind the code around
// them), and keeps what is known at each place in a Flow. Every expression gets a type; `any` where nobody can know.
// A mistake is told once: what has a mistake in it is `any` to what is around it.
class Checker {
 public:
  // `record`: where to write down the types that were found; may be null.
  Checker(Knowledge& knowledge, const modules::Module& module, diag::Sink& sink, ModuleTypes* record = nullptr);

  // Tells of values from outside that are taken apart without a look at their shape, too (strict.cpp).
  void be_strict() { is_strict_ = true; }

  void check_module();
  // Only the code of the module itself, which says what its variables are; bodies of functions are left out.
  void check_surface();

  // What the outcome of a condition tells.
  struct Narrowing {
    Facts yes, no;
  };

 private:
  struct Inference;  // inference.h

  // ---- variables that others may change (variables.cpp) ----
  bool may_change(const compile::Variable& variable, std::span<const Change* const> changes);
  void forget_changed(std::span<const Change* const> changes);
  void forget_changed_by(const syntax::Node& call);
  void forget_changed_inside(const syntax::Node& inside);
  void forget_shared();
  bool waits_for_others(const compile::Variable& variable, const Type* value);
  Fact given(const compile::Variable& variable);
  // The variable that is being looked at, and what is known of it so far.
  struct Given {
    const compile::Variable* variable;
    const Type* type;
  };
  const Type* said(const syntax::Node& node, const Given& self, int depth);
  const Type* unbound(const Type* type);
  const Type* combined(syntax::BinaryOp op, const Type* left, const Type* right);

  // ---- statements (statements.cpp) ----
  // The type of the last one; `never` when the end is not reached.
  const Type* block(const syntax::Block& block, const Type* expected = nullptr);
  const Type* statements(syntax::NodeList nodes, const Type* expected = nullptr);
  // What the value of a statement is, if somebody asks for it.
  const Type* statement(const syntax::Node& node, const Type* expected = nullptr);
  void let(const syntax::Let& node);
  void constant(const syntax::Const& node);
  void assign(const syntax::Assign& node);
  void for_loop(const syntax::For& node);
  void while_loop(const syntax::While& node);
  void give_back(const syntax::Return& node);
  void guard(const syntax::Guard& node);
  void require(const syntax::Require& node);
  void check_taken_apart(const syntax::Pattern& pattern, const Type* type);
  void bind_pattern(const syntax::Pattern& pattern, const Type* type, const syntax::Node& value);
  // A new value for a variable; `type` is null when nothing is known.
  void declare(const compile::Variable* variable, const Type* type, bool annotated, bool loose = false);
  const Type* what_is_left(const Type* slot, const Type* value);
  const Type* fixed_by(const Type* value);
  // The ways of control that end here.
  void leave() { flow_.reachable = false; }
  // What is assigned inside may have any value, as often as it runs.
  void forget_assigned(const syntax::Node& inside);
  void natural(const syntax::Natural& node);
  const Type* item_type(const Type* iterable, const syntax::Node& node);
  void not_iterable(const Type* type, const syntax::Node& node);
  const Type* entry_type(const Type* value);

  // ---- functions (declarations.cpp) ----
  struct Frame {
    const Type* result = nullptr;   // declared; null: none
    const Type* yielded = nullptr;  // what a generator or stream gives
    std::vector<const Type*> returned;
    bool is_closure = false;
    bool is_module = false;
    std::string_view what = "return type doesn't match";
  };
  // A function inside of another keeps what is known about variables that never change.
  struct Later {
    const syntax::Node* declaration;
    Facts facts;
  };
  void later(const syntax::Node& declaration);
  void check_functions();
  void function(const syntax::Function& node, const Type* self);
  void check_bound(const syntax::WhereBound& bound, syntax::List<syntax::GenericParam> generics);
  void impl(const syntax::Impl& node);
  void body_of(syntax::List<syntax::Param> params, const syntax::Block& body, const syntax::TypeNode* result,
               bool is_gen, const Type* self = nullptr);
  const Type* closure(const syntax::Closure& node, const Type* expected);
  // The type of the value that a body has when it is called with such parameters.
  void variance(const syntax::Node& node);
  types::Variance argument_variance(const syntax::TypeNode& type, size_t index) const;
  void check_variance(const syntax::TypeNode& type, types::Variance at, syntax::List<syntax::GenericParam> generics,
                      std::string_view owner);

  // ---- expressions (expressions.cpp) ----
  const Type* infer(const syntax::Node& node, const Type* expected = nullptr);
  const Type* infer_kind(const syntax::Node& node, const Type* expected);
  const Type* identifier(const syntax::Identifier& node);
  bool is_mixed(std::span<const Type* const> items);
  const Type* item_at(const Type* list);
  const Type* list_literal(const syntax::ListLiteral& node, const Type* expected);
  const Type* dict_literal(syntax::List<syntax::DictEntry> entries, const Type* expected);
  const Type* if_else(const syntax::If& node, const Type* expected);
  const Type* ternary(const syntax::Ternary& node, const Type* expected);
  const Type* try_catch(const syntax::Try& node, const Type* expected);
  const Type* select(const syntax::Select& node);
  const Type* parallel(const syntax::Parallel& node);
  const Type* unwrapped(const syntax::TryUnwrap& node);
  const Type* out_of_result(const Type* type);
  // Whether a place that counts has a whole number in it; says what for.
  void expect_int(const syntax::Node& value, std::string_view what);
  // A body that may run or not, or several times.
  const Type* aside(const syntax::Block& body, const Type* expected = nullptr);
  // Checks that a value fits; the words in front of `expected T, found U` say what for.
  bool expect(const syntax::Node& value, const Type* expected, diag::Code code, const std::string& context);
  struct Part {
    const syntax::Node* node = nullptr;
    const Type* type = nullptr;
    size_t item = 0;                 // its place in a list, from 1
    const Type* expected = nullptr;  // of the part
    const Type* of_whole = nullptr;  // expected of the expression it is a part of
  };
  void note_misfit(const syntax::Node& whole, std::span<const Part> parts, const Type* expected, const Type* of_whole);
  bool mismatch(const syntax::Node& value, const Type* actual, const Type* expected, diag::Code code,
                const std::string& context);

  // ---- structs and variants (construct.cpp) ----
  const Type* struct_literal(const syntax::StructLiteral& node, const Type* expected);
  // `written`: the type arguments that the literal gives; the others are found out.
  const Type* construct(const syntax::Struct& structure, syntax::List<const syntax::TypeNode*> written,
                        syntax::List<syntax::DictEntry> entries, Span where, const Type* expected);
  void unknown_struct_field(const syntax::Struct& structure, const syntax::Name& key);
  const Type* variant_call(const syntax::Enum& owner, const syntax::Name& variant, syntax::NodeList args,
                           const Type* expected);
  void unknown_variant(const syntax::Enum& owner, const syntax::Name& variant);
  // What is asked for fixes the type parameters of a declared type.
  void bind_expected(Inference& inference, const syntax::Node& declaration, const Type* expected);
  // The type that was made, when its parts are known; tells of a parameter with two meanings.
  const Type* constructed(const Type* self, Inference& inference, Span where);

  // ---- operators (operators.cpp) ----
  const Type* unary(const syntax::Unary& node);
  const Type* binary(const syntax::Binary& node, const Type* expected);
  // `==` and `!=` of what is never equal.
  bool may_be_equal(const Type* left, const Type* right);
  void check_equality(const syntax::Binary& node, const Type* left, const Type* right);
  void offer_literal(diag::Report& told, const syntax::Node& written, const Type* possible);
  bool check_type_name(const syntax::Node& written);
  const Type* arithmetic(syntax::BinaryOp op, const Type* left, const Type* right, const syntax::Node& left_node,
                         const syntax::Node& right_node, Span where, const syntax::Binary* written = nullptr);
  // Of one alternative each: null when the operator is not defined for them, `any` when nobody can know.
  const Type* arithmetic_of(syntax::BinaryOp op, const Type* left, const Type* right);
  const Type* added(const Type* left, const Type* right);
  const Type* coalesce(const syntax::Binary& node, const Type* expected);

  // ---- access (access.cpp) ----
  const Type* member(const syntax::Member& node, const Type* expected);
  const Type* index(const syntax::Index& node);
  const Type* slice(const syntax::Slice& node);
  // What the receiver of an access is once it is not nil; tells about nil and `unknown`. Null: nothing can be said.
  const Type* receiver(const syntax::Node& object, const Type* type, bool optional, const std::string& subject,
                       const std::string& with_mark);
  void assume(const syntax::Node& object, const Type* type);
  const Type* nothing_inside(const Type* type, bool optional);
  // The field of one alternative. Null when it has none.
  const Type* field_of(const Type* type, std::string_view name);
  // What every value of a builtin type has under that name.
  const Type* property_of(const Type* plain, std::string_view name, const Type* otherwise);
  // Whether the type is that of a contract, so that a field it does not have is a mistake.
  bool is_loose(const syntax::Node& object);
  void unknown_field(const syntax::Member& node, const Type* type);
  void tell_unknown_field(const syntax::Name& name, const Type* type);
  std::vector<std::string_view> field_names(const Type* type);

  // ---- values from outside (strict.cpp) ----
  // The builtin whose result this is, if that is a value from outside; empty otherwise.
  std::string_view outside_call(const syntax::Node& value) const;
  void note_outside(const compile::Variable* variable, const syntax::Node& value);
  void check_outside(const syntax::Node& object, const std::string& subject);

  // ---- calls (calls.cpp) ----
  const Type* call(const syntax::Call& node, const Type* expected);
  const Type* method_call(const syntax::MethodCall& node, const Type* expected);
  const Type* pipe(const syntax::Pipe& node);
  // The function that a call of such a value calls; null when that is not known.
  const Type* callable(const Type* type, const syntax::Node& callee);
  // The same; `any` when it is not known, and null, after a report, when such a value cannot be called.
  const Type* called(const Type* type, Span where, std::string_view name);
  const Type* field_called(const syntax::MethodCall& node, const Type* plain);
  struct Callee {
    std::string_view name;
    const Type* type = nullptr;
    bool lenient = false;  // a builtin: type parameters are widened to what the arguments have in common
    std::span<const types::Binding> bound;  // what the receiver says
    syntax::List<const syntax::TypeNode*> type_args;
    bool is_counted = false;      // whether there are as many arguments as it takes is known from its name already
    const Type* piped = nullptr;  // the first argument, when it stands before the call
    const syntax::Node* piped_node = nullptr;
  };
  const Type* apply(const Callee& callee, syntax::NodeList args, Span where, const Type* expected);
  // Whether anything that is called takes so many arguments; tells if not.
  bool check_count(const Callee& callee, std::span<const Type* const> functions, size_t given, Span where);
  const Type* apply_spread(const Callee& callee, const Type* function, syntax::NodeList args);
  // `given`: the types of those arguments that were looked at already.
  const Type* apply_one(const Callee& callee, const Type* function, syntax::NodeList args, Span where,
                        const Type* expected, std::vector<const Type*> given = {});
  const Type* open_type(const Type* type);
  bool no_function(const syntax::Node& declaration, const syntax::Identifier& name);
  const Type* unreachable(const syntax::Call& node);
  // Whether a type has a method; `type` is null where its parameters are not known.
  struct Method {
    bool known = false;
    const Type* type = nullptr;
    bool lenient = false;
  };
  Method find_method(const Type* type, std::string_view name);
  const Type* method_result(const Type* type, std::string_view name);
  const Type* method_of(const syntax::MethodCall& node, const Type* type, const Type* expected);
  void unknown_method(const syntax::MethodCall& node, const Type* type);
  void unbound_method(const syntax::MethodCall& node, const Type* parameter);
  // Binds type parameters in `wanted` by what stands in `actual`.
  void bind_parameters(Inference& inference, const Type* wanted, const Type* actual, int depth);
  bool check_options(const types::Parameter& param, const Type* wanted, const syntax::Node& arg, size_t number);
  void infer_all(syntax::NodeList args);
  bool is_builtin_call(const syntax::Node& node, std::string_view name) const;

  // ---- questions to people (people.cpp) ----
  const Type* human_call(const syntax::HumanCall& node);
  const Type* answer_type(const syntax::HumanCall& node);

  // ---- schemas written as dicts (schema_literals.cpp) ----
  // The type of the values that a schema takes; `any` where that cannot be read off.
  const Type* described_by(const syntax::Node& schema, int depth);
  const Type* described_kind(Kind kind, const syntax::DictLiteral& schema, int depth);
  const Type* one_of(const syntax::Node& values);
  bool asks_for_schema(const Type* expected);

  // ---- typed prompts (prompts.cpp) ----
  void prompt_section(const syntax::Call& node);
  void prompt_template(const syntax::StringLiteral& literal, const syntax::Struct& params, std::string_view what);

  // ---- conditions (conditions.cpp) ----
  // Checks a condition, and says what its outcome tells.
  Narrowing condition(const syntax::Node& node);
  Narrowing comparison(const syntax::Binary& node);
  void give_up(const syntax::Node& question, Facts& facts);
  bool is_some_value(const Type* type);
  void is_no_nil(const syntax::Node& value, Facts& facts);
  Narrowing type_test(const syntax::Node& value, std::string_view type_name);
  Narrowing nil_test(const syntax::Node& value);
  Narrowing truth(const syntax::Node& value);
  Narrowing literal_test(const syntax::Node& value, const Type* literal);
  const Type* schema_type(const syntax::Node& schema);
  const Type* class_type(const syntax::Node& node);
  Narrowing fitting_test(const syntax::Node& value, const Type* wanted);
  void note_validated(const syntax::Call& node);
  Narrowing call_test(const syntax::Node& node);
  // The bases of optional links are not nil when the whole is not.
  void narrow_bases(const syntax::Node& value, Facts& facts);
  PathId path_of(const syntax::Node& node);
  Fact current(const syntax::Node& node);
  const Type* narrowed_to(const Type* type, std::string_view type_name);
  const Type* narrowed_without(const Type* type, std::string_view type_name);
  bool is_called(const Type* type, std::string_view type_name);
  const Type* variants_with(const Type* type, std::string_view field, const Type* literal, bool equal);
  // `unknown` values that are narrowed by halves where the program says that nothing is left.
  void check_coverage(std::string_view site, Span where);

  // ---- match (match.cpp) ----
  const Type* match(const syntax::Match& node, const Type* expected);
  void bind_match(const syntax::MatchPattern& pattern, const Type* type);
  struct Covered;
  class Coverage;  // coverage.h
  // False, after a report, when there must be an arm for every value and is not.
  bool check_exhaustive(const syntax::Match& node, const Type* type, const Covered& covered);
  const Type* current_subject(const syntax::Node& value, const Type* type, bool by_type);
  bool could_equal(const Type* type, const Type* literal);
  bool is_tagged(const std::vector<const Type*>& members);
  std::string arm_for(const Type* member, std::string_view variant);
  bool tags_a_union(const syntax::Node& value);

  // ---- helpers ----
  const Type* any() { return known_.any(); }
  const Type* named(Kind kind) { return known_.table.named(kind); }
  bool fits(const Type* from, const Type* to) { return known_.relation.fits(from, to); }
  // What never runs has no mistakes; what is looked at again has told them.
  diag::Report report(diag::Code code, Span span, const auto&... args) {
    if (quiet_ || (!flow_.reachable && code != diag::Code::UnreachableCode)) return diag::Report(nullptr);
    return sink_.report(code, module_.source, span, args...);
  }
  const compile::Variable* variable(const auto& node) const { return bindings_.variable(node); }

  Knowledge& known_;
  const modules::Module& module_;
  const compile::Bindings& bindings_;
  diag::Sink& sink_;
  ModuleTypes* record_;
  Flow flow_;
  Frame* frame_ = nullptr;
  int quiet_ = 0;
  bool is_strict_ = false;
  bool is_folded_ = false;                                                  // in the initializer of a constant
  std::unordered_map<const compile::Variable*, std::string_view> outside_;  // variables with a value from outside
  std::vector<Later> functions_;
  std::unordered_set<const syntax::Node*> slips_;  // what conditions ask for, and cannot be meant
  std::unordered_map<const syntax::Node*, Part>
      misfits_;  // of an expression with several ways, the only one that does not fit
  // What is assigned inside of a node, and what calls in it may change.
  std::unordered_map<const syntax::Node*, std::vector<const compile::Variable*>> assigned_;
  std::unordered_map<const syntax::Node*, std::vector<const Change*>> changed_;
};

// The operator in `a += b`.
inline syntax::BinaryOp assigned_op(syntax::AssignOp op) {
  using syntax::BinaryOp;
  constexpr BinaryOp kOps[] = {BinaryOp::Add,      BinaryOp::Add,    BinaryOp::Subtract,
                               BinaryOp::Multiply, BinaryOp::Divide, BinaryOp::Modulo};
  return kOps[static_cast<size_t>(op)];
}

// The answers of `type_of` that an exhaustive chain on `unknown` has to name.
inline constexpr std::string_view kTypeOfNames[] = {"int",  "string", "float",   "bool", "nil",
                                                    "list", "dict",   "closure", "bytes"};

}  // namespace harn::check
