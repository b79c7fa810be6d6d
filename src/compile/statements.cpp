#include "compile/emitter.h"

#include <algorithm>

#include "compile/cleanup.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

// A deferred block runs after the statements that follow it, so code comes behind a final return.
static bool has_defer(const Block& block, const Bindings& bindings) {
  if (bindings.acquires(block)) return true;
  return std::any_of(block.statements.begin(), block.statements.end(), [](const Node* node) {
    return node->is(NodeKind::Defer) || (node->is(NodeKind::Let) && is_owned(node->as<Let>().type));
  });
}

std::shared_ptr<bytecode::Code> FunctionCompiler::function(List<Param> params, const Block* body) {
  code_->is_generator = info_.has_yield || info_.is_stream;
  code_->is_stream = info_.is_stream;
  for (const Param& param : params) {
    code_->param_names.emplace_back(param.name.text);
    if (param.rest) {
      code_->has_rest = true;
    } else {
      ++code_->param_count;
      if (!param.default_value) ++code_->required_params;
    }
  }
  // Arguments arrive in the first registers.
  Reg first = temps(static_cast<int>(params.size()));
  for (size_t i = 0; i < params.size(); ++i) {
    const Param& param = params[i];
    Reg reg = first + static_cast<int>(i);
    if (param.default_value) {
      Label given;
      emit_jump(Op::JumpIfSet, reg, given);
      expression(param.default_value, reg);
      bind(given);
    }
    if (param.type) check_param(param, reg);
    if (const Variable* variable = variable_of(param)) {
      settle(*variable, reg);
      if (variable->in_cell()) emit(Op::NewCell, reg, reg);
    }
  }
  if (code_->is_generator) begin_generator();
  scope_start(context_.bindings.hoisted(*body));
  // The last expression is the value, unless the body ends by itself.
  bool ends = !body->statements.empty() &&
              (body->statements.back()->is(NodeKind::Return) || body->statements.back()->is(NodeKind::Throw));
  bool wants_value = !code_->is_generator && !ends;
  Reg value = wants_value ? temp() : -1;
  result_ = value;
  if (info_.runs_persona()) persona_body(*info_.persona, *body, value);
  else block_statements(*body, value);
  if (wants_value) emit(Op::Return, value);
  else if (!ends || code_->is_generator || info_.runs_persona() || has_defer(*body, context_.bindings))
    emit(Op::ReturnNil);
  release_variables(0);
  return finish();
}

// Parameters are checked when the function is called; the body waits for the first pull.
void FunctionCompiler::begin_generator() {
  int mark = next_;
  Reg generator = temp();
  Label first_pull;
  emit_jump(Op::BeginGenerator, generator, first_pull);
  emit(Op::Return, generator);
  bind(first_pull);
  release_to(mark);
}

std::shared_ptr<bytecode::Code> FunctionCompiler::module_start(NodeList items) {
  // Functions and types exist before the first statement runs, whatever the order in the file.
  auto is_early = [](const Node* node) {
    return node->is(NodeKind::Function) || node->is(NodeKind::Enum) || node->is(NodeKind::Struct) ||
           node->is(NodeKind::Pipeline);
  };
  for (const Node* node : items) {
    if (is_early(node)) statement(node);
  }
  for (const Node* node : items) {
    if (node->is(NodeKind::Impl)) statement(node);
  }
  Reg value = temp();
  std::vector<const Node*> rest;
  for (const Node* node : items) {
    if (!is_early(node) && !node->is(NodeKind::Impl)) rest.push_back(node);
  }
  statements(rest, value);
  emit(Op::Return, value);
  release_variables(0);
  return finish();
}

void FunctionCompiler::scope_start(std::span<Variable* const> hoisted) {
  for (const Variable* variable : hoisted) {
    Reg reg = declare(*variable);
    emit(Op::LoadUnset, reg);
    if (!variable->in_cell()) continue;
    emit(Op::NewCell, reg, reg);
    slot(*variable).has_cell = true;
  }
}

void FunctionCompiler::scope_end(Reg first, Reg end) {
  if (context_.clears_scopes && end > first) emit(Op::Clear, first, end - first);
}

