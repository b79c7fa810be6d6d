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

// What an argument may be; Words lists them.
enum class Takes : uint8_t { Anything, Text, Number, Words, Attempts, Name };

struct Argument {
  std::string_view attribute, name;
  Takes takes = Takes::Anything;
  std::string_view words = {};  // "a, b"
};

constexpr Argument kArguments[] = {
    {"persona", "triggers"},
    {"persona", "schedules"},
    {"persona", "tools"},
    {"persona", "autonomy", Takes::Text},
    {"persona", "budget"},
    {"persona", "handoffs"},
    {"persona", "context_packs"},
    {"persona", "evals"},
    {"persona", "receipts", Takes::Text},
    {"persona", "model"},
    {"persona", "owner", Takes::Text},
    {"persona", "name", Takes::Text},
    {"persona", "description", Takes::Text},
    {"step", "name", Takes::Text},
    {"step", "model", Takes::Text},
    {"step", "approval", Takes::Words, "required, optional"},
    {"step", "receipt", Takes::Words, "audit, none"},
    {"step", "error_boundary", Takes::Words, "fail, continue, escalate"},
    {"step", "retry", Takes::Attempts},
    {"step", "budget"},
    {"trigger", "id", Takes::Text},
    {"trigger", "provider", Takes::Text},
    {"trigger", "kind", Takes::Text},
    {"trigger", "event", Takes::Text},
    {"trigger", "when"},
    {"trigger", "schedule"},
    {"trigger", "budget"},
    {"handoff", "target", Takes::Text},
    {"handoff", "to", Takes::Text},
    {"handoff", "reason", Takes::Text},
    {"handoff", "schema"},
    {"handoff", "artifact"},
    {"budget", "daily_usd", Takes::Number},
    {"budget", "hourly_usd", Takes::Number},
    {"budget", "run_usd", Takes::Number},
    {"budget", "max_tokens", Takes::Number},
    {"budget", "frontier_escalations", Takes::Number},
    {"budget", "max_autonomous_decisions_per_hour", Takes::Number},
    {"budget", "max_autonomous_decisions_per_day", Takes::Number},
    {"budget", "on_exhausted", Takes::Text},
    {"budget", "on_budget_exhausted", Takes::Text},
    {"command", "name", Takes::Text},
    {"command", "description", Takes::Text},
    {"command", "hint", Takes::Text},
    {"deprecated", "since", Takes::Text},
    {"deprecated", "use", Takes::Text},
    {"natural_function", "ensures", Takes::Name},
    {"acp_tool", "name", Takes::Text},
    {"acp_tool", "kind", Takes::Words, "read, edit, delete, move, search, execute, think, fetch, other"},
    {"acp_tool", "side_effect_level", Takes::Words, "none, read, mutation, destructive"},
};

// Attributes whose arguments say what they are by a name.
constexpr std::string_view kNamed[] = {"acp_tool",   "acp_skill", "budget",  "command",
                                       "deprecated", "handoff",   "persona", "step"};

// Attributes that hand on what the table does not list.
constexpr std::string_view kOpen[] = {"acp_tool"};

bool is_text(const AttributeValue& value) {
  return value.kind == AttributeValueKind::String || value.kind == AttributeValueKind::Symbol;
}

bool is_number(const AttributeValue& value) {
  return (value.kind == AttributeValueKind::Int && value.integer >= 0) ||
         (value.kind == AttributeValueKind::Float && value.number >= 0);
}

bool is_word_of(std::string_view words, const AttributeValue& value) {
  if (!is_text(value)) return false;
  for (size_t at = 0; at < words.size();) {
    size_t end = std::min(words.find(", ", at), words.size());
    if (words.substr(at, end - at) == value.text) return true;
    at = end + 2;
  }
  return false;
}

// {max_attempts: 2}
bool is_attempts(const AttributeValue& value) {
  if (value.kind != AttributeValueKind::Dict || value.items.size() != 1) return false;
  return value.keys[0].text == "max_attempts" && value.items[0]->kind == AttributeValueKind::Int &&
         value.items[0]->integer >= 1;
}

// Empty when it fits; else what it should be.
std::string expected(const Argument& argument, const AttributeValue& value) {
  switch (argument.takes) {
    case Takes::Anything: return "";
    case Takes::Text: return is_text(value) ? "" : "a text or a name";
    case Takes::Number: return is_number(value) ? "" : "a number of 0 or more";
    case Takes::Words: return is_word_of(argument.words, value) ? "" : fmt::format("one of {}", argument.words);
    case Takes::Attempts: return is_attempts(value) ? "" : "{max_attempts: N} with N of 1 or more";
    case Takes::Name: return value.kind == AttributeValueKind::Symbol ? "" : "the name of a function";
  }
  return "";
}

