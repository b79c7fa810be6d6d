#pragma once

#include <string>
#include <vector>

#include "audit/cost.h"

// What `harn check --cost` prints.
namespace harn::cli {

// A block of lines for each pipeline: four bounds, or what keeps one from being known.
std::string cost_text(const std::vector<const audit::PipelineCost*>& costs);
// A JSON list: {path, pipeline, line, model_calls, tool_calls, tokens, usd}, each bound as {most} or {unknown, path, line, column}.
std::string cost_json(const std::vector<const audit::PipelineCost*>& costs);

}  // namespace harn::cli
