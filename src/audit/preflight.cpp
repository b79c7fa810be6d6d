#include "audit/preflight.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "syntax/children.h"
#include "syntax/tree.h"

namespace harn::audit {

using diag::Code;
using namespace syntax;

namespace {

// As tool_define has them (std/prelude/tools.harn).
constexpr std::string_view kExecutors[] = {"harn", "harn_builtin", "host_bridge", "mcp_server", "provider_native"};
constexpr std::string_view kBuiltIn[] = {"read_file", "list_directory", "emit_plan", "update_plan"};

class Preflight : public compile::Analysis {
 public:
  explicit Preflight(PreflightOptions options) : options_(std::move(options)) {}

  void inspect(const compile::ResolvedProgram& program, const modules::Module& module, diag::Sink& sink) override {
    std::vector<const Node*> open(module.tree->items.begin(), module.tree->items.end());
    while (!open.empty()) {
      const Node* at = open.back();
      open.pop_back();
      if (at->is(NodeKind::Call)) call(at->as<Call>(), program, module, sink);
      for_each_child(*at, [&](const Node& child) { open.push_back(&child); });
    }
  }

 private:
  void call(const Call& call, const compile::ResolvedProgram& program, const modules::Module& module,
            diag::Sink& sink) {
    if (!call.callee->is(NodeKind::Identifier) || program.bindings(module).variable(*call.callee)) return;
    if (call.callee->as<Identifier>().name == "tool_define") return tool(call, module, sink);
    if (call.args.empty() || !call.args[0]->is(NodeKind::StringLiteral)) return;
    std::string_view name = call.callee->as<Identifier>().name;
    std::string text(call.args[0]->as<StringLiteral>().value);
    if (name == "host_call") return host_call(text, call.args[0]->span, module, sink);
    bool runs_there = name == "exec_at" || name == "shell_at";
    if (!runs_there || !options_.is_directory || options_.is_directory(module, text)) return;
    sink.report(Code::MissingDirectory, module.source, call.args[0]->span, "execution directory", text)
        .label("preflight");
  }

  // `tool_define(registry, "name", "description", {...})`: what the run would refuse, and operations that the host does not have.
  void tool(const Call& call, const modules::Module& module, diag::Sink& sink) {
    if (call.args.size() != 4 || !call.args[1]->is(NodeKind::StringLiteral) || !call.args[3]->is(NodeKind::DictLiteral))
      return;
    std::string_view name = call.args[1]->as<StringLiteral>().value;
    auto& config = call.args[3]->as<DictLiteral>();
    for (const DictEntry& entry : config.entries) {
      if (entry.form == KeyForm::Spread || entry.computed) return;  // may be any of them
    }
    auto value = [&](std::string_view key) -> const Node* {
      for (const DictEntry& entry : config.entries) {
        if (entry.key.text == key) return entry.value;
      }
      return nullptr;
    };
    auto bad = [&](Span span, std::string what) {
      return sink.report(Code::BadToolBinding, module.source, span, name, what).label("preflight");
    };
    const Node* executor = value("executor");
    const Node* handler = value("handler");
    if (!executor) {
      bool is_built_in = std::ranges::find(kBuiltIn, name) != std::end(kBuiltIn);
      if (!handler && !is_built_in) {
        bad(call.args[1]->span, "has no handler and no executor")
            .help("give it a `handler`, or say what runs it: `executor: \"host_bridge\"`");
      }
      return;
    }
    if (!executor->is(NodeKind::StringLiteral)) return;
    std::string_view who = executor->as<StringLiteral>().value;
    if (std::ranges::find(kExecutors, who) == std::end(kExecutors)) {
      auto report = bad(executor->span, fmt::format("declares unknown executor '{}'", who));
      report.help(fmt::format("it is one of {}", fmt::join(kExecutors, ", ")));
      return;
    }
    bool is_own = who == "harn" || who == "harn_builtin";
    if (handler && !is_own) {
      bad(handler->span, fmt::format("has a handler, and executor '{}' runs it", who));
      return;
    }
    std::string_view needs = who == "host_bridge" ? "host_capability" : who == "mcp_server" ? "mcp_server" : "";
    const Node* binding = needs.empty() ? nullptr : value(needs);
    if (!needs.empty() && !binding) bad(executor->span, fmt::format("lacks `{}`", needs));
    if (needs != "host_capability" || !binding || !binding->is(NodeKind::StringLiteral)) return;
    std::string bound(binding->as<StringLiteral>().value);
    size_t dot = bound.find('.');
    if (dot == bound.npos || dot == 0 || dot + 1 == bound.size()) {
      bad(binding->span, fmt::format("has the malformed host_capability '{}'", bound))
          .help("write `capability.operation`");
      return;
    }
    host_call(bound, binding->span, module, sink);
  }

  void host_call(const std::string& name, Span span, const modules::Module& module, diag::Sink& sink) {
    const auto* known = options_.capabilities ? options_.capabilities(module) : nullptr;
    if (!known || !*known) return;
    size_t dot = name.find('.');
    std::string capability = name.substr(0, dot), operation = dot == name.npos ? "" : name.substr(dot + 1);
    if (is_allowed(capability, name, module)) return;
    auto found = (*known)->find(capability);
    if (found == (*known)->end()) {
      std::vector<std::string_view> names;
      for (auto& [one, operations] : **known) names.push_back(one);
      return report("capability", name, capability, names, span, module, sink);
    }
    const std::vector<std::string>& operations = found->second;
    bool is_there = std::any_of(operations.begin(), operations.end(),
                                [&](const std::string& one) { return one == operation || one == "*"; });
    if (is_there) return;
    report("operation", name, operation, {operations.begin(), operations.end()}, span, module, sink);
  }

  static void report(std::string_view what, const std::string& name, const std::string& wrong,
                     const std::vector<std::string_view>& known, Span span, const modules::Module& module,
                     diag::Sink& sink) {
    auto report = sink.report(Code::UnknownHostOperation, module.source, span, what, name);
    report.label("preflight");
    auto close = text::close_names(wrong, known, 1);
    if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
    else report.help("declare it in `[check.host_capabilities]`, or allow it in `[check] preflight_allow`");
  }

  bool is_allowed(const std::string& capability, const std::string& name, const modules::Module& module) const {
    const auto* allowed = options_.allowed ? options_.allowed(module) : nullptr;
    if (!allowed) return false;
    return std::any_of(allowed->begin(), allowed->end(), [&](const std::string& one) {
      return one == "*" || one == name || one == capability || one == capability + ".*";
    });
  }

  PreflightOptions options_;
};

}  // namespace

compile::MakeAnalysis check_preflight(PreflightOptions options) {
  return [options](const compile::ResolvedProgram&) { return std::make_unique<Preflight>(options); };
}

}  // namespace harn::audit
