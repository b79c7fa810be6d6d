// `request_approval("deploy")` as a statement: who approved, and what, is thrown away.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

void check(Pass& pass, const Node& node) {
  HumanCallKind which = node.as<HumanCall>().which;
  bool is_approval = which == HumanCallKind::RequestApproval || which == HumanCallKind::DualControl;
  if (!is_approval || !pass.is_dropped(pass.at())) return;
  pass.report(node.span, which == HumanCallKind::RequestApproval ? "request_approval" : "dual_control")
      .help("keep the record of the decision, or write `let _ = ...` to say that you do not need it");
}

constexpr NodeKind kKinds[] = {NodeKind::HumanCall};

}  // namespace

extern const Rule kUnhandledApprovalResult = {
    .name = "unhandled-approval-result",
    .code = diag::Code::DroppedApproval,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
