#include "vm/long_text.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "vm/pace.h"

namespace harn::vm {

void copy_long_text(char* to, std::string_view from) {
  while (from.size() > kTextPiece) {
    memcpy(to, from.data(), kTextPiece);
    to += kTextPiece;
    from.remove_prefix(kTextPiece);
    step_bytes(kTextPiece);
  }
  memcpy(to, from.data(), from.size());
}

void fill_text(char* to, size_t size, std::string_view unit) {
  if (size == 0) return;
  copy_text(to, unit);
  // What is written already is the source of what follows, up to one piece at a time.
  size_t most = std::max(unit.size(), kTextPiece / unit.size() * unit.size());
  for (size_t filled = unit.size(); filled < size;) {
    size_t more = std::min({filled, most, size - filled});
    copy_text(to + filled, {to, more});
    filled += more;
    step_bytes(more);
  }
}

int order_long_text(std::string_view a, std::string_view b) {
  while (a.size() > kTextPiece && b.size() > kTextPiece) {
    if (int order = memcmp(a.data(), b.data(), kTextPiece)) return order;
    a.remove_prefix(kTextPiece);
    b.remove_prefix(kTextPiece);
    step_bytes(kTextPiece);
  }
  return a.compare(b);
}

// What is short is found by its first byte, which the library does fastest; with what is long that could take the
// product of the lengths.
constexpr size_t kShort = 16;

static size_t find_in_piece(std::string_view text, std::string_view what) {
  if (what.size() <= kShort) return text.find(what);
  const void* found = memmem(text.data(), text.size(), what.data(), what.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

static size_t find_last_in_piece(std::string_view text, std::string_view what) {
  if (what.size() <= kShort) return text.rfind(what);
  std::string backwards(text.rbegin(), text.rend());
  size_t found = find_in_piece(backwards, std::string(what.rbegin(), what.rend()));
  return found == std::string_view::npos ? found : text.size() - found - what.size();
}

size_t find_text(std::string_view text, std::string_view what, size_t from) {
  size_t piece = std::max(kTextPiece, what.size());
  while (from <= text.size()) {
    size_t found = find_in_piece(text.substr(from, piece + what.size()), what);
    if (found != std::string_view::npos) return from + found;
    step_bytes(std::min(piece, text.size() - from));
    from += piece;
  }
  return std::string_view::npos;
}

size_t find_last_text(std::string_view text, std::string_view what) {
  size_t piece = std::max(kTextPiece, what.size());
  for (size_t end = text.size(); end >= what.size();) {
    size_t start = end - std::min(end, piece + what.size());
    size_t found = find_last_in_piece(text.substr(start, end - start), what);
    if (found != std::string_view::npos) return start + found;
    if (start == 0) break;
    step_bytes(piece);
    end = start + what.size() - 1;
  }
  return std::string_view::npos;
}

std::string_view next_piece(std::string_view& rest) {
  size_t size = std::min(rest.size(), kTextPiece);
  auto is_inside = [&] { return size < rest.size() && (rest[size] & 0xC0) == 0x80; };
  while (is_inside() && size > kTextPiece - 4) --size;
  std::string_view piece = rest.substr(0, size);
  rest.remove_prefix(size);
  step_bytes(size);
  return piece;
}

}  // namespace harn::vm
