#include <gtest/gtest.h>

#include <string>

#include "all_families.h"
#include "base/fmt.h"
#include "builtins/registry.h"
#include "bytecode/program_bytes.h"
#include "bytecode/verify.h"
#include "std/embedded.h"

namespace harn::builtins {
namespace {

std::string_view prelude() {
  for (const auto& module : stdlib::embedded_modules()) {
    if (module.path == "std/prelude") return module.text;
  }
  return {};
}

TEST(Prelude, IsEmbedded) {
  EXPECT_TRUE(prelude().starts_with("//"));
  EXPECT_TRUE(prelude().ends_with("}\n"));
}

constexpr int kAnyNumber = 0xFFFF;

// The number of parameters that the function of this name has; -1 when there is no such function.
int parameters_of(std::string_view name) {
  std::string start = fmt::format("\nfn {}(", name);
  size_t at = prelude().find(start);
  if (at == std::string_view::npos) return -1;
  auto rest = prelude().substr(at + start.size());
  auto list = rest.substr(0, rest.find(')'));
  if (list.contains("...")) return kAnyNumber;
  return list.empty() ? 0 : 1 + static_cast<int>(std::count(list.begin(), list.end(), ','));
}

TEST(Prelude, HasTheFunctionOfEveryRow) {
  std::vector<std::span<const vm::Builtin>> spans;
  for (const Family& family : core_families()) spans.push_back(family.rows);
  vm::BuiltinTable table(spans);
  for (const vm::Builtin* row : table.rows()) {
    if (row->prelude.empty()) continue;
    int expected = row->signature.most() == UINT32_MAX
                       ? kAnyNumber
                       : static_cast<int>(row->signature.most()) + (row->receiver ? 1 : 0);
    EXPECT_EQ(parameters_of(row->prelude), expected) << row->prelude;
  }
}

TEST(Prelude, IsSoundCode) {
  for (const auto& module : stdlib::embedded_modules()) {
    if (!stdlib::is_prelude(module)) continue;
    auto fault = bytecode::verify(*load_prelude(prelude_part(module)), catalog().count(), true);
    EXPECT_FALSE(fault) << module.path << " " << fault->text();
  }
}

// What the build compiles and the binary reads is what the compiler made.
TEST(Prelude, IsTheSameAfterItWasBytes) {
  for (const auto& module : stdlib::embedded_modules()) {
    if (!stdlib::is_prelude(module)) continue;
    auto made = load_prelude(prelude_part(module));
    std::string bytes = bytecode::program_bytes(*made);
    auto read = bytecode::read_program(bytes, made->modules[0]->source);
    ASSERT_TRUE(read) << module.path;
    EXPECT_EQ(bytecode::program_bytes(*read), bytes) << module.path;
    ASSERT_EQ(read->modules.size(), made->modules.size());
    for (size_t i = 0; i < made->modules.size(); ++i) {
      EXPECT_EQ(bytecode::disassemble(*read->modules[i]), bytecode::disassemble(*made->modules[i])) << module.path;
    }
    auto fault = bytecode::verify(*read, catalog().count(), true);
    EXPECT_FALSE(fault) << module.path << " " << fault->text();
  }
}

TEST(Prelude, ThatIsCutOffOrLongerIsNotRead) {
  auto made = load_prelude("");
  std::string bytes = bytecode::program_bytes(*made);
  SourcePtr source = made->modules[0]->source;
  for (size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_FALSE(bytecode::read_program(std::string_view(bytes).substr(0, size), source)) << size;
  }
  EXPECT_FALSE(bytecode::read_program(bytes + "x", source));
}

}  // namespace
}  // namespace harn::builtins
