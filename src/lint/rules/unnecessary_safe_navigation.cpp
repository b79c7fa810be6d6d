// `name?.upper()` where `name` is never nil.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

struct Link {
  const Node* object = nullptr;
  uint32_t end = 0;  // where what is looked up begins
};

Link optional_link(const Node& node) {
  switch (node.kind) {
    case NodeKind::Member: {
      auto& member = node.as<Member>();
      return member.optional ? Link{member.object, member.name.span.start} : Link{};
    }
    case NodeKind::MethodCall: {
      auto& call = node.as<MethodCall>();
      return call.optional ? Link{call.object, call.name.span.start} : Link{};
    }
    case NodeKind::Index: {
      auto& index = node.as<Index>();
      return index.optional ? Link{index.object, index.index->span.start} : Link{};
    }
    default: return {};
  }
}

void check(Pass& pass, const Node& node) {
  Link link = optional_link(node);
  if (!link.object) return;
  check::Trust trust = pass.facts().never_nil(*link.object);
  if (trust == check::Trust::None) return;
  // The object's span leaves out parentheses around it.
  size_t mark = pass.text().find('?', link.object->span.end);
  if (mark == std::string_view::npos || mark >= link.end) return;
  Span span{static_cast<uint32_t>(mark), static_cast<uint32_t>(mark + 1)};
  auto report = pass.report(span, pass.text(link.object->span));
  report.fix({"leave out the `?`", span, "", trust == check::Trust::Certain});
}

constexpr NodeKind kKinds[] = {NodeKind::Member, NodeKind::MethodCall, NodeKind::Index};

}  // namespace

extern const Rule kUnnecessarySafeNavigation = {
    .name = "unnecessary-safe-navigation",
    .code = diag::Code::NeedlessOptional,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
