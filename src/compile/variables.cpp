// Where variables live and how they are read and written.
#include "compile/candidates.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;

// True when `function` is (inside) the function the variable names: it then comes from the running
// closure itself, not from a capture of the variable.
static bool through_self(const FunctionInfo& function, const Variable& variable) {
  for (const FunctionInfo* at = &function; at && at != variable.owner; at = at->parent) {
    if (variable.names_function(at)) return true;
  }
  return false;
}

FunctionCompiler::Home FunctionCompiler::home_of(const Variable& variable) const {
  if (variable.kind == Variable::Kind::Global) return Home::Global;
  if (variable.owner == &info_) return variable.in_cell() ? Home::Cell : Home::Register;
  if (variable.names_function(&info_)) return Home::Self;
  if (through_self(info_, variable)) return Home::Capture;
  return variable.in_cell() ? Home::CaptureCell : Home::Capture;
}

Reg FunctionCompiler::declare(const Variable& variable) {
  if (reg_of(variable) < 0) settle(variable, temp());
  return reg_of(variable);
}

void FunctionCompiler::settle(const Variable& variable, Reg reg) {
  slot(variable).reg = reg;
  live_.push_back(&variable);
}

void FunctionCompiler::define(const Variable& variable, Reg value) {
  switch (home_of(variable)) {
    case Home::Global: emit_bx(context_.is_prelude ? Op::SetLibrary : Op::SetGlobal, value, variable.global); return;
    case Home::Cell: {
      Reg reg = declare(variable);
      // Declared again: closures that know the cell see the new value.
      emit(std::exchange(slot(variable).has_cell, true) ? Op::SetCell : Op::NewCell, reg, value);
      return;
    }
    default: {
      Reg reg = declare(variable);
      if (reg != value) emit(Op::Steal, reg, value);
    }
  }
}

void FunctionCompiler::load(const Variable& variable, Reg to) {
  switch (home_of(variable)) {
    case Home::Register:
      if (to != reg_of(variable)) emit(Op::Move, to, reg_of(variable));
      return;
    case Home::Cell: emit(Op::GetCell, to, reg_of(variable)); return;
    case Home::Capture: emit(Op::GetCapture, to, info_.capture_index(&variable)); return;
    case Home::CaptureCell: emit(Op::GetCaptureCell, to, info_.capture_index(&variable)); return;
    case Home::Self: emit(Op::GetSelf, to); return;
    case Home::Global: emit_bx(context_.is_prelude ? Op::GetLibrary : Op::GetGlobal, to, variable.global); return;
  }
}

void FunctionCompiler::store(const Variable& variable, Reg value, Span span) {
  if (!variable.is_mutable) {
    raise(RaiseKind::Plain, "Cannot assign to immutable binding: " + std::string(variable.name), span);
    return;
  }
  switch (home_of(variable)) {
    case Home::Register:
      if (reg_of(variable) != value) emit(Op::Steal, reg_of(variable), value);
      return;
    case Home::Cell: emit(Op::SetCell, reg_of(variable), value); return;
    case Home::CaptureCell: emit(Op::SetCaptureCell, value, info_.capture_index(&variable)); return;
    case Home::Global: emit_bx(context_.is_prelude ? Op::SetLibrary : Op::AssignGlobal, value, variable.global); return;
    case Home::Capture:
    case Home::Self: return;  // never assigned
  }
}

// ---- names that may mean several variables ----

const Candidates* FunctionCompiler::candidates(const syntax::Node& use) const {
  const auto& all = context_.names.resolution.candidates;
  auto found = all.find(&use);
  return found == all.end() ? nullptr : &found->second;
}

Reg FunctionCompiler::own_register(const syntax::Node* node) const {
  if (!node->is(syntax::NodeKind::Identifier)) return -1;
  const Variable* variable = variable_of(*node);
  if (!variable || home_of(*variable) != Home::Register || candidates(*node)) return -1;
  return reg_of(*variable);
}

bool FunctionCompiler::is_captured_value(const syntax::Node* node) const {
  if (!node->is(syntax::NodeKind::Identifier) || candidates(*node)) return false;
  const Variable* variable = variable_of(*node);
  return variable && home_of(*variable) == Home::Capture;
}

