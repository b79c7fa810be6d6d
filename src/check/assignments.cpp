#include "check/assignments.h"

#include "compile/scope.h"
#include "syntax/children.h"
#include "syntax/tree.h"

namespace harn::check {

using namespace syntax;
using compile::Variable;

// More functions than this are not followed.
static constexpr size_t kMostFunctions = 500;

static bool is_function(const Node& node) {
  switch (node.kind) {
    case NodeKind::Closure:
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool: return true;
    default: return false;
  }
}

// The variable that an assignment changes, perhaps somewhere inside.
static const Variable* written(const Node& target, const compile::Bindings& bindings) {
  const Node* at = &target;
  while (at->is(NodeKind::Member) || at->is(NodeKind::Index)) {
    at = at->is(NodeKind::Member) ? at->as<Member>().object : at->as<Index>().object;
  }
  return at->is(NodeKind::Identifier) ? bindings.variable(*at) : nullptr;
}

// ---- what a module says ----

const Assignments::Facts& Assignments::of(const modules::Module& module) {
  auto [known, is_new] = modules_.try_emplace(&module);
  Facts& facts = known->second;
  if (!is_new) return facts;
  const compile::Bindings& bindings = program_.bindings(module);
  struct Open {
    const Node* node;
    const Node* function;
  };
  std::vector<Open> open;
  for (const Node* item : module.tree->items) open.push_back({item, nullptr});
  while (!open.empty()) {
    const Node *node = open.back().node, *function = open.back().function;
    open.pop_back();
    if (is_function(*node)) {
      facts.bodies.try_emplace(node);
      if (function) facts.bodies[function].runs.push_back({.function = node, .module = &module});
      function = node;
    } else {
      read(*node, {module, function ? bindings.function(*function) : nullptr, facts.bodies[function]}, facts);
    }
    for_each_child(*node, [&](const Node& child) { open.push_back({&child, function}); });
  }
  return facts;
}

void Assignments::read(const Node& node, const Site& site, Facts& facts) {
  const compile::Bindings& bindings = program_.bindings(site.module);
  auto note_assigned = [&](const Variable* variable) {
    bool is_global = variable->kind == Variable::Kind::Global;
    if (!is_global && !variable->captured) return;
    site.body.assigned.push_back(variable);
    if (is_global ? site.function != nullptr : site.function && site.function != variable->owner) {
      facts.shared.insert(variable);
    }
  };
  switch (node.kind) {
    case NodeKind::Let: {
      auto& let = node.as<Let>();
      for (const PatternField& field : let.pattern->fields) {
        const Variable* variable = bindings.variable(field);
        if (!variable) continue;
        if (!variable->assigned && let.value->is(NodeKind::Closure)) facts.closures[variable] = let.value;
        Values& values = facts.values[variable];
        values.is_declared = true;
        // Whoever imports it may assign it, too.
        bool is_open = let.is_pub && let.is_var;
        if (is_open) facts.shared.insert(variable);
        if (is_open || let.pattern->kind != PatternKind::Name) values.is_open = true;
        else values.nodes.push_back(&node);
      }
      break;
    }
    case NodeKind::Assign: {
      const Variable* variable = written(*node.as<Assign>().target, bindings);
      if (!variable) break;
      note_assigned(variable);
      if (node.as<Assign>().target->is(NodeKind::Identifier)) facts.values[variable].nodes.push_back(&node);
      break;
    }
    case NodeKind::Natural:
      for (const Node* output : node.as<Natural>().outputs) {
        const Variable* variable = bindings.variable(*output);
        if (!variable) continue;
        note_assigned(variable);
        facts.values[variable].is_open = true;
      }
      break;
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Pipe: read_call(node, site); break;
    default: break;
  }
}

// ---- calls ----

void Assignments::read_call(const Node& node, const Site& site) {
  Call call;
  NodeList args;
  const Node* piped = nullptr;
  if (node.is(NodeKind::Call)) {
    args = node.as<syntax::Call>().args;
    read_callee(*node.as<syntax::Call>().callee, site, call);
  } else if (node.is(NodeKind::MethodCall)) {
    args = node.as<MethodCall>().args;
    read_method(node.as<MethodCall>(), site, call);
  } else {
    auto& pipe = node.as<Pipe>();
    if (pipe.has_placeholder) return;  // an expression like any other
    piped = pipe.left;
    read_callee(*pipe.right, site, call);
  }
  site.body.runs.insert(site.body.runs.end(), call.callees.begin(), call.callees.end());
  for (const Node* arg : args) read_arg(*arg, site, call);
  if (piped) read_arg(*piped, site, call);
}

// Builtins that are handed no function and still call some: tools, hooks, handlers that were given before.
static bool calls_what_is_registered(const compile::BuiltinInfo& builtin) {
  return builtin.capability.starts_with("llm") || builtin.capability.starts_with("model");
}

static bool takes_function(std::string_view signature) {
  return signature.find("fn(") != signature.npos || signature.find("closure") != signature.npos;
}

void Assignments::read_callee(const Node& callee, const Site& site, Call& call) {
  if (callee.is(NodeKind::Closure)) {
    call.callees.push_back({.function = &callee, .module = &site.module});
    return;
  }
  if (!callee.is(NodeKind::Identifier)) {
    site.body.calls_anybody = true;
    return;
  }
  const Variable* variable = program_.bindings(site.module).variable(callee);
  if (!variable) {
    auto builtin = program_.catalog.find(callee.as<Identifier>().name);
    if (!builtin || calls_what_is_registered(*builtin)) site.body.calls_anybody = true;
    else call.takes_functions = takes_function(builtin->signature.text());
  } else if (variable->assigned) {
    site.body.calls_anybody = true;
  } else if (variable->is_parameter && variable->owner == site.function) {
    site.body.calls_parameters = true;
  } else {
    call.callees.push_back({.function = variable->declaration, .variable = variable, .module = &site.module});
  }
}

void Assignments::read_methods() {
  has_methods_ = true;
  for (auto& [module, bindings] : program_.names.bindings) {
    for (const Node* item : module->tree->items) {
      if (!item->is(NodeKind::Impl)) continue;
      for (const Function* method : item->as<Impl>().methods) {
        methods_[method->name.text].push_back({.function = method, .module = module});
      }
    }
  }
  for (const compile::MethodInfo& method : program_.catalog.methods()) {
    builtin_methods_[method.name] |= takes_function(method.signature.text());
  }
}

void Assignments::read_method(const MethodCall& node, const Site& site, Call& call) {
  if (!has_methods_) read_methods();
  auto methods = methods_.find(node.name.text);
  auto builtin = builtin_methods_.find(node.name.text);
  if (methods != methods_.end()) call.callees = methods->second;
  if (builtin != builtin_methods_.end()) call.takes_functions = builtin->second;
  if (methods != methods_.end() || builtin != builtin_methods_.end()) return;
  // A variant, or a function in a field.
  const Node& object = *node.object;
  const Variable* owner = object.is(NodeKind::Identifier) ? program_.bindings(site.module).variable(object) : nullptr;
  bool is_variant = owner && owner->declaration && owner->declaration->is(NodeKind::Enum);
  if (!is_variant) site.body.calls_anybody = true;
}

// What a function does that is handed over counts as done by whoever gets it.
void Assignments::read_arg(const Node& arg, const Site& site, const Call& call) {
  Callee what{.module = &site.module};
  switch (arg.kind) {
    case NodeKind::Closure: site.body.runs.push_back({.function = &arg, .module = &site.module}); return;
    case NodeKind::Spread: return read_arg(*arg.as<Spread>().operand, site, call);
    case NodeKind::NamedArgument: return read_arg(*arg.as<NamedArgument>().value, site, call);
    case NodeKind::DictLiteral:
      for (const DictEntry& entry : arg.as<DictLiteral>().entries) read_arg(*entry.value, site, call);
      return;
    case NodeKind::ListLiteral:
      for (const Node* item : arg.as<ListLiteral>().items) read_arg(*item, site, call);
      return;
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::StructLiteral:
    case NodeKind::Unary:
    case NodeKind::Range: return;
    case NodeKind::Identifier: {
      const Variable* variable = program_.bindings(site.module).variable(arg);
      if (!variable) return;  // a builtin
      if (!variable->assigned && variable->is_parameter && variable->owner == site.function) {
        site.body.calls_parameters |= call.takes_functions;
        site.body.passes.insert(site.body.passes.end(), call.callees.begin(), call.callees.end());
        return;
      }
      if (!variable->assigned) what = {.function = variable->declaration, .variable = variable, .module = &site.module};
      break;
    }
    default: break;
  }
  if (call.takes_functions) site.body.handed.push_back({what, {}});
  for (const Callee& callee : call.callees) site.body.handed.push_back({what, callee});
}

// ---- what a function may change ----

static const modules::Module& home(const Variable* variable, const modules::Module& otherwise) {
  bool is_global = variable && variable->kind == Variable::Kind::Global && variable->module;
  return is_global ? *static_cast<const modules::Module*>(variable->module) : otherwise;
}

const Assignments::Body* Assignments::body_of(const Callee& callee) {
  const modules::Module& module = home(callee.variable, *callee.module);
  if (module.embedded) return nullptr;
  const Facts& facts = of(module);
  const Node* function = callee.function;
  if (!function && callee.variable) {
    auto closure = facts.closures.find(callee.variable);
    if (closure != facts.closures.end()) function = closure->second;
  }
  auto body = function ? facts.bodies.find(function) : facts.bodies.end();
  return body == facts.bodies.end() ? nullptr : &body->second;
}

// Has no body that matters: functions of the library, types that are called to make a value.
bool Assignments::is_harmless(const Callee& callee) const {
  if (home(callee.variable, *callee.module).embedded) return true;
  return callee.function && !is_function(*callee.function);
}

bool Assignments::calls_parameters(const Callee& callee) {
  std::vector<Callee> open = {callee};
  std::unordered_set<const Body*> seen;
  while (!open.empty()) {
    Callee next = open.back();
    open.pop_back();
    const Body* body = body_of(next);
    if (!body && is_harmless(next)) continue;
    if (!body || body->calls_parameters || seen.size() > kMostFunctions) return true;
    if (seen.insert(body).second) open.insert(open.end(), body->passes.begin(), body->passes.end());
  }
  return false;
}

// A function of the program has no part in the locals of others: what closures in it change is its own.
bool Assignments::is_apart(const Callee& callee) {
  return callee.variable && callee.variable->kind == Variable::Kind::Global;
}

// Adds what one function does itself, and whom it calls to `next`.
void Assignments::follow(const Body& body, bool is_apart, std::vector<Callee>& next, Change& change) {
  for (const Variable* variable : body.assigned) {
    if (!is_apart || variable->kind == Variable::Kind::Global) change.variables.insert(variable);
  }
  change.anything = change.anything || body.calls_anybody;
  next.insert(next.end(), body.runs.begin(), body.runs.end());
  for (const Handed& handed : body.handed) {
    if (change.anything) return;
    if (body_of(handed.what)) next.push_back(handed.what);
    else change.anything = !handed.to.module || calls_parameters(handed.to);
  }
}

const Change& Assignments::change_of(const Callee& callee) {
  const Body* root = body_of(callee);
  if (!root) return is_harmless(callee) ? nothing_ : anything_;
  auto [known, is_new] = changes_.try_emplace(root);
  Change& change = known->second;
  if (!is_new) return change;
  // Functions of the program, with what is in them, and closures around here: of the first only globals matter.
  std::vector<Callee> open[2];
  std::unordered_set<const Body*> seen[2];
  bool is_root_apart = is_apart(callee);
  seen[is_root_apart].insert(root);
  follow(*root, is_root_apart, open[is_root_apart], change);
  while (!change.anything && !(open[0].empty() && open[1].empty())) {
    bool apart = open[0].empty();
    Callee next = open[apart].back();
    open[apart].pop_back();
    apart = apart || is_apart(next);
    const Body* body = body_of(next);
    if (!body) {
      change.anything = !is_harmless(next);
      continue;
    }
    auto done = apart ? changes_.find(body) : changes_.end();
    if (done != changes_.end() && body != root && is_apart(next)) {
      change.anything = done->second.anything;
      change.variables.insert(done->second.variables.begin(), done->second.variables.end());
    } else if (seen[apart].insert(body).second) {
      follow(*body, apart, open[apart], change);
    }
    change.anything = change.anything || seen[0].size() + seen[1].size() > kMostFunctions;
  }
  return change;
}

std::vector<const Change*> Assignments::of_call(const Node& call, const modules::Module& module) {
  of(module);
  // As if a function of its own did only this.
  Body site;
  read_call(call, {module, nullptr, site});
  std::vector<Callee> callees;
  Change own;
  follow(site, false, callees, own);
  if (own.anything) return {&anything_};
  std::vector<const Change*> out;
  for (const Callee& callee : callees) out.push_back(&change_of(callee));
  return out;
}

// ---- variables ----

const std::vector<const Node*>* Assignments::values(const Variable& variable, const modules::Module& module) {
  if (variable.kind == Variable::Kind::Global && variable.module != &module) return nullptr;
  const Facts& facts = of(module);
  auto found = facts.values.find(&variable);
  if (found == facts.values.end() || !found->second.is_declared || found->second.is_open) return nullptr;
  return &found->second.nodes;
}

bool Assignments::is_shared(const Variable& variable, const modules::Module& module) {
  if (!variable.assigned) return false;
  bool is_global = variable.kind == Variable::Kind::Global;
  if (is_global ? !variable.outside_use : !variable.captured) return false;
  if (is_global && variable.module != &module) return true;
  return of(module).shared.contains(&variable);
}

}  // namespace harn::check
