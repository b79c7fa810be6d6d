#pragma once

#include <map>
#include <string>
#include <vector>

#include "../vm/make_values.h"
#include "builtins/families.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

// Calls natives on a real VM whose world is in memory.
namespace harn::builtins {

class MemoryHost : public vm::Host {
 public:
  std::string out, err, in;
  std::map<std::string, std::string, std::less<>> variables;
  bool terminal = false;

  void write(vm::Stream stream, std::string_view text) override { (stream == vm::Stream::Err ? err : out) += text; }
  void flush() override {}
  bool read_line(std::string& line) override {
    if (in.empty()) return false;
    size_t end = in.find('\n');
    line = in.substr(0, end);
    in.erase(0, end == std::string::npos ? end : end + 1);
    return true;
  }
  std::string read_all() override { return std::exchange(in, {}); }
  bool is_terminal(vm::Stream) override { return terminal; }
  std::string env(std::string_view name, bool& found) override {
    auto at = variables.find(name);
    found = at != variables.end();
    return found ? at->second : "";
  }
  int64_t now_ms() override { return 1'700'000'000'123; }
  int64_t monotonic_ms() override { return 5; }
  void random_bytes(void* to, size_t size) override { memset(to, 1, size); }
};

class DataCall {
 public:
  MemoryHost host;
  vm::Vm vm{table(), host, {}};

  vm::Outcome<vm::Value> call(std::string_view name, std::vector<vm::Value> args) {
    const vm::Builtin* row = table().find(name);
    if (!row) return vm::plain_error("no such row");
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
        output_rows(), log_rows(), convert_rows(), testing_rows(), junit_rows(), json_rows(), json_pointer_rows(), jq_rows(),
        yaml_rows(), toml_rows(), csv_rows(), schema_rows(), schema_convert_rows(), regex_rows()};
    static const vm::BuiltinTable table(families);
    return table;
  }
};

}  // namespace harn::builtins
