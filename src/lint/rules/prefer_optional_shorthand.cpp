// `string | nil` is `string?`.
#include "base/text.h"
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// What `?` can stand behind.
bool is_primary(const TypeNode& type) {
  return type.kind != TypeKind::Union && type.kind != TypeKind::Intersection && type.kind != TypeKind::Function &&
         type.kind != TypeKind::Optional;
}

bool is_nil_type(const TypeNode& type) { return type.kind == TypeKind::Named && type.name.text == "nil"; }

void check(Pass& pass, const TypeNode& type) {
  if (type.kind != TypeKind::Union || type.items.size() != 2) return;
  const TypeNode &first = *type.items[0], &second = *type.items[1];
  const TypeNode& other = is_nil_type(second) ? first : second;
  if (is_nil_type(first) == is_nil_type(second) || !is_primary(other)) return;
  // With the parentheses that are around it.
  Span rest = &other == &first ? Span{type.span.start, second.span.start} : Span{first.span.end, type.span.end};
  std::string_view inner = text::trim(pass.text(rest));
  if (&other == &first) inner = text::trim(inner.substr(0, inner.size() - 1));
  else inner = text::trim(inner.substr(1));
  std::string shorter = fmt::format("{}?", inner);
  auto report = pass.report(type.span, pass.text(type.span), shorter);
  if (!pass.has_comment(type.span)) report.fix({fmt::format("write `{}`", shorter), type.span, shorter, true});
}

}  // namespace

extern const Rule kPreferOptionalShorthand = {
    .name = "prefer-optional-shorthand",
    .code = diag::Code::OptionalShorthand,
    .type = check,
};

}  // namespace harn::lint
