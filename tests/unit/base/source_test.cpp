#include "base/source.h"

#include <gtest/gtest.h>

namespace harn {

TEST(Source, FindsLinesAndColumns) {
  SourceFile source("a.harn", "one\ntwö x\r\n\nlast");
  EXPECT_EQ(source.line_count(), 4u);
  EXPECT_EQ(source.line(2), "twö x");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_EQ(source.line(9), "");
  Position x = source.position(9);
  EXPECT_EQ(x.line, 2u);
  EXPECT_EQ(x.column, 5u) << "columns count characters, not bytes";
}

TEST(Source, ClampsPlacesOutside) {
  SourceFile source("a.harn", "ab");
  EXPECT_EQ(source.position(100).column, 3u);
  EXPECT_EQ(source.text({1, 100}), "b");
  EXPECT_EQ(source.text({50, 100}), "");
}

TEST(Source, AnEmptyFileHasOneLine) {
  SourceFile source("a.harn", "");
  EXPECT_EQ(source.line_count(), 1u);
  EXPECT_EQ(source.position(0).line, 1u);
}

}  // namespace harn
