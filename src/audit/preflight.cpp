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
    if (call.args.empty() || !call.args[0]->is(NodeKind::StringLiteral)) return;
    std::string_view name = call.callee->as<Identifier>().name;
    std::string text(call.args[0]->as<StringLiteral>().value);
    if (name == "host_call") return host_call(text, call.args[0]->span, module, sink);
    bool runs_there = name == "exec_at" || name == "shell_at";
    if (!runs_there || !options_.is_directory || options_.is_directory(module, text)) return;
    sink.report(Code::MissingDirectory, module.source, call.args[0]->span, "execution directory", text)
        .label("preflight");
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
