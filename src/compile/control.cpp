// Branches, loops, match and error handling. All of them are expressions: `to` < 0 means that nobody
// wants the value.
#include "compile/cleanup.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

void FunctionCompiler::raise(RaiseKind kind, std::string_view text, Span span) {
  at(span);
  emit_bx(Op::Raise, static_cast<uint32_t>(kind), text_constant(text));
}

void FunctionCompiler::add_handler(uint32_t start, uint32_t end, uint32_t target, Reg reg, bool cleanup) {
  if (start == end) return;
  auto add = [&](uint32_t from, uint32_t to) {
    code_->handlers.push_back({from, to, target, static_cast<uint32_t>(reg), cleanup});
  };
  add(start, end);
  // Generators that unwinding has dropped are closed when the handler is entered: the last instruction is then the jump
  // around it. What their clean-up code throws takes the place of the error.
  if (context_.clears_scopes) add(target - 1, target);
}

void FunctionCompiler::if_else(const Node* node, Reg to) {
  Label end;
  // A value is built in a temporary: `to` may be a variable that the branches read.
  Reg value = to < 0 ? -1 : temp();
  Passing passing(*this, value, to);
  for (;;) {
    auto& branch = node->as<If>();
    Label otherwise;
    condition(branch.condition, false, otherwise);
    body(*branch.then_block, value);
    bool more = branch.else_branch != nullptr || value >= 0;
    if (more) jump(end);
    bind(otherwise);
    if (!branch.else_branch) {
      if (value >= 0) emit(Op::LoadNil, value);
      break;
    }
    if (!branch.else_branch->is(NodeKind::If)) {
      body(branch.else_branch->as<Block>(), value);
      break;
    }
    node = branch.else_branch;
  }
  bind(end);
  if (value >= 0) emit(Op::Steal, to, value);
}

void FunctionCompiler::ternary(const Ternary& node, Reg to) {
  Label otherwise, end;
  Reg value = temp();
  condition(node.condition, false, otherwise);
  expression(node.then_value, value);
  jump(end);
  bind(otherwise);
  expression(node.else_value, value);
  bind(end);
  emit(Op::Steal, to, value);
}

// ---- loops ----

template <class Body>
Reg FunctionCompiler::repeated(Reg first_of_loop, Label& next, Label& end, Body body) {
  Reg first = next_;
  loops_.push_back({&end, &next, cleanups_.size(), first_of_loop});
  Reg peak = peak_of(body);
  loops_.pop_back();
  bind(next);
  scope_end(first, peak);
  return peak;
}

void FunctionCompiler::while_loop(const While& node) {
  int mark = next_;
  Reg passes = temp();
  emit_bx(Op::LoadInt, passes, 0);
  Label again, next, end;
  bind(again);
  condition(node.condition, false, end);
  at(node.span);
  emit(Op::LoopTick, passes);
  Reg peak = repeated(passes, next, end, [&] { block(node.body); });
  jump(again);
  bind(end);
  scope_end(passes + 1, peak);
  release_to(mark);
}

void FunctionCompiler::for_in(const For& node) {
  if (node.iterable->is(NodeKind::Range) && node.pattern->kind == PatternKind::Name) {
    for_range(node, node.iterable->as<Range>());
    return;
  }
  int mark = next_;
  // An error must let go of what was iterated, as a break does, before the code around the loop goes on.
  bool is_guarded = context_.clears_scopes;
  Reg error = is_guarded ? temp() : -1;
  Reg source = temps(2);
  Reg item = temp();
  iterated(node.iterable, source);
  Label next, start, end;
  at(node.iterable->span);
  emit_jump(Op::ForPrep, source, next);
  bind(start);
  uint32_t first = here();
  Reg peak = repeated(source, next, end, [&] { loop_body(node, item); });
  at(node.iterable->span);
  emit_jump(Op::ForLoop, source, item, 0, start);
  uint32_t last = here();
  bind(end);
  emit(Op::LoadNil, source);  // after a break: let go of what was iterated
  scope_end(item, peak);
  if (is_guarded) {
    Label done;
    jump(done);
    add_handler(first, last, here(), error, true);
    scope_end(source, peak);
    emit(Op::Rethrow, error);
    bind(done);
  }
  release_to(mark);
}

