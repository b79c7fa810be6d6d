#include "engine/option_checks.h"

#include <algorithm>
#include <optional>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/registry.h"
#include "modules/graph.h"
#include "std/embedded.h"
#include "syntax/each_node.h"

namespace harn::engine {

namespace {

using namespace syntax;
using diag::Code;

struct Options {
  std::vector<std::string> of_calls;
  std::vector<std::string> of_loops;  // besides
};

// What the library says, read once.
const Options& known_options() {
  static const Options options = [] {
    Options out;
    for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
      if (module.path != "std/prelude/model_options") continue;
      diag::Sink quiet;
      auto tree = parse(std::make_shared<SourceFile>(std::string(module.path), std::string(module.text)), quiet);
      for (const Node* item : tree->items) {
        if (!item->is(NodeKind::Const) || !item->as<Const>().value->is(NodeKind::DictLiteral)) continue;
        std::string_view name = item->as<Const>().name.text;
        std::vector<std::string>* to = name == "MODEL" ? &out.of_calls : name == "LOOP" ? &out.of_loops : nullptr;
        if (!to) continue;
        for (const DictEntry& entry : item->as<Const>().value->as<DictLiteral>().entries)
          to->emplace_back(entry.key.text);
      }
    }
    return out;
  }();
  return options;
}

struct Taker {
  std::string_view name;
  uint32_t position = 0;  // of its options
  bool is_loop = false;
};

// Those that call models themselves, in the files of the library that read such options, and have them under this name.
std::optional<Taker> taker_of(std::string_view name) {
  const vm::Builtin* row = builtins::table().find(name);
  if (!row || name.starts_with("__") || row->needs != vm::Capability::Model) return std::nullopt;
  std::string_view file = row->prelude.substr(0, row->prelude.find(':'));
  if (file != "llm" && file != "agent_loop") return std::nullopt;
  for (uint32_t i = 0; i < row->signature.most(); ++i) {
    if (row->signature.parameter_name(i) == "options") return Taker{row->name, i, file == "agent_loop"};
  }
  return std::nullopt;
}

// A dict may be what a provider of that name is told: `anthropic: {...}`. Only these are no dict for certain.
bool is_no_dict(const Node& value) {
  switch (value.kind) {
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::ListLiteral:
    case NodeKind::Closure: return true;
    default: return false;
  }
}

class OptionChecks : public compile::Analysis {
 public:
  void inspect(const compile::ResolvedProgram& program, const modules::Module& module, diag::Sink& sink) override {
    for_each_node(*module.tree, [&](const Node& node) {
      if (node.is(NodeKind::Call)) call(program, module, node.as<Call>(), sink);
    });
  }

 private:
  static void call(const compile::ResolvedProgram& program, const modules::Module& module, const Call& node,
                   diag::Sink& sink) {
    if (!node.callee->is(NodeKind::Identifier)) return;
    auto& callee = node.callee->as<Identifier>();
    auto taker = taker_of(callee.name);
    if (!taker || program.bindings(module).variable(callee)) return;
    if (node.args.size() <= taker->position || !node.args[taker->position]->is(NodeKind::DictLiteral)) return;
    // A spread in front may be any number of arguments.
    for (size_t i = 0; i < taker->position; ++i) {
      if (node.args[i]->is(NodeKind::Spread)) return;
    }
    for (const DictEntry& entry : node.args[taker->position]->as<DictLiteral>().entries) {
      bool is_plain = entry.form != KeyForm::Spread && !entry.computed;
      if (is_plain && is_no_dict(*entry.value)) option(*taker, module, entry.key, sink);
    }
  }

  static void option(const Taker& taker, const modules::Module& module, const Name& key, diag::Sink& sink) {
    const Options& options = known_options();
    std::vector<std::string_view> known(options.of_calls.begin(), options.of_calls.end());
    if (taker.is_loop) known.insert(known.end(), options.of_loops.begin(), options.of_loops.end());
    if (std::ranges::find(known, key.text) != known.end()) return;
    auto report = sink.report(Code::UnknownModelOption, module.source, key.span, key.text, taker.name);
    if (std::ranges::find(options.of_loops, key.text) != options.of_loops.end()) {
      report.label("an option of agent_loop");
      return;
    }
    auto close = text::close_names(key.text, known);
    if (close.empty()) return;
    report.help(fmt::format("did you mean `{}`?", close[0]));
    report.fix({fmt::format("use `{}`", close[0]), key.span, std::string(close[0]), false});
  }
};

}  // namespace

std::unique_ptr<compile::Analysis> make_option_checks(const compile::ResolvedProgram&) {
  return std::make_unique<OptionChecks>();
}

}  // namespace harn::engine
