#pragma once

#include <functional>
#include <string>

#include "vm/builtin.h"

// Values by key in a JSON file of the state root: the store, and the checkpoints of a pipeline.
//
// A change reads the file, makes the change and writes it back, and begins again when another task or process was faster:
// nobody's keys are lost. For builtins on a fiber. Values are kept as JSON that loses nothing
// (`exact_json`).
namespace harn::builtins {

class KeyFile {
 public:
  KeyFile(vm::Call& call, std::string file) : call_(call), file_(std::move(file)) {}

  // All of it, as a dict; empty when there is no file.
  vm::Outcome<vm::Value> read();

  // `change` gets a dict to change and says whether it did. Nothing is written when it did not.
  using Change = std::function<bool(vm::Value& entries)>;
  vm::Outcome<void> change(const Change& change);

  vm::Outcome<vm::Value> get(std::string_view key);
  vm::Outcome<vm::Value> keys();
  vm::Outcome<void> set(std::string_view key, const vm::Value& value);
  vm::Outcome<void> remove(std::string_view key);
  vm::Outcome<void> clear();

 private:
  vm::Outcome<vm::Value> parsed(std::string_view text, std::string_view path);

  vm::Call& call_;
  std::string file_;
};

}  // namespace harn::builtins
