#include "modules/extend.h"

#include <algorithm>

#include "base/text.h"

namespace harn::modules {

using namespace syntax;

namespace {

class Inheritance {
 public:
  Inheritance(const Tree& tree, diag::Sink& sink) : tree_(tree), sink_(sink) { out_.last_id = tree.last_id; }

  ExtendedPipelines run() {
    for (const Node* node : tree_.items) {
      if (!node->is(NodeKind::Pipeline)) continue;
      auto& pipeline = node->as<Pipeline>();
      if (pipeline.extends.empty()) continue;
      if (!report_circle(pipeline)) extend(pipeline);
    }
    return std::move(out_);
  }

 private:
  static const Pipeline* find(const Tree& tree, std::string_view name) {
    for (const Node* node : tree.items) {
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
      at = at->extends.empty() ? nullptr : find(tree_, at->extends.text);
      if (at != &pipeline) continue;
      bool first = std::all_of(seen.begin(), seen.end(),
                               [&](const Pipeline* other) { return other->span.start >= pipeline.span.start; });
      if (!first) return true;  // reported there
      bool itself = seen.size() == 1;
      sink_.report(diag::Code::BadPipeline, tree_.source, pipeline.extends.span,
                   itself ? fmt::format("pipeline `{}` extends itself", pipeline.name.text)
                          : fmt::format("pipelines extend each other in a circle: {}", way));
      return true;
    }
    return false;
  }

  static bool has_overrides(const Pipeline& pipeline) {
    return std::any_of(pipeline.body->statements.begin(), pipeline.body->statements.end(),
                       [](const Node* node) { return node->is(NodeKind::Override); });
  }

  void extend(const Pipeline& pipeline) {
    if (!find(tree_, pipeline.extends.text)) {
      report_unknown(pipeline);
      return;
    }
    if (!has_overrides(pipeline)) return;  // the child replaces the parent
    std::vector<const Node*> overrides, rest;
    // The child's own nodes are used; each ancestor's come from a copy of the tree, because a node
    // can belong to one function only.
    split(pipeline, overrides, rest);
    std::vector<std::string_view> seen = {pipeline.name.text};
    std::string_view parent_name = pipeline.extends.text;
    while (!parent_name.empty()) {
      if (std::find(seen.begin(), seen.end(), parent_name) != seen.end()) break;
      seen.push_back(parent_name);
      const Pipeline* parent = copy_of(parent_name);
      if (!parent) break;
      std::vector<const Node*> parent_overrides, parent_rest;
      split(*parent, parent_overrides, parent_rest);
      overrides.insert(overrides.begin(), parent_overrides.begin(), parent_overrides.end());
      rest.insert(rest.begin(), parent_rest.begin(), parent_rest.end());
      bool continues = !parent->extends.empty() && !parent_overrides.empty();
      parent_name = continues ? parent->extends.text : std::string_view();
    }
    overrides.insert(overrides.end(), rest.begin(), rest.end());
    auto* body = make<Block>(NodeKind::Block, pipeline.body->span);
    body->statements = out_.arena.copy(std::span<const Node* const>(overrides));
    out_.bodies[&pipeline] = body;
  }

  // Overrides become functions of the pipeline's body.
  void split(const Pipeline& pipeline, std::vector<const Node*>& overrides, std::vector<const Node*>& rest) {
    for (const Node* node : pipeline.body->statements) {
      if (!node->is(NodeKind::Override)) {
        rest.push_back(node);
        continue;
      }
      auto& override_node = node->as<Override>();
      auto* function = make<Function>(NodeKind::Function, node->span);
      function->name = override_node.name;
      function->params = override_node.params;
      function->body = override_node.body;
      overrides.push_back(function);
    }
  }

  const Pipeline* copy_of(std::string_view name) {
    diag::Sink quiet;
    out_.copies.push_back(syntax::parse(tree_.source, quiet, out_.last_id));
    out_.last_id = out_.copies.back()->last_id;
    return find(*out_.copies.back(), name);
  }

  template <class T>
  T* make(NodeKind kind, Span span) {
    T* node = out_.arena.make<T>();
    node->kind = kind;
    node->span = span;
    node->id = {++out_.last_id.number};
    return node;
  }

  void report_unknown(const Pipeline& pipeline) {
    std::vector<std::string_view> names;
    for (const Node* node : tree_.items) {
      if (node->is(NodeKind::Pipeline)) names.push_back(node->as<Pipeline>().name.text);
    }
    auto report = sink_.report(diag::Code::UnknownPipeline, tree_.source, pipeline.extends.span, pipeline.extends.text);
    auto close = text::close_names(pipeline.extends.text, names);
    if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
  }

  const Tree& tree_;
  diag::Sink& sink_;
  ExtendedPipelines out_;
};

}  // namespace

ExtendedPipelines extend_pipelines(const Tree& tree, diag::Sink& sink) { return Inheritance(tree, sink).run(); }

}  // namespace harn::modules
