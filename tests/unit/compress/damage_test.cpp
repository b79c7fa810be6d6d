// Archives with bytes that are not what they were: an answer or an error, whatever they are.
#include <gtest/gtest.h>

#include <random>

#include "compress/archive.h"

namespace harn::compress {
namespace {

constexpr uint64_t kMost = 4 << 20;

Result<std::vector<Entry>> extract(std::string_view bytes) {
  return zip_extract(bytes, {kMost, "in a test"}, [](size_t) {});
}

std::string archive(size_t count) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < count; ++i) {
    entries.push_back({.path = "f" + std::to_string(i), .content = std::string(i % 50, 'x')});
  }
  return zip_create(entries, [](size_t) {}).value();
}

size_t size_of(const std::vector<Entry>& entries) {
  size_t size = 0;
  for (const Entry& entry : entries) size += entry.content.size();
  return size;
}

TEST(DamagedZip, BytesChange) {
  std::mt19937 random(3);
  std::string good = archive(20);
  int errors = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good.substr(0, random() % 8 ? good.size() : random() % good.size());
    for (size_t n = random() % 6; n > 0 && !bytes.empty(); --n) {
      // Numbers that are all ones stand for others.
      bytes[random() % bytes.size()] = random() % 2 ? '\xff' : static_cast<char>(random());
    }
    auto entries = extract(bytes);
    EXPECT_LE(entries ? size_of(*entries) : 0, kMost);
    errors += !entries;
  }
  EXPECT_GT(errors, 1000);
}

TEST(DamagedZip, TheEndOfALargeOneChanges) {
  std::mt19937 random(4);
  std::string good = archive(66'000);
  ASSERT_EQ(extract(good)->size(), 66'000u);
  for (int i = 0; i < 60; ++i) {
    std::string bytes = good;
    bytes[bytes.size() - 1 - random() % 98] ^= 1 << random() % 8;
    auto entries = extract(bytes);
    EXPECT_LE(entries ? size_of(*entries) : 0, kMost);
  }
}

}  // namespace
}  // namespace harn::compress
