#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bytecode/code.h"
#include "compile/frontend.h"
#include "diag/diagnostic.h"
#include "engine/prompts.h"
#include "modules/graph.h"

// From files on the disk to programs: the front end with a loader, the modules that come with Harn, and the builtins.
namespace harn::engine {

class FileLoader : public modules::SourceLoader {
 public:
  std::optional<std::string> read(const std::string& path) override;
  bool is_file(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  std::string identity(const std::string& path) override;
};

// The modules that come with Harn, without the prelude.
std::span<const modules::EmbeddedSource> embedded_sources();

// How programs are compiled that are to be run.
compile::CompileOptions options_to_run();

// A file (or text) and everything it imports, parsed.
struct Loaded {
  // The catalogue lists the builtins there are (builtins/registry.h); it must outlive this.
  Loaded(const compile::Catalog& catalog, compile::CompileOptions options);
  diag::Sink sink;
  FileLoader loader;
  compile::Frontend frontend;
  const modules::Module* main = nullptr;
};
// Fails when the file cannot be read; problems in the program are told when it is compiled.
// `verify`: whether the compiler is under test (compile::CompileOptions::verify).
enum class Verify : bool { No, Yes };
Result<std::unique_ptr<Loaded>> load_file(const std::string& path, Verify verify = Verify::No);
Result<std::unique_ptr<Loaded>> load_file(const std::string& path, const compile::Catalog& catalog);
// Imports resolve from the working directory.
std::unique_ptr<Loaded> load_text(const std::string& name, std::string text, const compile::Catalog& catalog);
std::unique_ptr<Loaded> load_text(const std::string& name, std::string text);
// For a session: unknown names are reported at once.
std::unique_ptr<Loaded> load_input(const std::string& name, std::string text);

// Null when there were errors (they are in the sink).
std::unique_ptr<bytecode::Program> compile(Loaded& loaded, compile::Session* session = nullptr);

// Many files that are checked or compiled in one go: each is read and compiled once, however many of
// the others import it. Templates can only be checked.
class ManyFiles {
 public:
  enum class For { Checking, Running };
  // `analyses` look for more than names and types.
  ManyFiles(const std::vector<std::string>& paths, For purpose, std::span<const compile::MakeAnalysis> analyses = {});

  // Another folder that paths of templates may begin at.
  void set_other_root_of_templates(std::string folder) { prompts_.set_other_root(std::move(folder)); }
  // Of file number `file`: why it cannot be read; what there is to report; the program, if it is sound.
  std::optional<Error> read_error(size_t file) const;
  std::vector<const diag::Diagnostic*> problems(size_t file);
  std::unique_ptr<bytecode::Program> program(size_t file);

  // What is doubtful about a template (engine/prompts.h); nothing for a program.
  std::vector<const diag::Diagnostic*> template_doubts(size_t file, int64_t most_branches);
  // Null: unreadable, or a template.
  const modules::Module* module(size_t file) const { return mains_[file]; }
  // The file has another text now, which nobody has written to it yet. What was said before is gone.
  void replace(size_t file, std::string text) { frontend_.replace(*mains_[file], std::move(text)); }

 private:
  FileLoader loader_;
  std::vector<compile::MakeAnalysis> analyses_;
  compile::Frontend frontend_;
  PromptChecks prompts_;
  For purpose_;
  std::vector<const modules::Module*> mains_;  // null: unreadable, or a template
  std::vector<std::string> paths_;
};
// Another program from the same code, for a VM of its own.
std::unique_ptr<bytecode::Program> copy(const bytecode::Program& program);

}  // namespace harn::engine
