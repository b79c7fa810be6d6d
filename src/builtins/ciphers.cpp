// What std/oauth is made of: texts that only those with the key can read.
#include "base/result.h"
#include "builtins/families.h"
#include "crypto/cipher.h"
#include "effects/random.h"

namespace harn::builtins {
namespace {

using namespace vm;

Outcome<std::string> draw(Call& call, uint64_t count) {
  return effects::perform(effects::Run::current(call.vm()), effects::RandomBytes{count});
}

Outcome<std::string_view> bytes_argument(Call& call, uint32_t i) {
  if (!call.arg(i).is(Kind::Bytes))
    return type_error("{}: expected bytes, got {}", call.row().name, type_name(call.arg(i)));
  return call.arg(i).as_bytes()->view();
}

Outcome<std::string_view> key_argument(Call& call) {
  auto key = HARN_TRY(bytes_argument(call, 0));
  if (key.size() != crypto::kCipherKeyBytes) {
    return type_error("{}: the key has {} bytes, expected {}", call.row().name, key.size(), crypto::kCipherKeyBytes);
  }
  return key;
}

// The nonce stands before what was sealed with it.
Outcome<Value> cipher_seal(Call& call) {
  auto key = HARN_TRY(key_argument(call)), text = HARN_TRY(bytes_argument(call, 1));
  std::string nonce = HARN_TRY(draw(call, crypto::kCipherNonceBytes));
  auto sealed = crypto::seal(key, nonce, text, HARN_TRY(call.text(2)));
  if (!sealed) return runtime_error(ErrorKind::Unsupported, "AES-256-GCM: {}", sealed.error());
  return Value(new_bytes(nonce + *sealed));
}

Outcome<Value> cipher_open(Call& call) {
  auto key = HARN_TRY(key_argument(call)), sealed = HARN_TRY(bytes_argument(call, 1));
  if (sealed.size() < crypto::kCipherNonceBytes) return Value();
  auto opened = crypto::open(key, sealed.substr(0, crypto::kCipherNonceBytes), sealed.substr(crypto::kCipherNonceBytes),
                             HARN_TRY(call.text(2)));
  if (!opened) return runtime_error(ErrorKind::Unsupported, "AES-256-GCM: {}", opened.error());
  return *opened ? Value(new_bytes(**opened)) : Value();
}

constinit const Builtin kRows[] = {
    {.name = "__cipher_open",
     .signature = "(key: bytes, sealed: bytes, purpose: string) -> bytes?",
     .doc = "What `__cipher_seal` has sealed; nil when the key or the purpose is another, or somebody has changed it.",
     .example = R"(__cipher_open(bytes_from_hex("00".repeat(32)), bytes_from_hex("00"), "") == nil)",
     .call = cipher_open},
    {.name = "__cipher_seal",
     .signature = "(key: bytes, text: bytes, purpose: string) -> bytes",
     .doc = "Encrypts by AES-256-GCM with a new nonce.",
     .example = R"(len(__cipher_seal(bytes_from_hex("00".repeat(32)), bytes_from_string("ab"), "")) == 30)",
     .needs = Capability::Random,
     .call = cipher_seal},
};

}  // namespace

std::span<const Builtin> cipher_rows() { return kRows; }

}  // namespace harn::builtins
