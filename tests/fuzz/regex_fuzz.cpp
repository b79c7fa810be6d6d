#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "builtins/families.h"
#include "builtins/regex_cache.h"
#include "vm/vm.h"

// The first line is the pattern, the rest the text. Splitting at matches and putting the matches back
// must give the text again, and a replacement by the match itself must change nothing.
namespace {

using namespace harn;
using namespace harn::vm;

class NoHost : public Host {
  void write(Stream, std::string_view) override {}
  void flush() override {}
  bool read_line(std::string&) override { return false; }
  std::string read_all() override { return {}; }
  bool is_terminal(Stream) override { return false; }
  std::string env(std::string_view, bool& found) override { return found = false, std::string(); }
  int64_t now_ms() override { return 0; }
  int64_t monotonic_ms() override { return 0; }
  void random_bytes(void*, size_t) override {}
};

const BuiltinTable& table() {
  static const std::span<const Builtin> families[] = {builtins::regex_rows()};
  static const BuiltinTable table(families);
  return table;
}

Outcome<Value> run(Vm& vm, std::string_view name, std::vector<Value> args) {
  const Builtin* row = table().find(name);
  Call call(vm, *row, args.data(), static_cast<uint32_t>(args.size()));
  return row->call(call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static NoHost host;
  static Vm vm(table(), host, {});
  std::string_view input(reinterpret_cast<const char*>(data), size);
  size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  Value pattern = text_value(input.substr(0, line));
  Value text = text_value(input.substr(line + 1));

  auto matches = run(vm, "regex_match", {pattern, text});
  if (!matches) return 0;
  auto parts = run(vm, "regex_split", {text, pattern});
  HARN_ASSERT(parts.has_value(), "a pattern that matches cannot split");
  std::string joined;
  for (size_t i = 0; i < parts->as_list()->size; ++i) {
    if (i) joined += matches->as_list()->items[i - 1].as_string()->view();
    joined += parts->as_list()->items[i].as_string()->view();
  }
  HARN_ASSERT(joined == text.as_string()->view(), "parts and matches do not make up the text");

  auto replaced = run(vm, "regex_replace", {pattern, text, text_value("$0")});
  HARN_ASSERT(replaced && equal(*replaced, text), "replacing matches by themselves changed the text");
  auto captures = run(vm, "regex_captures", {pattern, text});
  HARN_ASSERT(captures.has_value(), "a pattern that matches cannot capture");
  size_t count = matches->is_nil() ? 0 : matches->as_list()->size;
  HARN_ASSERT(captures->as_list()->size == count, "matches and captures differ in number");
  return 0;
}
