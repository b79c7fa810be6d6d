// Patterns: what they bind, and which variants they mean.
#include "base/text.h"
#include "compile/resolve.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

void Resolver::pattern(const Pattern& pattern, bool is_mutable, Declare how) {
  BoundNames bound;
  for (const PatternField& field : pattern.fields) {
    read(field.default_value);
    note_bound(bound, field.binding);
    bindings_.bind(field, how == Declare::Leaking ? scopes_.declare(field.binding, is_mutable)
                                                  : scopes_.declare_private(field.binding, is_mutable));
  }
}

void Resolver::note_bound(BoundNames& bound, const Name& name) {
  if (name.text.starts_with('_')) return;
  auto [known, fresh] = bound.try_emplace(name.text, name.span);
  if (fresh) return;
  sink_.report(Code::DuplicateBinding, module_.source, name.span, name.text)
      .label("bound again here")
      .label(module_.source, known->second, "first bound here")
      .help("give one of the two another name");
}

Variable* Resolver::declare_bound(const Name& name, BoundNames& bound) {
  note_bound(bound, name);
  return scopes_.declare_private(name, true);
}

// ---- match ----

void Resolver::visit(const Match& node) {
  read(node.subject);
  for (const MatchArm& arm : node.arms) {
    // The names a pattern binds belong to the arm; what the body declares leaks as usual.
    scopes_.in_body([&] {
      BoundNames bound;
      match_pattern(*arm.pattern, bound);
      read(arm.guard);
      body(*arm.body);
    });
  }
}

void Resolver::match_pattern(const MatchPattern& pattern, BoundNames& bound) {
  switch (pattern.kind) {
    case MatchPatternKind::Wildcard: return;
    case MatchPatternKind::Bind: return bind_pattern(pattern, bound);
    case MatchPatternKind::Value: return read(pattern.value);
    case MatchPatternKind::Variant:
      if (!pattern.value) bare_variant(pattern);
      else if (!qualified_variant(pattern)) return;
      return match_items(pattern, bound);
    case MatchPatternKind::List:
    case MatchPatternKind::Dict:
    case MatchPatternKind::Or: return match_items(pattern, bound);
  }
}

void Resolver::match_items(const MatchPattern& pattern, BoundNames& bound) {
  for (size_t i = 0; i < pattern.items.size(); ++i) {
    const MatchPattern& item = *pattern.items[i];
    bool is_key = pattern.kind == MatchPatternKind::Dict && item.span == pattern.keys[i].span;
    if (is_key) bindings_.bind(item, declare_bound(item.name, bound));  // `{name}`
    else match_pattern(item, bound);
  }
  if (pattern.has_rest) bindings_.bind(pattern, declare_bound(pattern.name, bound));
}

// A name binds, unless it is a variant.
void Resolver::bind_pattern(const MatchPattern& pattern, BoundNames& bound) {
  std::string_view name = pattern.name.text;
  if (name[0] >= 'A' && name[0] <= 'Z') {
    VisibleVariants visible = visible_variants();
    if (!visible.named(name, 0).empty()) return bare_variant(pattern);
    warn_binding(pattern, visible);
  } else if (const Variable* known = scopes_.find(name); known && known->is_const) {
    warn_binding(pattern, {});
  }
  bindings_.bind(pattern, declare_bound(pattern.name, bound));
}

// A constant, or a capitalised name that means something already, looks like a comparison, but matches
// anything.
void Resolver::warn_binding(const MatchPattern& pattern, const VisibleVariants& visible) {
  std::string_view name = pattern.name.text;
  auto close = text::close_names(name, visible.names());
  bool is_known = scopes_.find(name) != nullptr;
  if (!is_known && close.empty()) return;
  auto report = sink_.report(Code::PatternBinds, module_.source, pattern.span, name);
  report.label("matches every value");
  if (is_known) report.help(fmt::format("to compare, write `({})` in parentheses", name));
  else report.help(fmt::format("did you mean the variant `{}`?", close[0]));
}

// ---- variants ----

