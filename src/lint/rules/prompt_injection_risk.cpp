// `llm_call(prompt, "You help ${user}")`: what a user wrote becomes part of the instructions.
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// Text with something in it that the program does not write itself.
bool is_mixed(const Node& node) {
  if (node.is(NodeKind::InterpolatedString)) {
    for (const Node* part : node.as<InterpolatedString>().parts) {
      if (!is_literal(*part)) return true;
    }
  }
  return false;
}

// The argument for the parameter `system`, in place or by name.
const Node* system_of(Pass& pass, const Call& call, std::string_view name) {
  bytecode::Signature signature = pass.program().catalog.find(name)->signature;
  for (uint32_t i = 0; i < call.args.size(); ++i) {
    const Node* arg = call.args[i];
    if (arg->is(NodeKind::NamedArgument) && arg->as<NamedArgument>().name.text == "system") {
      return arg->as<NamedArgument>().value;
    }
    if (signature.parameter_name(i) == "system") return arg;
  }
  return nullptr;
}

void check(Pass& pass, const Node& node) {
  auto& call = node.as<Call>();
  std::string_view name = pass.builtin(call);
  if (!name.starts_with("llm_")) return;
  const Node* system = system_of(pass, call, name);
  if (!system || !is_mixed(*system)) return;
  pass.report(system->span, name).help("keep the system prompt fixed, and put values into the prompt, marked as data");
}

constexpr NodeKind kKinds[] = {NodeKind::Call};

}  // namespace

extern const Rule kPromptInjectionRisk = {
    .name = "prompt-injection-risk",
    .code = diag::Code::PromptInjection,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
