#include "base/arena.h"

#include <gtest/gtest.h>

namespace harn {

TEST(Arena, KeepsAlignmentAndValues) {
  Arena arena;
  std::vector<double*> numbers;
  for (int i = 0; i < 50'000; ++i) {
    arena.make<char>('x');
    numbers.push_back(arena.make<double>(double(i)));
  }
  for (int i = 0; i < 50'000; ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers[i]) % alignof(double), 0u);
    EXPECT_EQ(*numbers[i], i);
  }
}

TEST(Arena, GivesBigBlocksTheirOwnMemory) {
  Arena arena;
  int* small = arena.make<int>(1);
  std::string text(1 << 20, 'a');
  EXPECT_EQ(arena.copy(std::string_view(text)), text);
  int* next = arena.make<int>(2);
  EXPECT_EQ(*small, 1);
  EXPECT_EQ(*next, 2);
}

TEST(Arena, CopiesEmptyLists) {
  Arena arena;
  EXPECT_TRUE(arena.copy(std::string_view()).empty());
  EXPECT_TRUE(arena.copy(std::span<const int>()).empty());
}

}  // namespace harn
