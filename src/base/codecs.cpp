#include "base/codecs.h"

#include <array>
#include <cstdint>

#include "base/fmt.h"

namespace harn::codecs {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

uint8_t byte_of(char c) { return static_cast<uint8_t>(c); }

// What each byte stands for; -1: nothing.
using Values = std::array<int8_t, 256>;
constexpr Values values_of(std::string_view alphabet) {
  Values values{};
  for (auto& value : values) value = -1;
  for (size_t i = 0; i < alphabet.size(); ++i) values[static_cast<uint8_t>(alphabet[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr Values kStandardValues = values_of(kStandard);
constexpr Values kUrlValues = values_of(kUrl);
constexpr Values kBase32Values = values_of(kBase32);

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::unexpected<std::string> bad_character(size_t offset, std::string_view what) {
  return std::unexpected(fmt::format("the character at offset {} is not {}", offset, what));
}

// An alphabet of 2^bits characters. Blocks of `block` of them stand for whole bytes; a shorter last one is filled up
// with `=` where the form is padded.
struct Form {
  std::string_view name;
  std::string_view alphabet;
  const Values& values;
  unsigned bits;
  size_t block;
  bool is_padded;
};
constexpr Form kBase64Form = {"a base64 character", kStandard, kStandardValues, 6, 4, true};
constexpr Form kBase64UrlForm = {"a base64url character", kUrl, kUrlValues, 6, 4, false};
constexpr Form kBase32Form = {"a base32 character", kBase32, kBase32Values, 5, 8, true};

std::string encode(std::string_view bytes, const Form& form) {
  std::string out;
  out.reserve((bytes.size() * 8 / form.bits / form.block + 1) * form.block);
  uint32_t pending = 0;
  unsigned count = 0;  // of bits that are pending
  for (char c : bytes) {
    pending = pending << 8 | byte_of(c);
    for (count += 8; count >= form.bits;) {
      count -= form.bits;
      out += form.alphabet[pending >> count & ((1u << form.bits) - 1)];
    }
  }
  if (count > 0) out += form.alphabet[pending << (form.bits - count) & ((1u << form.bits) - 1)];
  while (form.is_padded && out.size() % form.block != 0) out += '=';
  return out;
}

// The text without its padding, which must fill up the last block.
Decoded without_padding(std::string_view text, const Form& form) {
  if (!form.is_padded) return std::string(text);
  if (text.size() % form.block != 0) {
    return std::unexpected(
        fmt::format("the length ({}) is not a multiple of {}: padding with `=` is missing", text.size(), form.block));
  }
  size_t end = text.size();
  while (end > 0 && text.size() - end < form.block - 1 && text[end - 1] == '=') --end;
  return std::string(text.substr(0, end));
}

Decoded decode(std::string_view padded, const Form& form) {
  auto text = without_padding(padded, form);
  if (!text) return text;
  std::string out;
  out.reserve(text->size() * form.bits / 8);
  uint32_t pending = 0;
  unsigned count = 0;
  for (size_t i = 0; i < text->size(); ++i) {
    int value = form.values[byte_of((*text)[i])];
    if (value < 0) return bad_character(i, form.name);
    pending = pending << form.bits | static_cast<uint32_t>(value);
    count += form.bits;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(pending >> count);
  }
  // Encoding makes no other lengths, and leaves no bits over that are not zero.
  bool is_whole = (text->size() * form.bits) % 8 < form.bits;
  if (!is_whole) return std::unexpected(fmt::format("{} characters are not a whole number of bytes", text->size()));
  if ((pending & ((1u << count) - 1)) != 0) return std::unexpected(std::string("the last character has bits too many"));
  return out;
}

const Form& form_of(Base64 alphabet) { return alphabet == Base64::Standard ? kBase64Form : kBase64UrlForm; }

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) {
    out += kHexDigits[byte_of(c) >> 4];
    out += kHexDigits[byte_of(c) & 15];
  }
  return out;
}

Decoded from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::unexpected(fmt::format("the number of digits ({}) is odd", text.size()));
  std::string out;
  out.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    int high = hex_value(text[i]), low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return bad_character(high < 0 ? i : i + 1, "a hex digit");
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

std::string to_base64(std::string_view bytes, Base64 alphabet) { return encode(bytes, form_of(alphabet)); }
Decoded from_base64(std::string_view text, Base64 alphabet) { return decode(text, form_of(alphabet)); }
std::string to_base32(std::string_view bytes) { return encode(bytes, kBase32Form); }
Decoded from_base32(std::string_view text) { return decode(text, kBase32Form); }

}  // namespace harn::codecs