void check_argument(std::string_view attribute, const AttributeArg& arg, const SourcePtr& source, diag::Sink& sink) {
  if (arg.name.empty()) {
    // What it is meant to hold would be held by nobody.
    if (attribute == "natural_function")
      sink.report(Code::BadAttributeArgument, source, arg.value->span, attribute, "its argument needs a name")
          .help("write `@natural_function(ensures: NAME)`");
    bool is_named = std::find(std::begin(kNamed), std::end(kNamed), attribute) != std::end(kNamed);
    if (is_named) {
      sink.report(Code::BadAttributeArgument, source, arg.value->span, attribute, "its arguments have names")
          .help("write `name: value`");
    }
    return;
  }
  std::vector<std::string_view> names;
  for (const Argument& argument : kArguments) {
    if (argument.attribute != attribute) continue;
    names.push_back(argument.name);
    if (argument.name != arg.name.text) continue;
    if (std::string wanted = expected(argument, *arg.value); !wanted.empty()) {
      sink.report(Code::BadAttributeArgument, source, arg.value->span, attribute,
                  fmt::format("`{}` must be {}", argument.name, wanted));
    }
    return;
  }
  bool is_open = std::find(std::begin(kOpen), std::end(kOpen), attribute) != std::end(kOpen);
  if (names.empty() || is_open) return;  // it says itself what it takes
  auto report = sink.report(Code::BadAttributeArgument, source, arg.name.span, attribute,
                            fmt::format("unknown argument `{}`", arg.name.text));
  auto close = text::close_names(arg.name.text, names, 1);
  if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
  else report.help(fmt::format("it takes {}", fmt::join(names, ", ")));
}

// `@complexity(allow)` is all there is.
void check_complexity(const Attribute& attribute, const SourcePtr& source, diag::Sink& sink) {
  if (attribute.name.text != "complexity") return;
  bool is_allow = attribute.args.size() == 1 && attribute.args[0].name.empty() &&
                  attribute.args[0].value->kind == AttributeValueKind::Symbol &&
                  attribute.args[0].value->text == "allow";
  if (is_allow) return;
  sink.report(Code::BadAttributeArgument, source, attribute.span, attribute.name.text, "it takes `allow`")
      .help("write `@complexity(allow)`");
}

void check_place(const Attribute& attribute, NodeKind on, const SourcePtr& source, diag::Sink& sink) {
  std::string_view name = attribute.name.text, only;
  if ((name == "test" || name == "command") && on != NodeKind::Pipeline) only = "pipeline";
  if (name == "complexity" && on != NodeKind::Function && on != NodeKind::Pipeline && on != NodeKind::Tool &&
      on != NodeKind::Impl) {
    only = "function, tool, or pipeline";
  }
  if ((name == "acp_tool" || name == "acp_skill") && on != NodeKind::Function) {
    sink.report(Code::MisplacedPromotion, source, attribute.span, name).label("not a function");
    return;
  }
  bool runs = on == NodeKind::Function || on == NodeKind::Tool || on == NodeKind::Pipeline;
  if (name == "invariant" && !runs) only = "function, tool, or pipeline";
  if (name == "natural_function" && !runs && on != NodeKind::Override) only = "function, tool, or pipeline";
  if (only.empty()) return;
  auto report = sink.report(Code::MisplacedAttribute, source, attribute.span, name, only);
  report.label("has no effect here");
  if (name == "test") report.help("write `pipeline` instead of `fn` to have `harn test` run it");
}

}  // namespace

std::span<const std::string_view> known_attributes() { return kKnown; }

const Attribute* find_attribute(const Declaration& declaration, std::string_view name) {
  for (const Attribute& attribute : declaration.attributes) {
    if (attribute.name.text == name) return &attribute;
  }
  return nullptr;
}

std::string_view name_by(const Declaration& declaration, std::string_view attribute) {
  const Attribute* found = find_attribute(declaration, attribute);
  for (const AttributeArg& arg : found ? found->args : List<AttributeArg>()) {
    if (arg.name.text == "name" && is_text(*arg.value)) return arg.value->text;
  }
  return declaration.name.text;
}

void check_attributes(const Node& node, const SourcePtr& source, diag::Sink& sink) {
  if (node.kind < NodeKind::Function || node.kind > NodeKind::Interface) return;
  if (node.is(NodeKind::Impl)) {
    for (const Function* method : node.as<Impl>().methods) check_attributes(*method, source, sink);
  }
  for (const Attribute& attribute : node.as<Declaration>().attributes) {
    check_place(attribute, node.kind, source, sink);
    check_complexity(attribute, source, sink);
    bool has_told = false;
    for (const AttributeArg& arg : attribute.args) {
      if (!has_told || !arg.name.empty()) check_argument(attribute.name.text, arg, source, sink);
      has_told = has_told || arg.name.empty();
    }
    if (std::find(std::begin(kKnown), std::end(kKnown), attribute.name.text) != std::end(kKnown)) continue;
    auto report = sink.report(Code::UnknownAttribute, source, attribute.name.span, attribute.name.text);
    auto close = text::close_names(attribute.name.text, kKnown);
    if (!close.empty()) report.help(fmt::format("did you mean `@{}`?", close[0]));
  }
}

}  // namespace harn::compile
