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

// A signature's `name?: type` says that the argument may be left out; in a declaration that is a
// default value.
std::string as_declaration(std::string_view signature) {
  std::string out(signature);
  for (size_t at = out.find("?:"); at != std::string::npos; at = out.find("?:", at)) {
    out.erase(at, 1);
    int depth = 0;
    size_t end = at;
    for (; end < out.size(); ++end) {
      if (depth == 0 && (out[end] == ',' || out[end] == ')')) break;
      if (out[end] == '(' || out[end] == '<') ++depth;
      if (out[end] == ')' || (out[end] == '>' && out[end - 1] != '-')) --depth;
    }
    out.insert(end, " = nil");
  }
  return fmt::format("fn f{} {{ }}\n", out);
}

TEST(Syntax, OfSignatures) {
  for (const Family& family : core_families()) {
    for (const vm::Builtin& row : family.rows) {
      EXPECT_EQ(first_problem(as_declaration(row.signature)), "") << row.name << row.signature;
    }
  }
}

}  // namespace
}  // namespace harn::builtins
