#include "templates/check.h"

#include <algorithm>

#include "templates/filters.h"

namespace harn::templates {

namespace {

class Look {
 public:
  explicit Look(const Template& tree) : tree_(tree) {}

  Findings run() {
    for (const std::vector<Node>& body : tree_.bodies) {
      for (const Node& node : body) {
        place_ = node.place;
        std::visit([&](auto& what) { look(what); }, node.what);
      }
    }
    return std::move(findings_);
  }

 private:
  // ---- nodes ----

  void look(const Text&) {}
  void look(const Bare&) {}
  void look(const Interpolation& node) { expression(node.value); }
  void look(const If& node) {
    for (const If::Branch& branch : node.branches) {
      branch_ = {place_};
      expression(branch.condition);
      if (branch_.asks_capability || branch_.asks_provider) findings_.branches.push_back(branch_);
    }
    branch_ = {};
  }
  void look(const For& node) { expression(node.items); }
  void look(const Include& node) {
    expression(node.path);
    for (auto& [name, value] : node.bindings) expression(value);
    auto* literal = std::get_if<Literal>(&tree_.expr(node.path));
    auto* path = literal ? std::get_if<std::string>(&literal->value) : nullptr;
    if (path) findings_.inclusions.push_back({place_, *path});
  }

  // ---- expressions; the parser bounds how deep they are ----

  void expression(ExprId id) {
    std::visit([&](auto& expr) { look_into(expr); }, tree_.expr(id));
  }
  void look_into(const Literal&) {}
  void look_into(const Path& path) { branch_.asks_capability |= names_capability(path); }
  void look_into(const Not& expr) { expression(expr.operand); }
  void look_into(const Choice& expr) {
    for (ExprId operand : expr.operands) expression(operand);
  }
  void look_into(const Compare& expr) {
    expression(expr.left);
    expression(expr.right);
    bool is_equality = expr.op == Comparison::Equal || expr.op == Comparison::NotEqual;
    if (is_equality && (is_provider(expr.left, expr.right) || is_provider(expr.right, expr.left))) {
      branch_.asks_provider = true;
    }
  }
  void look_into(const Filtered& expr) {
    expression(expr.input);
    for (const Filtered::Step& step : expr.steps) {
      if (auto filter = filter_of(step); !filter) findings_.filters.push_back({place_, filter.error()});
      for (ExprId arg : step.args) expression(arg);
    }
  }

  // ---- what branches ask ----

  static bool is_capability(std::string_view name) { return name == "capabilities" || name.starts_with("supports_"); }

  static bool names_capability(const Path& path) {
    if (is_capability(path.root)) return true;
    return std::any_of(path.steps.begin(), path.steps.end(), [](const auto& step) {
      auto* name = std::get_if<std::string>(&step);
      return name && is_capability(*name);
    });
  }

  // `llm.provider == "acme"`
  bool is_provider(ExprId path_id, ExprId other_id) const {
    auto* path = std::get_if<Path>(&tree_.expr(path_id));
    auto* literal = std::get_if<Literal>(&tree_.expr(other_id));
    if (!path || !literal || !std::get_if<std::string>(&literal->value)) return false;
    auto* last = path->steps.empty() ? nullptr : std::get_if<std::string>(&path->steps.back());
    std::string_view name = path->steps.empty() ? std::string_view(path->root) : last ? *last : std::string_view();
    return name == "provider" || name == "provider_id" || name == "provider_name";
  }

  const Template& tree_;
  Findings::Branch branch_;
  Place place_;
  Findings findings_;
};

}  // namespace

Findings look_through(const Template& tree) { return Look(tree).run(); }

}  // namespace harn::templates
