// Top-level names: what each module declares and what it imports.
#include <unordered_map>

#include "base/text.h"
#include "compile/resolver.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

ProgramNames::ProgramNames() {
  for (uint32_t i = 0; i < kPredefinedGlobals; ++i) {
    globals.emplace_back(kPredefinedNames[i]);
    auto& variable = resolution.variables.emplace_back();
    variable.name = kPredefinedNames[i];
    variable.kind = Variable::Kind::Global;
    variable.global = i;
    variable.declared = true;
    variable.outside_use = true;
    predefined[i] = &variable;
  }
}

Variable& new_global(ProgramNames& names, const modules::Module* module, Name name, const Node* declaration) {
  auto& variable = names.resolution.variables.emplace_back();
  variable.name = name.text;
  variable.span = name.span;
  variable.kind = Variable::Kind::Global;
  variable.global = static_cast<uint32_t>(names.globals.size());
  variable.declaration = declaration;
  variable.module = module;
  names.globals.emplace_back(name.text);
  return variable;
}

void declare_module(const modules::Module& module, ProgramNames& names) {
  auto& globals = names.modules[&module];
  auto declare = [&](Name name, const Node* declaration) {
    if (name.empty() || name.text == "_") return;
    auto& slot = globals[name.text];
    if (!slot) slot = &new_global(names, &module, name, declaration);
  };
  for (const Node* node : module.tree->items) {
    if (node->is(NodeKind::Let)) {
      for (const PatternField& field : node->as<Let>().pattern->fields) declare(field.binding, nullptr);
    } else if (node->is(NodeKind::Const)) {
      declare(node->as<Const>().name, nullptr);
    } else if (!node->is(NodeKind::Pipeline)) {
      bool is_pub = false;
      declare(modules::declared_name(*node, is_pub), node);
    }
  }
  // A pipeline can be called by its name unless something else has that name.
  for (const Node* node : module.tree->items) {
    if (node->is(NodeKind::Pipeline)) declare(node->as<Pipeline>().name, node);
  }
}

namespace {

class ImportBinder {
 public:
  ImportBinder(const modules::Module& module, ProgramNames& names, diag::Sink& sink)
      : module_(module), names_(names), sink_(sink), globals_(names.modules[&module]) {}

  void run() {
    for (const modules::Dependency& dependency : module_.imports) {
      if (!dependency.target) continue;
      if (dependency.import->selective) bind_listed(dependency);
      else bind_all(dependency);
    }
  }

 private:
  void bind_all(const modules::Dependency& dependency) {
    for (auto& [name, from] : dependency.target->exports) {
      bind(name, from, *dependency.import, dependency.import->path_span);
    }
  }

  void bind_listed(const modules::Dependency& dependency) {
    auto& exports = dependency.target->exports;
    for (const Name& imported : dependency.import->names) {
      auto found = exports.find(imported.text);
      if (found != exports.end()) {
        bind(found->first, found->second, *dependency.import, imported.span);
        continue;
      }
      if (dependency.target->unresolved_imports || dependency.target->doubts.names.contains(imported.text) ||
          dependency.target->doubts.any_name)
        continue;
      std::vector<std::string_view> offered;
      for (auto& [name, from] : exports) offered.push_back(name);
      auto report =
          sink_.report(Code::NotExported, module_.source, imported.span, dependency.import->path, imported.text);
      auto close = text::close_names(imported.text, offered);
      if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
    }
  }

  void bind(std::string_view name, const modules::Export& from, const Import& import, Span span) {
    auto& origin = names_.modules[from.origin];
    auto variable = origin.find(name);
    if (variable == origin.end()) return;
    auto [slot, fresh] = globals_.try_emplace(name, variable->second);
    if (fresh || !slot->second->module) {  // without a module: from an earlier input of a session
      slot->second = variable->second;
      from_[name] = &import;
      slot->second->outside_use = true;
      return;
    }
    if (slot->second == variable->second || slot->second->module == &module_) return;
    const Import* first = from_[name];
    if (first && first->is_pub && import.is_pub) return;  // told as a conflict of re-exports
    sink_.report(Code::ImportCollision, module_.source, span, name, first ? first->path : "", import.path)
        .help(fmt::format("import selectively: import {{ {} }} from \"{}\"", name, import.path));
  }

  const modules::Module& module_;
  ProgramNames& names_;
  diag::Sink& sink_;
  std::unordered_map<std::string_view, Variable*>& globals_;
  std::unordered_map<std::string_view, const Import*> from_;
};

}  // namespace

void bind_imports(const modules::Module& module, ProgramNames& names, diag::Sink& sink) {
  ImportBinder(module, names, sink).run();
}

}  // namespace harn::compile
