#include "base/source.h"

#include <gtest/gtest.h>

#include <thread>

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

TEST(Source, ThreadsMayAskForPositionsAtTheSameTime) {
  constexpr uint32_t kLines = 50'000;
  SourceFile source("a.harn", std::string(kLines, '\n'));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { wrong += source.position(kLines - 1).line != kLines; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace harn