// What a loop goes over. `text.chars()` on a string is the string itself: a loop takes its characters
// one by one, so the list need not exist.
void FunctionCompiler::iterated(const Node* node, Reg to) {
  bool chars = node->is(NodeKind::MethodCall) && node->as<MethodCall>().name.text == "chars" &&
               node->as<MethodCall>().args.empty() && !node->as<MethodCall>().optional;
  if (!chars) return expression(node, to);
  auto& call = node->as<MethodCall>();
  Label ready;
  expression(call.object, to);
  emit_jump(Op::JumpIfString, to, ready);
  at(call.name.span);
  emit_x(Op::CallMethod, to, 0, 0, cache(call.name.text));
  bind(ready);
}

void FunctionCompiler::for_range(const For& node, const Range& range) {
  int mark = next_;
  Reg counter = temps(2);
  Reg item = temp();
  expression(range.start, counter);
  expression(range.end, counter + 1);
  Label next, start, end;
  at(range.span);
  emit_jump(range.exclusive ? Op::RangePrep : Op::RangePrepInclusive, counter, next);
  bind(start);
  Reg peak = repeated(counter, next, end, [&] { loop_body(node, item); });
  emit_jump(Op::RangeLoop, counter, item, 0, start);
  bind(end);
  scope_end(item, peak);
  release_to(mark);
}

void FunctionCompiler::loop_body(const For& node, Reg item) {
  size_t variables = live_.size();
  int mark = next_;
  scope_start(context_.bindings.hoisted(node));
  if (node.pattern->kind == PatternKind::Name) {
    if (const Variable* variable = variable_of(node.pattern->fields[0])) {
      settle(*variable, item);  // the loop writes the variable itself
      if (variable->in_cell()) emit(Op::NewCell, item, item);
    }
  } else {
    for (const PatternField& field : node.pattern->fields) {
      if (const Variable* variable = variable_of(field)) declare(*variable);
    }
    at(node.pattern->span);
    bind_pattern(*node.pattern, item, true);
  }
  block(node.body);
  release_variables(variables);
  release_to(mark);
}

// ---- match ----

// How many arms, from the first on, are variants of the same enum; 0 when they are so few that trying them is as good.
static size_t arms_of_one_enum(const Match& node, const Bindings& bindings) {
  constexpr size_t kFew = 3;
  auto owner = [&](const MatchArm& arm) { return bindings.meaning(*arm.pattern).owner; };
  size_t count = 0;
  while (count < node.arms.size() && owner(node.arms[count]) && owner(node.arms[count]) == owner(node.arms[0])) ++count;
  return count > kFew ? count : 0;
}

// The arms test what they match, for values of other enums. Where the table leads, the variant is known to be right.
static void fill_arm_table(const Match& node, const Enum& owner, size_t in_table, const std::vector<uint32_t>& starts,
                           ArmTable& table) {
  table.declaration = declaration_id(owner);
  std::unordered_map<std::string_view, uint32_t> first;
  constexpr uint32_t kTest = length(Format::AXJump);
  for (size_t i = 0; i < in_table; ++i) first.try_emplace(node.arms[i].pattern->name.text, starts[i] + kTest);
  for (const auto& variant : owner.variants) {
    auto found = first.find(variant.name.text);
    table.targets.push_back(found == first.end() ? starts[in_table] : found->second);
  }
}

void FunctionCompiler::match(const Match& node, Reg to) {
  Reg value = to < 0 ? -1 : temp();
  Passing passing(*this, value, to);
  Reg subject = operand(node.subject);
  size_t in_table = arms_of_one_enum(node, context_.bindings);
  uint32_t table = static_cast<uint32_t>(code_->arm_tables.size());
  if (in_table > 0) {
    code_->arm_tables.emplace_back();
    emit_x(Op::FindArm, subject, 0, 0, table);
  }
  std::vector<uint32_t> starts;
  Label end;
  for (const MatchArm& arm : node.arms) {
    starts.push_back(here());
    int mark = next_;
    size_t variables = live_.size();
    Label next;
    match_pattern(*arm.pattern, subject, next);
    if (arm.guard) condition(arm.guard, false, next);
    body(*arm.body, value);
    jump(end);
    bind(next);
    release_variables(variables);
    release_to(mark);
  }
  starts.push_back(here());
  if (in_table > 0) {
    const Enum& owner = *context_.bindings.meaning(*node.arms[0].pattern).owner;
    fill_arm_table(node, owner, in_table, starts, code_->arm_tables[table]);
  }
  at(node.span);
  emit(Op::NoMatch, subject);
  bind(end);
  if (value >= 0) emit(Op::Steal, to, value);
}

