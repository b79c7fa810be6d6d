#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process_host.h"
#include "compile/program.h"
#include "engine/machine.h"
#include "engine/sources.h"

namespace harn::cli {

// The inputs of one `harn repl`, run one after the other. Each is compiled by itself and sees the
// variables of the ones before; nothing runs twice.
class ReplSession {
 public:
  ReplSession(ProcessHost& host, vm::Limits limits);
  ~ReplSession();

  // Runs an input. Prints the value of a bare expression and remembers it as `_1`, `_2`, ...;
  // prints problems and goes on.
  void evaluate(std::string_view input);
  // Runs an expression and prints the type of its value.
  void show_type(std::string_view expression);

  // The scope of the inputs ends: what their variables own is closed, tasks are stopped. Nothing runs after it.
  void end();

  // What the session has declared.
  std::vector<std::string_view> names() const;

 private:
  enum class Then { ShowValue, ShowType };
  void run(std::string_view input, Then then);
  vm::Outcome<vm::Value> execute(std::unique_ptr<bytecode::Program> program);
  void restore_unset(const compile::Session& before);
  void show_value(const vm::Value& value);
  void write(std::string_view text) { host_.write(vm::Stream::Out, text); }
  void write_error(std::string_view text) { host_.write(vm::Stream::Err, text); }

  ProcessHost& host_;
  engine::Machine machine_;
  vm::Vm& vm_;
  compile::Session session_;
  std::vector<std::unique_ptr<engine::Loaded>> inputs_;  // kept: types and error traces point into them
  size_t values_ = 0;                                    // how many of _1, _2, ... there are
};

}  // namespace harn::cli
