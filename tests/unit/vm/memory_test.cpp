#include "vm/memory.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "make_values.h"

namespace harn::vm {
namespace {

TEST(Memory, BlocksDoNotOverlap) {
  std::mt19937 random(1);
  struct Block {
    unsigned char* at;
    size_t size;
    unsigned char mark;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < 20'000; ++i) {
    if (blocks.empty() || random() % 3) {
      size_t size = random() % 700;
      auto mark = static_cast<unsigned char>(random());
      auto* at = static_cast<unsigned char*>(allocate(size));
      memset(at, mark, size);
      blocks.push_back({at, size, mark});
    } else {
      size_t victim = random() % blocks.size();
      for (size_t j = 0; j < blocks[victim].size; ++j) ASSERT_EQ(blocks[victim].at[j], blocks[victim].mark);
      deallocate(blocks[victim].at, blocks[victim].size);
      blocks[victim] = blocks.back();
      blocks.pop_back();
    }
  }
  for (auto& block : blocks) deallocate(block.at, block.size);
}

TEST(Memory, ReallocateKeepsTheContents) {
  size_t size = 1;
  auto* at = static_cast<unsigned char*>(allocate(size));
  at[0] = 0;
  for (size_t next = 2; next < 5000; next = next * 3 / 2 + 1) {
    at = static_cast<unsigned char*>(reallocate(at, size, next));
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(at[i], static_cast<unsigned char>(i));
    for (size_t i = size; i < next; ++i) at[i] = static_cast<unsigned char>(i);
    size = next;
  }
  deallocate(at, size);
}

TEST(Memory, AMillionNestedListsAreFreedWithoutRecursion) {
  Value deep = nested_list(1'000'000);
  EXPECT_TRUE(deep.is_list());
  deep = Value();
}

TEST(Memory, DeepMixedStructuresAreFreedWithoutRecursion) {
  Value value = I(1);
  for (int i = 0; i < 300'000; ++i) {
    switch (i % 4) {
      case 0: value = D({{"next", value}}); break;
      case 1: value = new_pair(value, I(i)); break;
      case 2: value = new_ok(value); break;
      case 3: value = L({value}); break;
    }
  }
}

TEST(Memory, BlocksOfAThreadThatEndedAreUsedAgain) {
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      std::vector<Value> values;
      for (int j = 0; j < 1000; ++j) values.push_back(L({I(j)}));
    }).join();
  }
}

TEST(Memory, SharedObjectsCountDownwards) {
  auto list = new_list();
  list->push(I(1));
  list->refs = -1;  // frozen, one owner
  Value a = std::move(list);
  Value b = a;
  EXPECT_EQ(a.object()->refs, -2);
  EXPECT_FALSE(a.is_unique());
  b = Value();
  EXPECT_EQ(a.object()->refs, -1);
}

TEST(Memory, ImmortalObjectsAreNotCounted) {
  Value a = S("x");
  Value b = a;
  EXPECT_EQ(a.object()->refs, 0);
  EXPECT_EQ(a.object(), S("x").object());
}

}  // namespace
}  // namespace harn::vm