void FunctionCompiler::match_pattern(const MatchPattern& pattern, Reg value, Label& fail) {
  const Variable* variable = variable_of(pattern);
  Bindings::PatternMeaning meaning = context_.bindings.meaning(pattern);
  switch (meaning.kind) {
    case MatchPatternKind::Wildcard: return;
    case MatchPatternKind::Bind: {
      if (!variable) return;
      Reg reg = declare(*variable);
      if (variable->in_cell()) {
        Reg copy = temp();
        emit(Op::Move, copy, value);
        emit(Op::NewCell, reg, copy);
        slot(*variable).has_cell = true;
      } else {
        emit(Op::Move, reg, value);
      }
      return;
    }
    case MatchPatternKind::Value: {
      int mark = next_;
      if (meaning.value->is(NodeKind::NilLiteral)) {
        emit_jump(Op::JumpIfNotNil, value, fail);
      } else if (int known = small_constant(meaning.value); known >= 0) {
        emit_jump(Op::JumpEqualConst, value, known, 0, fail);
      } else {
        emit_jump(Op::JumpEqual, value, operand(meaning.value), 0, fail);
      }
      release_to(mark);
      return;
    }
    case MatchPatternKind::Or: {
      Label matched;
      for (size_t i = 0; i < pattern.items.size(); ++i) {
        if (i + 1 == pattern.items.size()) {
          match_pattern(*pattern.items[i], value, fail);
        } else {
          Label next;
          match_pattern(*pattern.items[i], value, next);
          jump(matched);
          bind(next);
        }
      }
      bind(matched);
      return;
    }
    case MatchPatternKind::List: {
      uint32_t count = static_cast<uint32_t>(pattern.items.size());
      emit_xjump(Op::JumpIfNotList, value, count * 2 + pattern.has_rest, fail);
      for (uint32_t i = 0; i < count; ++i) {
        if (pattern.items[i]->kind == MatchPatternKind::Wildcard) continue;
        Reg item = temp();
        emit_x(Op::ListItem, item, value, 0, i);
        match_pattern(*pattern.items[i], item, fail);
      }
      if (pattern.has_rest && variable) {
        Reg rest = temp();
        emit_x(Op::ListRest, rest, value, 0, count);
        define(*variable, rest);
      }
      return;
    }
    case MatchPatternKind::Dict: return match_dict(pattern, value, fail);
    case MatchPatternKind::Variant: {
      emit_xjump(Op::JumpIfNotVariant, value, variant_cache(pattern.name.text, meaning.owner), fail);
      for (size_t i = 0; i < pattern.items.size(); ++i) {
        const MatchPattern& item = *pattern.items[i];
        if (item.kind == MatchPatternKind::Wildcard) continue;
        const Variable* bound = variable_of(item);
        if (item.kind == MatchPatternKind::Bind && bound && !bound->in_cell()) {
          emit_x(Op::EnumField, declare(*bound), value, 0, static_cast<uint32_t>(i));
          continue;
        }
        Reg field = temp();
        emit_x(Op::EnumField, field, value, 0, static_cast<uint32_t>(i));
        match_pattern(item, field, fail);
      }
      return;
    }
  }
}

void FunctionCompiler::match_dict(const MatchPattern& pattern, Reg value, Label& fail) {
  Keys keys;
  for (const Name& key : pattern.keys) keys.emplace_back(key.text);
  uint32_t all = constant(std::move(keys));
  emit_xjump(Op::JumpIfNoKeys, value, all, fail);
  for (size_t i = 0; i < pattern.items.size(); ++i) {
    if (pattern.items[i]->kind == MatchPatternKind::Wildcard) continue;
    Reg item = temp();
    emit_x(Op::GetField, item, value, 0, cache(pattern.keys[i].text));
    match_pattern(*pattern.items[i], item, fail);
  }
  const Variable* variable = variable_of(pattern);
  if (pattern.has_rest && variable) {
    Reg rest = temp();
    emit_x(Op::DictRest, rest, value, 0, all);
    define(*variable, rest);
  }
}

// ---- errors ----

void FunctionCompiler::try_expression(const Try& node, Reg to) {
  if (!node.has_catch && !node.finally_block) return try_result(node.body, to);
  Reg value = temp();
  Passing passing(*this, value, to);
  if (!node.finally_block) {
    try_with_catch(node, value);
  } else {
    with_cleanup(
        [&] {
          if (node.has_catch) try_with_catch(node, value);
          else block(node.body, value);
        },
        [&] { block(node.finally_block); }, CleanupScope::Around);
  }
  emit(Op::Steal, to, value);
}

