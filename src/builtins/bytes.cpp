// Bytes: from and to text, and parts of them.
#include <algorithm>

#include "base/codecs.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "crypto/digest.h"
#include "data/pieces.h"

namespace harn::builtins {
namespace {

using namespace vm;

// Unlike most builtins, these take nothing but what they are for.
Outcome<std::string_view> strict_text(Call& call, uint32_t i) {
  const Value& value = call.arg(i);
  if (value.is_string()) return call.text(i);
  return runtime_error(ErrorKind::Type, "{}: expected string at argument {}, got {}", call.row().name, i + 1,
                       type_name(value));
}
Outcome<std::string_view> strict_bytes(Call& call, uint32_t i) {
  const Value& value = call.arg(i);
  if (value.is(Kind::Bytes)) return value.as_bytes()->view();
  return runtime_error(ErrorKind::Type, "{}: expected bytes at argument {}, got {}", call.row().name, i + 1,
                       type_name(value));
}
Outcome<int64_t> strict_int(Call& call, uint32_t i) {
  const Value& value = call.arg(i);
  if (value.is_int()) return value.as_int();
  return runtime_error(ErrorKind::Type, "{}: expected int at argument {}, got {}", call.row().name, i + 1,
                       type_name(value));
}

Outcome<Value> from_string(Call& call) { return new_bytes(HARN_TRY(strict_text(call, 0))); }

Outcome<Value> to_text(Call& call) {
  auto bytes = HARN_TRY(strict_bytes(call, 0));
  step_bytes(bytes.size());
  if (text::is_valid_utf8(bytes)) return text_value(bytes);
  return runtime_error(ErrorKind::Invalid, "bytes_to_string: the bytes are not UTF-8; bytes_to_string_lossy takes any");
}

Outcome<Value> to_text_lossy(Call& call) {
  auto bytes = HARN_TRY(strict_bytes(call, 0));
  step_bytes(bytes.size());
  return text_value(text::to_valid_utf8(bytes));
}

template <codecs::Decoded (*kDecode)(std::string_view), size_t kBlock>
Outcome<Value> decode(Call& call) {
  auto bytes = data::decoded_in_pieces(HARN_TRY(strict_text(call, 0)), kBlock, kDecode);
  if (bytes) return new_bytes(*bytes);
  return runtime_error(ErrorKind::Invalid, "{}: {}", call.row().name, bytes.error());
}

template <std::string (*kEncode)(std::string_view), size_t kBlock>
Outcome<Value> encode(Call& call) {
  return text_value(data::encoded_in_pieces(HARN_TRY(strict_bytes(call, 0)), kBlock, kEncode));
}

std::string base64_of(std::string_view bytes) { return codecs::to_base64(bytes); }
codecs::Decoded of_base64(std::string_view text) { return codecs::from_base64(text); }

Outcome<Value> length(Call& call) {
  return Value::integer(static_cast<int64_t>(HARN_TRY(strict_bytes(call, 0)).size()));
}

Outcome<Value> concatenated(Call& call) {
  auto first = HARN_TRY(strict_bytes(call, 0)), second = HARN_TRY(strict_bytes(call, 1));
  step_bytes(first.size() + second.size());
  std::string out(first);
  out += second;
  return new_bytes(out);
}

Outcome<Value> slice(Call& call) {
  auto bytes = HARN_TRY(strict_bytes(call, 0));
  auto size = static_cast<int64_t>(bytes.size());
  int64_t start = std::clamp<int64_t>(HARN_TRY(strict_int(call, 1)), 0, size);
  int64_t end = std::clamp<int64_t>(HARN_TRY(strict_int(call, 2)), start, size);
  return new_bytes(bytes.substr(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

Outcome<Value> equal(Call& call) {
  auto first = HARN_TRY(strict_bytes(call, 0)), second = HARN_TRY(strict_bytes(call, 1));
  return Value::boolean(crypto::equal_in_constant_time(first, second));
}

constinit const Builtin kRows[] = {
    {.name = "bytes_concat",
     .signature = "(first: bytes, second: bytes) -> bytes",
     .doc = "Returns both, one after the other.",
     .example = R"(bytes_to_string(bytes_concat(bytes_from_string("a"), bytes_from_string("b"))) == "ab")",
     .call = concatenated},
    {.name = "bytes_eq",
     .signature = "(first: bytes, second: bytes) -> bool",
     .doc = "Whether both are the same, in a time that does not tell where they differ.",
     .example = R"(bytes_eq(bytes_from_hex("00ff"), bytes_from_hex("00FF")))",
     .call = equal},
    {.name = "bytes_from_base64",
     .signature = "(text: string) -> bytes",
     .doc = "Returns the bytes that a text in base64 stands for.",
     .example = R"(bytes_from_base64("AP8=") == bytes_from_hex("00ff"))",
     .call = decode<of_base64, 4>},
    {.name = "bytes_from_hex",
     .signature = "(text: string) -> bytes",
     .doc = "Returns the bytes that hex digits of either case stand for.",
     .example = R"(bytes_len(bytes_from_hex("00fF")) == 2)",
     .call = decode<codecs::from_hex, 2>},
    {.name = "bytes_from_string",
     .signature = "(text: string) -> bytes",
     .doc = "Returns the text in UTF-8.",
     .example = R"(bytes_len(bytes_from_string("é")) == 2)",
     .call = from_string},
    {.name = "bytes_len",
     .signature = "(bytes: bytes) -> int",
     .doc = "How many bytes there are.",
     .example = R"(bytes_len(bytes_from_hex("010203")) == 3)",
     .call = length},
    {.name = "bytes_slice",
     .signature = "(bytes: bytes, start: int, end: int) -> bytes",
     .doc = "Returns the bytes from `start` up to, but not including, `end`, as far as there are any.",
     .example = R"(bytes_to_hex(bytes_slice(bytes_from_hex("010203"), 1, 99)) == "0203")",
     .call = slice},
    {.name = "bytes_to_base64",
     .signature = "(bytes: bytes) -> string",
     .doc = "Returns the bytes in base64, padded.",
     .example = R"(bytes_to_base64(bytes_from_hex("00ff")) == "AP8=")",
     .call = encode<base64_of, 3>},
    {.name = "bytes_to_hex",
     .signature = "(bytes: bytes) -> string",
     .doc = "Returns the bytes in lowercase hex.",
     .example = R"(bytes_to_hex(bytes_from_string("hi")) == "6869")",
     .call = encode<codecs::to_hex, 1>},
    {.name = "bytes_to_string",
     .signature = "(bytes: bytes) -> string",
     .doc = "Returns the text that the bytes are in UTF-8; throws if they are none.",
     .example = R"(bytes_to_string(bytes_from_hex("6869")) == "hi")",
     .call = to_text},
    {.name = "bytes_to_string_lossy",
     .signature = "(bytes: bytes) -> string",
     .doc = "Returns the bytes as text, with U+FFFD for what is not UTF-8.",
     .example = R"(len(bytes_to_string_lossy(bytes_from_hex("ff"))) == 1)",
     .call = to_text_lossy},
};

}  // namespace

std::span<const Builtin> bytes_rows() { return kRows; }

}  // namespace harn::builtins
