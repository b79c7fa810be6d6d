#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "builtins/families.h"
#include "builtins/registry.h"
#include "bytecode/code.h"
#include "compile/program.h"
#include "engine/machine.h"
#include "support/memory_host.h"

// Programs on a VM whose world is in memory.
namespace harn::test {

class NoFiles : public modules::SourceLoader {
  std::optional<std::string> read(const std::string&) override { return std::nullopt; }
  bool is_file(const std::string&) override { return false; }
  bool is_directory(const std::string&) override { return false; }
};

class MemoryVm {
 public:
  MemoryHost host;

  vm::Vm& vm() {
    if (!machine_) machine_ = std::make_unique<engine::Machine>(host, engine::Settings{.workers = 2});
    return machine_->vm();
  }

  // The value of a script as text, or what went wrong. Set up the host before the first.
  std::string evaluate(std::string_view text) {
    NoFiles loader;
    diag::Sink sink;
    modules::Graph graph(loader, {});
    auto* main = graph.load_text("example.harn", std::string(text), "");
    if (main->tree->has_errors) return "does not parse: " + main->found.diagnostics()[0].message;
    compile::CompileOptions options;
    options.resolve.internal_names = true;  // the prelude's own natives have examples too
    auto program = compile::compile_program(graph, *main, builtins::catalog(), sink, options);
    if (!program) return "does not compile: " + sink.diagnostics()[0].message;
    auto value = vm().load(std::move(program));
    if (!value) return "error: " + vm::describe(*value.error());
    return vm::display(*value);
  }

 private:
  std::unique_ptr<engine::Machine> machine_;
};

}  // namespace harn::test
