#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// BLAKE3, 32 bytes, without a key.
namespace harn::crypto {

class Blake3 {
 public:
  void add(std::string_view bytes);
  std::string finish();

 private:
  using Words = std::array<uint32_t, 8>;
  static constexpr size_t kBlock = 64;
  static constexpr size_t kChunk = 1024;

  // What is left to be compressed: as a node of the tree, or as its root.
  struct Node {
    Words input;
    std::array<uint32_t, 16> block;
    uint64_t counter;
    uint32_t length;
    uint32_t flags;
    Words chained() const;
  };
  Node chunk_node() const;
  static Node parent_node(const Words& left, const Words& right);
  void end_chunk();
  void add_block(std::string_view block);

  Words chained_ = kStart;    // of the chunk so far
  std::string block_;         // not compressed yet: a chunk's last block is special
  size_t blocks_ = 0;         // of the chunk, compressed
  uint64_t chunks_ = 0;       // ended
  std::vector<Words> stack_;  // subtrees on the left that wait for their right halves

  static constexpr Words kStart = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                   0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
};

}  // namespace harn::crypto
