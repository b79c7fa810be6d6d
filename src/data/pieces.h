#pragma once

#include <string_view>

#include "base/codecs.h"
#include "vm/pace.h"

namespace harn::data {

// Long texts are worked on in pieces, so that a task can be stopped in between. All but the last piece hold a multiple
// of `block` bytes.
template <class Do>
void in_pieces(std::string_view text, size_t block, Do work) {
  const size_t size = (size_t{8} << 10) / block * block;
  for (size_t at = 0; at < text.size(); at += size) {
    std::string_view piece = text.substr(at, size);
    vm::step(piece.size() / 8);
    work(piece);
  }
}

// `block` bytes become a whole number of characters.
template <class Encode>
std::string encoded_in_pieces(std::string_view bytes, size_t block, Encode encode) {
  std::string out;
  in_pieces(bytes, block, [&](std::string_view piece) { out += encode(piece); });
  return out;
}

// `block` characters become a whole number of bytes. Only the end may be padded, and a mistake is told by its place in
// the whole text: what is wrong with a piece is asked of that.
template <class Decode>
codecs::Decoded decoded_in_pieces(std::string_view text, size_t block, Decode decode) {
  std::string out;
  bool is_wrong = false;
  in_pieces(text, block, [&](std::string_view piece) {
    if (is_wrong) return;
    bool is_last = piece.end() == text.end();
    auto bytes = decode(piece);
    is_wrong = !bytes || (!is_last && piece.ends_with('='));
    if (!is_wrong) out += *bytes;
  });
  return is_wrong ? decode(text) : codecs::Decoded(std::move(out));
}

}  // namespace harn::data
