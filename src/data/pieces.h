#pragma once

#include <string_view>

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

}  // namespace harn::data
