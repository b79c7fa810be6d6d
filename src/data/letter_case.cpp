#include "data/letter_case.h"

#include <utf8proc.h>

#include <array>

#include "base/text.h"
#include "vm/pace.h"

namespace harn::data {

namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }
char32_t simple_upper(char32_t c) { return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))); }
char32_t simple_lower(char32_t c) { return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))); }

// utf8proc maps one character to one. The characters whose upper case is longer (ß, ŉ, ﬁ, ᾳ ...) are
// exactly the not yet upper-case ones whose case folding is longer, and their upper case is the
// upper case of that folding.
void append_upper(std::string& out, char32_t c) {
  std::array<utf8proc_int32_t, 4> folded;
  int bound_class = 0;
  auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), folded.data(), folded.size(), UTF8PROC_CASEFOLD,
                                      &bound_class);
  bool longer = size > 1 && size <= static_cast<utf8proc_ssize_t>(folded.size());
  if (!longer || category(c) == UTF8PROC_CATEGORY_LU) {
    return text::append_utf8(out, simple_upper(c));
  }
  for (int i = 0; i < size; ++i) {
    text::append_utf8(out, simple_upper(static_cast<char32_t>(folded[static_cast<size_t>(i)])));
  }
}

bool is_cased(char32_t c) {
  auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT;
}

// The last sigma of a word has its own lower-case form.
bool is_final_sigma(std::string_view text, size_t at, char32_t before) {
  size_t next = at + text::char_size(text, at);
  return is_cased(before) && (next >= text.size() || !is_cased(text::decode(text, next)));
}

void append_lower(std::string& out, std::string_view text, size_t at, char32_t before) {
  char32_t c = text::decode(text, at);
  if (c == 0x130) out += "i\xCC\x87";  // İ, the one letter whose lower case is longer
  else if (c == 0x3A3 && is_final_sigma(text, at, before)) text::append_utf8(out, 0x3C2);
  else text::append_utf8(out, simple_lower(c));
}

char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

std::string upper(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += text::char_size(text, at)) {
    vm::step();
    if (static_cast<unsigned char>(text[at]) < 0x80) out += ascii_upper(text[at]);
    else append_upper(out, text::decode(text, at));
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char32_t before = 0;
  for (size_t at = 0; at < text.size(); at += text::char_size(text, at)) {
    vm::step();
    if (static_cast<unsigned char>(text[at]) < 0x80) out += ascii_lower(text[at]);
    else append_lower(out, text, at, before);
    before = text::decode(text, at);
  }
  return out;
}

}  // namespace harn::data
