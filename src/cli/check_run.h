#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/cost.h"
#include "audit/invariants.h"
#include "audit/preflight.h"
#include "engine/sources.h"
#include "modules/manifest.h"

namespace harn::cli {

// Files with what `harn check` has to say about them: what the front end finds, and what the projects they belong to ask for
// in `[check]`.
class CheckRun {
 public:
  using Problems = std::vector<const diag::Diagnostic*>;
  struct Options {
    bool invariants = false, cost = false, strict_types = false;
    audit::InvariantChoice which = {};
    std::string preflight;          // overrides [check] preflight_severity; empty: it holds
    std::string host_capabilities;  // the path of a file; empty: what the manifest says
    std::string bundle_root;        // another folder that paths of templates begin at; may be empty
  };

  CheckRun(const std::vector<std::string>& paths, const Options& options);

  std::optional<Error> read_error(size_t file) const { return files_->read_error(file); }
  // Fails when a manifest, or a file it names, cannot be read.
  const std::optional<Error>& manifest_error() const { return manifest_error_; }
  // About the manifests' own text, a line each.
  const std::vector<std::string>& manifest_warnings() const { return manifest_warnings_; }
  Problems problems(size_t file);
  bool is_strict(size_t file) const { return projects_[file]->check.strict; }
  // Of those modules that were asked for, when that was an option.
  std::vector<const audit::PipelineCost*> costs(size_t file) const;

 private:
  struct Project {
    std::string root;
    modules::CheckTable check;
    std::optional<audit::PreflightOptions::Capabilities> capabilities;
    std::shared_ptr<const llm::Catalog> catalog;
    int64_t while_limit = 0;
  };

  const Project* project_of(const std::string& path, const Options& options);
  void read_project(Project& project, const Options& options);
  const Project& project(const modules::Module& module) const;
  void add_analyses(const Options& options);

  std::vector<std::string> paths_;
  std::map<std::string, Project> by_root_;
  std::vector<const Project*> projects_;  // by file
  std::unordered_map<const modules::Module*, const Project*> by_module_;
  std::optional<Error> manifest_error_;
  std::vector<std::string> manifest_warnings_;
  std::string preflight_;
  std::vector<audit::PipelineCost> costs_;
  std::vector<compile::MakeAnalysis> analyses_;
  std::unique_ptr<engine::ManyFiles> files_;
  std::deque<diag::Diagnostic> changed_;  // with another severity than their rows say
  std::map<const diag::Diagnostic*, const diag::Diagnostic*> by_original_;
};

// `{capability: [operation, ...]}` as JSON or TOML, also below `capabilities`, also with dicts of operations.
Result<audit::PreflightOptions::Capabilities> read_capabilities(const std::string& path);

}  // namespace harn::cli
