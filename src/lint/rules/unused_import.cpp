// `import { parse, render } from "lib/page"` where `render` is used nowhere.
#include <unordered_map>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// Names by which a module's own code means what it imports.
bool is_used(Pass& pass, std::string_view name) {
  const auto& globals = pass.program().names.modules.at(&pass.module());
  auto found = globals.find(name);
  if (found == globals.end()) return true;  // it was not found: that is said elsewhere
  const compile::Variable* variable = found->second;
  const Use& use = pass.uses().of(variable);
  if (use.reads + use.writes > 0) return true;
  if (variable->declaration && pass.uses().is_type_used(variable->declaration)) return true;
  return pass.uses().is_mentioned(name) || pass.module().exports.contains(name);
}

Span import_list(Pass& pass, const Import& import, bool& is_braced) {
  auto& tokens = pass.tokens();
  size_t first = pass.token_at(import.names.front().span.start), last = pass.token_at(import.names.back().span.start);
  is_braced = first > 0 && tokens[first - 1].kind == TokenKind::LeftBrace;
  return {tokens[first].start, tokens[last].end};
}

// Without the unused names; without the import when none is left. An import that nobody needs still runs its module.
void report(Pass& pass, const Import& import, const std::vector<const Name*>& unused, bool is_quiet) {
  for (const Name* name : unused) {
    auto report = pass.report(name->span, name->text);
    if (name != unused.front() || pass.has_comment(import.span) || pass.has_unknown_names()) continue;
    if (unused.size() == import.names.size()) {
      report.fix({"remove the import", pass.whole_lines(import.span), "", is_quiet});
      continue;
    }
    std::string kept;
    for (const Name& other : import.names) {
      bool goes = std::find(unused.begin(), unused.end(), &other) != unused.end();
      if (!goes) kept += (kept.empty() ? "" : ", ") + std::string(other.text);
    }
    bool is_braced = false;
    Span list = import_list(pass, import, is_braced);
    if (is_braced) report.fix({"remove what is not used", list, kept, true});
  }
}

// `import "std/json"` of which nothing is used. Modules of a program may be imported for what they do.
void check_whole(Pass& pass, const Import& import, const modules::Module& target) {
  if (!target.embedded || target.exports.empty()) return;
  for (const auto& [name, from] : target.exports) {
    if (is_used(pass, name)) return;
  }
  auto report = pass.report(import.path_span, import.path);
  if (pass.has_comment(import.span) || pass.has_unknown_names()) return;
  report.fix({"remove the import", pass.whole_lines(import.span), "", true});
}

void check(Pass& pass) {
  for (const modules::Dependency& dependency : pass.module().imports) {
    const Import& import = *dependency.import;
    if (import.is_pub || !dependency.target) continue;
    if (!import.selective) check_whole(pass, import, *dependency.target);
    if (!import.selective || import.names.empty()) continue;
    std::vector<const Name*> unused;
    for (const Name& name : import.names) {
      bool is_there = dependency.target->exports.contains(name.text);
      if (is_there && !is_used(pass, name.text)) unused.push_back(&name);
    }
    if (!unused.empty()) report(pass, import, unused, dependency.target->embedded);
  }
}

}  // namespace

extern const Rule kUnusedImport = {
    .name = "unused-import",
    .code = diag::Code::UnusedImport,
    .module = check,
};

}  // namespace harn::lint
