#include "cli/cost_report.h"

#include <cmath>

#include "base/fmt.h"
#include "cli/json.h"
#include "modules/graph.h"

namespace harn::cli {

namespace {

struct Line {
  std::string_view name;
  const audit::Bound& bound;
  bool is_money = false;
};

std::vector<Line> lines_of(const audit::Cost& cost) {
  return {{"model_calls", cost.model_calls},
          {"tool_calls", cost.tool_calls},
          {"tokens", cost.tokens},
          {"usd", cost.usd, true}};
}

// Rounded up: it is a bound.
std::string amount(const Line& line) {
  double most = line.bound.most();
  if (!line.is_money) return fmt::format("{:.0f}", std::ceil(most));
  return fmt::format("{:.4f}", std::ceil(most * 10000) / 10000);
}

std::string value_text(const Line& line) {
  if (line.bound.is_known()) return fmt::format("at most {}{}", amount(line), line.is_money ? " USD" : "");
  const audit::Obstacle& why = line.bound.obstacle();
  Position at = why.source->position(why.span.start);
  return fmt::format("no bound: {} ({}:{}:{})", why.text, why.source->path(), at.line, at.column);
}

void write_bound(JsonWriter& json, const Line& line) {
  json.key(line.name).object();
  if (line.bound.is_known()) {
    json.key("most").raw(amount(line));
  } else {
    const audit::Obstacle& why = line.bound.obstacle();
    Position at = why.source->position(why.span.start);
    json.field("unknown", why.text).field("path", why.source->path());
    json.field("line", int64_t{at.line}).field("column", int64_t{at.column});
  }
  json.end();
}

}  // namespace

std::string cost_text(const std::vector<const audit::PipelineCost*>& costs) {
  std::string out;
  for (const audit::PipelineCost* one : costs) {
    std::string_view path = one->module->source->path();
    out += one->name.empty() ? fmt::format("{}\n", path) : fmt::format("{}: pipeline {}\n", path, one->name);
    for (const Line& line : lines_of(one->cost)) {
      constexpr std::string_view kShown[] = {"model calls", "tool calls", "tokens", "money"};
      std::string_view shown = line.name == "model_calls"  ? kShown[0]
                               : line.name == "tool_calls" ? kShown[1]
                               : line.name == "tokens"     ? kShown[2]
                                                           : kShown[3];
      out += fmt::format("  {:<12} {}\n", shown, value_text(line));
    }
  }
  return out;
}

std::string cost_json(const std::vector<const audit::PipelineCost*>& costs) {
  JsonWriter json;
  json.list();
  for (const audit::PipelineCost* one : costs) {
    Position at = one->module->source->position(one->span.start);
    json.object().field("path", one->module->source->path());
    if (!one->name.empty()) json.field("pipeline", one->name);
    json.field("line", int64_t{at.line});
    for (const Line& line : lines_of(one->cost)) write_bound(json, line);
    json.end();
  }
  return json.end().take();
}

}  // namespace harn::cli
