// Writes all parts of the prelude, compiled, to standard output: name, bytes, name, bytes.
#include <cstdio>

#include "base/wire.h"
#include "builtins/registry.h"
#include "bytecode/program_bytes.h"
#include "std/embedded.h"

int main() {
  std::string bytes;
  harn::WireWriter wire(bytes);
  for (const auto& module : harn::stdlib::embedded_modules()) {
    if (!harn::stdlib::is_prelude(module)) continue;
    std::string_view name = harn::builtins::prelude_part(module);
    wire.text(name);
    wire.text(harn::bytecode::program_bytes(*harn::builtins::load_prelude(name)));
  }
  bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  if (!is_written) std::perror("compile_prelude");
  return is_written ? 0 : 1;
}