void FunctionCompiler::guarded(const Block* body, Reg value, Reg error, Label& end) {
  Reg first = next_;
  uint32_t start = here();
  ++guarded_;
  Reg peak = peak_of([&] { block(body, value); });
  --guarded_;
  uint32_t body_end = here();
  jump(end);
  uint32_t target = here();
  add_handler(start, body_end, target, error, false);
  scope_end(first, peak);  // what the body was in the middle of
  add_handler(target, here(), target, error, false);
}

void FunctionCompiler::try_with_catch(const Try& node, Reg to) {
  Reg error = temp();
  Label end;
  guarded(node.body, to, error, end);
  catch_clause(node, error, to);
  bind(end);
}

void FunctionCompiler::catch_clause(const Try& node, Reg error, Reg to) {
  if (node.error_type) {
    auto type = context_.types.catch_check(*node.error_type);
    if (type->kind != TypeCheck::Kind::Any) {
      Label matches, other;
      code_->checks.push_back({std::string(node.error_name.text), false, std::move(type)});
      emit_xjump(Op::JumpIfNotCaught, error, static_cast<uint32_t>(code_->checks.size() - 1), other);
      jump(matches);
      bind(other);
      emit(Op::Rethrow, error);
      bind(matches);
    }
  }
  int mark = next_;
  size_t variables = live_.size();
  scope_start(context_.bindings.hoisted(node));
  if (const Variable* variable = variable_of(node)) {
    Reg reg = declare(*variable);
    emit(Op::CatchValue, reg, error);
    if (variable->in_cell()) emit(Op::NewCell, reg, reg);
  }
  emit(Op::LoadNil, error);
  block(node.catch_block, to);
  release_variables(variables);
  release_to(mark);
}

// `try { ... }` alone: a Result.
void FunctionCompiler::try_result(const Block* body_block, Reg to) {
  Reg value = temp();
  Reg error = temp();
  Label ok, end;
  guarded(body_block, value, error, ok);
  emit(Op::WrapErr, to, error);
  jump(end);
  bind(ok);
  emit(Op::WrapOk, to, value);
  bind(end);
}

void FunctionCompiler::retry(const Retry& node, Reg to) {
  Reg left = temp();
  Reg value = temp();
  Reg error = temp();
  if (node.count) {
    expression(node.count, left);
    at(node.count->span);
    call_internal("__retry_count", left, 1);
  } else {
    emit_bx(Op::LoadInt, left, 1);
  }
  int zero_index = static_cast<int>(constant(int64_t{0}));
  Label again, failed, end;
  bind(again);
  at(node.span);
  // attempts left <= 0: the value is nil
  Reg zero = temp();
  emit_bx(Op::LoadConst, zero, static_cast<uint32_t>(zero_index));
  emit_jump(Op::JumpLessEqual, left, zero, 1, failed);
  emit(Op::AddInt, left, left, 0xFF);
  guarded(node.body, value, error, end);
  emit(Op::LoadNil, error);
  jump(again);
  bind(failed);
  emit(Op::LoadNil, value);
  bind(end);
  emit(Op::Steal, to, value);
}

void FunctionCompiler::try_unwrap(const TryUnwrap& node, Reg to) {
  Reg value = temp();
  expression(node.operand, value);
  Label ok;
  at(node.span);
  emit_jump(Op::UnwrapOk, value, value, 0, ok);
  return_value(value);
  bind(ok);
  emit(Op::Steal, to, value);
}

// Errors pass by themselves; a Result that comes back is opened as `unwrap` would.
void FunctionCompiler::try_star(const TryStar& node, Reg to) {
  Reg value = temp();
  expression(node.operand, value);
  Label no_error, plain;
  at(node.span);
  emit_xjump(Op::JumpIfNotVariant, value, variant_cache("Err", nullptr), no_error);
  emit_x(Op::EnumField, value, value, 0, 0);
  emit(Op::Throw, value);
  bind(no_error);
  emit_xjump(Op::JumpIfNotVariant, value, variant_cache("Ok", nullptr), plain);
  emit_x(Op::EnumField, value, value, 0, 0);
  bind(plain);
  emit(Op::Steal, to, value);
}

void FunctionCompiler::guard(const Guard& node) {
  Label holds;
  condition(node.condition, true, holds);
  body(*node.else_block, -1);
  bind(holds);
}

void FunctionCompiler::require(const Require& node) {
  Label holds;
  condition(node.condition, true, holds);
  if (node.message) {
    Reg message = temp();
    expression(node.message, message);
    at(node.span);
    emit(Op::Throw, message);
  } else {
    raise(RaiseKind::Thrown, "require condition failed", node.span);
  }
  bind(holds);
}

}  // namespace harn::compile
