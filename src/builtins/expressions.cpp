#include "builtins/expressions.h"

#include <algorithm>
#include <optional>

#include "base/fmt.h"
#include "builtins/registry.h"
#include "compile/program.h"
#include "modules/graph.h"
#include "syntax/children.h"
#include "syntax/tree.h"
#include "vm/dict.h"
#include "vm/function.h"
#include "vm/ops.h"

namespace harn::builtins {

namespace {

using namespace syntax;
using vm::DictBuilder;
using vm::new_list;
using vm::text_value;
using vm::Value;

constexpr size_t kLongest = 10'000;

// What the text is, and whether it is one expression and nothing else. Then it is one between braces, too.
struct Parsed {
  std::unique_ptr<const Tree> tree;
  std::vector<std::string> names;  // identifiers, each once
  std::string problem;
};

// ---- plain data ----

// The value of literals, and of lists and dicts that are made of them; none for everything else.
std::optional<Value> plain_value(const Node* node) {
  switch (node->kind) {
    case NodeKind::NilLiteral: return Value();
    case NodeKind::BoolLiteral: return Value::boolean(node->as<BoolLiteral>().value);
    case NodeKind::IntLiteral: return Value::integer(node->as<IntLiteral>().value);
    case NodeKind::FloatLiteral: return Value::number(node->as<FloatLiteral>().value);
    case NodeKind::StringLiteral: return text_value(node->as<StringLiteral>().value);
    case NodeKind::ListLiteral: {
      auto list = new_list();
      for (const Node* item : node->as<ListLiteral>().items) {
        auto value = plain_value(item);
        if (!value) return std::nullopt;
        list->push(std::move(*value));
      }
      return list;
    }
    case NodeKind::DictLiteral: {
      DictBuilder dict;
      for (const DictEntry& entry : node->as<DictLiteral>().entries) {
        bool is_plain = entry.form == KeyForm::Bare || entry.form == KeyForm::Quoted;
        auto value = is_plain ? plain_value(entry.value) : std::nullopt;
        if (!value) return std::nullopt;
        dict.add(entry.key.text, std::move(*value));
      }
      return dict.done();
    }
    default: return std::nullopt;
  }
}

struct PlainPart {
  Span span;
  Value value;
};

// Plain data where any value may stand. What has another meaning as a literal (a pattern, a key, a type) is not come to.
void find_plain(const Node* node, std::vector<PlainPart>& found) {
  if (auto value = plain_value(node)) {
    found.push_back({node->span, std::move(*value)});
    return;
  }
  auto each = [&](NodeList nodes) {
    for (const Node* one : nodes) find_plain(one, found);
  };
  switch (node->kind) {
    case NodeKind::ListLiteral: return each(node->as<ListLiteral>().items);
    case NodeKind::DictLiteral:
      for (const DictEntry& entry : node->as<DictLiteral>().entries) {
        if (entry.form == KeyForm::Bare || entry.form == KeyForm::Quoted) find_plain(entry.value, found);
      }
      return;
    case NodeKind::Call: return each(node->as<Call>().args);
    case NodeKind::MethodCall:
      find_plain(node->as<MethodCall>().object, found);
      return each(node->as<MethodCall>().args);
    case NodeKind::Binary:
      find_plain(node->as<Binary>().left, found);
      return find_plain(node->as<Binary>().right, found);
    case NodeKind::Index:
      find_plain(node->as<Index>().object, found);
      return find_plain(node->as<Index>().index, found);
    case NodeKind::Member: return find_plain(node->as<Member>().object, found);
    default: return;
  }
}

void add_name(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

// What goes on when the expression has ended would be bound by no limit.
bool starts_tasks(const Node& node) {
  return node.is(NodeKind::Spawn) || node.is(NodeKind::Parallel) || node.is(NodeKind::Select) ||
         node.is(NodeKind::HumanCall);
}

Parsed parsed(std::string_view text) {
  auto refused = [](std::string problem) { return Parsed{nullptr, {}, std::move(problem)}; };
  if (text.size() > kLongest) return refused(fmt::format("the expression has more than {} characters", kLongest));
  diag::Sink sink;
  auto tree = parse(std::make_shared<SourceFile>("<expression>", std::string(text)), sink);
  if (tree->has_errors)
    return refused(sink.diagnostics().empty() ? "not an expression" : sink.diagnostics()[0].message);
  if (tree->items.size() != 1 || tree->items[0]->kind >= NodeKind::Let) {
    return refused("expected one expression, not statements or declarations");
  }
  Parsed out{nullptr, {}, ""};
  std::vector<const Node*> open{tree->items[0]};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (starts_tasks(*node)) return refused("an expression cannot start tasks or ask people");
    if (node->is(NodeKind::Identifier)) add_name(out.names, node->as<Identifier>().name);
    for_each_child(*node, [&](const Node& child) { open.push_back(&child); });
  }
  for (const std::string& name : out.names) {
    if (name.starts_with("__")) return refused(fmt::format("`{}` is not available here", name));
  }
  out.tree = std::move(tree);
  return out;
}

// The names that it may mention are its parameters, and so is the data in it.
std::string function_text(std::string expression, std::span<const std::string> params,
                          std::span<const PlainPart> parts) {
  std::string list;
  auto add = [&](std::string_view name) { list += fmt::format("{}{}", list.empty() ? "" : ", ", name); };
  for (const std::string& name : params) add(name);
  for (size_t i = 0; i < parts.size(); ++i) add(fmt::format("__value{}", i));
  for (size_t i = parts.size(); i-- > 0;)
    expression.replace(parts[i].span.start, parts[i].span.length(), fmt::format("(__value{})", i));
  return fmt::format("fn expression({}) {{\n{}\n}}\n", list, expression);
}

}  // namespace

Expression compile_expression(vm::Vm& vm, std::string_view text, std::span<const std::string_view> names) {
  Parsed what = parsed(text);
  auto refused = [](std::string problem) { return Expression{{}, {}, {}, std::move(problem)}; };
  if (!what.problem.empty()) return refused(std::move(what.problem));
  Expression out;
  for (std::string& name : what.names) {
    if (std::find(names.begin(), names.end(), name) != names.end()) out.names.push_back(std::move(name));
    else if (changes_runtime(name))
      return refused(fmt::format("`{}` changes what the program runs in, and is not available here", name));
  }
  // A part of the prelude like others, which is known by its text.
  std::vector<PlainPart> parts;
  find_plain(what.tree->items[0], parts);
  for (const PlainPart& one : parts) out.values.push_back(one.value);
  out.function = Value::unset();
  if (plain_value(what.tree->items[0])) return out;
  AddedPart part = add_prelude_part(function_text(std::string(text), out.names, parts));
  if (!part.problem.empty()) return refused(std::move(part.problem));
  std::string_view key = vm::intern(part.name + ":expression")->view();
  auto function = vm.prelude_function(key);
  if (!function) return refused("the expression cannot be loaded");
  out.function = Value::share(static_cast<vm::ClosureObject*>(*function));
  return out;
}

}  // namespace harn::builtins
