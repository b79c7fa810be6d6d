// A pattern that an arm above has taken already.
#include <unordered_map>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  std::unordered_map<std::string_view, Span> seen;
  for (const MatchArm& arm : node.as<Match>().arms) {
    auto known = seen.find(pass.text(arm.pattern->span));
    if (known != seen.end()) {
      pass.report(arm.pattern->span).label(pass.source(), known->second, "it is matched here");
    } else if (!arm.guard) {
      seen.emplace(pass.text(arm.pattern->span), arm.pattern->span);
    }
  }
}

constexpr NodeKind kKinds[] = {NodeKind::Match};

}  // namespace

extern const Rule kDuplicateMatchArm = {
    .name = "duplicate-match-arm",
    .code = diag::Code::DuplicateArm,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
