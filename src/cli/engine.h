#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/code.h"
#include "diag/diagnostic.h"
#include "modules/graph.h"
#include "vm/vm.h"

// What the commands share: finding files, compiling them and running them on the process.
namespace harn::cli {

class FileLoader : public modules::SourceLoader {
 public:
  std::optional<std::string> read(const std::string& path) override;
  bool is_file(const std::string& path) override;
  bool is_directory(const std::string& path) override;
};

// A file (or text) and everything it imports, parsed.
struct Loaded {
  Loaded();
  diag::Sink sink;
  FileLoader loader;
  modules::Graph graph;
  modules::Module* main = nullptr;  // null: the file could not be read
};
std::unique_ptr<Loaded> load_file(const std::string& path);
std::unique_ptr<Loaded> load_text(const std::string& name, std::string text);

// Null when there were errors (they are in the sink).
std::unique_ptr<bytecode::Program> compile(Loaded& loaded);
void check(Loaded& loaded);

vm::VmOptions vm_options(vm::Limits limits);

// The entry pipeline: `default`, else the first; null when the program is a script.
const bytecode::PipelineEntry* entry_pipeline(const bytecode::Program& program);
// The dict a pipeline sees as `context`.
vm::Value make_context(std::string_view task, std::string_view project_root);
// Calls a pipeline with its parameters bound from the context.
vm::Outcome<vm::Value> run_pipeline(vm::Vm& vm, const bytecode::PipelineEntry& pipeline,
                                    const vm::Value& context);

}  // namespace harn::cli
