// Functions are `snake_case`; types are `PascalCase`.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check_function(Pass& pass, const Declaration& node, std::string_view what) {
  std::string_view name = node.name.text;
  if (name.empty() || is_snake_case(name)) return;
  pass.report(node.name.span, what, name, "snake_case").help(fmt::format("call it `{}`", snake_case(name)));
}

void check_type(Pass& pass, const Declaration& node, std::string_view what) {
  std::string_view name = node.name.text;
  if (name.empty() || is_pascal_case(name)) return;
  pass.report(node.name.span, what, name, "PascalCase").help(fmt::format("call it `{}`", pascal_case(name)));
}

void check(Pass& pass, const Node& node) {
  auto& declaration = node.as<Declaration>();
  switch (node.kind) {
    case NodeKind::Function: return check_function(pass, declaration, "function");
    case NodeKind::Struct: return check_type(pass, declaration, "struct");
    case NodeKind::Enum: return check_type(pass, declaration, "enum");
    case NodeKind::Interface: return check_type(pass, declaration, "interface");
    case NodeKind::TypeAlias: return check_type(pass, declaration, "type");
    default: return;
  }
}

constexpr NodeKind kKinds[] = {NodeKind::Function, NodeKind::Struct, NodeKind::Enum, NodeKind::Interface,
                               NodeKind::TypeAlias};

}  // namespace

extern const Rule kNamingConvention = {
    .name = "naming-convention",
    .code = diag::Code::NamingConvention,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