void FunctionCompiler::statements(NodeList list, Reg value) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Node* node = list[i];
    if (node->is(NodeKind::Defer)) {
      // What follows in this block runs under the protection of the deferred block.
      NodeList rest = list.subspan(i + 1);
      with_cleanup([&] { statements(rest, value); }, [&] { block(node->as<Defer>().body); });
      return;
    }
    if (const Variable* owned = owned_variable(node); owned && !owned->ends_with_program) {
      statement(node);
      NodeList rest = list.subspan(i + 1);
      with_cleanup([&] { statements(rest, value); }, [&] { drop_owned(*owned); });
      return;
    }
    bool last = i + 1 == list.size();
    if (last && value >= 0) {
      expression(node, value);
      if (value == result_) give_up_ownership(node);
    } else {
      statement(node);
    }
  }
  if (list.empty() && value >= 0) emit(Op::LoadNil, value);
}

void FunctionCompiler::block(const Block* block, Reg value) {
  int mark = next_;
  size_t variables = live_.size();
  scope_start(context_.bindings.hoisted(*block));
  block_statements(*block, value);
  if (live_.size() > variables) scope_end(mark, next_);
  release_variables(variables);
  release_to(mark);
}

// Variables of these bodies that are used later were declared by scope_start; the others end here.
void FunctionCompiler::body(const Block& block, Reg value) {
  int mark = next_;
  size_t variables = live_.size();
  block_statements(block, value);
  release_variables(variables);
  release_to(mark);
}

void FunctionCompiler::statement(const Node* node) {
  int mark = next_;
  bool keeps_registers = false;
  switch (node->kind) {
    case NodeKind::Let:
      keeps_registers = true;
      let(node->as<Let>());
      break;
    case NodeKind::Const: {
      keeps_registers = true;
      auto& constant = node->as<Const>();
      const Variable* variable = variable_of(constant);
      if (!variable) break;
      if (home_of(*variable) == Home::Register) {
        expression(constant.value, declare(*variable));
      } else {
        if (home_of(*variable) == Home::Cell) declare(*variable);
        mark = next_;
        keeps_registers = false;
        Reg value = temp();
        expression(constant.value, value);
        define(*variable, value);
        release_to(mark);
        keeps_registers = true;
      }
      note_word(variable, false);
      break;
    }
    case NodeKind::Assign: assign(node->as<Assign>()); break;
    case NodeKind::For: for_in(node->as<For>()); break;
    case NodeKind::While: while_loop(node->as<While>()); break;
    case NodeKind::Return: return_statement(node->as<Return>()); break;
    case NodeKind::Throw: {
      Reg value = operand(node->as<Throw>().value);
      at(node->span);
      emit(Op::Throw, value);
      break;
    }
    case NodeKind::Break: leave_loop(&Loop::break_to); break;
    case NodeKind::Continue: leave_loop(&Loop::continue_to); break;
    case NodeKind::Guard: guard(node->as<Guard>()); break;
    case NodeKind::Require: require(node->as<Require>()); break;
    case NodeKind::Natural:
      keeps_registers = true;
      natural_block(node->as<Natural>());
      break;
    case NodeKind::If: if_else(node, -1); break;
    case NodeKind::Match: match(node->as<Match>(), -1); break;
    case NodeKind::Block: block(&node->as<Block>()); break;
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool:
    case NodeKind::Skill:
    case NodeKind::EvalPack:
    case NodeKind::Enum:
    case NodeKind::Struct:
    case NodeKind::Impl:
    case NodeKind::TypeAlias:
    case NodeKind::Interface:
    case NodeKind::Import:
      keeps_registers = true;
      declaration(node);
      break;
    case NodeKind::Broken: break;
    case NodeKind::Mutex: mutex(node->as<Mutex>(), -1); break;
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::Identifier:
    case NodeKind::ListLiteral:
    case NodeKind::DictLiteral:
    case NodeKind::StructLiteral:
    case NodeKind::Closure:
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Range:
    case NodeKind::Ternary:
    case NodeKind::Pipe:
    case NodeKind::Spread:
    case NodeKind::NamedArgument:
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Member:
    case NodeKind::Index:
    case NodeKind::Slice:
    case NodeKind::TryUnwrap:
    case NodeKind::TryStar:
    case NodeKind::Try:
    case NodeKind::Retry:
    case NodeKind::Parallel:
    case NodeKind::Spawn:
    case NodeKind::Deadline:
    case NodeKind::Select:
    case NodeKind::CostRoute:
    case NodeKind::HumanCall:
    case NodeKind::Yield:
    case NodeKind::Emit: {
      Reg unused = temp();
      expression(node, unused);
      break;
    }
    case NodeKind::Defer: break;  // with the statements behind it
  }
  if (!keeps_registers) release_to(mark);
}

