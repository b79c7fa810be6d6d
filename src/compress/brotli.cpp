#include <brotli/decode.h>
#include <brotli/encode.h>

#include <memory>
#include <new>

#include "base/dynamic_library.h"
#include "compress/codec.h"

namespace harn::compress {

namespace {

// Two libraries: reading is needed more often than writing.
struct Encoder {
  decltype(&::BrotliEncoderMaxCompressedSize) max_size;
  decltype(&::BrotliEncoderCompress) compress;
  std::string why;

  Encoder() {
    DynamicLibrary library("libbrotlienc.so.1");
    library.find(max_size, "BrotliEncoderMaxCompressedSize").find(compress, "BrotliEncoderCompress");
    why = library.why();
  }
};

struct Decoder {
  decltype(&::BrotliDecoderCreateInstance) create;
  decltype(&::BrotliDecoderDestroyInstance) destroy;
  decltype(&::BrotliDecoderDecompressStream) decompress;
  std::string why;

  Decoder() {
    DynamicLibrary library("libbrotlidec.so.1");
    library.find(create, "BrotliDecoderCreateInstance")
        .find(destroy, "BrotliDecoderDestroyInstance")
        .find(decompress, "BrotliDecoderDecompressStream");
    why = library.why();
  }
};

Result<std::string> encode(std::string_view bytes, int quality) {
  static const Encoder encoder;
  if (!encoder.why.empty()) return missing_library(encoder.why);
  // For an empty input the library says 1 or 2, depending on its version.
  std::string out(encoder.max_size(bytes.size()) + 16, '\0');
  size_t size = out.size();
  bool is_done =
      encoder.compress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.size(),
                       reinterpret_cast<const uint8_t*>(bytes.data()), &size, reinterpret_cast<uint8_t*>(out.data()));
  if (!is_done) throw std::bad_alloc();
  out.resize(size);
  return out;
}

Result<std::string> decode(std::string_view bytes, const Allowance& allowed, const Progress& progress) {
  static const Decoder decoder;
  if (!decoder.why.empty()) return missing_library(decoder.why);
  std::unique_ptr<BrotliDecoderState, decltype(decoder.destroy)> state(decoder.create(nullptr, nullptr, nullptr),
                                                                       decoder.destroy);
  if (!state) throw std::bad_alloc();
  auto out = std::make_unique<Output>(allowed, progress);
  auto next_in = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left_in = bytes.size();
  for (;;) {
    auto next_out = reinterpret_cast<uint8_t*>(out->piece());
    size_t left_out = Output::kPiece;
    auto result = decoder.decompress(state.get(), &left_in, &next_in, &left_out, &next_out, nullptr);
    HARN_CHECK(out->add(Output::kPiece - left_out));
    switch (result) {
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue;
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return ends_early();
      case BROTLI_DECODER_RESULT_ERROR: return damaged();
      case BROTLI_DECODER_RESULT_SUCCESS:
        if (left_in > 0) return damaged("other bytes follow its end");
        return out->take();
    }
  }
}

}  // namespace

const Codec kBrotli{.name = "brotli", .lowest = 0, .highest = 11, .usual = 11, .encode = encode, .decode = decode};

}  // namespace harn::compress
