// `let {name, size} = entry` where `size` is never read. Also in loops and in the parts of match patterns.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_unused(Pass& pass, std::string_view name, const compile::Variable* variable) {
  return variable && !name.starts_with('_') && pass.uses().of(variable).reads == 0;
}

void say(diag::Report& report, bool can_go, Span name) {
  constexpr const char* kWhat = "write `_` to say that it is not needed";
  if (can_go) report.fix({kWhat, name, "_", true});
  else report.help(kWhat);
}

void check_fields(Pass& pass, const Pattern& pattern, bool is_pub) {
  if (pattern.kind == PatternKind::Name) return;
  for (const PatternField& field : pattern.fields) {
    const compile::Variable* variable = pass.variable(field);
    std::string_view name = field.binding.text;
    // `{a, ...rest}`: naming `a` keeps it out of the rest.
    bool keeps_out = !field.rest && pattern.kind == PatternKind::Dict && pattern.fields.back().rest;
    if (keeps_out || !is_unused(pass, name, variable)) continue;
    bool is_global = variable->kind == compile::Variable::Kind::Global;
    if (is_global && pass.is_exported(name, is_pub)) continue;
    auto report = pass.report(field.binding.span, name);
    if (pattern.kind == PatternKind::Dict && !field.rest) {
      report.help("leave it out");
      continue;
    }
    bool can_go = pass.uses().of(variable).writes == 0 && !pass.has_unknown_names() && !field.rest;
    say(report, can_go, field.binding.span);
  }
}

void check_parts(Pass& pass, const MatchPattern& pattern) {
  for (size_t i = 0; i < pattern.items.size(); ++i) {
    const MatchPattern& item = *pattern.items[i];
    bool binds = item.kind == MatchPatternKind::Bind;
    if (binds && is_unused(pass, item.name.text, pass.variable(item))) {
      auto report = pass.report(item.name.span, item.name.text);
      bool can_go = pass.uses().of(pass.variable(item)).writes == 0 && !pass.has_unknown_names();
      say(report, can_go && pattern.kind != MatchPatternKind::Dict, item.name.span);
    }
    check_parts(pass, item);
  }
}

void check(Pass& pass, const Node& node) {
  if (node.is(NodeKind::Let)) check_fields(pass, *node.as<Let>().pattern, node.as<Let>().is_pub);
  if (node.is(NodeKind::For)) check_fields(pass, *node.as<For>().pattern, false);
  if (!node.is(NodeKind::Match)) return;
  for (const MatchArm& arm : node.as<Match>().arms) check_parts(pass, *arm.pattern);
}

constexpr NodeKind kKinds[] = {NodeKind::Let, NodeKind::For, NodeKind::Match};

}  // namespace

extern const Rule kUnusedPatternBinding = {
    .name = "unused-pattern-binding",
    .code = diag::Code::UnusedBinding,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
