#include <algorithm>

#include "compile/attributes.h"
#include "compile/redeclare.h"
#include "compile/resolve.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

// Read when everything around it has been.
void Resolver::enter(FunctionInfo& info, List<Param> params, const Block& code) {
  // A piped `_` reaches into closures, except into those that have a `_` of their own.
  bool hides = std::any_of(params.begin(), params.end(), [](const Param& param) { return param.name.text == "_"; });
  waiting_.push_back({&info, params, &code, hides ? nullptr : placeholder_, loop_depth_ > 0, generics_});
}

// Parameters, then the body, in a function of their own.
void Resolver::read_function(const WaitingFunction& waiting) {
  placeholder_ = waiting.placeholder;
  generics_ = waiting.generics;
  barrier_ = waiting.in_loop ? Barrier::Function : Barrier::None;
  scopes_.in_function(*waiting.info, [&] {
    for (const Param& param : waiting.params) read_param(param);
    block(*waiting.body);
  });
  bool has_value = !waiting.info->has_yield && !waiting.body->statements.empty();
  if (has_value) check_escape(*waiting.body->statements.back(), *waiting.info);
}

void Resolver::read_param(const Param& param) {
  read(param.default_value);
  type(param.type);
  const Variable* known = param.name.text == "_" ? nullptr : scopes_.scope()->find(param.name.text);
  if (known) {
    sink_.report(Code::DuplicateParameter, module_.source, param.name.span, param.name.text)
        .label("listed again here")
        .label(module_.source, known->span, "first listed here");
  }
  Variable* variable = bindings_.bind(param, scopes_.declare_private(param.name, false));
  if (!variable) return;
  variable->is_parameter = true;
  variable->type = param.type;
}

void Resolver::visit(const Function& node) {
  check_members(node, module_.source, sink_);
  Variable* variable = bindings_.bind(node, scopes_.declare(node.name, false));
  if (variable && !variable->declaration) variable->declaration = &node;
  FunctionInfo& info = bindings_.bind_function(node, scopes_.new_function(FunctionInfo::Kind::Function));
  if (variable && !variable->function) variable->function = &info;
  info.is_stream = node.is_gen;
  info.returns_owned = is_owned(node.return_type);
  info.return_type = node.return_type;
  note_persona(node, info);
  note_natural(node, info);
  with_generics(node.generics, [&] { enter(node, info); });
}

// A run of a persona begins and ends with its function, however that is left.
void Resolver::note_persona(const Declaration& node, FunctionInfo& info) {
  if (!find_attribute(node, "persona")) return;
  info.persona = &node;
  names_.resolution.personas[&node].module = &module_;
  info.cleans_up = true;
}

void Resolver::enter(const Function& node, FunctionInfo& info) {
  type(node.return_type);
  where(node.where);
  enter(info, node.params, *node.body);
}

void Resolver::visit(const Pipeline& node) {
  if (!scopes_.at_top()) return report_misplaced(node, "a pipeline");
  FunctionInfo& info = bindings_.bind_function(node, scopes_.new_function(FunctionInfo::Kind::Pipeline));
  info.returns_owned = is_owned(node.return_type);
  info.return_type = node.return_type;
  note_persona(node, info);
  note_natural(node, info);
  type(node.return_type);
  const Block& body = *module_.pipelines.body_of(node);
  if (!node.extends.empty()) {
    check_redeclared(node.body->statements, module_.source, sink_);
    inherited_.insert(&body);
  }
  enter(info, node.params, body);
}

// Those of a pipeline that extends another have become functions (modules/extend.h).
void Resolver::visit(const Override& node) {
  if (!inherited_.contains(block_)) {
    sink_
        .report(Code::BadPipeline, module_.source, node.name.span,
                fmt::format("`override {}` is not in the body of a pipeline that extends another", node.name.text))
        .help("`pipeline child(task) extends parent { override NAME(...) { ... } }` replaces what the parent calls");
  }
  FunctionInfo& info = bindings_.bind_function(node, scopes_.new_function(FunctionInfo::Kind::Function));
  note_natural(node, info);
  enter(info, node.params, *node.body);
}

void Resolver::visit(const Tool& node) {
  type(node.return_type);
  read(node.description);
  FunctionInfo& info = bindings_.bind_function(node, scopes_.new_function(FunctionInfo::Kind::Tool));
  info.return_type = node.return_type;
  note_persona(node, info);
  note_natural(node, info);
  enter(info, node.params, *node.body);
  bindings_.bind(node, scopes_.declare(node.name, false));
}

void Resolver::visit(const Impl& node) {
  if (!bindings_.bind(node, scopes_.use(node, node.name.text))) {
    report_unknown(node.name.text, node.name.span, true, scopes_.scope());
  }
  // Methods know the type parameters of their struct.
  const Variable* owner = bindings_.variable(node);
  bool is_struct = owner && owner->declaration && owner->declaration->is(NodeKind::Struct);
  with_generics(is_struct ? owner->declaration->as<Struct>().generics : List<GenericParam>(), [&] {
    for (const Function* one : node.methods) method(*one);
  });
}

void Resolver::method(const Function& node) {
  bool takes_self = !node.params.empty() && node.params[0].name.text == "self";
  if (!takes_self && !node.name.empty()) {
    sink_.report(Code::MissingSelf, module_.source, node.name.span, node.name.text)
        .help("a method gets the struct it is called on as `self`");
  }
  FunctionInfo& info = bindings_.bind_function(node, scopes_.new_function(FunctionInfo::Kind::Function));
  info.is_stream = node.is_gen;
  info.returns_owned = is_owned(node.return_type);
  info.return_type = node.return_type;
  note_natural(node, info);
  with_generics(node.generics, [&] { enter(node, info); });
}

void Resolver::visit(const Closure& node) {
  FunctionInfo& info = bindings_.bind_function(node, scopes_.new_function(FunctionInfo::Kind::Closure));
  info.returns_owned = is_owned(node.return_type);
  info.return_type = node.return_type;
  info.natural = scopes_.function()->natural;
  type(node.return_type);
  enter(info, node.params, *node.body);
}

}  // namespace harn::compile
