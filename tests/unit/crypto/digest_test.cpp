#include "crypto/digest.h"

#include <gtest/gtest.h>

#include "base/codecs.h"

namespace harn::crypto {
namespace {

std::string digest(std::string_view name, std::string_view bytes, size_t piece) {
  auto sum = Digest::start(name);
  EXPECT_TRUE(sum) << (sum ? "" : sum.error());
  for (size_t at = 0; at < bytes.size(); at += piece) sum->add(bytes.substr(at, piece));
  return codecs::to_hex(sum->finish());
}

// The test vectors of BLAKE3: bytes 0 to 250, over and over.
TEST(Digest, Blake3Trees) {
  struct {
    size_t length;
    const char* sum;
  } const kCases[] = {
      {0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
      {1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
      {1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
      {1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
      {2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"},
      {3073, "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3"},
      {102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"},
  };
  for (const auto& one : kCases) {
    std::string bytes;
    for (size_t i = 0; i < one.length; ++i) bytes += static_cast<char>(i % 251);
    for (size_t piece : {size_t{7}, size_t{64}, size_t{1024}, size_t{1} << 20}) {
      EXPECT_EQ(digest("BLAKE3", bytes, piece), one.sum) << one.length << " in pieces of " << piece;
    }
  }
}

TEST(Digest, PiecesMakeNoDifference) {
  std::string bytes(10'000, 'x');
  for (const char* name : {"SHA256", "SHA512-256", "SHA3-512", "MD5"}) {
    EXPECT_EQ(digest(name, bytes, 3), digest(name, bytes, bytes.size())) << name;
  }
}

TEST(Digest, UnknownOnesAreRefused) { EXPECT_FALSE(Digest::start("SHA-UNKNOWN")); }

TEST(Digest, SignaturesAreCompared) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace harn::crypto
