#include "compile/redeclare.h"
#include "compile/resolve.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

void Resolver::visit(const DictLiteral& node) {
  check_dict_keys(node, module_.source, sink_);
  read_children(node);
}

void Resolver::visit(const StructLiteral& node) {
  if (!bindings_.bind(node, scopes_.use(node, node.name.text))) {
    report_unknown(node.name.text, node.name.span, true, scopes_.scope());
  }
  check_struct_fields(node, module_.source, sink_);
  read_children(node);
}

// Long chains lean left; a loop keeps them off the C++ stack.
void Resolver::visit(const Binary& node) {
  std::vector<const Binary*> chain = {&node};
  while (chain.back()->left->is(NodeKind::Binary)) chain.push_back(&chain.back()->left->as<Binary>());
  read(chain.back()->left);
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) read((*at)->right);
}

void Resolver::visit(const Pipe& node) {
  read(node.left);
  if (!node.has_placeholder) {
    if (!node.right->is(NodeKind::Identifier)) return read(node.right);
    identifier(node.right->as<Identifier>(), true);
    note_step(node.right->as<Identifier>());
    return;
  }
  Variable* variable = bindings_.bind(node, &scopes_.new_local("_", node.span, false));
  Variable* outer = std::exchange(placeholder_, variable);
  read(node.right);
  placeholder_ = outer;
}

void Resolver::visit(const Member& node) {
  if (!is_namespaced(*node.object, node.name.text)) read(node.object);
}

void Resolver::visit(const TryStar& node) {
  if (scopes_.function()->kind == FunctionInfo::Kind::Module) {
    sink_.report(Code::TryStarOutsideFunction, module_.source, node.span);
  }
  read(node.operand);
}

// ---- control flow ----

void Resolver::visit(const If& node) {
  for (const If* branch = &node;; branch = &branch->else_branch->as<If>()) {
    read(branch->condition);
    body(*branch->then_block);
    if (!branch->else_branch) return;
    if (!branch->else_branch->is(NodeKind::If)) return body(branch->else_branch->as<Block>());
  }
}

void Resolver::visit(const Try& node) {
  block(*node.body);
  if (node.has_catch) {
    scopes_.in_scope(node.id, [&] {
      type(node.error_type, TypeUse::Caught);
      bindings_.bind(node, scopes_.declare_private(node.error_name, true));
      block(*node.catch_block);
    });
  }
  if (!node.finally_block) return;
  note_cleanup();
  block(*node.finally_block);
}

void Resolver::visit(const Deadline& node) {
  note_cleanup();
  read_children(node);
}

void Resolver::visit(const Mutex& node) {
  note_cleanup();
  read_children(node);
}

void Resolver::visit(const Select& node) {
  for (const SelectCase& option : node.cases) {
    read(option.source);
    scopes_.in_scope(option.id, [&] {
      bindings_.bind(option, scopes_.declare_private(option.binding, true));
      block(*option.body);
    });
  }
}

void Resolver::visit(const CostRoute& node) {
  for (const DictEntry& entry : node.options) route_option(entry);
  block(*node.body);
}

// `fallback_strategy: cheapest_first` names a strategy, not a variable.
void Resolver::route_option(const DictEntry& entry) {
  bool is_name = entry.value && entry.value->is(NodeKind::Identifier);
  if (is_name && !scopes_.find(entry.value->as<Identifier>().name)) return;
  read(entry.value);
}

}  // namespace harn::compile