// ---- let and patterns ----

void FunctionCompiler::let(const Let& node) {
  if (node.pattern->kind == PatternKind::Name) {
    const Variable* variable = variable_of(node.pattern->fields[0]);
    if (variable && home_of(*variable) == Home::Register && reg_of(*variable) < 0) {
      // Straight into the variable's register, which nothing can see before it is declared.
      Reg reg = temp();
      expression(node.value, reg);
      settle(*variable, reg);
      note_word(variable, node.is_var);
      return;
    }
    if (variable && home_of(*variable) == Home::Cell) declare(*variable);
    if (variable && home_of(*variable) == Home::Register) declare(*variable);
    int mark = next_;
    Reg value = temp();
    expression(node.value, value);
    if (variable) define(*variable, value);
    note_word(variable, node.is_var);
    release_to(mark);
    return;
  }
  for (const PatternField& field : node.pattern->fields) {
    const Variable* variable = variable_of(field);
    if (variable && home_of(*variable) != Home::Global) declare(*variable);
  }
  int mark = next_;
  Reg value = temp();
  expression(node.value, value);
  at(node.pattern->span);
  bind_pattern(*node.pattern, value, node.is_var);
  release_to(mark);
}

void FunctionCompiler::bind_pattern(const Pattern& pattern, Reg value, bool is_var) {
  if (pattern.kind == PatternKind::Name) {
    if (const Variable* variable = variable_of(pattern.fields[0])) define(*variable, value);
    return;
  }
  int mark = next_;
  if (pattern.kind == PatternKind::Pair) {
    Reg halves = temps(2);
    emit(Op::PairUnpack, halves, value);
    for (size_t i = 0; i < pattern.fields.size() && i < 2; ++i) {
      if (const Variable* variable = variable_of(pattern.fields[i])) define(*variable, halves + static_cast<int>(i));
    }
    release_to(mark);
    return;
  }
  bool is_list = pattern.kind == PatternKind::List;
  emit(Op::DestructureCheck, value, is_list);
  Keys seen;
  for (size_t i = 0; i < pattern.fields.size(); ++i) {
    const PatternField& field = pattern.fields[i];
    Reg item = temp();
    if (field.rest) {
      if (is_list) emit_x(Op::ListRest, item, value, 0, static_cast<uint32_t>(i));
      else emit_x(Op::DictRest, item, value, 0, constant(seen));
    } else if (is_list) {
      emit_x(Op::ListItem, item, value, 0, static_cast<uint32_t>(i));
    } else {
      emit_x(Op::GetField, item, value, 2, cache(field.key.text));
      seen.emplace_back(field.key.text);
    }
    if (field.default_value) {
      Label present;
      emit_jump(Op::JumpIfNotNil, item, present);
      expression(field.default_value, item);
      bind(present);
    }
    if (const Variable* variable = variable_of(field)) define(*variable, item);
    note_word(variable_of(field), is_var);
    release_to(mark);
  }
}

// ---- leaving ----

// The loops inside at least so many clean-ups let go of what they hold, the innermost first.
void FunctionCompiler::leave_loops(size_t cleanups, Reg end) {
  for (auto loop = loops_.rbegin(); loop != loops_.rend() && loop->cleanups >= cleanups; ++loop)
    scope_end(loop->first, end);
}

// A deadline that has passed is noticed at the latest where its block is left. Before the first clean-up
// code: an error must not make it run twice.
void FunctionCompiler::check_deadline(size_t down_to) {
  bool leaves_deadline = false;
  for (size_t i = down_to; i < cleanups_.size(); ++i) leaves_deadline |= cleanups_[i]->is_deadline;
  if (leaves_deadline) call_internal("__deadline_check", temp(), 0);
}

