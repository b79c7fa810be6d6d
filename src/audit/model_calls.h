#pragma once

#include "audit/bound.h"
#include "audit/known_values.h"
#include "llm/catalog.h"

// What calls of models may cost, by their options.
namespace harn::audit {

// A call of a builtin that asks models.
struct ModelCall {
  std::string_view builtin;
  syntax::NodeList args;
  const Frame* frame = nullptr;
  SourcePtr source;
  Span span;
  // Options of the `cost_route` blocks around it, the innermost last.
  std::vector<Known> around;
};

bool asks_models(std::string_view builtin, const compile::Catalog& builtins);
// `handlers`: what one call of a tool may cost.
Cost cost_of_call(const ModelCall& call, const KnownValues& values, const llm::Catalog& catalog);

}  // namespace harn::audit
