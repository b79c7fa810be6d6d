// Digests and message authentication.
#include "base/mutex.h"
#include "crypto/digest.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/codecs.h"
#include "base/result.h"
#include "builtins/families.h"
#include "data/pieces.h"
#include "effects/file_content.h"
#include "vm/fiber.h"
#include "vm/handle.h"
#include "vm/vm.h"

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

const DigestName* find_digest(std::string_view builtin) {
  auto found = std::ranges::find(kNames, builtin, &DigestName::builtin);
  return found == std::end(kNames) ? nullptr : &*found;
}

Outcome<Value> digest(Call& call) {
  auto sum = crypto::Digest::start(find_digest(call.row().name)->name);
  if (!sum) return runtime_error(ErrorKind::Unsupported, "{}: {}", call.row().name, sum.error());
  Message message(call.arg(0));
  data::in_pieces(message.view, 1, [&](std::string_view piece) { sum->add(piece); });
  return text_value(codecs::to_hex(sum->finish()));
}

// ---- of what is larger than memory ----

// What a program calls a digest: the name of its builtin. `caller` is whose argument it is.
Outcome<std::string_view> digest_arg(Call& call, uint32_t i, std::string_view caller) {
  auto asked = HARN_TRY(call.text(i));
  if (const DigestName* known = find_digest(asked)) return known->name;
  std::string names;
  for (const DigestName& row : kNames) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.builtin);
  return throw_text(ErrorKind::Invalid, "{}: there is no digest `{}`; there are {}", caller, asked, names);
}

Outcome<Value> hash_file(Call& call) {
  effects::HashFile request{
      {"hash_file"}, std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(digest_arg(call, 1, "hash_file")))};
  return text_value(codecs::to_hex(HARN_TRY(effects::perform(effects::Run::current(call.vm()), request))));
}

// A digest that is given its bytes bit by bit.
struct Hasher : HandleObject {
  Mutex lock;
  std::optional<crypto::Digest> digest;
};

constinit const HandleType kHasherType = {
    .name = "hasher",
    .destroy = destroy_handle<Hasher>,
    .display = [](std::string& out, const HandleObject*) { out += "<hasher>"; },
};

Outcome<Value> hasher(Call& call) {
  auto digest = crypto::Digest::start(HARN_TRY(digest_arg(call, 0, "hash_stream")));
  if (!digest) return runtime_error(ErrorKind::Unsupported, "hash_stream: {}", digest.error());
  auto made = new_handle<Hasher>(kHasherType);
  made->digest = std::move(*digest);
  return Value(std::move(made));
}

Outcome<Hasher*> hasher_arg(Call& call) {
  auto* hasher = as_handle<Hasher>(call.arg(0), kHasherType);
  if (!hasher) return call.wrong_type(0, "a hasher");
  return hasher;
}

Outcome<Value> hasher_add(Call& call) {
  Hasher* hasher = HARN_TRY(hasher_arg(call));
  Message message(call.arg(1));
  data::in_pieces(message.view, 1, [&](std::string_view piece) {
    std::lock_guard guard(hasher->lock);
    hasher->digest->add(piece);
  });
  return Value();
}

Outcome<Value> hasher_sum(Call& call) {
  Hasher* hasher = HARN_TRY(hasher_arg(call));
  std::lock_guard guard(hasher->lock);
  return text_value(codecs::to_hex(hasher->digest->finish()));
}

// ---- with a key ----

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
    {.name = "__hash_file",
     .signature = "(path: string, digest: string) -> string",
     .doc = "The digest of a file, in lowercase hex.",
     .wait = on_fiber<hash_file>},
    {.name = "__hasher",
     .signature = "(digest: string) -> any",
     .doc = "A digest to which bytes are added.",
     .call = hasher},
    {.name = "__hasher_add",
     .signature = "(hasher: any, value: any) -> nil",
     .doc = "Adds text or bytes to a digest.",
     .call = hasher_add},
    {.name = "__hasher_sum",
     .signature = "(hasher: any) -> string",
     .doc = "The digest of all that was added, in lowercase hex.",
     .call = hasher_sum},
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
