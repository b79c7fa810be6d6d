#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bytecode/code.h"
#include "bytecode/accesses.h"
#include "compile/catalog.h"
#include "compile/declarations.h"
#include "compile/program_types.h"
#include "compile/resolver.h"
#include "compile/scope.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"

// The code generator: from a resolved tree to bytecode, one FunctionCompiler for each function. Known only to src/compile.
// It reads the tree and the bindings and changes neither; what it cannot compile it reports to the sink and goes on.
// Its files have a subject each: calls.cpp, control.cpp, variables.cpp, ...
namespace harn::compile {

using bytecode::Op;
using Reg = int;

// What all functions of one module share while they are compiled.
struct ModuleContext {
  const modules::Module& module;
  const ProgramNames& names;
  const Bindings& bindings;
  const Catalog& catalog;
  ProgramTypes& types;
  diag::Sink& sink;
  bool hidden = false;      // left out of stack traces: prelude and std modules
  bool is_prelude = false;  // its functions are the same for all tasks
  // Variables let go of their values where their scope ends, not when their register is used again: dropping a
  // generator may run code.
  bool clears_scopes = false;
  uint32_t near_registers = 0;  // for tests: use far registers beyond this many; 0: when needed
  bool verify = false;          // see CompileOptions
};

// A place in the code that jumps will be pointed at.
struct Label {
  int64_t at = -1;
  std::vector<uint32_t> jumps;  // word offsets of jumps waiting for it
};

// Compiles one function. Registers are handed out like a stack: variables where they are declared,
// temporaries above them.
class FunctionCompiler {
 public:
  FunctionCompiler(ModuleContext& context, FunctionInfo& info, std::string name);

  // Entry points: each returns the finished code.
  std::shared_ptr<bytecode::Code> function(syntax::List<syntax::Param> params, const syntax::Block* body);
  std::shared_ptr<bytecode::Code> module_start(syntax::NodeList items);

  bytecode::Code& code() { return *code_; }

 private:
  // A finally or defer block that exits must run.
  // A way out through many clean-ups, shared by all that go it: calls this one and goes on with the next.
  struct Exit {
    Label* target;   // where it ends; null: the function returns what waits in the outermost clean-up
    size_t down_to;  // how many clean-ups it does not leave
    std::unique_ptr<Label> label;
  };
  struct Cleanup {
    Label entry;
    std::vector<Exit> exits;
    Reg return_to;   // holds where the clean-up code goes back to
    Reg value;       // keeps a returned value while clean-up code runs
    Reg scope = -1;  // the first register of a scope that ends before the clean-up code runs
    bool is_deadline = false;
    Reg mutex = -1;  // instead of code: what MutexLeave gives back to
  };
  struct Loop {
    Label* break_to;
    Label* continue_to;
    size_t cleanups;  // how many were active outside the loop
    Reg first;        // its registers begin here
  };
  // Which scope clean-up code belongs to: the one of its body, as `defer`, or the one around it, as `finally`.
  enum class CleanupScope { Same, Around };
  // Clean-up code that is being emitted.
  struct CleaningUp {
    Reg error;     // holds the error that waits for it, if one does
    size_t loops;  // how many were open around it
  };

