#include "compile/prompt_calls.h"

#include "compile/scope.h"
#include "modules/graph.h"

namespace harn::compile {

using namespace syntax;

namespace {

using Kind = PromptCall::Kind;

// By the declaration in the library, whatever the program calls it.
Kind kind_of(const Node& callee, const Bindings& bindings) {
  if (!callee.is(NodeKind::Identifier)) return Kind::None;
  const Variable* meant = bindings.variable(callee);
  if (!meant || meant->assigned || !meant->declaration || !meant->module) return Kind::None;
  if (!meant->declaration->is(NodeKind::Function)) return Kind::None;
  auto& module = *static_cast<const modules::Module*>(meant->module);
  if (!module.embedded || !module.path.starts_with("std/prompt")) return Kind::None;
  std::string_view name = meant->declaration->as<Function>().name.text;
  if (name == "markdown_section") return Kind::MarkdownSection;
  if (name == "section") return Kind::Section;
  return name == "prompt_template" ? Kind::Template : Kind::None;
}

const Struct* struct_of(const Node& node, const Bindings& bindings) {
  const Variable* meant = node.is(NodeKind::Identifier) ? bindings.variable(node) : nullptr;
  if (!meant || meant->assigned || !meant->declaration || !meant->declaration->is(NodeKind::Struct)) return nullptr;
  return &meant->declaration->as<Struct>();
}

}  // namespace

const Node* PromptCall::field(std::string_view name) const {
  if (!fields) return nullptr;
  for (const DictEntry& entry : fields->entries) {
    bool is_written = entry.form == KeyForm::Bare || entry.form == KeyForm::Quoted;
    if (is_written && entry.key.text == name) return entry.value;
  }
  return nullptr;
}

const StringLiteral* PromptCall::text(std::string_view name) const {
  const Node* value = field(name);
  return value && value->is(NodeKind::StringLiteral) ? &value->as<StringLiteral>() : nullptr;
}

PromptCall prompt_call(const Node& node, const Bindings& bindings) {
  if (!node.is(NodeKind::Call)) return {};
  auto& call = node.as<Call>();
  PromptCall out{.kind = kind_of(*call.callee, bindings)};
  size_t at = out.is_section() ? 1 : 0;
  if (out.kind == Kind::None || call.args.size() <= at) return out;
  if (call.args[at]->is(NodeKind::DictLiteral)) out.fields = &call.args[at]->as<DictLiteral>();
  if (out.is_section()) out.params = struct_of(*call.args[0], bindings);
  return out;
}

}  // namespace harn::compile
