#include "cli/lint_run.h"

#include <algorithm>

#include "cli/files.h"
#include "cli/project.h"
#include "lint/rule.h"
#include "modules/path.h"
#include "syntax/tree.h"

namespace harn::cli {

namespace {

constexpr int kMostRounds = 10;

size_t count_errors(const LintRun::Problems& problems) {
  return static_cast<size_t>(std::count_if(problems.begin(), problems.end(),
                                           [](auto* one) { return one->severity == diag::Severity::Error; }));
}

// A comment that allows a rule by a wrong name would have kept other fixes from being made.
void mend_comments_first(LintRun::Problems& found) {
  auto is_comment = [](const diag::Diagnostic* one) {
    return one->code == diag::Code::UnknownLintRule && !one->fixes.empty();
  };
  if (std::any_of(found.begin(), found.end(), is_comment)) {
    std::erase_if(found, [&](const diag::Diagnostic* one) { return !is_comment(one); });
  }
}

// From the working directory on, if it is below that.
std::string shown_path(const std::string& path) {
  std::string here = real_path(".").value_or("") + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

}  // namespace

LintRun::LintRun(const std::vector<std::string>& paths, Options options) : paths_(paths) {
  for (const std::string& path : paths) projects_.push_back(project_of(path, options));
  analyses_.push_back(lint::make_linter([this](const modules::Module& module) -> const lint::Settings* {
    auto found = by_module_.find(&module);
    return found == by_module_.end() ? nullptr : &found->second->settings;
  }));
  files_ = std::make_unique<engine::ManyFiles>(paths, engine::ManyFiles::For::Checking, analyses_);
  for (size_t i = 0; i < paths.size(); ++i) {
    State& state = states_.emplace_back();
    const modules::Module* module = files_->module(i);
    if (!module) continue;
    by_module_[module] = projects_[i];
    state.original = module->source->text();
    read_comments(i);
  }
}

const LintRun::Project* LintRun::project_of(const std::string& path, const Options& options) {
  auto found = find_project(path);
  std::string root = found ? found->root : "";
  auto [entry, fresh] = by_root_.try_emplace(root);
  if (!fresh) return &entry->second;
  Project& project = entry->second;
  if (!found) {
    manifest_error_ = found.error();
  } else {
    std::string manifest = modules::path::join(root, "harn.toml");
    auto text = read_file(manifest);
    if (text) project.settings = lint::settings_of(found->manifest, shown_path(manifest), *text, manifest_problems_);
    project.strict = found->manifest.check.strict;
  }
  if (options.require_file_header) project.settings.require_file_header = true;
  return &project;
}

void LintRun::read_comments(size_t file) {
  State& state = states_[file];
  state.comments.clear();
  state.silence =
      std::make_unique<lint::Silence>(*files_->module(file)->tree, projects_[file]->settings, state.comments);
}

LintRun::Problems LintRun::problems(size_t file) {
  Problems out;
  const modules::Module* module = files_->module(file);
  for (const diag::Diagnostic* one : files_->problems(file)) {
    bool is_own = !module || one->source == module->source;
    if (!is_own && one->severity != diag::Severity::Error) continue;
    // A rule says the same, which can be switched off.
    if (one->code == diag::Code::UnreachableCode) continue;
    if (is_own && module && states_[file].silence->covers(*one)) continue;
    out.push_back(one);
  }
  for (const diag::Diagnostic* one : doubts_of_template(file)) out.push_back(one);
  for (const diag::Diagnostic& one : states_[file].comments.diagnostics()) out.push_back(&one);
  diag::sort_by_place(out);
  return out;
}

LintRun::Problems LintRun::doubts_of_template(size_t file) {
  const lint::Settings& settings = projects_[file]->settings;
  Problems out = files_->template_doubts(file, settings.template_variant_branch_threshold);
  std::erase_if(out, [&](const diag::Diagnostic* one) {
    const lint::Rule* rule = lint::find_rule(one->code);
    return rule && settings.is_disabled(rule->name);
  });
  return out;
}

std::string_view LintRun::text(size_t file) const {
  const modules::Module* module = files_->module(file);
  return module ? module->source->text() : std::string_view();
}

// ---- fixes ----

void LintRun::fix(lint::Fixes fixes, const Choose& choose) {
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (!files_->module(i)) continue;
    states_[i].errors = count_errors(problems(i));
    states_[i].gave_up |= files_->module(i)->tree->has_errors;
  }
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = fix_once(fixes, choose);
    undo_new_errors();
    if (!changed) return;
  }
}

bool LintRun::fix_once(lint::Fixes fixes, const Choose& choose) {
  std::vector<std::pair<size_t, lint::Fixed>> changes;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const modules::Module* module = files_->module(i);
    if (!module || states_[i].gave_up) continue;
    Problems found = problems(i);
    std::erase_if(found, [&](auto* one) { return one->source != module->source || (choose && !choose(*one)); });
    mend_comments_first(found);
    lint::Fixed fixed = lint::apply(text(i), found, fixes);
    if (fixed.count == 0 || fixed.text == text(i)) continue;
    if (is_worse(i, fixed.text)) give_up(i);
    else changes.emplace_back(i, std::move(fixed));
  }
  for (auto& [file, fixed] : changes) {
    files_->replace(file, std::move(fixed.text));
    states_[file].fixed += fixed.count;
    read_comments(file);
  }
  return !changes.empty();
}

bool LintRun::is_worse(size_t file, std::string_view text) {
  diag::Sink sink;
  auto source = std::make_shared<SourceFile>(paths_[file], std::string(text));
  return syntax::parse(source, sink)->has_errors;
}

void LintRun::give_up(size_t file) {
  State& state = states_[file];
  state.gave_up = true;
  state.fixed = 0;
  if (text(file) == state.original) return;
  files_->replace(file, state.original);
  read_comments(file);
}

void LintRun::undo_new_errors() {
  std::vector<size_t> worse;
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (files_->module(i) && !states_[i].gave_up && count_errors(problems(i)) > states_[i].errors) worse.push_back(i);
  }
  for (size_t file : worse) give_up(file);
}

}  // namespace harn::cli
