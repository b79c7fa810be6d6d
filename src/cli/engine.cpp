#include "cli/engine.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "builtins/families.h"
#include "builtins/registry.h"
#include "compile/program.h"
#include "std/embedded.h"

namespace harn::cli {

std::optional<std::string> FileLoader::read(const std::string& path) {
  if (!is_file(path)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(in), {});
  return text;
}

bool FileLoader::is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool FileLoader::is_directory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

static std::span<const modules::EmbeddedSource> embedded_sources() {
  static const auto sources = [] {
    std::vector<modules::EmbeddedSource> out;
    for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
      if (module.path != "std/prelude") out.push_back({module.path, module.text});
    }
    return out;
  }();
  return sources;
}

Loaded::Loaded() : graph(loader, embedded_sources(), sink) {}

std::unique_ptr<Loaded> load_file(const std::string& path) {
  auto loaded = std::make_unique<Loaded>();
  loaded->main = loaded->graph.load_file(path);
  return loaded;
}

std::unique_ptr<Loaded> load_text(const std::string& name, std::string text) {
  auto loaded = std::make_unique<Loaded>();
  loaded->main = loaded->graph.load_text(name, std::move(text), "");
  return loaded;
}

std::unique_ptr<bytecode::Program> compile(Loaded& loaded) {
  if (loaded.sink.has_errors()) return nullptr;
  compile::CompileOptions options;
  options.resolve.unknown_variables = false;
  return compile::compile_program(loaded.graph, *loaded.main, builtins::catalog(), loaded.sink, options);
}

void check(Loaded& loaded) {
  if (loaded.main->tree->has_errors) return;
  compile::check_program(loaded.graph, *loaded.main, builtins::catalog(), loaded.sink);
}

vm::VmOptions vm_options(vm::Limits limits) {
  vm::VmOptions options;
  options.limits = limits;
  options.load_prelude = builtins::load_prelude;
  options.is_property = builtins::is_property;
  return options;
}

const bytecode::PipelineEntry* entry_pipeline(const bytecode::Program& program) {
  for (const auto& pipeline : program.pipelines) {
    if (pipeline.name == "default") return &pipeline;
  }
  return program.pipelines.empty() ? nullptr : &program.pipelines[0];
}

vm::Value make_context(std::string_view task, std::string_view project_root) {
  return vm::DictBuilder()
      .add("task", vm::text_value(task))
      .add("project_root", vm::text_value(project_root))
      .add("task_type", vm::text_value(""))
      .done();
}

vm::Outcome<vm::Value> run_pipeline(vm::Vm& vm, const bytecode::PipelineEntry& pipeline,
                                    const vm::Value& context) {
  std::vector<vm::Value> args;
  for (const std::string& name : pipeline.params) {
    const vm::Value* bound = nullptr;
    if (name == "task") bound = context.as_dict()->find("task");
    else if (name == "project") bound = context.as_dict()->find("project_root");
    args.push_back(bound ? *bound : vm::Value());
  }
  return vm.call(vm.global(pipeline.global), args);
}

}  // namespace harn::cli
