#include "compile/inherit.h"

#include <algorithm>

#include "base/text.h"
#include "compile/redeclare.h"

namespace harn::compile {

using namespace syntax;

namespace {

class Inheritance {
 public:
  Inheritance(modules::Module& module, diag::Sink& sink) : module_(module), sink_(sink) {}

  void run() {
    for (Node* node : module_.tree->items) {
      if (!node->is(NodeKind::Pipeline)) continue;
      auto& pipeline = node->as<Pipeline>();
      if (pipeline.extends.empty()) continue;
      check_redeclared(pipeline.body->statements, module_.source, sink_);
      if (!report_circle(pipeline)) extend(pipeline);
    }
  }

 private:
  static Pipeline* find(const Tree& tree, std::string_view name) {
    for (Node* node : tree.items) {
      if (node->is(NodeKind::Pipeline) && node->as<Pipeline>().name.text == name) {
        return &node->as<Pipeline>();
      }
    }
    return nullptr;
  }

  // True when following `extends` leads back to the pipeline.
  bool report_circle(const Pipeline& pipeline) {
    std::string way = fmt::format("`{}`", pipeline.name.text);
    std::vector<const Pipeline*> seen;
    for (const Pipeline* at = &pipeline; at && std::find(seen.begin(), seen.end(), at) == seen.end();) {
      seen.push_back(at);
      way += fmt::format(" extends `{}`", at->extends.text);
      at = at->extends.empty() ? nullptr : find(*module_.tree, at->extends.text);
      if (at != &pipeline) continue;
      bool first = std::all_of(seen.begin(), seen.end(),
                               [&](const Pipeline* other) { return other->span.start >= pipeline.span.start; });
      if (!first) return true;  // reported there
      bool itself = seen.size() == 1;
      sink_.report(diag::Code::BadPipeline, module_.source, pipeline.extends.span,
                   itself ? fmt::format("pipeline `{}` extends itself", pipeline.name.text)
                          : fmt::format("pipelines extend each other in a circle: {}", way));
      return true;
    }
    return false;
  }

  static bool has_overrides(const Pipeline& pipeline) {
    return std::any_of(pipeline.body->statements.begin(), pipeline.body->statements.end(),
                       [](Node* node) { return node->is(NodeKind::Override); });
  }

  void extend(Pipeline& pipeline) {
    if (!find(*module_.tree, pipeline.extends.text)) {
      report_unknown(pipeline);
      return;
    }
    if (!has_overrides(pipeline)) return;  // the child replaces the parent
    std::vector<Node*> overrides, rest;
    // The child's own nodes are used; each ancestor's come from a copy of the tree, because a node
    // can belong to one function only.
    split(pipeline, overrides, rest);
    std::vector<std::string_view> seen = {pipeline.name.text};
    std::string_view parent_name = pipeline.extends.text;
    while (!parent_name.empty()) {
      if (std::find(seen.begin(), seen.end(), parent_name) != seen.end()) break;
      seen.push_back(parent_name);
      Pipeline* parent = copy_of(parent_name);
      if (!parent) break;
      std::vector<Node*> parent_overrides, parent_rest;
      split(*parent, parent_overrides, parent_rest);
      overrides.insert(overrides.begin(), parent_overrides.begin(), parent_overrides.end());
      rest.insert(rest.begin(), parent_rest.begin(), parent_rest.end());
      bool continues = !parent->extends.empty() && !parent_overrides.empty();
      parent_name = continues ? parent->extends.text : std::string_view();
    }
    overrides.insert(overrides.end(), rest.begin(), rest.end());
    pipeline.body->statements = module_.tree->arena.copy(std::span<Node* const>(overrides));
  }

  // Overrides become functions of the pipeline's body.
  void split(Pipeline& pipeline, std::vector<Node*>& overrides, std::vector<Node*>& rest) {
    for (Node* node : pipeline.body->statements) {
      if (!node->is(NodeKind::Override)) {
        rest.push_back(node);
        continue;
      }
      auto& override_node = node->as<Override>();
      auto* function = module_.tree->arena.make<Function>();
      function->kind = NodeKind::Function;
      function->span = node->span;
      function->name = override_node.name;
      function->params = override_node.params;
      function->body = override_node.body;
      overrides.push_back(function);
    }
  }

  Pipeline* copy_of(std::string_view name) {
    diag::Sink quiet;
    module_.copies.push_back(syntax::parse(module_.source, quiet));
    return find(*module_.copies.back(), name);
  }

  void report_unknown(Pipeline& pipeline) {
    std::vector<std::string_view> names;
    for (Node* node : module_.tree->items) {
      if (node->is(NodeKind::Pipeline)) names.push_back(node->as<Pipeline>().name.text);
    }
    auto report =
        sink_.report(diag::Code::UnknownPipeline, module_.source, pipeline.extends.span, pipeline.extends.text);
    auto close = text::close_names(pipeline.extends.text, names);
    if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
  }

  modules::Module& module_;
  diag::Sink& sink_;
};

}  // namespace

void apply_inheritance(modules::Module& module, diag::Sink& sink) { Inheritance(module, sink).run(); }

}  // namespace harn::compile
