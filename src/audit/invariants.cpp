#include "audit/invariants.h"

#include <set>

#include "audit/invariant_rules.h"
#include "base/fmt.h"
#include "syntax/tree.h"

namespace harn::audit {

using diag::Code;
using namespace syntax;

namespace {

constexpr size_t kMostWaypoints = 8;  // that are shown; the last ones say the most

class Invariants : public compile::Analysis {
 public:
  Invariants(const compile::ResolvedProgram& program, InvariantChoice choice)
      : program_(program), choice_(std::move(choice)) {}

  void inspect(const compile::ResolvedProgram&, const modules::Module& module, diag::Sink& sink) override {
    for (const Node* node : module.tree->items) {
      bool runs = node->is(NodeKind::Function) || node->is(NodeKind::Tool) || node->is(NodeKind::Pipeline);
      if (runs) handler(node->as<Declaration>(), module, sink);
    }
  }

 private:
  void handler(const Declaration& declaration, const modules::Module& module, diag::Sink& sink) {
    if (!choice_.handler.empty() && declaration.name.text != choice_.handler) return;
    for (const Attribute& attribute : declaration.attributes) {
      if (attribute.name.text != "invariant") continue;
      // Most programs have none, and must not pay for what is found out about all of their names.
      if (!callables_) callables_ = std::make_unique<Callables>(program_);
      const Body* body = callables_->body(declaration, module);
      if (body) check(attribute, *body, sink);
    }
  }

  void check(const Attribute& attribute, const Body& body, diag::Sink& sink) {
    InvariantRead read = read_invariant(attribute, *callables_);
    if (!choice_.name.empty() && read.name != choice_.name) return;
    if (choice_.checked) ++*choice_.checked;
    if (!read.rule) {
      auto report = sink.report(Code::BadInvariant, body.module->source, read.problem.span, read.problem.text);
      report.label("invariant[config]");
      if (!read.problem.help.empty()) report.help(read.problem.help);
      return;
    }
    std::set<std::pair<const Node*, std::string>> told;
    explore(body, *callables_, [&](const Reached& reached) {
      auto violation = reached.is_too_deep() ? too_deep() : read.rule->look(reached);
      if (!violation || !told.insert({reached.step().node, violation->text}).second) return;
      report(attribute, read.name, body, reached, *violation, sink);
    });
  }

  static std::optional<Violation> too_deep() {
    return Violation{"what is called here is nested too deep to be followed", "call it more directly"};
  }

  // At the call or assignment itself, wherever that is, with the attribute and the way there.
  static void report(const Attribute& attribute, std::string_view name, const Body& handler, const Reached& reached,
                     const Violation& violation, diag::Sink& sink) {
    const SourcePtr& source = reached.body().module->source;
    auto report = sink.report(Code::InvariantViolated, source, reached.step().span, name, violation.text);
    report.label(fmt::format("invariant[{}]", name));
    report.label(handler.module->source, attribute.span, fmt::format("promised by `{}`", handler.name));
    report.help(violation.help);
    report.help(fmt::format("the way there: {}", shown(reached.way(), source, reached.step().span)));
  }

  // "`deploy` begins (a.harn:3:1) -> the condition is false (a.harn:4:6) -> here (a.harn:7:3)"
  static std::string shown(std::vector<Waypoint> way, const SourcePtr& source, Span span) {
    std::string out;
    if (way.size() > kMostWaypoints) {
      out = fmt::format("{} -> ... -> ", shown(way[0]));
      way.erase(way.begin(), way.end() - (kMostWaypoints - 1));
    }
    for (const Waypoint& one : way) out += shown(one) + " -> ";
    return out + shown(Waypoint{source, span, "here"});
  }
  static std::string shown(const Waypoint& one) {
    Position at = one.source->position(one.span.start);
    return fmt::format("{} ({}:{}:{})", one.text, one.source->path(), at.line, at.column);
  }

  const compile::ResolvedProgram& program_;
  InvariantChoice choice_;
  std::unique_ptr<Callables> callables_;
};

}  // namespace

compile::MakeAnalysis check_invariants(InvariantChoice choice) {
  return [choice](const compile::ResolvedProgram& program) { return std::make_unique<Invariants>(program, choice); };
}

}  // namespace harn::audit