VisibleVariants Resolver::visible_variants() const {
  VisibleVariants out;
  auto add = [&](const Variable* variable) {
    if (variable->declaration && variable->declaration->is(NodeKind::Enum)) {
      out.add(variable->declaration->as<Enum>());
    }
  };
  for (const Scope* at = scopes_.scope(); at; at = at->parent) {
    for (Variable* variable : at->names()) add(variable);
  }
  for (auto& [name, variable] : names_.modules[&module_]) add(variable);
  out.add_result();
  return out;
}

// `Enum.Variant(...)`. False when it is not a variant pattern after all.
bool Resolver::qualified_variant(const MatchPattern& pattern) {
  auto& owner = pattern.value->as<Identifier>();
  const Variable* known = scopes_.find(owner.name);
  bool is_result = known && known == names_.predefined[kGlobalResult];
  if (!is_result) identifier(owner, false);
  const Node* declaration = known ? known->declaration : nullptr;
  if (!is_result && !(declaration && declaration->is(NodeKind::Enum))) {
    pattern_of_value(pattern);
    return false;
  }
  auto variants = variants_of(is_result ? nullptr : &declaration->as<Enum>());
  std::vector<std::string_view> offered;
  for (const VariantInfo& variant : variants) {
    if (variant.name == pattern.name.text) {
      take_variant(pattern, variant);
      return true;
    }
    offered.push_back(variant.name);
  }
  std::string_view name = is_result ? owner.name : declaration->as<Enum>().name.text;
  auto report = sink_.report(Code::UnknownVariant, module_.source, pattern.name.span, pattern.name.text, name);
  auto close = text::close_names(pattern.name.text, offered);
  if (close.empty()) return true;
  report.help(fmt::format("did you mean `{}`?", close[0]));
  report.fix({fmt::format("use `{}`", close[0]), pattern.name.span, std::string(close[0]), false});
  return true;
}

// `Thing.part` where Thing is no enum: compared with the value that it has.
void Resolver::pattern_of_value(const MatchPattern& pattern) {
  auto& owner = pattern.value->as<Identifier>();
  if (pattern.has_payload && bindings_.variable(owner)) {
    sink_.report(Code::BadMatchPattern, module_.source, pattern.span, fmt::format("`{}` is not an enum", owner.name));
  }
  auto* member = bindings_.arena().make<Member>();
  member->kind = NodeKind::Member;
  member->span = pattern.span;
  member->object = pattern.value;
  member->name = pattern.name;
  bindings_.bind_meaning(pattern, {MatchPatternKind::Value, nullptr, member});
}

// `Variant(...)` or `Variant`: the enum is the one in scope that has it.
void Resolver::bare_variant(const MatchPattern& pattern) {
  VisibleVariants visible = visible_variants();
  auto found = visible.named(pattern.name.text, pattern.items.size());
  if (found.size() == 1) return take_variant(pattern, found[0]);
  if (found.empty()) {
    auto report = sink_.report(Code::BadMatchPattern, module_.source, pattern.span,
                               fmt::format("`{}` is not a variant of an enum in scope", pattern.name.text));
    auto close = text::close_names(pattern.name.text, visible.names());
    if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
    else report.help("to compare with the value of an expression, put it in parentheses");
    return;
  }
  sink_
      .report(Code::BadMatchPattern, module_.source, pattern.span,
              fmt::format("`{}` is a variant of `{}` and of `{}`", pattern.name.text, found[0].owner, found[1].owner))
      .help(fmt::format("write `{}.{}` or `{}.{}`", found[0].owner, pattern.name.text, found[1].owner,
                        pattern.name.text));
}

void Resolver::take_variant(const MatchPattern& pattern, const VariantInfo& variant) {
  bindings_.bind_meaning(pattern, {MatchPatternKind::Variant, variant.type, nullptr});
  if (pattern.items.size() == variant.values) return;
  sink_.report(Code::PatternValueCount, module_.source, pattern.span, fmt::format("{}.{}", variant.owner, variant.name),
               text::plural(variant.values, "value"), pattern.items.size());
}

}  // namespace harn::compile
