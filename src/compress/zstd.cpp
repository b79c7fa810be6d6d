#include <zstd.h>

#include <memory>
#include <new>

#include "base/dynamic_library.h"
#include "compress/codec.h"

namespace harn::compress {

namespace {

#define HARN_ZSTD_FUNCTIONS(X) \
  X(ZSTD_compressBound)        \
  X(ZSTD_compress) X(ZSTD_createDCtx) X(ZSTD_freeDCtx) X(ZSTD_decompressStream) X(ZSTD_isError) X(ZSTD_getErrorName)

struct Zstd {
#define HARN_ZSTD_MEMBER(name) decltype(&::name) name;
  HARN_ZSTD_FUNCTIONS(HARN_ZSTD_MEMBER)
#undef HARN_ZSTD_MEMBER
  std::string why;

  Zstd() {
    DynamicLibrary library("libzstd.so.1");
#define HARN_ZSTD_FIND(name) library.find(name, #name);
    HARN_ZSTD_FUNCTIONS(HARN_ZSTD_FIND)
#undef HARN_ZSTD_FIND
    why = library.why();
  }
};

const Zstd& zstd() {
  static const Zstd functions;
  return functions;
}

Result<std::string> encode(std::string_view bytes, int level) {
  if (!zstd().why.empty()) return missing_library(zstd().why);
  std::string out(zstd().ZSTD_compressBound(bytes.size()), '\0');
  size_t size = zstd().ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  // The output fits: what else it can lack is memory.
  if (zstd().ZSTD_isError(size)) throw std::bad_alloc();
  out.resize(size);
  return out;
}

// A frame says how large a window it wants, and gets 128 MiB at most (the library's own limit).
Result<std::string> decode(std::string_view bytes, const Allowance& allowed, const Progress& progress) {
  if (!zstd().why.empty()) return missing_library(zstd().why);
  if (bytes.empty()) return ends_early();
  std::unique_ptr<ZSTD_DCtx, decltype(&::ZSTD_freeDCtx)> context(zstd().ZSTD_createDCtx(), zstd().ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  auto out = std::make_unique<Output>(allowed, progress);
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (;;) {
    ZSTD_outBuffer piece{out->piece(), Output::kPiece, 0};
    // How much more it would like: 0 at the end of a frame.
    size_t wanted = zstd().ZSTD_decompressStream(context.get(), &piece, &input);
    if (zstd().ZSTD_isError(wanted)) return damaged(zstd().ZSTD_getErrorName(wanted));
    HARN_CHECK(out->add(piece.pos));
    if (input.pos < input.size) continue;
    if (wanted == 0) return out->take();
    bool may_hold_more = piece.pos == piece.size;
    if (!may_hold_more) return ends_early();
  }
}

}  // namespace

const Codec kZstd{.name = "zstd", .lowest = -7, .highest = 22, .usual = 3, .encode = encode, .decode = decode};

}  // namespace harn::compress
