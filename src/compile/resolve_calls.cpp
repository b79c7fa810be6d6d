#include <algorithm>

#include "base/text.h"
#include "compile/attributes.h"
#include "compile/resolve.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

bool Resolver::is_acquire(std::string_view name) const {
  auto builtin = catalog_.find(name);
  return builtin && has(builtin->flags, bytecode::BuiltinFlags::Acquires);
}

void Resolver::visit(const Call& node) {
  if (node.callee->is(NodeKind::Identifier)) {
    auto& callee = node.callee->as<Identifier>();
    identifier(callee, true);
    if (!bindings_.variable(callee) && block_ && is_acquire(callee.name)) {
      bindings_.note_acquire(*block_);
      note_cleanup();
    }
    check_arity(node, callee);
    note_template(node, callee);
    note_step(callee);
    note_step_hook(node, callee);
    check_deprecated(callee);
  } else {
    read(node.callee);
  }
  for (const TypeNode* argument : node.type_args) type(argument);
  for (const Node* arg : node.args) read(arg);
}

void Resolver::visit(const MethodCall& node) {
  if (!is_namespaced(*node.object, node.name.text)) read(node.object);
  for (const Node* arg : node.args) read(arg);
}

// `ns.name(...)` where no variable is called `ns`: a builtin with a dot in its name.
bool Resolver::is_namespaced(const Node& object, std::string_view name) const {
  if (!object.is(NodeKind::Identifier)) return false;
  auto& owner = object.as<Identifier>();
  if (scopes_.find(owner.name)) return false;
  return catalog_.find(fmt::format("{}.{}", owner.name, name)).has_value();
}

void Resolver::check_deprecated(const Identifier& callee) {
  const Variable* variable = bindings_.variable(callee);
  if (!variable || !variable->declaration || !variable->declaration->is(NodeKind::Function)) return;
  for (const Attribute& attribute : variable->declaration->as<Function>().attributes) {
    if (attribute.name.text != "deprecated") continue;
    std::string since, replacement;
    for (const AttributeArg& arg : attribute.args) {
      if (arg.name.text == "since") since = fmt::format(" (since {})", arg.value->text);
      if (arg.name.text == "use") replacement = std::string(arg.value->text);
    }
    auto report = sink_.report(Code::DeprecatedCall, module_.source, callee.span, callee.name, since);
    if (!replacement.empty()) report.help(fmt::format("use `{}` instead", replacement));
  }
}

void Resolver::note_template(const Call& node, const Identifier& callee) {
  if (bindings_.variable(callee) || node.args.empty() || !node.args[0]->is(NodeKind::StringLiteral)) return;
  auto builtin = catalog_.find(callee.name);
  if (!builtin || !has(builtin->flags, bytecode::BuiltinFlags::Template)) return;
  names_.resolution.templates.push_back({&module_, callee.name, &node.args[0]->as<StringLiteral>()});
}

// A step that a persona calls.
void Resolver::note_step(const Identifier& callee) {
  const Variable* variable = bindings_.variable(callee);
  if (!variable || !variable->declaration || !variable->declaration->is(NodeKind::Function)) return;
  const auto& declaration = variable->declaration->as<Declaration>();
  if (!find_attribute(declaration, "step")) return;
  for (const FunctionInfo* at = scopes_.function(); at; at = at->parent) {
    if (at->persona) names_.resolution.personas[at->persona].steps.insert(name_by(declaration, "step"));
  }
}

void Resolver::note_step_hook(const Call& node, const Identifier& callee) {
  bool is_one = callee.name == "register_step_hook" && !bindings_.variable(callee) && node.args.size() > 1;
  if (!is_one || !node.args[0]->is(NodeKind::StringLiteral) || !node.args[1]->is(NodeKind::StringLiteral)) return;
  names_.resolution.step_hooks.push_back(
      {&module_, &node.args[0]->as<StringLiteral>(), &node.args[1]->as<StringLiteral>()});
}

// An imported name is declared in the source of another module.
const SourcePtr& Resolver::source_of(const Variable& variable) const {
  const auto* module = static_cast<const modules::Module*>(variable.module);
  return module ? module->source : module_.source;
}

void Resolver::check_arity(const Call& node, const Identifier& callee) {
  bool has_spread =
      std::any_of(node.args.begin(), node.args.end(), [](const Node* arg) { return arg->is(NodeKind::Spread); });
  if (has_spread) return;
  size_t given = node.args.size();
  if (const Variable* variable = bindings_.variable(callee)) {
    const Node* declaration = variable->declaration;
    if (names_.resolution.candidates.contains(&callee)) return;
    if (!declaration || !declaration->is(NodeKind::Function) || variable->assigned) return;
    size_t most = 0, least = 0;
    for (const Param& param : declaration->as<Function>().params) {
      if (param.rest) most = SIZE_MAX;
      else if (most != SIZE_MAX) ++most;
      if (!param.rest && !param.default_value) ++least;
    }
    if (given >= least && given <= most) return;
    sink_.report(Code::WrongArgumentCount, module_.source, node.span, callee.name, text::argument_count(least, most), given)
        .label(source_of(*variable), variable->span, "declared here");
    return;
  }
  auto builtin = catalog_.find(callee.name);
  if (!builtin) return;
  const bytecode::Signature& signature = builtin->signature;
  size_t most = signature.most() == bytecode::Signature::kAnyNumber ? SIZE_MAX : signature.most();
  if (given >= signature.least() && given <= most) return;
  sink_
      .report(Code::BuiltinArgumentCount, module_.source, node.span, callee.name,
              text::argument_count(signature.least(), most), given)
      .help(signature.brief(callee.name));
}

}  // namespace harn::compile
