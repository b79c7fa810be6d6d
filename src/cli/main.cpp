#include <cstdio>
#include <cstring>

#include "builtins/registry.h"
#include "cli/engine.h"
#include "cli/process_host.h"
#include "vm/trace.h"

using namespace harn;

int main(int argc, char** argv) {
  std::string path = argc > 1 ? argv[1] : "";
  bool disasm = false;
  if (path == "disasm" && argc > 2) { disasm = true; path = argv[2]; }
  auto loaded = cli::load_file(path);
  if (!loaded->main) { fprintf(stderr, "error: cannot read %s\n", path.c_str()); return 1; }
  auto program = cli::compile(*loaded);
  if (!loaded->sink.diagnostics().empty()) fputs(diag::render_all(loaded->sink, diag::Colour::No).c_str(), stderr);
  if (!program) return 1;
  if (disasm) { for (auto& m : program->modules) fputs(bytecode::disassemble(*m).c_str(), stdout); return 0; }
  cli::ProcessHost host;
  vm::Vm vm(builtins::table(), host, cli::vm_options({}));
  std::vector<bytecode::PipelineEntry> pipelines = program->pipelines;
  const bytecode::PipelineEntry* entry = cli::entry_pipeline(*program);
  vm::Value context = cli::make_context("", ".");
  vm.preset_global(1, context);
  auto result = vm.load(std::move(program));
  if (result && entry) result = cli::run_pipeline(vm, *entry, context);
  if (!result) {
    host.flush();
    fprintf(stderr, "Error: %s\n%s", vm::describe(*result.error()).c_str(), vm::trace_text(*result.error()).c_str());
    return 1;
  }
}
