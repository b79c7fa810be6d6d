// A struct, enum, interface or alias that others cannot see and nothing here names.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

std::string_view word_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Struct: return "struct";
    case NodeKind::Enum: return "enum";
    case NodeKind::Interface: return "interface";
    default: return "type";
  }
}

void check(Pass& pass, const Node& node) {
  auto& declaration = node.as<Declaration>();
  std::string_view name = declaration.name.text;
  if (name.starts_with('_') || !declaration.attributes.empty()) return;
  if (pass.uses().is_type_used(&node) || pass.uses().is_mentioned(name)) return;
  if (pass.is_statement(pass.at()) && !pass.parent() && pass.is_exported(name, declaration.is_pub)) return;
  pass.report(declaration.name.span, word_of(node.kind), name)
      .help("remove it, or mark it with `pub` if others are to use it");
}

constexpr NodeKind kKinds[] = {NodeKind::Struct, NodeKind::Enum, NodeKind::Interface, NodeKind::TypeAlias};

}  // namespace

extern const Rule kUnusedType = {
    .name = "unused-type",
    .code = diag::Code::UnusedType,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
