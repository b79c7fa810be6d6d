#include "builtins/sha1.h"

#include <bit>
#include <string>

namespace harn::builtins {

using State = std::array<uint32_t, 5>;

static uint32_t mix(int round, uint32_t b, uint32_t c, uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5A827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ED9EBA1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
  return (b ^ c ^ d) + 0xCA62C1D6;
}

static void add_block(State& state, const char* block) {
  uint32_t words[80];
  for (int i = 0; i < 16; ++i) {
    words[i] = 0;
    for (int j = 0; j < 4; ++j) words[i] = words[i] << 8 | static_cast<uint8_t>(block[i * 4 + j]);
  }
  for (int i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (int i = 0; i < 80; ++i) {
    uint32_t next = std::rotl(a, 5) + mix(i, b, c, d) + e + words[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

std::array<uint8_t, 20> sha1(std::string_view bytes) {
  uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) add_block(state, bytes.data());
  std::string tail(bytes);
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift);
  for (size_t at = 0; at < tail.size(); at += 64) add_block(state, tail.data() + at);
  std::array<uint8_t, 20> digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - i % 4 * 8));
  }
  return digest;
}

}  // namespace harn::builtins