  // ---- emitting (emit.cpp) ----
  uint32_t here() const { return static_cast<uint32_t>(code_->words.size()); }
  void emit(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  void emit_bx(Op op, uint32_t a, uint32_t bx);
  void emit_x(Op op, uint32_t a, uint32_t b, uint32_t c, uint32_t x);
  void emit_jump(Op op, uint32_t a, uint32_t b, uint32_t c, Label& label);
  void emit_jump(Op op, uint32_t a, Label& label) { emit_jump(op, a, 0, 0, label); }
  void emit_xjump(Op op, uint32_t a, uint32_t x, Label& label);
  void jump(Label& label);
  void bind(Label& label);
  void at(Span span);  // the source position of what is emitted next
  uint32_t constant(bytecode::Constant value);
  uint32_t text_constant(std::string_view text);
  uint32_t cache(std::string_view name);
  uint32_t variant_cache(std::string_view name, const syntax::Enum* type);  // null: Result
  int small_constant(const syntax::Node* node);  // constant index below 256 for a number, or -1
  Reg temp();
  Reg temps(int count);
  // `size` registers in a row for a call whose value is wanted in `to`: starting at `to` itself when
  // that is the topmost temporary.
  Reg window(Reg to, int size);
  void release_to(int mark) { next_ = mark; }
  void limit(Span span, std::string_view what);

  // ---- variables (variables.cpp) ----
  Variable* variable_of(const auto& node) const { return context_.bindings.variable(node); }
  // Where a variable of this function is, while its scope is open.
  struct Slot {
    Reg reg = -1;
    bool has_cell = false;  // the register holds its cell
  };
  Slot& slot(const Variable& variable) { return slots_[variable.number]; }
  Reg reg_of(const Variable& variable) const { return slots_[variable.number].reg; }
  void settle(const Variable& variable, Reg reg);  // it lives in this register from now on
  enum class Home { Register, Cell, Capture, CaptureCell, Self, Global };
  Home home_of(const Variable& variable) const;
  Reg declare(const Variable& variable);             // gives it its register
  void define(const Variable& variable, Reg value);  // first value; `value` is a temporary or its register
  void load(const Variable& variable, Reg to);       // unset if it is
  void store(const Variable& variable, Reg value, Span span);
  // A name may mean one of several variables: the first that is set (see scopes.h).
  const Candidates* candidates(const syntax::Node& use) const;
  void load_name(const syntax::Node& use, const Variable& first, std::string_view name, Reg to);
  void store_name(const syntax::Identifier& target, Reg value);
  // Notes that a declaration has run, and how: for assignments that must ask.
  void note_word(const Variable* variable, bool is_var);
  void require_var(const Variable& variable, Span span);
  // Calls `write` for each candidate, in the order they are tried, with code around it that tests them.
  template <class Write>
  void write_first_set(const syntax::Identifier& target, const Candidates& candidates, Write write);
  void unknown_name(std::string_view name, Span span, Reg to);
  void property(uint32_t id, Reg to);
  void undefined(std::string_view name, Span span);  // raises that no variable has the name
  // The register of a variable that is certain to be set, or -1.
  Reg own_register(const syntax::Node* node) const;
  // A name for what the function has captured, and nobody assigns.
  bool is_captured_value(const syntax::Node* node) const;
  void release_variables(size_t mark);
  void make_closure(Reg to, std::shared_ptr<bytecode::Code> code, const FunctionInfo& info);
  void place_of(const Variable& variable, bytecode::Place& place, uint32_t& index) const;

  // ---- statements (statements.cpp) ----
  void begin_generator();
  void statements(syntax::NodeList list, Reg value);
  void statement(const syntax::Node* node);
  void block(const syntax::Block* block, Reg value = -1);  // value < 0: not wanted
  void body(const syntax::Block& block, Reg value);        // of an if or match: no scope of its own
  void scope_start(std::span<Variable* const> hoisted);
  void scope_end(Reg first, Reg end);  // the variables in these registers are gone
  void let(const syntax::Let& node);
  void bind_pattern(const syntax::Pattern& pattern, Reg value, bool is_var);
  void assign(const syntax::Assign& node);
  void assign_path(const syntax::Assign& node);
  void assign_long_path(const syntax::Identifier& name, Reg keys, uint32_t count);
  void assign_variable(const syntax::Assign& node, const syntax::Identifier& target);
  bool assign_pushed(const Variable& variable, const syntax::Node* value);
  void assign_uncertain(const syntax::Assign& node, const syntax::Identifier& target);
  void return_statement(const syntax::Return& node);
  void return_value(Reg value);
  void leave_loops(size_t cleanups, Reg end);
  void check_deadline(size_t down_to);
  void run_cleanups(size_t down_to);
  bool shares_exit(size_t down_to) const;
  void jump_to_exit(Label* target, size_t down_to);
  void clean_up(Cleanup& cleanup);
  void emit_exits(Cleanup& cleanup);
  void leave_clean_up_code(size_t loops);
  void leave_loop(Label* Loop::*target);
  void declaration(const syntax::Node* node);
  void enum_declaration(const syntax::Enum& node);
  void struct_declaration(const syntax::Struct& node);
  void impl(const syntax::Impl& node);
  void eval_pack(const syntax::EvalPack& node);
  void function_declaration(const syntax::Function& node);
  void pipeline(const syntax::Pipeline& node);

  // ---- entries of registries (registrations.cpp) ----
  void tool_declaration(const syntax::Tool& node);
  void skill_declaration(const syntax::Skill& node);
  void promotions(const syntax::Function& node, const Variable& variable);
  bytecode::DataPtr tool_facts(std::string_view name, syntax::List<syntax::Param> params,
                               const syntax::TypeNode* return_type);
  void literal_defaults(syntax::List<syntax::Param> params, Reg to);
  void attribute_arguments(const syntax::Attribute& attribute, Reg to);
  void attribute_value(const syntax::AttributeValue& value, Reg to);

  // ---- expressions (expressions.cpp) ----
  void expression(const syntax::Node* node, Reg to);
  Reg operand(const syntax::Node* node);  // any register that holds the value: a variable's own, or a temporary
  void literal_text(std::string_view text, Reg to);
  void integer(int64_t value, Reg to);
  void interpolated(const syntax::InterpolatedString& node, Reg to);
  void identifier(const syntax::Identifier& node, Reg to);
  void list_literal(const syntax::ListLiteral& node, Reg to);
  void dict_literal(syntax::List<syntax::DictEntry> entries, Reg to);
  bool dict_from(syntax::List<syntax::DictEntry> entries, Reg to);
  void struct_literal(const syntax::StructLiteral& node, Reg to);
  void closure(const syntax::Closure& node, Reg to, std::string_view name = "closure");
  void unary(const syntax::Unary& node, Reg to);
  void binary(const syntax::Binary& node, Reg to);
  // `left_is_temp`: nobody reads the left register afterwards.
  void arithmetic(syntax::BinaryOp op, Reg left, const syntax::Node* right, Reg to, Span span,
                  bool left_is_temp = false);
  void comparison(const syntax::Binary& node, Reg to);
  void short_circuit(const syntax::Binary& node, Reg to);
  void member(const syntax::Member& node, Reg to);
  void index(const syntax::Index& node, Reg to);
  void slice(const syntax::Slice& node, Reg to);
  void range(const syntax::Range& node, Reg to);
  void unsupported(const syntax::Node& node, std::string_view what);
  // Jumps to `label` when the condition's truth is `when`; goes on otherwise.
  void condition(const syntax::Node* node, bool when, Label& label);
  bool compare_jump(const syntax::Binary& node, bool when, Label& label);

  // ---- calls (calls.cpp) ----
  void call(const syntax::Call& node, Reg to, bool tail = false);
  void method_call(const syntax::MethodCall& node, Reg to);
  void pipe(const syntax::Pipe& node, Reg to);
  void call_builtin(uint32_t id, syntax::NodeList args, Reg to, Span span);
  bool has_spread(syntax::NodeList args) const;
  void spread_args(syntax::NodeList args, Reg to);
  void spread(const syntax::Spread& node, Reg list);
  void args(syntax::NodeList list, Reg first);
  bool can_read_late(const syntax::Node* first, const std::vector<const syntax::Node*>& rest) const;
  bool spread_last(syntax::NodeList args, Reg to);
  void place_result(Reg from, Reg to);

  // ---- personas and their steps (personas.cpp) ----
  void persona_body(const syntax::Declaration& persona, const syntax::Block& body, Reg value);
  // The function with `@step` that a callee in the body of a persona names; null: none.
  const syntax::Declaration* step_of(const syntax::Node* callee) const;
  void call_step(const syntax::Declaration& step, const syntax::Node* callee, syntax::NodeList args, Reg to, Span span);

  // ---- Natural blocks (natural.cpp) ----
  void natural_block(const syntax::Natural& node);
  void require_writable(const syntax::Natural& node);
  bytecode::DataPtr natural_facts(const syntax::Natural& node);
  void natural_local(const Variable& variable, Reg to);
  void natural_locals(const syntax::Natural& node, Reg to);
  void natural_commit(const syntax::Natural& node, Reg result);
  void natural_leave(Reg result);

  // ---- control flow (control.cpp) ----
  void if_else(const syntax::Node* node, Reg to);
  void ternary(const syntax::Ternary& node, Reg to);
  void while_loop(const syntax::While& node);
  void for_in(const syntax::For& node);
  void iterated(const syntax::Node* node, Reg to);
  void for_range(const syntax::For& node, const syntax::Range& range);
  void loop_body(const syntax::For& node, Reg item);
  // The part of a loop that runs again and again; `continue` and `break` go to its end and behind the loop.
  template <class Body>
  Reg repeated(Reg first_of_loop, Label& next, Label& end, Body body);
  void match(const syntax::Match& node, Reg to);
  void match_pattern(const syntax::MatchPattern& pattern, Reg value, Label& fail);
  void match_dict(const syntax::MatchPattern& pattern, Reg value, Label& fail);
  void try_expression(const syntax::Try& node, Reg to);
  void try_with_catch(const syntax::Try& node, Reg to);
  void catch_clause(const syntax::Try& node, Reg error, Reg to);
  void try_result(const syntax::Block* block, Reg to);
  void retry(const syntax::Retry& node, Reg to);
  void try_unwrap(const syntax::TryUnwrap& node, Reg to);
  void try_star(const syntax::TryStar& node, Reg to);
  void guard(const syntax::Guard& node);
  void require(const syntax::Require& node);
  // Emits `body`; the end of the registers it uses.
  template <class Body>
  Reg peak_of(Body body);
  // Runs `body`, then `cleanup`, whichever way the body is left.
  template <class Body, class CleanupCode>
  void with_cleanup(Body body, CleanupCode cleanup, CleanupScope scope = CleanupScope::Same);
  template <class Body>
  void with_mutex(Reg held, Body body);
  // A body whose errors a handler of this function gets, in `error`: its code follows. Without an error the body goes
  // to `end`.
  void guarded(const syntax::Block* body, Reg value, Reg error, Label& end);
  void add_handler(uint32_t start, uint32_t end, uint32_t target, Reg reg, bool cleanup);
  void raise(bytecode::RaiseKind kind, std::string_view text, Span span);

  // ---- tasks (tasks.cpp) ----
  // Calls a builtin with `count` values from `first` on; the value is in `first`.
  void call_internal(std::string_view name, Reg first, uint32_t count);
  void spawn(const syntax::Spawn& node, Reg to);
  void parallel(const syntax::Parallel& node, Reg to);
  void deadline(const syntax::Deadline& node, Reg to);
  void cost_route(const syntax::CostRoute& node, Reg to);
  void route_option(const syntax::DictEntry& entry, Reg to);
  void mutex(const syntax::Mutex& node, Reg to);
  void select(const syntax::Select& node, Reg to);
  void block_statements(const syntax::Block& block, Reg value);
  // The variable of `let x: owned<T> = ...`, else null.
  const Variable* owned_variable(const syntax::Node* node) const;
  void drop_owned(const Variable& variable);
  void give_up_ownership(const syntax::Node* returned);
  // The value of what is compiled meanwhile goes on to `to`: is it still the function's?
  class Passing {
   public:
    Passing(FunctionCompiler& compiler, Reg value, Reg to) : compiler_(compiler), outer_(compiler.result_) {
      if (to >= 0) compiler_.result_ = outer_ == to ? value : -1;
    }
    ~Passing() { compiler_.result_ = outer_; }

   private:
    FunctionCompiler& compiler_;
    Reg outer_;
  };

  // ---- types (types.cpp) ----
  void check_param(const syntax::Param& param, Reg reg);
  bool schema(const syntax::Node* node, Reg to);
  const syntax::TypeAlias* find_alias(const syntax::Node* node) const;

  std::shared_ptr<bytecode::Code> finish();
  void verify_after(const char* pass) const;

  ModuleContext& context_;
  FunctionInfo& info_;
  std::shared_ptr<bytecode::Code> code_;
  int next_ = 0;                       // the first free register
  int peak_ = 0;                       // the most that were in use since the innermost loop began
  std::vector<Slot> slots_;            // by the variable's number
  std::vector<const Variable*> live_;  // variables that hold a register, in order
  std::vector<Cleanup*> cleanups_;
  std::vector<CleaningUp> cleaning_up_;  // the innermost last
  std::vector<Loop> loops_;
  int guarded_ = 0;  // try and retry bodies around: a call there is not the function's last act
  std::unordered_map<std::string, uint32_t> texts_;
  std::unordered_map<int64_t, uint32_t> ints_;
  std::unordered_map<const syntax::TypeAlias*, uint32_t> schemas_;  // constants
  Reg result_ = -1;  // where the function's value is built, while its last expression is compiled
  bytecode::WideMap wide_;
  bool too_large_ = false;
};

// Turns the last reads of registers into moves, so that updates can happen in place (liveness.cpp). With
// `keeps_generators` a variable that holds a generator keeps it until its scope ends: dropping it may run code.
void mark_last_uses(bytecode::Code& code, const bytecode::WideMap& wide, bool keeps_generators);

bool is_owned(const syntax::TypeNode* type);  // owned<T>

}  // namespace harn::compile
