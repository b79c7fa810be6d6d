#include "engine/sources.h"

#include <sys/stat.h>

#include <cstdlib>

#include "base/fmt.h"
#include "builtins/registry.h"
#include "engine/files.h"
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

static std::span<const modules::EmbeddedSource> embedded_sources() {
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

ManyFiles::ManyFiles(const std::vector<std::string>& paths, For purpose)
    : frontend_(loader_, embedded_sources(), builtins::catalog(),
                purpose == For::Running ? options_to_run() : compile::CompileOptions()),
      paths_(paths) {
  for (const std::string& path : paths) mains_.push_back(frontend_.load_file(path));
}

std::optional<Error> ManyFiles::read_error(size_t file) const {
  if (mains_[file]) return std::nullopt;
  return unreadable(paths_[file]);
}

std::vector<const diag::Diagnostic*> ManyFiles::problems(size_t file) { return frontend_.problems(*mains_[file]); }

std::unique_ptr<bytecode::Program> ManyFiles::program(size_t file) { return frontend_.program(*mains_[file]); }

std::unique_ptr<bytecode::Program> copy(const bytecode::Program& program) {
  return std::make_unique<bytecode::Program>(program);
}

}  // namespace harn::engine
