// Runs the example of every builtin: each is a Harn expression that must be true.
#include <gtest/gtest.h>

#include <set>

#include "builtins/families.h"
#include "builtins/registry.h"
#include "bytecode/code.h"
#include "compile/program.h"
#include "support/memory_host.h"
#include "vm/vm.h"

namespace harn {
namespace {

class NoFiles : public modules::SourceLoader {
  std::optional<std::string> read(const std::string&) override { return std::nullopt; }
  bool is_file(const std::string&) override { return false; }
  bool is_directory(const std::string&) override { return false; }
};

// The value of a script, or an error text.
std::string evaluate(std::string_view text) {
  NoFiles loader;
  diag::Sink sink;
  modules::Graph graph(loader, {}, sink);
  auto* main = graph.load_text("example.harn", std::string(text), "");
  if (sink.has_errors()) return "does not parse: " + sink.diagnostics()[0].message;
  compile::CompileOptions compile_options;
  compile_options.resolve.internal_names = true;  // the prelude's own natives have examples too
  auto program = compile::compile_program(graph, *main, builtins::catalog(), sink, compile_options);
  if (!program) return "does not compile: " + sink.diagnostics()[0].message;
  test::MemoryHost host;
  vm::VmOptions options;
  options.load_prelude = builtins::load_prelude;
  options.is_property = builtins::is_property;
  vm::Vm vm(builtins::table(), host, std::move(options));
  auto value = vm.load(std::move(program));
  if (!value) return "error: " + vm::describe(*value.error());
  return vm::display(*value);
}

TEST(Examples, EveryExampleIsTrue) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->example.empty()) continue;
    EXPECT_EQ(evaluate(row->example), "true") << row->name << ": " << row->example;
  }
}

TEST(Examples, EveryBuiltinHasOne) {
  for (const vm::Builtin* row : builtins::table().rows()) {
    bool talks = row->needs == vm::Capability::Stdio;
    if (row->name.starts_with("__") || talks) continue;
    EXPECT_FALSE(row->example.empty()) << row->name;
  }
}

}  // namespace
}  // namespace harn
