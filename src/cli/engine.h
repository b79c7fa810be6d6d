#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bytecode/code.h"
#include "compile/frontend.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"
#include "vm/vm.h"

// What the commands share: finding files, compiling them and running them on a host.
namespace harn::cli {

class FileLoader : public modules::SourceLoader {
 public:
  std::optional<std::string> read(const std::string& path) override;
  bool is_file(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  std::string identity(const std::string& path) override;
};

// A file (or text) and everything it imports, parsed.
struct Loaded {
  explicit Loaded(compile::CompileOptions options);
  diag::Sink sink;
  FileLoader loader;
  compile::Frontend frontend;
  const modules::Module* main = nullptr;
};
// Fails when the file cannot be read; problems in the program are told when it is compiled.
// `verify`: whether the compiler is under test (compile::CompileOptions::verify).
enum class Verify : bool { No, Yes };
Result<std::unique_ptr<Loaded>> load_file(const std::string& path, Verify verify = Verify::No);
// Imports resolve from the working directory.
std::unique_ptr<Loaded> load_text(const std::string& name, std::string text);
// For a session: unknown names are reported at once.
std::unique_ptr<Loaded> load_input(const std::string& name, std::string text);

// Null when there were errors (they are in the sink).
std::unique_ptr<bytecode::Program> compile(Loaded& loaded, compile::Session* session = nullptr);

// Many files that are checked or compiled in one go: each is read and compiled once, however many of
// the others import it.
class ManyFiles {
 public:
  enum class For { Checking, Running };
  ManyFiles(const std::vector<std::string>& paths, For purpose);

  // Of file number `file`: why it cannot be read; what there is to report; the program, if it is sound.
  std::optional<Error> read_error(size_t file) const;
  std::vector<const diag::Diagnostic*> problems(size_t file);
  std::unique_ptr<bytecode::Program> program(size_t file);

 private:
  FileLoader loader_;
  compile::Frontend frontend_;
  std::vector<const modules::Module*> mains_;  // null: unreadable
  std::vector<std::string> paths_;
};
// Another program from the same code, for a VM of its own.
std::unique_ptr<bytecode::Program> copy(const bytecode::Program& program);

// `workers`: threads that run tasks; 0: one for each processor.
vm::VmOptions vm_options(vm::Limits limits, unsigned workers = 0);
// Tests run their tasks on one worker: the order of what happens is then always the same.
constexpr unsigned kTestWorkers = 1;

// What a program sees of the world it was started in.
struct Surroundings {
  std::vector<std::string_view> args;  // `argv`
  std::string task;
  std::string project_root;
};

// The entry pipeline: `default`, else the first; null when the program is a script.
const bytecode::PipelineEntry* entry_pipeline(const bytecode::Program& program);
// Runs the modules, then the entry pipeline, or the pipeline `test` of the program if given, and ends its tasks.
vm::Outcome<vm::Value> execute(vm::Vm& vm, std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings,
                               std::optional<size_t> test = {});

// Whether the program's entry holds a `return`, so that its value is an answer to the caller and
// not what its last expression happened to be.
bool entry_returns(const modules::Module& main);

// "Error: MESSAGE" and the "  at" lines; with `snippet`, the source line below them.
enum class Snippet : bool { No, Yes };
std::string error_text(const vm::ErrorObject& error, Snippet snippet, diag::Colour colour);

}  // namespace harn::cli
