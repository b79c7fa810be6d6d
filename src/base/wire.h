#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// The numbers and texts that our binary formats are made of: the encoding of values, and compiled code.
namespace harn {

// Appends to a buffer that somebody else owns.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  void byte(uint8_t value) { out_ += static_cast<char>(value); }
  // Seven bits in each byte, the lowest first; all but the last have the high bit set.
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value));
  }
  // Numbers near zero are short, whatever their sign.
  void signed_number(int64_t value) {
    auto bits = static_cast<uint64_t>(value);
    number(bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0));
  }
  // Eight bytes, the lowest first.
  void word(uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) byte(static_cast<uint8_t>(value));
  }
  void raw(std::string_view bytes) { out_ += bytes; }
  void text(std::string_view value) {
    number(value.size());
    raw(value);
  }

 private:
  std::string& out_;
};

// Reads what a WireWriter wrote, and trusts nobody: what is not there gives `failed`, and zeros from then on.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  size_t offset() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  uint8_t byte() {
    if (at_ >= bytes_.size()) return fail();
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t next = byte();
      uint64_t bits = next & 0x7F;
      if (bits << shift >> shift != bits) break;
      value |= bits << shift;
      if (next < 0x80) return value;
    }
    return fail();
  }
  int64_t signed_number() {
    uint64_t bits = number();
    return static_cast<int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
  }
  uint64_t word() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value |= uint64_t{byte()} << (8 * i);
    return value;
  }
  // How many of something follow that take at least a byte each: no more than there are bytes.
  size_t count() {
    uint64_t value = number();
    return value <= left() ? static_cast<size_t>(value) : fail();
  }
  // Parts of what is being read.
  std::string_view text() { return raw(count()); }
  std::string_view raw(size_t size) {
    if (size > left()) return fail(), std::string_view();
    std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

 private:
  uint8_t fail() {
    failed_ = true;
    return 0;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace harn
