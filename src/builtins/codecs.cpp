// Text as hex, base64 and base32, and back. Encoders take the text that a value is shown as, or bytes as they are;
// decoders give text.
#include "base/codecs.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "data/pieces.h"

namespace harn::builtins {
namespace {

using namespace vm;

std::string standard_base64(std::string_view bytes) { return codecs::to_base64(bytes); }
std::string url_base64(std::string_view bytes) { return codecs::to_base64(bytes, codecs::Base64::Url); }
codecs::Decoded of_standard_base64(std::string_view text) { return codecs::from_base64(text); }
codecs::Decoded of_url_base64(std::string_view text) { return codecs::from_base64(text, codecs::Base64::Url); }

// `kBlock`: see data/pieces.h.
template <std::string (*kEncode)(std::string_view), size_t kBlock>
Outcome<Value> encode(Call& call) {
  const Value& value = call.arg(0);
  std::string shown = value.is(Kind::Bytes) ? std::string() : display(value);
  std::string_view bytes = value.is(Kind::Bytes) ? value.as_bytes()->view() : shown;
  return text_value(data::encoded_in_pieces(bytes, kBlock, kEncode));
}

template <codecs::Decoded (*kDecode)(std::string_view), size_t kBlock>
Outcome<Value> decode(Call& call) {
  auto bytes = data::decoded_in_pieces(display(call.arg(0)), kBlock, kDecode);
  if (bytes) return text_value(text::to_valid_utf8(*bytes));
  std::string_view name = call.row().name;
  return runtime_error(ErrorKind::Invalid, "{} decode error: {}", name.substr(0, name.find('_')), bytes.error());
}

constinit const Builtin kRows[] = {
    {.name = "base32_decode",
     .signature = "(text: string) -> string",
     .doc = "Returns the text that `base32_encode` made this from.",
     .example = R"(base32_decode("NBSWY3DP") == "hello")",
     .call = decode<codecs::from_base32, 8>},
    {.name = "base32_encode",
     .signature = "(value: any) -> string",
     .doc = "Returns text or bytes in base32 (RFC 4648), padded.",
     .example = R"(base32_encode("hi") == "NBUQ====")",
     .call = encode<codecs::to_base32, 5>},
    {.name = "base64_decode",
     .signature = "(text: string) -> string",
     .doc = "Returns the text that `base64_encode` made this from.",
     .example = R"(base64_decode("aGVsbG8=") == "hello")",
     .call = decode<of_standard_base64, 4>},
    {.name = "base64_encode",
     .signature = "(value: any) -> string",
     .doc = "Returns text or bytes in base64, padded.",
     .example = R"(base64_encode("hello world") == "aGVsbG8gd29ybGQ=")",
     .call = encode<standard_base64, 3>},
    {.name = "base64url_decode",
     .signature = "(text: string) -> string",
     .doc = "Returns the text that `base64url_encode` made this from.",
     .example = R"(base64url_decode("Pz8_") == "???")",
     .call = decode<of_url_base64, 4>},
    {.name = "base64url_encode",
     .signature = "(value: any) -> string",
     .doc = "Returns text or bytes in the base64 of URLs and tokens, without padding.",
     .example = R"(base64url_encode("hello world??") == "aGVsbG8gd29ybGQ_Pw")",
     .call = encode<url_base64, 3>},
    {.name = "hex_decode",
     .signature = "(text: string) -> string",
     .doc = "Returns the text that `hex_encode` made this from; digits may be of either case.",
     .example = R"(hex_decode("68656C6c6f") == "hello")",
     .call = decode<codecs::from_hex, 2>},
    {.name = "hex_encode",
     .signature = "(value: any) -> string",
     .doc = "Returns text or bytes in lowercase hex.",
     .example = R"(hex_encode("hello") == "68656c6c6f")",
     .call = encode<codecs::to_hex, 1>},
};

}  // namespace

std::span<const Builtin> codec_rows() { return kRows; }

}  // namespace harn::builtins
