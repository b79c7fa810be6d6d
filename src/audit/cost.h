#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/bound.h"
#include "compile/analysis.h"
#include "llm/catalog.h"

// What pipelines may cost at most, before they run: calls of models, calls of tools, tokens and money. A bound, never a guess:
// where something is not known, the loop or call that it depends on is named instead.
//
//   std::vector<audit::PipelineCost> costs;
//   compile::MakeAnalysis analyses[] = {audit::find_costs({.catalog = ..., .while_limit = ..., .costs = &costs})};
namespace harn::audit {

struct PipelineCost {
  const modules::Module* module = nullptr;
  std::string name;  // of the pipeline; empty: the code of a file without one
  Span span;
  Cost cost;
};

// What the project says that a module belongs to.
struct CostOptions {
  std::function<const llm::Catalog*(const modules::Module&)> catalog;  // null: what comes with Harn
  // How often a `while` may go round; 0: there is no limit.
  std::function<int64_t(const modules::Module&)> while_limit;
  // [check] max_cost, in US dollars; nothing: any.
  std::function<std::optional<double>(const modules::Module&)> max_cost;
  std::vector<PipelineCost>* costs = nullptr;  // may be null
};

compile::MakeAnalysis find_costs(CostOptions options);

}  // namespace harn::audit
