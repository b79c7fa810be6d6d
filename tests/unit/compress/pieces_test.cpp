#include "compress/pieces.h"

#include <gtest/gtest.h>

#include <random>

#include "compress/codec.h"

namespace harn::compress {
namespace {

std::string some_text(std::mt19937& random, size_t size) {
  std::string text;
  while (text.size() < size) text += random() % 3 ? "the same again " : std::to_string(random());
  return text;
}

// In pieces of any size, of which some are empty.
template <class Add>
void in_pieces(std::mt19937& random, std::string_view bytes, Add add) {
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, random() % 5000 * (random() % 3));
    add(piece);
    bytes.remove_prefix(piece.size());
  }
}

struct Unpacked {
  std::string text;
  Result<void> result;
};

Unpacked unpacked(std::mt19937& random, std::string_view packed) {
  Unpacked out;
  auto reader = GzipReader::create().value();
  in_pieces(random, packed, [&](std::string_view piece) {
    if (!out.result) return;
    out.result = reader.add(piece, [&](std::string_view plain) {
      out.text += plain;
      return Result<void>();
    });
  });
  if (out.result) out.result = reader.finish();
  return out;
}

TEST(GzipPieces, AreTheSameAsTheWhole) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::string text = some_text(random, random() % 200'000), packed;
    // What is only stored is cut into blocks as it comes; the rest is the same however that is.
    int level = static_cast<int>(random() % 10);
    auto writer = GzipWriter::create(level).value();
    auto sink = [&](std::string_view piece) {
      packed += piece;
      return Result<void>();
    };
    in_pieces(random, text, [&](std::string_view piece) { EXPECT_TRUE(writer.add(piece, sink)); });
    EXPECT_TRUE(writer.finish(sink));
    if (level > 0) {
      EXPECT_EQ(packed, kGzip.encode(text, level).value());
    }
    EXPECT_EQ(unpacked(random, packed).text, text);
    Unpacked twice = unpacked(random, packed + packed + std::string(700, '\0'));
    EXPECT_TRUE(twice.result);
    EXPECT_EQ(twice.text, text + text);
  }
}

TEST(GzipPieces, DamageIsToldAsForTheWhole) {
  std::mt19937 random(2);
  std::string packed = kGzip.encode(some_text(random, 20'000), 6).value();
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = packed.substr(0, random() % 4 ? packed.size() : random() % packed.size());
    for (size_t n = random() % 4; n > 0 && !bytes.empty(); --n) bytes[random() % bytes.size()] ^= 1 << random() % 8;
    if (random() % 8 == 0) bytes += "more";
    auto whole = kGzip.decode(bytes, {UINT64_MAX, ""}, [](size_t) {});
    Unpacked pieces = unpacked(random, bytes);
    ASSERT_EQ(whole.has_value(), pieces.result.has_value());
    EXPECT_EQ(whole ? *whole : "", whole ? pieces.text : "");
    if (!whole) {
      EXPECT_EQ(whole.error().kind, pieces.result.error().kind);
    }
  }
}

TEST(GzipPieces, ASinkEndsTheWork) {
  std::string packed = kGzip.encode(std::string(50 << 20, '\0'), 9).value();
  auto reader = GzipReader::create().value();
  size_t got = 0;
  auto result = reader.add(packed, [&](std::string_view piece) -> Result<void> {
    got += piece.size();
    if (got > 1'000'000) return fail(ErrorKind::Limit, "enough");
    return {};
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "enough");
  EXPECT_LT(got, 2'000'000u);
}

}  // namespace
}  // namespace harn::compress
