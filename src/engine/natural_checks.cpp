#include "engine/natural_checks.h"

#include <algorithm>

#include "base/fmt.h"
#include "builtins/natural_program.h"
#include "modules/graph.h"
#include "syntax/each_node.h"

namespace harn::engine {

namespace {

using namespace syntax;
using diag::Code;

// The text in which the front matter stands, if all of it is written out.
const StringLiteral* literal_of(const Natural& node) {
  if (node.program->is(NodeKind::StringLiteral)) return &node.program->as<StringLiteral>();
  const Node* first = node.program->as<InterpolatedString>().parts[0];
  return &first->as<StringLiteral>();
}

// From the first fence to the last, as far as they can be found; else the word that it is about, or the literal.
Span front_matter_span(std::string_view text, Span literal) {
  std::string_view raw = text.substr(literal.start, literal.end - literal.start);
  size_t first = raw.find("---");
  if (first == raw.npos) return literal;
  size_t last = raw.find("---", first + 3);
  size_t end = last == raw.npos ? first + 3 : last + 3;
  return {literal.start + static_cast<uint32_t>(first), literal.start + static_cast<uint32_t>(end)};
}

Span word_span(std::string_view text, Span around, std::string_view word) {
  size_t at = text.substr(0, around.end).find(word, around.start);
  if (at == text.npos) return around;
  return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())};
}

class NaturalChecks : public compile::Analysis {
 public:
  void inspect(const compile::ResolvedProgram& program, const modules::Module& module, diag::Sink& sink) override {
    for_each_node(*module.tree, [&](const Node& node) {
      if (node.is(NodeKind::Natural)) block(program, module, node.as<Natural>(), sink);
    });
  }

 private:
  static void block(const compile::ResolvedProgram& program, const modules::Module& module, const Natural& node,
                    diag::Sink& sink) {
    const StringLiteral* literal = literal_of(node);
    builtins::NaturalProgram read = builtins::read_natural_program(literal->value);
    bool is_whole = literal == node.program;
    // The rest may come with an interpolation.
    if (read.line == 0 || (!is_whole && read.problem.starts_with("has no end"))) return;
    std::string_view text = module.source->text();
    Span span = front_matter_span(text, literal->span);
    if (!read.problem.empty()) {
      sink.report(Code::NaturalFrontMatter, module.source, span, read.problem);
      return;
    }
    auto found = program.names.resolution.natural.find(&node);
    bool in_loop = found != program.names.resolution.natural.end() && found->second.in_loop;
    if (builtins::allowed_outcomes(in_loop, read.deny).empty()) {
      sink.report(Code::NaturalFrontMatter, module.source, span, "denies every outcome that it could have");
      return;
    }
    for (const std::string& outcome : read.deny) {
      if (in_loop || !builtins::needs_loop(outcome)) continue;
      sink.report(Code::NaturalOutcome, module.source, word_span(text, span, outcome), outcome,
                  "which only a block in a loop could have")
          .label("cannot occur here");
    }
  }
};

}  // namespace

std::unique_ptr<compile::Analysis> make_natural_checks(const compile::ResolvedProgram&) {
  return std::make_unique<NaturalChecks>();
}

}  // namespace harn::engine
