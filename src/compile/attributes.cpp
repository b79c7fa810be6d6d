#include "compile/attributes.h"

#include <algorithm>

#include "base/text.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

namespace {

constexpr std::string_view kKnown[] = {"deprecated", "test",         "persona",          "step",       "trigger",
                                       "handoff",    "budget",       "command",          "complexity", "acp_tool",
                                       "acp_skill",  "invariant",    "natural_function", "effects",    "allocation",
                                       "errors",     "api_stability"};

void check_place(const Attribute& attribute, NodeKind on, const SourcePtr& source, diag::Sink& sink) {
  std::string_view name = attribute.name.text, only;
  if (name == "test" && on != NodeKind::Pipeline) only = "pipeline";
  if ((name == "acp_tool" || name == "acp_skill") && on != NodeKind::Function) only = "function";
  bool runs = on == NodeKind::Function || on == NodeKind::Tool || on == NodeKind::Pipeline;
  if (name == "invariant" && !runs) only = "function, tool, or pipeline";
  if (only.empty()) return;
  auto report = sink.report(Code::MisplacedAttribute, source, attribute.span, name, only);
  report.label("has no effect here");
  if (name == "test") report.help("write `pipeline` instead of `fn` to have `harn test` run it");
}

}  // namespace

void check_attributes(const Node& node, const SourcePtr& source, diag::Sink& sink) {
  if (node.kind < NodeKind::Function || node.kind > NodeKind::Interface) return;
  for (const Attribute& attribute : node.as<Declaration>().attributes) {
    check_place(attribute, node.kind, source, sink);
    if (std::find(std::begin(kKnown), std::end(kKnown), attribute.name.text) != std::end(kKnown)) continue;
    auto report = sink.report(Code::UnknownAttribute, source, attribute.name.span, attribute.name.text);
    auto close = text::close_names(attribute.name.text, kKnown);
    if (!close.empty()) report.help(fmt::format("did you mean `@{}`?", close[0]));
  }
}

}  // namespace harn::compile
