#pragma once

#include <memory>
#include <string>

#include "base/spin_lock.h"
#include "effects/stdio.h"
#include "vm/vm.h"

// What the output builtins remember per program, and how they write.
namespace harn::builtins {

enum class ColorMode : uint8_t { Auto, Always, Never };
enum class LogLevel : uint8_t { Debug, Info, Warn, Error };

struct Terminal {
  static Terminal& of(vm::Vm& vm) { return vm.local<Terminal>(); }

  ColorMode color_mode = ColorMode::Auto;
  LogLevel log_level = LogLevel::Debug;
  // What went to standard error since capture_stderr_start; null: it is not captured.
  struct Captured {
    SpinLock lock;
    std::string text;
  };
  std::shared_ptr<Captured> errors;
};

// One write: lines of concurrent tasks never mix.
inline vm::Outcome<vm::Value> write_text(vm::Call& call, vm::Stream stream, std::string text) {
  HARN_CHECK(effects::perform(effects::Run::current(call.vm()), effects::Write{stream, std::move(text)}));
  return vm::Value();
}

}  // namespace harn::builtins
