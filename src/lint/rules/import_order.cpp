// Imports of the standard library first, then the others, by name. An import runs its module: where that can be noticed, a
// new order may change what a program does.
#include <algorithm>
#include <unordered_set>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

bool is_std(const Import& import) { return import.path.starts_with("std/"); }

bool is_before(const Import* a, const Import* b) {
  return std::pair(!is_std(*a), a->path) < std::pair(!is_std(*b), b->path);
}

// It does nothing when it runs but declare.
bool is_quiet_module(const modules::Module* module) {
  std::vector<const modules::Module*> open = {module};
  std::unordered_set<const modules::Module*> seen;
  while (!open.empty()) {
    const modules::Module* at = open.back();
    open.pop_back();
    if (!at) return false;
    if (at->embedded || !seen.insert(at).second) continue;
    for (const Node* item : at->tree->items) {
      if (item->kind < NodeKind::Function && !item->is(NodeKind::Const)) return false;
    }
    for (const modules::Dependency& dependency : at->imports) open.push_back(dependency.target);
  }
  return true;
}

void check_run(Pass& pass, std::vector<const Import*> imports) {
  if (std::is_sorted(imports.begin(), imports.end(), is_before)) return;
  auto wrong = std::is_sorted_until(imports.begin(), imports.end(), is_before);
  Span all{imports.front()->span.start, imports.back()->span.end};
  auto report = pass.report((*wrong)->span, (*wrong)->path);
  bool one_each = !pass.has_comment(all) && std::all_of(imports.begin(), imports.end(), [&](const Import* one) {
    return pass.is_alone_on_lines(one->span);
  });
  if (!one_each) return;
  bool is_safe = std::all_of(pass.module().imports.begin(), pass.module().imports.end(),
                             [](const modules::Dependency& one) { return is_quiet_module(one.target); });
  std::stable_sort(imports.begin(), imports.end(), is_before);
  std::string sorted;
  for (const Import* import : imports) sorted += (sorted.empty() ? "" : "\n") + std::string(pass.text(import->span));
  report.fix({"sort them", all, sorted, is_safe});
}

// Imports that stand together, without an empty line between them.
void check(Pass& pass) {
  std::vector<const Import*> run;
  auto finish = [&] {
    if (run.size() > 1) check_run(pass, run);
    run.clear();
  };
  for (const Node* item : pass.tree().items) {
    if (!item->is(NodeKind::Import)) {
      finish();
      continue;
    }
    auto& import = item->as<Import>();
    if (!run.empty() && pass.line(import.span.start) > pass.line(run.back()->span.end) + 1) finish();
    run.push_back(&import);
  }
  finish();
}

}  // namespace

extern const Rule kImportOrder = {
    .name = "import-order",
    .code = diag::Code::ImportOrder,
    .module = check,
};

}  // namespace harn::lint
