// Names that are used: which variable they mean, and what is said about those that mean nothing.
#include "base/text.h"
#include "compile/foreign_names.h"
#include "compile/resolve.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

void Resolver::identifier(const Identifier& node, bool is_call) {
  if (node.name == "_" && placeholder_) {
    bindings_.bind(node, placeholder_);
    scopes_.use(*placeholder_);
    return;
  }
  if (bindings_.bind(node, scopes_.use(node, node.name)) || is_builtin(node.name)) return;
  if (is_call && overrides_.contains(node.name)) return;
  unknown_.push_back({&node, scopes_.scope(), scopes_.function(), is_call});
}

bool Resolver::is_builtin(std::string_view name) const {
  if (name.starts_with("__") && !options_.internal_names) return false;
  return catalog_.find(name).has_value() || catalog_.constant(name).has_value();
}

void Resolver::report_unknown(std::string_view name, Span span, bool is_call, const Scope* scope) {
  if (module_.unresolved_imports) return;
  std::string_view close = closest(name, scope);
  if (!is_call && !options_.unknown_variables) {
    if (!close.empty()) names_.resolution.hints[name.data()] = close;
    return;
  }
  auto report = sink_.report(is_call ? Code::UnknownCallTarget : Code::UnknownVariable, module_.source, span, name);
  if (close.empty()) {
    report.label(is_call ? "not a builtin, a declaration or an import" : "not found in this scope");
  } else {
    report.label("unknown name");
    report.help(fmt::format("did you mean `{}`?", close));
    report.fix({fmt::format("use `{}`", close), span, std::string(close), false});
  }
}

// What the writer of an unknown name most likely meant; may be empty.
std::string_view Resolver::closest(std::string_view name, const Scope* scope) const {
  if (std::string_view meant = meant_by(name); !meant.empty()) return meant;
  auto close = text::close_names(name, visible_names(scope));
  return close.empty() ? std::string_view() : close[0];
}

// The nearest first: a slip in the name of a local means that local rather than a builtin.
std::vector<std::string_view> Resolver::visible_names(const Scope* scope) const {
  std::vector<std::string_view> out = scopes_.visible_names(scope);
  for (std::string_view name : catalog_.names()) {
    if (!name.starts_with("__")) out.push_back(name);
  }
  return out;
}

// Only when a function has been read is it clear whether a name is declared further down.
void Resolver::report_unknown_names() {
  for (const UnknownName& unknown : unknown_) {
    const Identifier& node = *unknown.node;
    const Variable* later = Scopes::find_later(unknown.scope, unknown.function, node.name);
    if (!later) {
      report_unknown(node.name, node.span, unknown.is_call, unknown.scope);
      continue;
    }
    names_.resolution.early.insert(&node);
    if (!options_.unknown_variables) continue;
    sink_.report(Code::UnknownVariable, module_.source, node.span, node.name)
        .label("used before it is declared")
        .label(module_.source, later->span, "declared here");
  }
}

}  // namespace harn::compile
