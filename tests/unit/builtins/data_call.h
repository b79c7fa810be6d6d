#pragma once

#include <string>
#include <vector>

#include "../vm/make_values.h"
#include "builtins/families.h"
#include "support/memory_host.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

// Calls natives on a real VM whose world is in memory.
namespace harn::builtins {

class DataCall {
 public:
  test::MemoryHost host;
  vm::Vm vm{table(), host, {}};

  vm::Outcome<vm::Value> call(std::string_view name, std::vector<vm::Value> args) {
    const vm::Builtin* row = table().find(name);
    if (!row) return vm::plain_error(ErrorKind::Type, "no such row");
    if (row->wait) return call_waiting(*row, args);
    vm::Call native(vm, *row, args.data(), static_cast<uint32_t>(args.size()));
    return row->call(native);
  }

  // The print form of the result, or "!" and what `catch` would see.
  template <class... Args>
  std::string run(std::string_view name, Args... args) {
    auto result = call(name, {vm::Value(args)...});
    return result ? vm::display(*result) : "!" + vm::display(vm::caught_value(*result.error()));
  }

 private:
  vm::Outcome<vm::Value> call_waiting(const vm::Builtin& row, std::vector<vm::Value>& args) {
    auto count = static_cast<uint32_t>(args.size());
    vm::WaitCall waiting(vm, row, args.data(), count, vm.scheduler().root(), false);
    if (row.wait(waiting) == vm::Step::Failed) return std::unexpected(std::move(waiting.error));
    return std::move(waiting.result);
  }

  static const vm::BuiltinTable& table() {
    static const std::span<const vm::Builtin> families[] = {
        output_rows(),         log_rows(),  convert_rows(), testing_rows(), junit_rows(), json_rows(),
        json_pointer_rows(),   jq_rows(),   yaml_rows(),    toml_rows(),    csv_rows(),   schema_rows(),
        schema_convert_rows(), regex_rows()};
    static const vm::BuiltinTable table(families);
    return table;
  }
};

}  // namespace harn::builtins
