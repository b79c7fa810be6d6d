#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/sources.h"
#include "lint/apply.h"
#include "lint/linter.h"
#include "lint/silence.h"

namespace harn::cli {

// Files with what the front end and the lints have to say about them, and with what becomes of them when fixes are made.
// Nothing is written.
//
//   LintRun run(files, {});
//   run.fix(lint::Fixes::Safe);
//   for (size_t i = 0; i < files.size(); ++i) show(run.problems(i), run.text(i));
class LintRun {
 public:
  using Problems = std::vector<const diag::Diagnostic*>;
  struct Options {
    bool require_file_header = false;
  };

  LintRun(const std::vector<std::string>& paths, Options options);

  std::optional<Error> read_error(size_t file) const { return files_->read_error(file); }
  // Fails when a harn.toml cannot be read.
  const std::optional<Error>& manifest_error() const { return manifest_error_; }
  // About the manifests' own text.
  const diag::Sink& manifest_problems() const { return manifest_problems_; }
  // The project wants warnings to count.
  bool is_strict(size_t file) const { return projects_[file]->strict; }

  // About this file alone, in order; errors in what it imports, too, if nobody asked for those files. Valid until a fix.
  Problems problems(size_t file);

  // Makes fixes until there are none left, or ten times. A file that would not parse any more, or has more errors than
  // before, stays as it was.
  using Choose = std::function<bool(const diag::Diagnostic&)>;
  void fix(lint::Fixes fixes, const Choose& choose = nullptr);
  size_t fixed(size_t file) const { return states_[file].fixed; }
  // It is a program, and parses.
  bool can_fix(size_t file) const { return files_->module(file) && !files_->module(file)->tree->has_errors; }
  bool gave_up(size_t file) const { return states_[file].gave_up; }
  // Its text now, and as it was read. Empty for templates.
  std::string_view text(size_t file) const;
  std::string_view original(size_t file) const { return states_[file].original; }

 private:
  struct Project {
    lint::Settings settings;
    bool strict = false;
  };
  struct State {
    std::string original;
    size_t fixed = 0;
    size_t errors = 0;  // before anything was changed
    bool gave_up = false;
    std::unique_ptr<lint::Silence> silence;
    diag::Sink comments{diag::Sink::kAll};  // what is wrong with `harn-lint:` comments
  };

  const Project* project_of(const std::string& path, const Options& options);
  void read_comments(size_t file);
  Problems doubts_of_template(size_t file);
  bool fix_once(lint::Fixes fixes, const Choose& choose);
  bool is_worse(size_t file, std::string_view text);
  void give_up(size_t file);
  void undo_new_errors();

  std::vector<std::string> paths_;
  std::map<std::string, Project> by_root_;
  std::vector<const Project*> projects_;  // by file
  std::optional<Error> manifest_error_;
  diag::Sink manifest_problems_{diag::Sink::kAll};
  std::unordered_map<const modules::Module*, const Project*> by_module_;
  std::vector<compile::MakeAnalysis> analyses_;
  std::unique_ptr<engine::ManyFiles> files_;
  std::deque<State> states_;
};

}  // namespace harn::cli
