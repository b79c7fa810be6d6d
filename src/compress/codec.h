#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

// Bytes made smaller, and back. Plain functions for any thread; a library that the machine lacks is an Unsupported error.
namespace harn::compress {

// Told how many bytes were worked on since it was last told. May throw to stop the work.
using Progress = std::function<void(size_t bytes)>;

// How much may come out of what was compressed: a few bytes can stand for gigabytes.
struct Allowance {
  uint64_t most = 0;
  std::string reason;  // for the error: "250 times its input"
};

// One format. `level` is between `lowest` and `highest`.
struct Codec {
  std::string_view name;
  int lowest, highest, usual;
  Result<std::string> (*encode)(std::string_view bytes, int level);
  // Truncated or damaged bytes are Invalid; more than `allowed` is Limit, and known before memory is asked for it.
  Result<std::string> (*decode)(std::string_view bytes, const Allowance& allowed, const Progress& progress);
};

extern const Codec kGzip;  // several members are one text; the same bytes for the same input, at any time
extern const Codec kZstd;  // several frames, too
extern const Codec kBrotli;

// What is inside a zip archive: deflate without a header. `size` is what it must become.
Result<std::string> deflate(std::string_view bytes, int level);
Result<std::string> inflate(std::string_view bytes, uint64_t size, const Progress& progress);
Result<uint32_t> crc32(std::string_view bytes, const Progress& progress);

// ---- for the files of this folder ----

std::unexpected<Error> ends_early();
std::unexpected<Error> no_archive(std::string_view kind);
std::unexpected<Error> damaged(std::string_view why = {});
std::unexpected<Error> missing_library(const std::string& why);

// What comes out, piece by piece.
class Output {
 public:
  Output(Allowance allowed, const Progress& progress) : allowed_(std::move(allowed)), progress_(progress) {}

  static constexpr size_t kPiece = 64 * 1024;
  char* piece() { return piece_; }
  // So many bytes of the piece have been written.
  Result<void> add(size_t bytes) { return add({piece_, bytes}); }
  Result<void> add(std::string_view bytes);
  std::string take() { return std::move(bytes_); }

 private:
  Allowance allowed_;
  const Progress& progress_;
  std::string bytes_;
  char piece_[kPiece];
};

}  // namespace harn::compress
