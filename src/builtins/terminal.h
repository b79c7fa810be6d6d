#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/spin_lock.h"
#include "vm/vm.h"

// What the output builtins remember per program. All writing goes through here, so that captured
// and mocked streams work for every one of them.
namespace harn::builtins {

enum class ColorMode : uint8_t { Auto, Always, Never };
enum class LogLevel : uint8_t { Debug, Info, Warn, Error };

class Terminal {
 public:
  SpinLock lock;  // of what tests capture and mock
  static Terminal& of(vm::Vm& vm) { return vm.local<Terminal>(); }

  void write_error(vm::Vm& vm, std::string_view text);
  bool is_terminal(vm::Vm& vm, vm::Stream stream) const;
  bool styles_text(vm::Vm& vm) const;
  // One line without its end; false at the end of input.
  bool read_line(vm::Vm& vm, std::string& line);
  std::string read_all(vm::Vm& vm);

  ColorMode color_mode = ColorMode::Auto;
  LogLevel log_level = LogLevel::Debug;
  std::optional<std::string> mocked_input;
  std::optional<bool> mocked_terminal[3];        // by stream
  std::optional<std::string> captured_errors;
};

}  // namespace harn::builtins
