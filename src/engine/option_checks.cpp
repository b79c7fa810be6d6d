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

struct Option {
  std::string name;
  std::string kinds;  // "bool|string"
};

struct Options {
  std::vector<Option> of_calls;
  std::vector<Option> of_loops;  // besides
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
        std::vector<Option>* to = name == "MODEL" ? &out.of_calls : name == "LOOP" ? &out.of_loops : nullptr;
        if (!to) continue;
        for (const DictEntry& entry : item->as<Const>().value->as<DictLiteral>().entries)
          to->push_back({std::string(entry.key.text), std::string(entry.value->as<StringLiteral>().value)});
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

// What a literal is to `type_of`; empty when it is none.
std::string_view kind_of(const Node& value) {
  switch (value.kind) {
    case NodeKind::BoolLiteral: return "bool";
    case NodeKind::IntLiteral:
    case NodeKind::DurationLiteral: return "int";
    case NodeKind::FloatLiteral: return "float";
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString: return "string";
    case NodeKind::ListLiteral: return "list";
    case NodeKind::DictLiteral: return "dict";
    case NodeKind::Closure: return "closure";
    default: return "";
  }
}

// The words of the library for what a value may be (builtins/options.cpp), as far as a literal says it.
bool fits(const Node& value, std::string_view kind, std::string_view wanted) {
  if (wanted == "any" || wanted == kind) return true;
  int64_t number = value.is(NodeKind::IntLiteral) ? value.as<IntLiteral>().value : 1;
  if (wanted == "number") return kind == "int" || kind == "float";
  if (wanted == "positive") return kind == "int" && number >= 1;
  if (wanted == "count") return kind == "int";
  return wanted == "texts" && kind == "list";
}

std::vector<std::string_view> parts_of(std::string_view kinds) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= kinds.size();) {
    size_t end = std::min(kinds.find('|', at), kinds.size());
    out.push_back(kinds.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string shown(std::string_view kinds) {
  std::string out;
  for (std::string_view kind : parts_of(kinds)) {
    if (!out.empty()) out += " or ";
    if (kind == "positive") out += "an int of 1 or more";
    else if (kind == "count") out += "an int of 0 or more";
    else if (kind == "texts") out += "a list of strings";
    else out += kind;
  }
  return out;
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
      if (is_plain) value(*taker, module, entry, sink);
    }
  }

  // A value of the wrong kind would be refused when the call runs.
  static void value(const Taker& taker, const modules::Module& module, const DictEntry& entry, diag::Sink& sink) {
    std::string_view kind = kind_of(*entry.value);
    if (kind.empty()) return;
    const Options& options = known_options();
    auto found = std::ranges::find(options.of_calls, entry.key.text, &Option::name);
    bool is_known = found != options.of_calls.end();
    if (!is_known && taker.is_loop) {
      found = std::ranges::find(options.of_loops, entry.key.text, &Option::name);
      is_known = found != options.of_loops.end();
    }
    if (!is_known) return;
    auto takes = parts_of(found->kinds);
    if (std::ranges::any_of(takes, [&](std::string_view wanted) { return fits(*entry.value, kind, wanted); })) return;
    sink.report(Code::ArgumentMismatch, module.source, entry.value->span,
                fmt::format("option `{}` of `{}`", entry.key.text, taker.name), shown(found->kinds),
                entry.value->is(NodeKind::IntLiteral) ? module.source->text(entry.value->span) : kind, "")
        .label("a run would refuse this");
  }

  static void option(const Taker& taker, const modules::Module& module, const Name& key, diag::Sink& sink) {
    const Options& options = known_options();
    std::vector<std::string_view> known;
    for (const Option& one : options.of_calls) known.push_back(one.name);
    if (taker.is_loop) {
      for (const Option& one : options.of_loops) known.push_back(one.name);
    }
    if (std::ranges::find(known, key.text) != known.end()) return;
    auto report = sink.report(Code::UnknownModelOption, module.source, key.span, key.text, taker.name);
    if (std::ranges::find(options.of_loops, key.text, &Option::name) != options.of_loops.end()) {
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

std::vector<std::pair<std::string_view, std::string>> model_options(std::string_view builtin, size_t position) {
  std::vector<std::pair<std::string_view, std::string>> out;
  auto taker = taker_of(builtin);
  if (!taker || taker->position != position) return out;
  auto add = [&](const std::vector<Option>& options) {
    for (const Option& one : options) {
      if (!one.name.starts_with('_')) out.emplace_back(one.name, shown(one.kinds));
    }
  };
  add(known_options().of_calls);
  if (taker->is_loop) add(known_options().of_loops);
  return out;
}

std::unique_ptr<compile::Analysis> make_option_checks(const compile::ResolvedProgram&) {
  return std::make_unique<OptionChecks>();
}

}  // namespace harn::engine
