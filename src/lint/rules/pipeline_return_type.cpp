// `pub pipeline review(task)` without `-> Type`: hosts and bridges cannot tell what they get.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

constexpr std::string_view kEntries[] = {"default", "main", "auto", "test"};

void check(Pass& pass, const Node& node) {
  auto& pipeline = node.as<Pipeline>();
  if (!pipeline.is_pub || pipeline.return_type || is_test(pipeline)) return;
  if (std::find(std::begin(kEntries), std::end(kEntries), pipeline.name.text) != std::end(kEntries)) return;
  pass.report(pipeline.name.span, pipeline.name.text).help("declare what it returns: `-> Type` behind the parameters");
}

constexpr NodeKind kKinds[] = {NodeKind::Pipeline};

}  // namespace

extern const Rule kPipelineReturnType = {
    .name = "pipeline-return-type",
    .code = diag::Code::PipelineReturnType,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