void FunctionCompiler::run_cleanups(size_t down_to) {
  check_deadline(down_to);
  for (size_t i = cleanups_.size(); i > down_to; --i) {
    // What the loops and the scope inside it hold goes first.
    leave_loops(i, next_);
    if (cleanups_[i - 1]->scope >= 0) scope_end(cleanups_[i - 1]->scope, next_);
    clean_up(*cleanups_[i - 1]);
  }
}

// Many returns through many clean-ups would each call all of them: such ways out are shared. Not where scopes
// are cleared, because then it matters where a way begins.
bool FunctionCompiler::shares_exit(size_t down_to) const {
  constexpr size_t kFew = 4;
  return cleanups_.size() > down_to + kFew && !context_.clears_scopes;
}

void FunctionCompiler::jump_to_exit(Label* target, size_t down_to) {
  auto& exits = cleanups_.back()->exits;
  auto known = std::find_if(exits.begin(), exits.end(), [&](const Exit& exit) { return exit.target == target; });
  if (known == exits.end()) known = exits.insert(known, {target, down_to, std::make_unique<Label>()});
  jump(*known->label);
}

// The ways out through a clean-up that is not active any more.
void FunctionCompiler::clean_up(Cleanup& cleanup) {
  if (cleanup.mutex < 0) return emit_jump(Op::Gosub, cleanup.return_to, cleanup.entry);
  Label next;
  emit_jump(Op::MutexLeave, cleanup.mutex, next);
  bind(next);
}

void FunctionCompiler::emit_exits(Cleanup& cleanup) {
  for (Exit& exit : cleanup.exits) {
    bind(*exit.label);
    clean_up(cleanup);
    if (cleanups_.size() > exit.down_to) jump_to_exit(exit.target, exit.down_to);
    else if (exit.target) jump(*exit.target);
    else emit(Op::Return, cleanup.value);
  }
}

// Leaving a `finally` early drops the error or the value that waited for its end. A task that is
// told to stop still stops.
void FunctionCompiler::leave_clean_up_code(size_t loops) {
  for (auto at = cleaning_up_.rbegin(); at != cleaning_up_.rend() && at->loops >= loops; ++at) {
    emit(Op::RethrowStop, at->error);
  }
}

void FunctionCompiler::leave_loop(Label* Loop::*target) {
  if (loops_.empty()) return;
  leave_clean_up_code(loops_.size());
  Label* label = loops_.back().*target;
  size_t down_to = loops_.back().cleanups;
  if (shares_exit(down_to)) {
    check_deadline(down_to);
    return jump_to_exit(label, down_to);
  }
  run_cleanups(down_to);
  jump(*label);
}

void FunctionCompiler::return_value(Reg value) {
  if (!cleanups_.empty()) {
    // The outermost clean-up's register lies below everything that clean-up code uses.
    emit(Op::Steal, cleanups_[0]->value, value);
    value = cleanups_[0]->value;
  }
  leave_clean_up_code(0);
  if (shares_exit(0)) {
    check_deadline(0);
    return jump_to_exit(nullptr, 0);
  }
  run_cleanups(0);
  if (context_.clears_scopes && !loops_.empty()) {
    Reg kept = temp();
    emit(Op::Steal, kept, value);
    leave_loops(0, kept);
    value = kept;
  }
  emit(Op::Return, value);
}

void FunctionCompiler::return_statement(const Return& node) {
  if (!node.value && shares_exit(0)) {
    Reg nothing = temp();
    emit(Op::LoadNil, nothing);
    return return_value(nothing);
  }
  if (!node.value) {
    leave_clean_up_code(0);
    run_cleanups(0);
    leave_loops(0, next_);
    emit(Op::ReturnNil);
    return;
  }
  // A loop over a generator that is to be closed is left when the value is there.
  bool ends_loop = context_.clears_scopes && !loops_.empty();
  bool tail = node.value->is(NodeKind::Call) && cleanups_.empty() && cleaning_up_.empty() && guarded_ == 0 &&
              !ends_loop && !code_->is_generator && info_.kind != FunctionInfo::Kind::Module;
  if (tail) {
    call(node.value->as<Call>(), temp(), true);
    return;
  }
  // Clean-up code may change a variable after its value was taken.
  Reg value;
  if (cleanups_.empty()) {
    value = operand(node.value);
  } else {
    value = temp();
    expression(node.value, value);
    give_up_ownership(node.value);
  }
  return_value(value);
}

