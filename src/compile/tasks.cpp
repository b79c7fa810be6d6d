// Tasks and what belongs to a scope of a task: spawn, parallel, deadline, mutex, select, owned
// variables and permits. All of them become calls of builtins whose names start with `__`.
#include "compile/cleanup.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

void FunctionCompiler::call_internal(std::string_view name, Reg first, uint32_t count) {
  auto found = context_.catalog.find(name);
  emit_x(Op::CallBuiltin, first, count, 0, found ? found->id : 0);
}

void FunctionCompiler::spawn(const Spawn& node, Reg to) {
  Reg body = window(to, 1);
  closure(*node.body, body, "spawn");
  at(node.span);
  call_internal("__spawn", body, 1);
  place_result(body, to);
}

void FunctionCompiler::parallel(const Parallel& node, Reg to) {
  Reg first = window(to, 3);
  expression(node.source, first);
  closure(*node.body, first + 1, "parallel");
  if (node.max_concurrent) expression(node.max_concurrent, first + 2);
  else emit(Op::LoadNil, first + 2);
  at(node.span);
  std::string_view name = node.mode == ParallelMode::Count    ? "__parallel_count"
                          : node.mode == ParallelMode::Settle ? "__parallel_settle"
                          : node.as_stream                    ? "__parallel_stream"
                                                              : "__parallel_each";
  call_internal(name, first, 3);
  place_result(first, to);
}

void FunctionCompiler::deadline(const Deadline& node, Reg to) {
  Reg value = to < 0 ? -1 : temp();
  Reg duration = temp();
  expression(node.duration, duration);
  at(node.span);
  call_internal("__deadline_begin", duration, 1);
  with_cleanup(
      [&] {
        cleanups_.back()->is_deadline = true;
        block(node.body, value);
        call_internal("__deadline_check", temp(), 0);
      },
      [&] { call_internal("__deadline_end", temp(), 0); });
  if (value >= 0) emit(Op::Steal, to, value);
}

// A word that is no variable is a name: `fallback_strategy: cheapest_first`.
void FunctionCompiler::route_option(const DictEntry& entry, Reg to) {
  bool is_word = entry.value->is(NodeKind::Identifier) && !variable_of(entry.value->as<Identifier>());
  if (is_word) literal_text(entry.value->as<Identifier>().name, to);
  else expression(entry.value, to);
}

// The options are handed down to all calls of models in the body, also in tasks that it starts.
void FunctionCompiler::cost_route(const CostRoute& node, Reg to) {
  constexpr std::string_view kScope = "llm_options";
  Reg value = to < 0 ? -1 : temp();
  Reg before = temps(2);
  emit(Op::NewDict, before + 1);
  for (const DictEntry& entry : node.options) {
    int mark = next_;
    Reg option = temp();
    route_option(entry, option);
    emit_x(Op::SetField, before + 1, option, 0, cache(entry.key.text));
    release_to(mark);
  }
  at(node.span);
  literal_text(kScope, before);
  call_internal("__scope_merge", before, 2);
  with_cleanup([&] { block(node.body, value); },
               [&] {
                 Reg args = temps(2);
                 literal_text(kScope, args);
                 emit(Op::Move, args + 1, before);
                 call_internal("__scope_set", args, 2);
               });
  if (value >= 0) emit(Op::Steal, to, value);
}

// One lock per place in the program.
void FunctionCompiler::mutex(const Mutex& node, Reg to) {
  Position place = context_.module.source->position(node.span.start);
  Reg held = temp();
  at(node.span);
  emit_x(Op::MutexEnter, held, 0, 0,
         cache(fmt::format("{}:{}:{}", context_.module.source->path(), place.line, place.column)));
  with_mutex(held, [&] { block(node.body); });
  if (to >= 0) emit(Op::LoadNil, to);
}

void FunctionCompiler::select(const Select& node, Reg to) {
  Reg value = to < 0 ? -1 : temp();
  // [channels], timeout: nil waits for ever, `false` not at all.
  Reg first = temps(2);
  emit(Op::NewList, first, 0, 0);
  emit(Op::LoadNil, first + 1);
  const SelectCase* otherwise = nullptr;
  for (const SelectCase& option : node.cases) {
    if (option.kind != SelectCaseKind::Receive) otherwise = &option;
    int mark = next_;
    Reg source = temp();
    if (option.kind == SelectCaseKind::Receive) {
      expression(option.source, source);
      emit(Op::ListPush, first, source);
    } else if (option.kind == SelectCaseKind::Timeout) {
      expression(option.source, first + 1);
    } else {
      emit(Op::LoadBool, first + 1, 0);
    }
    release_to(mark);
  }
  at(node.span);
  call_internal("__select", first, 2);
  Reg index = first + 1;
  Label end, nothing;
  emit_jump(Op::JumpIfNil, first, nothing);
  at(node.span);
  emit_x(Op::GetField, index, first, 0, cache("index"));
  int64_t number = 0;
  for (const SelectCase& option : node.cases) {
    if (option.kind != SelectCaseKind::Receive) continue;
    int mark = next_;
    size_t variables = live_.size();
    Label next;
    Reg wanted = temp();
    integer(number++, wanted);
    emit_jump(Op::JumpEqual, index, wanted, 0, next);
    scope_start(context_.bindings.hoisted(option));
    if (const Variable* variable = variable_of(option)) {
      Reg reg = declare(*variable);
      at(option.binding.span);
      emit_x(Op::GetField, reg, first, 0, cache("value"));
      if (variable->in_cell()) emit(Op::NewCell, reg, reg);
    }
    block(option.body, value);
    jump(end);
    bind(next);
    release_variables(variables);
    release_to(mark);
  }
  bind(nothing);
  if (otherwise) {
    scope_start(context_.bindings.hoisted(*otherwise));
    block(otherwise->body, value);
  } else if (value >= 0) {
    emit(Op::LoadNil, value);
  }
  bind(end);
  if (value >= 0) emit(Op::Steal, to, value);
}

// ---- what ends with a scope ----

const Variable* FunctionCompiler::owned_variable(const Node* node) const {
  if (!node->is(NodeKind::Let)) return nullptr;
  auto& let = node->as<Let>();
  if (!is_owned(let.type) || let.pattern->kind != PatternKind::Name) return nullptr;
  return variable_of(let.pattern->fields[0]);
}

void FunctionCompiler::drop_owned(const Variable& variable) {
  Reg value = temp();
  load(variable, value);
  call_internal("drop", value, 1);
}

// `return x` in a function that returns owned<T>: the caller owns it now, so the scope must not close it.
void FunctionCompiler::give_up_ownership(const Node* node) {
  if (!info_.returns_owned || !node->is(NodeKind::Identifier)) return;
  const Variable* variable = variable_of(*node);
  if (!variable || !variable->is_owned) return;
  Reg none = temp();
  emit(Op::LoadNil, none);
  switch (home_of(*variable)) {
    case Home::Register: emit(Op::LoadNil, reg_of(*variable)); break;
    case Home::Cell: emit(Op::SetCell, reg_of(*variable), none); break;
    default: break;
  }
}

// Permits that calls in this block acquire are given back when it is left.
void FunctionCompiler::block_statements(const Block& block, Reg value) {
  if (!context_.bindings.acquires(block)) return statements(block.statements, value);
  Reg held = temp();
  call_internal("__permits_held", held, 0);
  with_cleanup([&] { statements(block.statements, value); },
               [&] {
                 Reg keep = temp();
                 emit(Op::Move, keep, held);
                 call_internal("__permits_release", keep, 1);
               });
}

}  // namespace harn::compile
