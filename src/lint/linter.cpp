#include "lint/linter.h"

#include <array>
#include <unordered_set>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

class Linter : public compile::Analysis {
 public:
  Linter(SettingsOf settings, const compile::ResolvedProgram& program)
      : settings_(std::move(settings)), knowledge_(program) {
    for (const auto& [module, names] : program.names.modules) {
      for (const modules::Dependency& dependency : module->imports) {
        if (dependency.target != module) imported_.insert(dependency.target);
      }
    }
  }

  void inspect(const compile::ResolvedProgram&, const modules::Module& module, diag::Sink& sink) override {
    const Settings* settings = settings_(module);
    if (!settings) return;
    choose(*settings);
    diag::Sink found(diag::Sink::kAll);
    auto imported = imported_.contains(&module) ? Pass::Imported::Yes : Pass::Imported::No;
    Pass pass(knowledge_, module, imported, *settings, found);
    visit_nodes(pass);
    visit_types(pass);
    for (const Rule* rule : whole_) {
      pass.set_rule(*rule);
      rule->module(pass);
    }
    found.sort_by_place(0);
    sink.add_all(found);
  }

 private:
  static constexpr size_t kKinds = static_cast<size_t>(NodeKind::Broken) + 1;

  // Who wants to see what.
  void choose(const Settings& settings) {
    for (auto& list : by_kind_) list.clear();
    types_.clear();
    whole_.clear();
    for (const Rule* rule : rules()) {
      if (settings.is_disabled(rule->name)) continue;
      for (NodeKind kind : rule->kinds) by_kind_[static_cast<size_t>(kind)].push_back(rule);
      if (rule->type) types_.push_back(rule);
      if (rule->module) whole_.push_back(rule);
    }
  }

  void visit_nodes(Pass& pass) {
    for (pass.at_ = 0; pass.at_ < pass.nodes().size(); ++pass.at_) {
      const Node& node = *pass.nodes()[pass.at_].node;
      for (const Rule* rule : by_kind_[static_cast<size_t>(node.kind)]) {
        pass.set_rule(*rule);
        rule->node(pass, node);
      }
    }
    pass.at_ = 0;
  }

  void visit_types(Pass& pass) {
    for (const Rule* rule : types_) {
      pass.set_rule(*rule);
      for (const TypeNode* type : pass.places().types) rule->type(pass, *type);
    }
  }

  SettingsOf settings_;
  check::Knowledge knowledge_;
  std::unordered_set<const modules::Module*> imported_;
  std::array<std::vector<const Rule*>, kKinds> by_kind_;
  std::vector<const Rule*> types_, whole_;
};

compile::MakeAnalysis make_linter(SettingsOf settings) {
  return [settings](const compile::ResolvedProgram& program) { return std::make_unique<Linter>(settings, program); };
}

}  // namespace harn::lint