// ---- declarations ----

void FunctionCompiler::declaration(const Node* node) {
  switch (node->kind) {
    case NodeKind::Function: return function_declaration(node->as<Function>());
    case NodeKind::Pipeline: return pipeline(node->as<Pipeline>());
    case NodeKind::Enum: return enum_declaration(node->as<Enum>());
    case NodeKind::Struct: return struct_declaration(node->as<Struct>());
    case NodeKind::Impl: return impl(node->as<Impl>());
    case NodeKind::Tool: return tool_declaration(node->as<Tool>());
    case NodeKind::Skill: return skill_declaration(node->as<Skill>());
    case NodeKind::EvalPack: return eval_pack(node->as<EvalPack>());
    default: return;  // aliases, interfaces and imports leave no code
  }
}

void FunctionCompiler::function_declaration(const Function& node) {
  const Variable* variable = variable_of(node);
  if (!variable) return;
  FunctionCompiler inner(context_, *context_.bindings.function(node), std::string(node.name.text));
  auto code = inner.function(node.params, node.body);
  if (home_of(*variable) != Home::Global) declare(*variable);
  int mark = next_;
  Reg value = temp();
  make_closure(value, std::move(code), *context_.bindings.function(node));
  define(*variable, value);
  release_to(mark);
  note_word(variable, false);
  promotions(node, *variable);
}

void FunctionCompiler::pipeline(const Pipeline& node) {
  auto& globals = context_.names.modules.at(&context_.module);
  auto found = globals.find(node.name.text);
  if (found == globals.end()) return;
  FunctionCompiler inner(context_, *context_.bindings.function(node), std::string(node.name.text));
  auto code = inner.function(node.params, context_.module.pipelines.body_of(node));
  int mark = next_;
  Reg value = temp();
  make_closure(value, std::move(code), *context_.bindings.function(node));
  emit_bx(Op::SetGlobal, value, found->second->global);
  release_to(mark);
}

void FunctionCompiler::enum_declaration(const Enum& node) {
  const Variable* variable = variable_of(node);
  if (!variable) return;
  EnumShape shape{std::string(node.name.text), {}, declaration_id(node)};
  for (const EnumVariant& variant : node.variants) {
    int count = variant.has_payload ? static_cast<int>(variant.fields.size()) : -1;
    shape.variants.emplace_back(std::string(variant.name.text), count);
  }
  if (home_of(*variable) != Home::Global) declare(*variable);
  int mark = next_;
  Reg value = temp();
  emit_bx(Op::NewEnumType, value, constant(std::move(shape)));
  define(*variable, value);
  release_to(mark);
}

void FunctionCompiler::struct_declaration(const Struct& node) {
  const Variable* variable = variable_of(node);
  if (!variable) return;
  StructShape shape{std::string(node.name.text), {}, declaration_id(node), context_.types.schema(node),
                    context_.types.field_instances(node)};
  for (const StructField& field : node.fields) shape.fields.emplace_back(field.name.text);
  if (home_of(*variable) != Home::Global) declare(*variable);
  int mark = next_;
  Reg value = temp();
  emit_bx(Op::NewStructType, value, constant(std::move(shape)));
  define(*variable, value);
  release_to(mark);
}

void FunctionCompiler::impl(const Impl& node) {
  const Variable* variable = variable_of(node);
  if (!variable) return;
  int mark = next_;
  Reg type = temps(2);
  load_name(node, *variable, node.name.text, type);
  for (const Function* method : node.methods) {
    FunctionCompiler inner(context_, *context_.bindings.function(*method), std::string(method->name.text));
    auto code = inner.function(method->params, method->body);
    make_closure(type + 1, std::move(code), *context_.bindings.function(*method));
    at(method->name.span);
    emit_bx(Op::AddMethod, type, text_constant(method->name.text));
  }
  release_to(mark);
}

// Packs are registered by library functions that come with evaluation; until then running one says so.
void FunctionCompiler::eval_pack(const EvalPack& node) {
  raise(RaiseKind::Runtime, "`eval_pack` declarations are not supported yet", node.span);
}

}  // namespace harn::compile
