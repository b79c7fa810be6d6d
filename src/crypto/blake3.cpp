#include "crypto/blake3.h"

#include <algorithm>
#include <bit>

namespace harn::crypto {

namespace {

enum Flag : uint32_t { kChunkStart = 1, kChunkEnd = 2, kParent = 4, kRoot = 8 };

using Block = std::array<uint32_t, 16>;
using State = std::array<uint32_t, 16>;

constexpr std::array<size_t, 16> kPermutation = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};

void mix(State& s, size_t a, size_t b, size_t c, size_t d, uint32_t x, uint32_t y) {
  s[a] += s[b] + x;
  s[d] = std::rotr(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = std::rotr(s[b] ^ s[c], 12);
  s[a] += s[b] + y;
  s[d] = std::rotr(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = std::rotr(s[b] ^ s[c], 7);
}

void round(State& s, const Block& m) {
  for (size_t i = 0; i < 4; ++i) mix(s, i, i + 4, i + 8, i + 12, m[2 * i], m[2 * i + 1]);
  for (size_t i = 0; i < 4; ++i) {
    mix(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i]);
  }
}

Block block_of(std::string_view bytes) {
  Block block{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    block[i / 4] |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * (i % 4));
  }
  return block;
}

}  // namespace

Blake3::Words Blake3::Node::chained() const {
  State s;
  std::copy(input.begin(), input.end(), s.begin());
  std::copy(kStart.begin(), kStart.begin() + 4, s.begin() + 8);
  s[12] = static_cast<uint32_t>(counter);
  s[13] = static_cast<uint32_t>(counter >> 32);
  s[14] = length;
  s[15] = flags;
  Block m = block;
  for (int i = 0; i < 7; ++i) {
    round(s, m);
    Block next;
    for (size_t j = 0; j < 16; ++j) next[j] = m[kPermutation[j]];
    m = next;
  }
  Words out;
  for (size_t i = 0; i < 8; ++i) out[i] = s[i] ^ s[i + 8];
  return out;
}

void Blake3::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (block_.size() == kBlock) {
      // More follows: it is not the last block of all.
      if (blocks_ == kChunk / kBlock - 1) end_chunk();
      else add_block(block_);
      block_.clear();
    }
    size_t count = std::min(kBlock - block_.size(), bytes.size());
    block_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
  }
}

void Blake3::add_block(std::string_view block) {
  chained_ = Node{chained_, block_of(block), chunks_, kBlock, blocks_ == 0 ? kChunkStart : 0u}.chained();
  ++blocks_;
}

Blake3::Node Blake3::chunk_node() const {
  uint32_t flags = (blocks_ == 0 ? kChunkStart : 0u) | kChunkEnd;
  return {chained_, block_of(block_), chunks_, static_cast<uint32_t>(block_.size()), flags};
}

Blake3::Node Blake3::parent_node(const Words& left, const Words& right) {
  Node node{kStart, {}, 0, kBlock, kParent};
  std::copy(left.begin(), left.end(), node.block.begin());
  std::copy(right.begin(), right.end(), node.block.begin() + 8);
  return node;
}

// As many subtrees are whole now as the number of chunks has zeros at its end.
void Blake3::end_chunk() {
  Words words = chunk_node().chained();
  ++chunks_;
  for (uint64_t count = chunks_; count % 2 == 0; count /= 2) {
    words = parent_node(stack_.back(), words).chained();
    stack_.pop_back();
  }
  stack_.push_back(words);
  chained_ = kStart;
  blocks_ = 0;
}

std::string Blake3::finish() {
  Node node = chunk_node();
  for (; !stack_.empty(); stack_.pop_back()) node = parent_node(stack_.back(), node.chained());
  node.flags |= kRoot;
  std::string out;
  for (uint32_t word : node.chained()) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(word >> (8 * i));
  }
  return out;
}

}  // namespace harn::crypto
