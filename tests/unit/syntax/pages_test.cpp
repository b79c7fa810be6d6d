#include <gtest/gtest.h>

#include <set>

#include "parse_text.h"

namespace harn {

namespace {

// The program behind "Wrong:" or "Right:" on an explanation page.
std::string program(std::string_view page, std::string_view heading) {
  size_t at = page.find(heading);
  EXPECT_NE(at, std::string_view::npos);
  if (at == std::string_view::npos) return "";
  at = page.find("```harn\n", at) + 8;
  return std::string(page.substr(at, page.find("```", at) - at));
}

}  // namespace

TEST(ExplanationPages, RightProgramsParse) {
  for (const diag::CodeRow& row : diag::code_rows()) {
    auto parsed = test::parse_text(program(diag::explanation(row.id), "Right:"));
    EXPECT_EQ(parsed.errors(), "") << row.id;
  }
}

TEST(ExplanationPages, WrongProgramsShowTheMistake) {
  // Too deep, not UTF-8 and too large cannot be shown on a page.
  std::set<std::string_view> skipped = {"HARN-PAR-007", "HARN-PAR-009", "HARN-PAR-014"};
  for (const diag::CodeRow& row : diag::code_rows()) {
    auto parsed = test::parse_text(program(diag::explanation(row.id), "Wrong:"));
    bool from_parser = row.id.starts_with("HARN-PAR") || row.id == "HARN-MAT-003";
    if (from_parser && !skipped.contains(row.id)) {
      EXPECT_NE(parsed.errors().find(row.id), std::string::npos) << row.id;
    } else {
      EXPECT_EQ(parsed.errors(), "") << row.id;
    }
  }
}

}  // namespace harn
