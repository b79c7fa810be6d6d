// Digests and message authentication.
#include "crypto/digest.h"

#include "base/codecs.h"
#include "base/result.h"
#include "builtins/families.h"
#include "data/pieces.h"

namespace harn::builtins {
namespace {

using namespace vm;

// Bytes as they are, anything else as the text it is shown as.
struct Message {
  explicit Message(const Value& value) {
    if (value.is(Kind::Bytes)) view = value.as_bytes()->view();
    else view = shown = display(value);
  }
  std::string shown;
  std::string_view view;
};

struct DigestName {
  std::string_view builtin;
  std::string_view name;
};
constexpr DigestName kNames[] = {
    {"blake3", "BLAKE3"},     {"md5", "MD5"},       {"sha224", "SHA224"},
    {"sha256", "SHA256"},     {"sha384", "SHA384"}, {"sha3_256", "SHA3-256"},
    {"sha3_512", "SHA3-512"}, {"sha512", "SHA512"}, {"sha512_256", "SHA512-256"},
};

Outcome<Value> digest(Call& call) {
  std::string_view name;
  for (const DigestName& row : kNames) {
    if (row.builtin == call.row().name) name = row.name;
  }
  auto sum = crypto::Digest::start(name);
  if (!sum) return runtime_error(ErrorKind::Unsupported, "{}: {}", call.row().name, sum.error());
  Message message(call.arg(0));
  data::in_pieces(message.view, 1, [&](std::string_view piece) { sum->add(piece); });
  return text_value(codecs::to_hex(sum->finish()));
}

Outcome<std::string> hmac(Call& call) {
  Message key(call.arg(0)), message(call.arg(1));
  step_bytes(message.view.size());
  auto sum = crypto::hmac_sha256(key.view, message.view);
  if (!sum) return runtime_error(ErrorKind::Unsupported, "{}: {}", call.row().name, sum.error());
  return std::move(*sum);
}

Outcome<Value> hmac_hex(Call& call) { return text_value(codecs::to_hex(HARN_TRY(hmac(call)))); }
Outcome<Value> hmac_base64(Call& call) { return text_value(codecs::to_base64(HARN_TRY(hmac(call)))); }

Outcome<Value> constant_time_eq(Call& call) {
  Message first(call.arg(0)), second(call.arg(1));
  return Value::boolean(crypto::equal_in_constant_time(first.view, second.view));
}

#define HARN_DIGEST(builtin, title, sum)                                 \
  {                                                                      \
    .name = builtin, .signature = "(value: any) -> string",              \
    .doc = "Returns the " title " of text or bytes, in lowercase hex.",  \
    .example = builtin "(\"\").starts_with(\"" sum "\")", .call = digest \
  }

constinit const Builtin kRows[] = {
    HARN_DIGEST("blake3", "BLAKE3", "af1349b9"),
    {.name = "constant_time_eq",
     .signature = "(first: any, second: any) -> bool",
     .doc = "Whether two signatures are the same, in a time that does not tell where they differ.",
     .example = R"(constant_time_eq("abc", "abc") && !constant_time_eq("abc", "abd"))",
     .call = constant_time_eq},
    {.name = "hmac_sha256",
     .signature = "(key: any, message: any) -> string",
     .doc = "Returns the HMAC-SHA256 of a message, in lowercase hex.",
     .example = R"(hmac_sha256("key", "message").starts_with("6e9ef29b"))",
     .call = hmac_hex},
    {.name = "hmac_sha256_base64",
     .signature = "(key: any, message: any) -> string",
     .doc = "Returns the HMAC-SHA256 of a message, in base64.",
     .example = R"(hmac_sha256_base64("key", "message").starts_with("bp7ym"))",
     .call = hmac_base64},
    HARN_DIGEST("md5", "MD5", "d41d8cd9"),
    HARN_DIGEST("sha224", "SHA-224", "d14a028c"),
    HARN_DIGEST("sha256", "SHA-256", "e3b0c442"),
    HARN_DIGEST("sha384", "SHA-384", "38b060a7"),
    HARN_DIGEST("sha3_256", "SHA3-256", "a7ffc6f8"),
    HARN_DIGEST("sha3_512", "SHA3-512", "a69f73cc"),
    HARN_DIGEST("sha512", "SHA-512", "cf83e135"),
    HARN_DIGEST("sha512_256", "SHA-512/256", "c672b8d1"),
};
#undef HARN_DIGEST

}  // namespace

std::span<const Builtin> digest_rows() { return kRows; }

}  // namespace harn::builtins
