#include <gtest/gtest.h>

#include "all_families.h"
#include "base/fmt.h"
#include "diag/diagnostic.h"
#include "std/embedded.h"
#include "syntax/tree.h"

// Everything Harn that is kept as text in C++ must be Harn to our own parser.
namespace harn::builtins {
namespace {

std::string first_problem(std::string text) {
  diag::Sink sink;
  syntax::parse(std::make_shared<SourceFile>("test.harn", std::move(text)), sink);
  return sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message;
}

TEST(Syntax, OfEmbeddedModules) {
  for (const auto& module : stdlib::embedded_modules()) {
    EXPECT_EQ(first_problem(std::string(module.text)), "") << module.path;
  }
}

TEST(Syntax, OfExamples) {
  for (const Family& family : core_families()) {
    for (const vm::Builtin& row : family.rows) {
      auto program = fmt::format("let holds = {}\n", row.example);
      EXPECT_EQ(first_problem(program), "") << row.name << ": " << row.example;
    }
  }
}

}  // namespace
}  // namespace harn::builtins
