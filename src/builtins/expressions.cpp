#include "builtins/expressions.h"

#include <algorithm>

#include "base/fmt.h"
#include "builtins/registry.h"
#include "compile/program.h"
#include "modules/graph.h"
#include "syntax/children.h"
#include "syntax/tree.h"
#include "vm/function.h"

namespace harn::builtins {

namespace {

using namespace syntax;

constexpr size_t kLongest = 10'000;

// What the text is, and whether it is one expression and nothing else. Then it is one between braces, too.
struct Parsed {
  std::vector<std::string> names;  // identifiers, each once
  std::string problem;
};

void add_name(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

// What goes on when the expression has ended would be bound by no limit.
bool starts_tasks(const Node& node) {
  return node.is(NodeKind::Spawn) || node.is(NodeKind::Parallel) || node.is(NodeKind::Select) ||
         node.is(NodeKind::HumanCall);
}

Parsed parsed(std::string_view text) {
  Parsed out;
  if (text.size() > kLongest) return {{}, fmt::format("the expression has more than {} characters", kLongest)};
  diag::Sink sink;
  auto tree = parse(std::make_shared<SourceFile>("<expression>", std::string(text)), sink);
  if (tree->has_errors) return {{}, sink.diagnostics().empty() ? "not an expression" : sink.diagnostics()[0].message};
  if (tree->items.size() != 1 || tree->items[0]->kind >= NodeKind::Let) {
    return {{}, "expected one expression, not statements or declarations"};
  }
  std::vector<const Node*> open{tree->items[0]};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (starts_tasks(*node)) return {{}, "an expression cannot start tasks or ask people"};
    if (node->is(NodeKind::Identifier)) add_name(out.names, node->as<Identifier>().name);
    for_each_child(*node, [&](const Node& child) { open.push_back(&child); });
  }
  for (const std::string& name : out.names) {
    if (name.starts_with("__")) return {{}, fmt::format("`{}` is not available here", name)};
  }
  return out;
}

// The names that it may mention are its parameters.
std::string function_text(std::string_view expression, std::span<const std::string> params) {
  std::string list;
  for (const std::string& name : params) list += (list.empty() ? "" : ", ") + name;
  return fmt::format("fn expression({}) {{\n{}\n}}\n", list, expression);
}

}  // namespace

Expression compile_expression(vm::Vm& vm, std::string_view text, std::span<const std::string_view> names) {
  Parsed what = parsed(text);
  if (!what.problem.empty()) return {{}, {}, std::move(what.problem)};
  Expression out;
  for (std::string& name : what.names) {
    if (std::find(names.begin(), names.end(), name) != names.end()) out.names.push_back(std::move(name));
  }
  // A part of the prelude like others, which is known by its text.
  AddedPart part = add_prelude_part(function_text(text, out.names));
  if (!part.problem.empty()) return {{}, {}, std::move(part.problem)};
  std::string_view key = vm::intern(part.name + ":expression")->view();
  auto function = vm.prelude_function(key);
  if (!function) return {{}, {}, "the expression cannot be loaded"};
  out.function = vm::Value::share(static_cast<vm::ClosureObject*>(*function));
  return out;
}

}  // namespace harn::builtins
