#include <gtest/gtest.h>

#include <set>

#include "diag/diagnostic.h"

namespace harn::diag {

TEST(Catalogue, CodesAreWellFormedAndUnique) {
  std::set<std::string_view> seen;
  for (const CodeRow& row : code_rows()) {
    EXPECT_TRUE(seen.insert(row.id).second) << row.id << " is listed twice";
    ASSERT_EQ(row.id.size(), 12u) << row.id;
    EXPECT_TRUE(row.id.starts_with("HARN-")) << row.id;
    EXPECT_EQ(find_code(row.id), &row);
    EXPECT_FALSE(row.title.empty()) << row.id;
  }
  EXPECT_EQ(find_code("HARN-XXX-999"), nullptr);
}

TEST(Catalogue, MessagesFollowTheHouseStyle) {
  for (const CodeRow& row : code_rows()) {
    EXPECT_FALSE(row.text.ends_with('.')) << row.id;
    EXPECT_FALSE(row.text.empty()) << row.id;
    EXPECT_FALSE(isupper(static_cast<unsigned char>(row.text[0]))) << row.id;
  }
}

TEST(Catalogue, EveryCodeIsExplained) {
  for (const CodeRow& row : code_rows()) {
    std::string_view page = explanation(row.id);
    EXPECT_FALSE(page.empty()) << row.id << " has no page in src/diag/explain";
    EXPECT_TRUE(page.starts_with("# ")) << row.id;
    EXPECT_NE(page.find(row.id), std::string_view::npos) << row.id;
    EXPECT_NE(page.find("```harn"), std::string_view::npos) << row.id << " shows no program";
  }
  EXPECT_TRUE(explanation("HARN-XXX-999").empty());
}

}  // namespace harn::diag
