#include "cli/check_run.h"

#include <algorithm>
#include <cstdlib>

#include "base/fmt.h"
#include "base/text.h"
#include "check/check.h"
#include "cli/files.h"
#include "cli/project.h"
#include "data/json.h"
#include "data/toml.h"
#include "llm/fields.h"
#include "llm/model_settings.h"
#include "modules/path.h"
#include "vm/ops.h"

namespace harn::cli {

namespace {

constexpr std::string_view kCheckKeys[] = {"strict",
                                           "strict_types",
                                           "max_cost",
                                           "preflight_severity",
                                           "preflight_allow",
                                           "host_capabilities",
                                           "host_capabilities_path"};

// What users and projects say about models (effects/model_settings.h), for somebody who runs no program.
Result<std::shared_ptr<const llm::Catalog>> read_catalog(const std::string& root) {
  llm::ModelFiles files;
  const char* named = getenv("HARN_PROVIDERS_CONFIG");
  const char* home = getenv("HOME");
  std::string path = named && *named ? named : home && *home ? fmt::format("{}/.config/harn/providers.toml", home) : "";
  if (!path.empty() && exists(path)) files.user_path = path, files.user_text = HARN_TRY(read_file(path));
  std::string manifest = modules::path::join(root, "harn.toml");
  if (exists(manifest)) files.project_path = manifest, files.project_text = HARN_TRY(read_file(manifest));
  auto catalog = llm::catalog_of(files);
  if (!catalog) return fail(ErrorKind::Invalid, catalog.error());
  return *catalog;
}

Result<vm::Value> read_data(const std::string& path) {
  std::string text = HARN_TRY(read_file(path));
  bool is_toml = path.ends_with(".toml");
  auto value = is_toml ? data::parse_toml(vm::text_value(text)) : data::parse_json(text);
  if (!value) return fail(ErrorKind::Invalid, fmt::format("{}: {}", path, value.error().text()));
  return *value;
}

// A list of names, or a dict of what is known about each.
std::optional<std::vector<std::string>> operations_of(const vm::Value& value) {
  std::vector<std::string> out;
  if (value.is_dict()) {
    if (const vm::Value& inner = llm::field(value, "operations"); !inner.is_nil()) return operations_of(inner);
    if (const vm::Value& inner = llm::field(value, "ops"); !inner.is_nil()) return operations_of(inner);
    for (auto [name, facts] : value.as_dict()->entries()) out.emplace_back(name->view());
    return out;
  }
  if (!value.is(vm::Kind::List)) return std::nullopt;
  for (const vm::Value& item : llm::items(value)) {
    if (!item.is_string()) return std::nullopt;
    out.emplace_back(item.as_string()->view());
  }
  return out;
}

}  // namespace

Result<audit::PreflightOptions::Capabilities> read_capabilities(const std::string& path) {
  vm::Value value = HARN_TRY(read_data(path));
  if (const vm::Value& inner = llm::field(value, "capabilities"); inner.is_dict()) value = vm::Value(inner);
  auto wrong = [&](std::string_view what) {
    return fail(ErrorKind::Invalid, fmt::format("{}: {}, expected lists of operations by capability", path, what));
  };
  if (!value.is_dict()) return wrong("this is not a dict");
  audit::PreflightOptions::Capabilities out;
  for (auto [name, operations] : value.as_dict()->entries()) {
    auto list = operations_of(*operations);
    if (!list) return wrong(fmt::format("`{}` is not a list of texts", name->view()));
    out[std::string(name->view())] = *list;
  }
  return out;
}

CheckRun::CheckRun(const std::vector<std::string>& paths, const Options& options)
    : paths_(paths), preflight_(options.preflight) {
  for (const std::string& path : paths) projects_.push_back(project_of(path, options));
  if (manifest_error_) return;
  add_analyses(options);
  files_ = std::make_unique<engine::ManyFiles>(paths, engine::ManyFiles::For::Checking, analyses_);
  files_->set_other_root_of_templates(options.bundle_root);
  for (size_t i = 0; i < paths.size(); ++i) {
    if (const modules::Module* module = files_->module(i)) by_module_[module] = projects_[i];
  }
}

const CheckRun::Project* CheckRun::project_of(const std::string& path, const Options& options) {
  auto found = find_project(path);
  if (!found) {
    manifest_error_ = found.error();
    return &by_root_[""];
  }
  auto [entry, is_new] = by_root_.try_emplace(found->root);
  Project& project = entry->second;
  if (!is_new) return &project;
  project.root = found->root;
  project.check = found->manifest.check;
  project.while_limit = while_limit(*found, std::nullopt).value_or(0);
  read_project(project, options);
  return &project;
}

void CheckRun::read_project(Project& project, const Options& options) {
  std::string manifest = modules::path::join(project.root, "harn.toml"), here = real_path(".").value_or("") + "/";
  if (manifest.starts_with(here)) manifest = manifest.substr(here.size());
  for (const modules::ManifestWord& word : project.check.wrong) {
    manifest_warnings_.push_back(fmt::format("{}:{}:{}: {}", manifest, word.line, word.column, word.text));
  }
  for (const modules::ManifestWord& word : project.check.unknown) {
    auto close = text::close_names(word.text, kCheckKeys, 1);
    manifest_warnings_.push_back(fmt::format("{}:{}:{}: `[check]` has no `{}`{}", manifest, word.line, word.column,
                                             word.text,
                                             close.empty() ? "" : fmt::format("; did you mean `{}`?", close[0])));
  }
  project.capabilities = project.check.host_capabilities;
  std::string path = options.host_capabilities;
  if (path.empty() && !project.check.host_capabilities_path.empty()) {
    path = modules::path::join(project.root, project.check.host_capabilities_path);
  }
  if (!path.empty()) {
    auto read = read_capabilities(path);
    if (!read) {
      manifest_error_ = read.error();
      return;
    }
    // The file of the command line holds alone; that of the manifest beside what the manifest says.
    if (!options.host_capabilities.empty() || !project.capabilities) project.capabilities.emplace();
    for (auto& [name, operations] : *read) (*project.capabilities)[name] = operations;
  }
  if (!options.cost && !project.check.max_cost) return;
  auto catalog = read_catalog(project.root);
  if (catalog) project.catalog = *catalog;
  else manifest_error_ = catalog.error();
}

const CheckRun::Project& CheckRun::project(const modules::Module& module) const {
  auto found = by_module_.find(&module);
  // What only is imported belongs to whoever was asked for first.
  return found == by_module_.end() ? *projects_.front() : *found->second;
}

void CheckRun::add_analyses(const Options& options) {
  if (options.invariants) analyses_.push_back(audit::check_invariants(options.which));
  bool is_strict = std::any_of(projects_.begin(), projects_.end(), [](auto* one) { return one->check.strict_types; });
  if (options.strict_types || is_strict) {
    analyses_.push_back(check::check_strictly([this, always = options.strict_types](const modules::Module& module) {
      return always || project(module).check.strict_types;
    }));
  }
  audit::PreflightOptions preflight;
  preflight.capabilities = [this](const modules::Module& module) { return &project(module).capabilities; };
  preflight.allowed = [this](const modules::Module& module) { return &project(module).check.preflight_allow; };
  preflight.is_directory = [this](const modules::Module& module, const std::string& path) {
    return is_directory(path) || is_directory(modules::path::join(project(module).root, path)) ||
           is_directory(modules::path::join(modules::path::directory(module.path), path));
  };
  analyses_.push_back(audit::check_preflight(std::move(preflight)));
  bool is_limited =
      std::any_of(projects_.begin(), projects_.end(), [](auto* one) { return one->check.max_cost.has_value(); });
  if (!options.cost && !is_limited) return;
  analyses_.push_back(audit::find_costs({
      .catalog = [this](const modules::Module& module) { return project(module).catalog.get(); },
      .while_limit = [this](const modules::Module& module) { return project(module).while_limit; },
      .max_cost = [this](const modules::Module& module) { return project(module).check.max_cost; },
      .costs = &costs_,
  }));
}

CheckRun::Problems CheckRun::problems(size_t file) {
  Problems out;
  std::string_view preflight = preflight_.empty() ? projects_[file]->check.preflight_severity : preflight_;
  for (const diag::Diagnostic* one : files_->problems(file)) {
    bool changes = diag::origin(one->code) == "preflight" && !preflight.empty() && preflight != "error";
    if (changes && preflight == "off") continue;
    if (changes && one->severity == diag::Severity::Error) {
      auto [entry, is_new] = by_original_.try_emplace(one);
      if (is_new) {
        entry->second = &changed_.emplace_back(*one);
        changed_.back().severity = diag::Severity::Warning;
      }
      one = entry->second;
    }
    out.push_back(one);
  }
  return out;
}

std::vector<const audit::PipelineCost*> CheckRun::costs(size_t file) const {
  std::vector<const audit::PipelineCost*> out;
  for (const audit::PipelineCost& one : costs_) {
    if (one.module == files_->module(file)) out.push_back(&one);
  }
  return out;
}

}  // namespace harn::cli
