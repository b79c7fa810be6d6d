#pragma once

#include "builtins/parking.h"
#include "park/park.h"
#include "support/evaluate.h"
#include "vm/scheduler.h"

namespace harn::park {

// A program that can be run, put away and taken up any number of times. The tree must outlive its code.
class Compiled {
 public:
  explicit Compiled(std::string_view text) : graph_(loader_, {}) {
    auto* main = graph_.load_text("example.harn", std::string(text), "");
    compile::CompileOptions options;
    options.resolve.unknown_variables = false;
    program_ = compile::compile_program(graph_, *main, builtins::catalog(), sink_, options);
  }
  std::unique_ptr<bytecode::Program> copy() const { return std::make_unique<bytecode::Program>(*program_); }

 private:
  test::NoFiles loader_;
  diag::Sink sink_;
  modules::Graph graph_;
  std::unique_ptr<bytecode::Program> program_;
};

class Machine {
 public:
  explicit Machine(unsigned workers = 1)
      : vm(builtins::table(), host,
           {.workers = workers, .load_prelude = [](std::string_view part) { return builtins::load_prelude(part); }}) {}

  test::MemoryHost host;
  vm::Vm vm;
};

// What is left of a program at its nth wait; empty when it ended before.
inline std::string state_at(const Compiled& program, uint64_t wait, unsigned workers = 1,
                            std::string* output = nullptr) {
  Machine machine(workers);
  machine.vm.scheduler().stand_still_at(wait);
  auto outcome = machine.vm.load(program.copy());
  if (output) *output = machine.host.out;
  if (!machine.vm.scheduler().stands_still()) return {};
  auto bytes = put_away(machine.vm, builtins::park_kinds());
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *bytes : std::string();
}

}  // namespace harn::park
