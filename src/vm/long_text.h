#pragma once

#include <cstring>
#include <string_view>

// Copying, comparing and searching bytes of any number, in pieces with a `step` between them: a task that has to
// stop leaves by `Stopped` (vm/pace.h) in the middle of the longest text.
namespace harn::vm {

constexpr size_t kTextPiece = 64 * 1024;

void copy_long_text(char* to, std::string_view from);
inline void copy_text(char* to, std::string_view from) {
  if (from.size() <= kTextPiece) [[likely]]
    memcpy(to, from.data(), from.size());
  else copy_long_text(to, from);
}
// Writes `unit`, which is not empty, again and again; `size` is a multiple of its size.
void fill_text(char* to, size_t size, std::string_view unit);
// Less than, equal to or greater than zero.
int order_long_text(std::string_view a, std::string_view b);
inline int order_text(std::string_view a, std::string_view b) {
  return a.size() <= kTextPiece ? a.compare(b) : order_long_text(a, b);
}
// Where `what` begins, first or last; npos when it is not there. Time grows with the sum of both lengths only.
size_t find_text(std::string_view text, std::string_view what, size_t from = 0);
size_t find_last_text(std::string_view text, std::string_view what);
// Takes the next piece from `rest`; it ends where a character ends.
std::string_view next_piece(std::string_view& rest);

}  // namespace harn::vm
