#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "base/dynamic_library.h"
#include "compress/codec.h"

namespace harn::compress {

namespace {

#define HARN_ZLIB_FUNCTIONS(X) \
  X(deflateInit2_) X(deflate) X(deflateEnd) X(inflateInit2_) X(inflate) X(inflateReset) X(inflateEnd) X(crc32)

struct Zlib {
#define HARN_ZLIB_MEMBER(name) decltype(&::name) name;
  HARN_ZLIB_FUNCTIONS(HARN_ZLIB_MEMBER)
#undef HARN_ZLIB_MEMBER
  std::string why;

  Zlib() {
    DynamicLibrary library("libz.so.1");
#define HARN_ZLIB_FIND(name) library.find(name, #name);
    HARN_ZLIB_FUNCTIONS(HARN_ZLIB_FIND)
#undef HARN_ZLIB_FIND
    why = library.why();
  }
};

const Zlib& zlib() {
  static const Zlib functions;
  return functions;
}

// What zlib calls a window's size says which header there is, too.
enum Wrapping : int { kNone = -15, kGzipHeader = 15 + 16 };

// zlib counts input in 32 bits.
void feed(z_stream& stream, std::string_view& rest) {
  size_t size = std::min<size_t>(rest.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
  stream.avail_in = static_cast<uInt>(size);
  rest.remove_prefix(size);
}

class Deflating {
 public:
  Deflating(int level, Wrapping wrapping) {
    constexpr int kMemoryLevel = 8;
    is_ready_ = zlib().deflateInit2_(&stream_, level, Z_DEFLATED, wrapping, kMemoryLevel, Z_DEFAULT_STRATEGY,
                                     ZLIB_VERSION, sizeof stream_) == Z_OK;
  }
  ~Deflating() {
    if (is_ready_) zlib().deflateEnd(&stream_);
  }
  Deflating(const Deflating&) = delete;

  Result<std::string> run(std::string_view rest) {
    if (!is_ready_) throw std::bad_alloc();
    std::string out;
    char piece[Output::kPiece];
    for (int state = Z_OK; state != Z_STREAM_END;) {
      if (stream_.avail_in == 0) feed(stream_, rest);
      stream_.next_out = reinterpret_cast<Bytef*>(piece);
      stream_.avail_out = sizeof piece;
      state = zlib().deflate(&stream_, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece, sizeof piece - stream_.avail_out);
    }
    return out;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

class Inflating {
 public:
  explicit Inflating(Wrapping wrapping) {
    is_ready_ = zlib().inflateInit2_(&stream_, wrapping, ZLIB_VERSION, sizeof stream_) == Z_OK;
  }
  ~Inflating() {
    if (is_ready_) zlib().inflateEnd(&stream_);
  }
  Inflating(const Inflating&) = delete;

  // One member; `rest` is what is behind it.
  Result<void> run(std::string_view& rest, Output& out) {
    if (!is_ready_) throw std::bad_alloc();
    zlib().inflateReset(&stream_);
    for (;;) {
      std::string_view before = rest;
      feed(stream_, rest);
      size_t fed = stream_.avail_in;
      stream_.next_out = reinterpret_cast<Bytef*>(out.piece());
      stream_.avail_out = Output::kPiece;
      int state = zlib().inflate(&stream_, Z_NO_FLUSH);
      rest = before.substr(fed - stream_.avail_in);
      HARN_CHECK(out.add(Output::kPiece - stream_.avail_out));
      if (state == Z_STREAM_END) return {};
      if (state == Z_BUF_ERROR) return ends_early();
      if (state == Z_MEM_ERROR) throw std::bad_alloc();
      if (state != Z_OK) return damaged(stream_.msg ? stream_.msg : "");
    }
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

Result<std::string> gzip_encode(std::string_view bytes, int level) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  return Deflating(level, kGzipHeader).run(bytes);
}

// Behind the last member there may be zeros: tapes and some servers fill blocks with them.
Result<std::string> gzip_decode(std::string_view bytes, const Allowance& allowed, const Progress& progress) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  if (bytes.empty()) return ends_early();
  auto out = std::make_unique<Output>(allowed, progress);
  Inflating inflating(kGzipHeader);
  do HARN_CHECK(inflating.run(bytes, *out));
  while (bytes.starts_with("\x1f\x8b"));
  if (bytes.find_first_not_of('\0') != bytes.npos) return damaged("other bytes follow its end");
  return out->take();
}

}  // namespace

const Codec kGzip{.name = "gzip", .lowest = 0, .highest = 9, .usual = 6, .encode = gzip_encode, .decode = gzip_decode};

Result<std::string> deflate(std::string_view bytes, int level) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  return Deflating(level, kNone).run(bytes);
}

Result<std::string> inflate(std::string_view bytes, uint64_t size, const Progress& progress) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  auto out = std::make_unique<Output>(Allowance{size, "as the archive says"}, progress);
  HARN_CHECK(Inflating(kNone).run(bytes, *out));
  std::string text = out->take();
  if (text.size() != size) return damaged("a size is wrong");
  return text;
}

Result<uint32_t> crc32(std::string_view bytes, const Progress& progress) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  uLong sum = 0;
  for (size_t at = 0; at < bytes.size(); at += Output::kPiece) {
    std::string_view piece = bytes.substr(at, Output::kPiece);
    sum = zlib().crc32(sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    progress(piece.size());
  }
  return static_cast<uint32_t>(sum);
}

}  // namespace harn::compress
