// A row that nothing calls is a row that nobody knows to work: its own example does, or a fixture. What the library
// and the compiler use only among themselves is used there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "builtins/registry.h"

namespace harn::builtins {
namespace {

std::string files_below(const char* folder, std::string_view extension) {
  std::string out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(HARN_SOURCE_DIR) + folder)) {
    if (entry.path().extension() != extension) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    out += text.str();
  }
  return out;
}

bool is_word(char c) { return c == '_' || isalnum(static_cast<unsigned char>(c)); }

// Whether the text has the name as a whole: for a method behind a dot, for a function behind none.
bool mentions(std::string_view text, const vm::Builtin& row) {
  for (size_t at = text.find(row.name); at != std::string_view::npos; at = text.find(row.name, at + 1)) {
    size_t end = at + row.name.size();
    char before = at == 0 ? ' ' : text[at - 1];
    bool is_whole = !is_word(before) && (end == text.size() || !is_word(text[end]));
    if (is_whole && (before == '.') == (row.receiver != 0)) return true;
  }
  return false;
}

TEST(Coverage, EveryRowIsUsedByItsExampleOrAFixture) {
  std::string fixtures = files_below("/tests/conformance", ".harn");
  ASSERT_FALSE(fixtures.empty());
  for (const vm::Builtin* row : table().rows()) {
    if (row->name.starts_with("__")) continue;
    EXPECT_TRUE(mentions(row->example, *row) || mentions(fixtures, *row)) << row->name << row->signature.text();
  }
}

TEST(Coverage, EveryInternalRowIsUsed) {
  std::string users =
      files_below("/src/std", ".harn") + files_below("/src/compile", ".cpp") + files_below("/src/vm", ".cpp");
  std::string callers = files_below("/src/builtins", ".cpp");  // of prelude functions, by their rows
  for (const vm::Builtin* row : table().rows()) {
    if (!row->name.starts_with("__")) continue;
    bool is_called = callers.contains("find(\"" + std::string(row->name) + "\")");
    EXPECT_TRUE(is_called || mentions(users, *row)) << row->name;
  }
}

}  // namespace
}  // namespace harn::builtins
