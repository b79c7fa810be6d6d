#include "compile/scopes.h"

#include <algorithm>
#include <unordered_set>

namespace harn::compile {

using namespace syntax;

// ---- one scope ----

constexpr size_t kIndexFrom = 12;

bool Scope::is_within(const Scope* other) const {
  for (const Scope* at = this; at; at = at->parent) {
    if (at == other) return true;
  }
  return false;
}

Variable* Scope::find(std::string_view name) const {
  if (!index_.empty()) {
    auto found = index_.find(name);
    return found == index_.end() ? nullptr : found->second;
  }
  for (auto at = names_.rbegin(); at != names_.rend(); ++at) {
    if ((*at)->name == name) return *at;
  }
  return nullptr;
}

void Scope::add(Variable& variable) {
  names_.push_back(&variable);
  if (!index_.empty()) {
    index_[variable.name] = &variable;
  } else if (names_.size() > kIndexFrom) {
    for (Variable* known : names_) index_[known->name] = known;
  }
}

// ---- where the walk is ----

Scopes::Scopes(const modules::Module& module, ProgramNames& names)
    : module_(module), names_(names), globals_(names.modules[&module]), bindings_(names.bindings[&module]) {
  function_ = &names_.resolution.functions.emplace_back();
  function_->kind = FunctionInfo::Kind::Module;
  top_ = &open(Scope::Kind::Own);
}

Scope& Scopes::open(Scope::Kind kind, NodeId node) {
  scope_ = &scopes_.emplace_back(scope_, function_, kind, node);
  return *scope_;
}

FunctionInfo& Scopes::new_function(FunctionInfo::Kind kind) {
  auto& info = names_.resolution.functions.emplace_back();
  info.kind = kind;
  info.parent = function_;
  made_here(info);
  return info;
}

void Scopes::made_here(FunctionInfo& info) const {
  info.created_in = scope_;
  info.created_at = order_;
}

// ---- declaring ----

Variable& Scopes::new_local(std::string_view name, Span span, bool is_mutable) {
  auto& variable = names_.resolution.variables.emplace_back();
  variable.name = name;
  variable.span = span;
  variable.owner = function_;
  variable.number = function_->locals++;
  locals_.push_back(&variable);
  note(variable, is_mutable);
  return variable;
}

void Scopes::note(Variable& variable, bool is_mutable) {
  variable.assigned |= variable.declared;
  variable.is_mutable |= is_mutable;
  variable.declared = true;
  variable.declarations.push_back({scope_, ++order_, is_mutable});
  if (variable.word) variable.word->declarations.push_back(variable.declarations.back());
}

Variable* Scopes::declare(Name name, bool is_mutable) {
  if (name.empty() || name.text == "_") return nullptr;
  if (Variable* known = find_until_home(name.text)) {
    note(*known, is_mutable);
    return known;
  }
  if (at_top()) return declare_global(name, is_mutable);
  Variable& variable = new_local(name.text, name.span, is_mutable);
  scope_->home().add(variable);
  return &variable;
}

Variable* Scopes::find_until_home(std::string_view name) const {
  for (Scope* at = scope_;; at = at->parent) {
    if (Variable* known = at->find(name)) return known;
    if (!at->is_body()) return nullptr;
  }
}

Variable* Scopes::declare_global(Name name, bool is_mutable) {
  auto& slot = globals_[name.text];
  // A top-level declaration of the module was entered by declare_module; an imported name or a
  // variable of a top-level if body gets its own here.
  if (!slot || slot->module != &module_) slot = &new_global(names_, &module_, name, nullptr);
  note(*slot, is_mutable);
  if (scope_->is_body()) slot->in_body = true;
  return slot;
}

Variable* Scopes::declare_private(Name name, bool is_mutable) {
  if (name.empty() || name.text == "_") return nullptr;
  Variable& variable = new_local(name.text, name.span, is_mutable);
  scope_->add(variable);
  return &variable;
}

// ---- looking up ----

Scopes::Point Scopes::point_in(const FunctionInfo* owner) const {
  if (owner == function_) return {scope_, order_};
  const FunctionInfo* at = function_;
  while (at->parent != owner) at = at->parent;
  return {at->created_in, at->created_at};
}

// Whether code at this point is reached only after the declaration.
bool Scopes::has_run(const VariableDeclaration& declaration, Point point) {
  if (declaration.order > point.order) return false;
  for (const Scope* at = point.scope; at; at = at->parent) {
    if (at == declaration.body) return true;
    if (declaration.order > at->after && declaration.order <= at->until) return false;
  }
  return false;
}

bool Scopes::is_set_at(const Variable& variable, Point point) {
  // The last first: a name that many branches declare is mostly used right behind one of them.
  return std::any_of(variable.declarations.rbegin(), variable.declarations.rend(),
                     [&](const VariableDeclaration& declaration) { return has_run(declaration, point); });
}

Variable* Scopes::find_global(std::string_view name) const {
  auto global = globals_.find(name);
  if (global != globals_.end()) return global->second;
  for (Variable* predefined : names_.predefined) {
    if (predefined->name == name) return predefined;
  }
  return nullptr;
}

// `certain`: the last candidate is set if no other is, or says itself that it is not (a program variable).
Candidates Scopes::candidates(std::string_view name, bool& certain) const {
  Candidates out;
  certain = true;
  for (Scope* at = scope_; at; at = at->parent) {
    Variable* found = at->find(name);
    if (!found) continue;
    out.push_back(found);
    if (is_set_at(*found, point_in(at->function))) return out;
  }
  if (Variable* global = find_global(name)) out.push_back(global);
  else certain = false;
  return out;
}

Variable* Scopes::find(std::string_view name) const {
  for (Scope* at = scope_; at; at = at->parent) {
    if (Variable* found = at->find(name)) return found;
  }
  return find_global(name);
}

Variable* Scopes::use(const Node& node, std::string_view name) {
  bool certain;
  Candidates found = candidates(name, certain);
  if (found.empty()) return nullptr;
  for (Variable* variable : found) use(*variable);
  Variable* first = found.front();
  if (!certain) found.push_back(nullptr);
  if (found.size() > 1) names_.resolution.candidates[&node] = std::move(found);
  return first;
}

void Scopes::use(Variable& variable) {
  if (variable.kind == Variable::Kind::Global) {
    bool is_own = function_->kind == FunctionInfo::Kind::Module && variable.declared;
    if (!is_own || !is_set_at(variable, {scope_, order_})) variable.outside_use = true;
    return;
  }
  Point point = point_in(variable.owner);
  if (!is_set_at(variable, point)) hoist(variable);
  if (variable.owner == function_) return;
  uses_.push_back({function_, &variable});
  // Declared (again) after the closure was made: it must see the later value.
  if (variable.declarations.back().order > point.order) variable.assigned = true;
}

void Scopes::hoist(Variable& variable) {
  if (std::exchange(variable.hoisted, true)) return;
  bindings_.hoist(const_cast<Scope*>(variable.declarations.front().body)->home().node, variable);
}

// The last declaration that is certain to have run decides; those after it may have.
Scopes::Mutability Scopes::mutability_here(const Variable& variable) const {
  if (variable.declarations.size() < 2) return {variable.is_mutable, variable.is_mutable};
  Point point = point_in(variable.owner ? variable.owner : function_);
  Mutability found{false, true};
  for (auto at = variable.declarations.rbegin(); at != variable.declarations.rend(); ++at) {
    found.is_possible |= at->is_mutable;
    found.is_certain &= at->is_mutable;
    if (variable.owner == function_ && has_run(*at, point)) break;
  }
  return found;
}

// The word exists from the start of the scope. While it is unset, the first declaration rules.
void Scopes::ask_for_word(Variable& variable) {
  if (!variable.word) {
    bool is_global = variable.kind == Variable::Kind::Global;
    Variable& word = is_global ? new_global(names_, &module_, {variable.name, variable.span}, nullptr)
                               : names_.resolution.variables.emplace_back();
    word.name = variable.name;
    word.span = variable.span;
    word.owner = variable.owner;
    word.declared = word.assigned = word.is_mutable = true;
    word.declarations = variable.declarations;
    variable.word = &word;
    if (!is_global) {
      word.number = word.owner->locals++;
      locals_.push_back(&word);
      hoist(word);
    }
  }
  use(*variable.word);
}

bool Scopes::assign(const Node& node, Variable& first) {
  auto known = names_.resolution.candidates.find(&node);
  bool any = false;
  auto check = [&](Variable* variable) {
    if (!variable) return;
    variable->assigned = true;
    Mutability mutability = mutability_here(*variable);
    any |= mutability.is_possible;
    if (!mutability.is_possible || mutability.is_certain) return;
    ask_for_word(*variable);
    names_.resolution.asking_targets.insert(&node);
  };
  if (known == names_.resolution.candidates.end()) {
    check(&first);
    if (!any) names_.resolution.immutable_targets.insert(&node);  // whatever a later declaration says
  } else {
    for (Variable* variable : known->second) check(variable);
  }
  return any;
}

const Variable* Scopes::find_later(const Scope* from, const FunctionInfo* function, std::string_view name) {
  for (const Scope* at = from; at && at->function == function; at = at->parent) {
    if (const Variable* found = at->find(name)) return found;
  }
  return nullptr;
}

std::vector<Variable*> Scopes::use_locals() {
  std::vector<Variable*> out;
  std::unordered_set<std::string_view> seen;
  for (Scope* at = scope_; at && at->function == function_; at = at->parent) {
    for (Variable* variable : at->names()) {
      if (variable->kind != Variable::Kind::Local || variable->owner != function_) continue;
      if (!seen.insert(variable->name).second) continue;
      use(*variable);
      out.push_back(variable);
    }
  }
  return out;
}

std::vector<std::string_view> Scopes::visible_names(const Scope* from) const {
  std::vector<std::string_view> out;
  for (const Scope* at = from; at; at = at->parent) {
    for (Variable* variable : at->names()) out.push_back(variable->name);
  }
  // The table has no order. A file may have thousands of names, and mean thousands of others.
  if (sorted_globals_.size() != globals_.size()) {
    sorted_globals_.clear();
    for (auto& [name, variable] : globals_) sorted_globals_.push_back(name);
    std::sort(sorted_globals_.begin(), sorted_globals_.end());
  }
  out.insert(out.end(), sorted_globals_.begin(), sorted_globals_.end());
  return out;
}

// ---- when everything has been read ----

// Every function between the one that uses the variable and the one that owns it takes it along, except
// inside the function that the variable names: there it is the running closure.
void Scopes::capture(const Use& use) {
  Variable& variable = *use.variable;
  for (FunctionInfo* at = use.by; at && at != variable.owner; at = at->parent) {
    if (variable.names_function(at)) return;
    if (at->capture_index(&variable) < 0) at->captures.push_back(&variable);
  }
  variable.captured = true;
}

void Scopes::finish() {
  for (const Use& use : uses_) capture(use);
  // A struct holds its methods. One that uses the struct gets it in a cell, because cycles are found through those.
  for (Variable* variable : locals_) {
    bool is_struct = variable->declaration && variable->declaration->is(syntax::NodeKind::Struct);
    if (variable->captured && is_struct) variable->assigned = true;
  }
  // One cell for all declarations: made by the first, if that always runs, else at the start of the scope.
  for (Variable* variable : locals_) {
    if (!variable->in_cell()) continue;
    const VariableDeclaration& first = variable->declarations.front();
    bool first_rules = std::all_of(variable->declarations.begin(), variable->declarations.end(),
                                   [&](const VariableDeclaration& other) { return other.body->is_within(first.body); });
    // `var f = { ... f() ... }`: the closure takes the cell along before it is its value.
    bool in_own_value = variable->function && variable->function->capture_index(variable) >= 0;
    if (!first_rules || in_own_value) hoist(*variable);
  }
}

}  // namespace harn::compile
