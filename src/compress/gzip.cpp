#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "base/dynamic_library.h"
#include "compress/codec.h"
#include "compress/pieces.h"

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
    if (zlib().deflateInit2_(&stream_, level, Z_DEFLATED, wrapping, kMemoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                             sizeof stream_) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflating() { zlib().deflateEnd(&stream_); }
  Deflating(const Deflating&) = delete;

  Result<void> add(std::string_view rest, const Sink& sink) {
    while (!rest.empty()) {
      feed(stream_, rest);
      HARN_CHECK(run(Z_NO_FLUSH, sink));
    }
    return {};
  }
  Result<void> finish(const Sink& sink) { return run(Z_FINISH, sink); }

 private:
  Result<void> run(int flush, const Sink& sink) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_);
      stream_.avail_out = sizeof piece_;
      zlib().deflate(&stream_, flush);
      if (size_t size = sizeof piece_ - stream_.avail_out) HARN_CHECK(sink({piece_, size}));
    } while (stream_.avail_out == 0);
    return {};
  }

  z_stream stream_{};
  char piece_[Output::kPiece];
};

Result<std::string> deflate_all(std::string_view bytes, int level, Wrapping wrapping) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  std::string out;
  auto append = [&](std::string_view piece) {
    out += piece;
    return Result<void>();
  };
  auto deflating = std::make_unique<Deflating>(level, wrapping);
  HARN_CHECK(deflating->add(bytes, append));
  HARN_CHECK(deflating->finish(append));
  return out;
}

class Inflating {
 public:
  explicit Inflating(Wrapping wrapping) {
    if (zlib().inflateInit2_(&stream_, wrapping, ZLIB_VERSION, sizeof stream_) != Z_OK) throw std::bad_alloc();
  }
  ~Inflating() { zlib().inflateEnd(&stream_); }
  Inflating(const Inflating&) = delete;

  // Up to the end of a member, which is true, or of the bytes; `rest` is what is behind it.
  Result<bool> add(std::string_view& rest, const Sink& sink) {
    for (;;) {
      std::string_view before = rest;
      feed(stream_, rest);
      size_t fed = stream_.avail_in;
      stream_.next_out = reinterpret_cast<Bytef*>(piece_);
      stream_.avail_out = sizeof piece_;
      int state = zlib().inflate(&stream_, Z_NO_FLUSH);
      rest = before.substr(fed - stream_.avail_in);
      if (size_t size = sizeof piece_ - stream_.avail_out) HARN_CHECK(sink({piece_, size}));
      if (state == Z_STREAM_END) return true;
      if (state == Z_BUF_ERROR) return false;
      if (state == Z_MEM_ERROR) throw std::bad_alloc();
      if (state != Z_OK) return damaged(stream_.msg ? stream_.msg : "");
    }
  }
  void begin_again() { zlib().inflateReset(&stream_); }

 private:
  z_stream stream_{};
  char piece_[Output::kPiece];
};

Result<std::string> gzip_encode(std::string_view bytes, int level) { return deflate_all(bytes, level, kGzipHeader); }

Result<std::string> gzip_decode(std::string_view bytes, const Allowance& allowed, const Progress& progress) {
  auto reader = HARN_TRY(GzipReader::create());
  auto out = std::make_unique<Output>(allowed, progress);
  HARN_CHECK(reader.add(bytes, [&](std::string_view piece) { return out->add(piece); }));
  HARN_CHECK(reader.finish());
  return out->take();
}

}  // namespace

// ---- in pieces ----

struct GzipWriter::State : Deflating {
  using Deflating::Deflating;
};

GzipWriter::GzipWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
GzipWriter::GzipWriter(GzipWriter&&) noexcept = default;
GzipWriter::~GzipWriter() = default;

Result<GzipWriter> GzipWriter::create(int level) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  return GzipWriter(std::make_unique<State>(level, kGzipHeader));
}

Result<void> GzipWriter::add(std::string_view bytes, const Sink& sink) { return state_->add(bytes, sink); }
Result<void> GzipWriter::finish(const Sink& sink) { return state_->finish(sink); }

struct GzipReader::State : Inflating {
  State() : Inflating(kGzipHeader) {}
  enum class At : uint8_t { Member, End, Padding } at = At::Member;
};

GzipReader::GzipReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader::~GzipReader() = default;

Result<GzipReader> GzipReader::create() {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  return GzipReader(std::make_unique<State>());
}

// Behind the last member there may be zeros: tapes and some servers fill blocks with them.
Result<void> GzipReader::add(std::string_view bytes, const Sink& sink) {
  using enum State::At;
  while (!bytes.empty()) {
    if (state_->at == End && bytes.front() == '\x1f') {
      state_->begin_again();
      state_->at = Member;
    }
    if (state_->at != Member) {
      if (bytes.find_first_not_of('\0') != bytes.npos) return damaged("other bytes follow its end");
      state_->at = Padding;
      return {};
    }
    if (HARN_TRY(state_->Inflating::add(bytes, sink))) state_->at = End;
  }
  return {};
}

Result<void> GzipReader::finish() {
  if (state_->at == State::At::Member) return ends_early();
  return {};
}

// ---- at once ----

const Codec kGzip{.name = "gzip", .lowest = 0, .highest = 9, .usual = 6, .encode = gzip_encode, .decode = gzip_decode};

Result<std::string> deflate(std::string_view bytes, int level) { return deflate_all(bytes, level, kNone); }

Result<std::string> inflate(std::string_view bytes, uint64_t size, const Progress& progress) {
  if (!zlib().why.empty()) return missing_library(zlib().why);
  auto out = std::make_unique<Output>(Allowance{size, "as the archive says"}, progress);
  auto inflating = std::make_unique<Inflating>(kNone);
  if (!HARN_TRY(inflating->add(bytes, [&](std::string_view piece) { return out->add(piece); }))) return ends_early();
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