// A name that no variable has: a constant, a builtin as a value (the VM links that constant to its row), or nothing.
void FunctionCompiler::unknown_name(std::string_view name, Span span, Reg to) {
  if (auto number = context_.catalog.constant(name)) {
    emit_bx(Op::LoadConst, to, constant(*number));
  } else if (auto builtin = context_.catalog.find(name)) {
    if (has(builtin->flags, BuiltinFlags::Property)) property(builtin->id, to);
    else emit_bx(Op::LoadConst, to, constant(Keys{"builtin", std::string(name)}));
  } else {
    undefined(name, span);
  }
}

// A function whose name alone means what it gives: `skills`.
void FunctionCompiler::property(uint32_t id, Reg to) {
  Reg value = window(to, 1);
  emit_x(Op::CallBuiltin, value, 0, 0, id);
  place_result(value, to);
}

void FunctionCompiler::undefined(std::string_view name, Span span) {
  std::string text = fmt::format("Undefined variable: {}", name);
  const auto& hints = context_.names.resolution.hints;
  auto close = hints.find(name.data());
  if (close != hints.end()) text += fmt::format(" (did you mean `{}`?)", close->second);
  raise(RaiseKind::Name, text, span);
}

void FunctionCompiler::load_name(const syntax::Node& use, const Variable& first, std::string_view name, Reg to) {
  const Candidates* all = candidates(use);
  if (!all) return load(first, to);
  Label found;
  // Into a temporary: `to` may be one of the candidates.
  Reg value = temp();
  for (size_t i = 0; i < all->size(); ++i) {
    const Variable* variable = (*all)[i];
    if (variable) load(*variable, value);
    else unknown_name(name, use.span, value);
    if (i + 1 < all->size()) emit_jump(Op::JumpIfSet, value, found);
  }
  bind(found);
  emit(Op::Steal, to, value);
}

void FunctionCompiler::store_name(const syntax::Identifier& target, Reg value) {
  const Candidates* all = candidates(target);
  if (context_.names.resolution.immutable_targets.contains(&target)) {
    raise(RaiseKind::Plain, "Cannot assign to immutable binding: " + std::string(target.name), target.span);
    return;
  }
  bool asks = context_.names.resolution.asking_targets.contains(&target);
  auto write = [&](const Variable& variable) {
    if (asks && variable.word) require_var(variable, target.span);
    store(variable, value, target.span);
  };
  if (!all) write(*variable_of(target));
  else write_first_set(target, *all, write);
}

void FunctionCompiler::note_word(const Variable* variable, bool is_var) {
  if (!variable || !variable->word) return;
  if (home_of(*variable->word) != Home::Global) declare(*variable->word);
  int mark = next_;
  Reg word = temp();
  emit(Op::LoadBool, word, is_var);
  define(*variable->word, word);
  release_to(mark);
}

void FunctionCompiler::require_var(const Variable& variable, Span span) {
  Reg word = temp();
  load(*variable.word, word);
  Label is_set, is_var;
  emit_jump(Op::JumpIfSet, word, is_set);
  emit(Op::LoadBool, word, variable.declarations.front().is_mutable);
  bind(is_set);
  emit_jump(Op::JumpIf, word, is_var);
  raise(RaiseKind::Plain, "Cannot assign to immutable binding: " + std::string(variable.name), span);
  bind(is_var);
}

void FunctionCompiler::place_of(const Variable& variable, Place& place, uint32_t& index) const {
  switch (home_of(variable)) {
    case Home::Cell:
      place = Place::Cell;
      index = static_cast<uint32_t>(reg_of(variable));
      return;
    case Home::CaptureCell:
      place = Place::Capture;
      index = static_cast<uint32_t>(info_.capture_index(&variable));
      return;
    default: place = Place::Global; index = variable.global;
  }
}

void FunctionCompiler::release_variables(size_t mark) {
  while (live_.size() > mark) {
    slot(*live_.back()) = {};
    live_.pop_back();
  }
}

void FunctionCompiler::make_closure(Reg to, std::shared_ptr<bytecode::Code> code, const FunctionInfo& info) {
  for (const Variable* variable : info.captures) {
    if (variable->owner == &info_) {
      code->captures.push_back({Capture::From::Register, static_cast<uint32_t>(reg_of(*variable))});
    } else if (variable->names_function(&info_)) {
      code->captures.push_back({Capture::From::Self, 0});
    } else {
      int index = info_.capture_index(variable);
      code->captures.push_back({Capture::From::Capture, static_cast<uint32_t>(index)});
    }
  }
  code_->functions.push_back(std::move(code));
  emit_bx(Op::MakeClosure, to, static_cast<uint32_t>(code_->functions.size() - 1));
}

}  // namespace harn::compile
