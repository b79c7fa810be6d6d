#include "engine/sources.h"

#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include "base/fmt.h"
#include "builtins/registry.h"
#include "check/check.h"
#include "engine/files.h"
#include "engine/natural_checks.h"
#include "engine/option_checks.h"
#include "std/embedded.h"

namespace harn::engine {

std::optional<std::string> FileLoader::read(const std::string& path) {
  auto text = read_file(path);
  if (!text) return std::nullopt;
  return std::move(*text);
}

bool FileLoader::is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool FileLoader::is_directory(const std::string& path) { return engine::is_directory(path); }

std::string FileLoader::identity(const std::string& path) { return real_path(path).value_or(path); }

std::span<const modules::EmbeddedSource> embedded_sources() {
  static const auto sources = [] {
    std::vector<modules::EmbeddedSource> out;
    for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
      if (!stdlib::is_prelude(module)) out.push_back({module.path, module.text});
    }
    return out;
  }();
  return sources;
}

compile::CompileOptions options_to_run() {
  compile::CompileOptions options;
  options.resolve.unknown_variables = false;
  // For tests: the code is verified after every pass, and every function uses far registers.
  if (getenv("HARN_VERIFY")) options.verify = true;
  if (const char* near = getenv("HARN_NEAR_REGISTERS")) options.near_registers = static_cast<uint32_t>(atoi(near));
  return options;
}

Loaded::Loaded(const compile::Catalog& catalog, compile::CompileOptions options)
    : frontend(loader, embedded_sources(), catalog, options) {}

static Error unreadable(const std::string& path) {
  if (auto text = read_file(path); !text) return text.error();  // says why
  return {ErrorKind::Io, fmt::format("cannot read {}", path)};
}

static Result<std::unique_ptr<Loaded>> load_file(const std::string& path, const compile::Catalog& catalog,
                                                 compile::CompileOptions options) {
  auto loaded = std::make_unique<Loaded>(catalog, options);
  loaded->main = loaded->frontend.load_file(path);
  if (!loaded->main) return std::unexpected(unreadable(path));
  return loaded;
}

Result<std::unique_ptr<Loaded>> load_file(const std::string& path, Verify verify) {
  compile::CompileOptions options = options_to_run();
  options.verify |= verify == Verify::Yes;
  return load_file(path, builtins::catalog(), options);
}

Result<std::unique_ptr<Loaded>> load_file(const std::string& path, const compile::Catalog& catalog) {
  return load_file(path, catalog, options_to_run());
}

static std::unique_ptr<Loaded> load_text(const std::string& name, std::string text, const compile::Catalog& catalog,
                                         compile::CompileOptions options) {
  auto loaded = std::make_unique<Loaded>(catalog, options);
  loaded->main = loaded->frontend.load_text(name, std::move(text), "");
  return loaded;
}

std::unique_ptr<Loaded> load_text(const std::string& name, std::string text, const compile::Catalog& catalog) {
  return load_text(name, std::move(text), catalog, options_to_run());
}

std::unique_ptr<Loaded> load_text(const std::string& name, std::string text) {
  return load_text(name, std::move(text), builtins::catalog());
}

std::unique_ptr<Loaded> load_input(const std::string& name, std::string text) {
  return load_text(name, std::move(text), builtins::catalog(), {});
}

std::unique_ptr<bytecode::Program> compile(Loaded& loaded, compile::Session* session) {
  return loaded.frontend.only_program(*loaded.main, loaded.sink, session);
}

// A check is also about types, Natural blocks and options of models, whatever else is looked for.
static std::vector<compile::MakeAnalysis> analyses_for(ManyFiles::For purpose,
                                                       std::span<const compile::MakeAnalysis> analyses) {
  std::vector<compile::MakeAnalysis> out;
  if (purpose == ManyFiles::For::Checking) {
    out.assign(std::begin(check::kTypeChecker), std::end(check::kTypeChecker));
    out.push_back(make_natural_checks);
    out.push_back(make_option_checks);
  }
  out.insert(out.end(), analyses.begin(), analyses.end());
  return out;
}

static compile::CompileOptions options_for(ManyFiles::For purpose, std::span<const compile::MakeAnalysis> analyses) {
  compile::CompileOptions options;
  if (purpose == ManyFiles::For::Running) options = options_to_run();
  else options.code = compile::CompileOptions::Code::Dropped;
  options.analyses = analyses;
  return options;
}

ManyFiles::ManyFiles(const std::vector<std::string>& paths, For purpose,
                     std::span<const compile::MakeAnalysis> analyses)
    : analyses_(analyses_for(purpose, analyses)),
      frontend_(loader_, embedded_sources(), builtins::catalog(), options_for(purpose, analyses_)),
      purpose_(purpose),
      paths_(paths) {
  for (const std::string& path : paths) {
    mains_.push_back(is_template_path(path) ? nullptr : frontend_.load_file(path));
  }
}

std::optional<Error> ManyFiles::read_error(size_t file) const {
  if (mains_[file]) return std::nullopt;
  if (is_template_path(paths_[file]) && read_file(paths_[file])) return std::nullopt;
  return unreadable(paths_[file]);
}

std::vector<const diag::Diagnostic*> ManyFiles::problems(size_t file) {
  if (!mains_[file]) return prompts_.of_file(paths_[file]);
  auto problems = frontend_.problems(*mains_[file]);
  if (purpose_ == For::Running) return problems;
  std::set<const diag::Diagnostic*> known;
  for (const compile::TemplateUse& use : frontend_.templates(*mains_[file])) {
    for (const diag::Diagnostic* one : prompts_.of_use(use)) {
      if (known.insert(one).second) problems.push_back(one);
    }
  }
  return problems;
}

std::vector<const diag::Diagnostic*> ManyFiles::template_doubts(size_t file, int64_t most_branches) {
  if (!is_template_path(paths_[file])) return {};
  return prompts_.doubts_of_file(paths_[file], most_branches);
}

std::unique_ptr<bytecode::Program> ManyFiles::program(size_t file) { return frontend_.program(*mains_[file]); }

std::unique_ptr<bytecode::Program> copy(const bytecode::Program& program) {
  return std::make_unique<bytecode::Program>(program);
}

}  // namespace harn::engine
