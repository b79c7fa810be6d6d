// Signatures: JSON Web Tokens, Ed25519, and X25519 for agreeing on a key.
#include "base/codecs.h"
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/stored_json.h"
#include "crypto/digest.h"
#include "crypto/keys.h"
#include "data/json.h"
#include "effects/random.h"

namespace harn::builtins {
namespace {

using namespace vm;

std::string url_base64(std::string_view bytes) { return codecs::to_base64(bytes, codecs::Base64::Url); }

// ---- JSON Web Tokens ----

std::optional<crypto::Algorithm> algorithm_named(std::string_view name) {
  if (name == "ES256") return crypto::Algorithm::Es256;
  if (name == "RS256") return crypto::Algorithm::Rs256;
  return std::nullopt;
}

Outcome<Value> jwt_sign(Call& call) {
  auto name = HARN_TRY(call.text(0));
  auto algorithm = algorithm_named(name);
  if (!algorithm) {
    return runtime_error(ErrorKind::Invalid, "jwt_sign: unsupported algorithm `{}`; expected ES256 or RS256", name);
  }
  const Value& claims = call.arg(1);
  if (!claims.is_dict()) {
    return runtime_error(ErrorKind::Type, "jwt_sign: claims must be a dict, got {}", type_name(claims));
  }
  std::string body = HARN_TRY(stored_json("jwt_sign", claims, "claims"));
  std::string token = url_base64(fmt::format(R"({{"alg":"{}","typ":"JWT"}})", name)) + "." + url_base64(body);
  auto signature = crypto::sign(*algorithm, HARN_TRY(call.text(2)), token);
  if (!signature) {
    return runtime_error(ErrorKind::Invalid, "jwt_sign: invalid {} PEM private key: {}", name, signature.error());
  }
  return text_value(token + "." + url_base64(*signature));
}

struct Token {
  std::string_view signed_part;  // header and claims
  std::string header, claims, signature;
};

std::optional<Token> split(std::string_view text) {
  size_t first = text.find('.'), last = text.rfind('.');
  if (first == text.npos || first == last || text.substr(0, last).rfind('.') != first) return std::nullopt;
  auto part = [](std::string_view encoded) { return codecs::from_base64(encoded, codecs::Base64::Url); };
  auto header = part(text.substr(0, first)), claims = part(text.substr(first + 1, last - first - 1));
  auto signature = part(text.substr(last + 1));
  if (!header || !claims || !signature) return std::nullopt;
  return Token{text.substr(0, last), std::move(*header), std::move(*claims), std::move(*signature)};
}

Outcome<bool> is_signed(std::string_view name, const Token& token, std::string_view key) {
  if (name == "HS256") {
    if (key.empty()) return throw_text(ErrorKind::Invalid, "jwt_verify: the key is empty: anybody could sign");
    auto sum = crypto::hmac_sha256(key, token.signed_part);
    if (!sum) return throw_text(ErrorKind::Unsupported, "jwt_verify: {}", sum.error());
    return crypto::equal_in_constant_time(*sum, token.signature);
  }
  auto algorithm = algorithm_named(name);
  if (!algorithm) {
    return throw_text(ErrorKind::Invalid, "jwt_verify: unsupported algorithm `{}`; expected HS256, ES256 or RS256",
                      name);
  }
  auto valid = crypto::verify(*algorithm, key, token.signed_part, token.signature);
  if (!valid) return throw_text(ErrorKind::Invalid, "jwt_verify: invalid {} PEM public key: {}", name, valid.error());
  return *valid;
}

// The algorithm is the caller's to choose: a token that says another one is not believed.
Outcome<Value> jwt_verify(Call& call) {
  auto name = HARN_TRY(call.text(0));
  auto token = split(HARN_TRY(call.text(1)));
  if (!token) return throw_text(ErrorKind::Invalid, "jwt_verify: the token is malformed");
  auto header = data::parse_json(token->header);
  const Value* named = header && header->is_dict() ? header->as_dict()->find("alg") : nullptr;
  if (!named) return throw_text(ErrorKind::Invalid, "jwt_verify: the token has no algorithm in its header");
  if (display(*named) != name) {
    return throw_text(ErrorKind::Invalid, "jwt_verify: the token is for {}, not {}", display(*named), name);
  }
  if (!HARN_TRY(is_signed(name, *token, HARN_TRY(call.text(2))))) {
    return throw_text(ErrorKind::Invalid, "jwt_verify: the signature is not valid");
  }
  auto claims = data::parse_json(token->claims);
  if (!claims || !claims->is_dict()) return throw_text(ErrorKind::Invalid, "jwt_verify: the claims are not JSON");
  return DictBuilder().add("valid", Value::boolean(true)).add("claims", std::move(*claims)).done();
}

// ---- Ed25519 and X25519: keys, messages and signatures in hex ----

Outcome<std::string> hex_argument(Call& call, uint32_t i, std::string_view what) {
  auto bytes = codecs::from_hex(HARN_TRY(call.text(i)));
  if (!bytes) return throw_text(ErrorKind::Invalid, "{}: the {} is not hex: {}", call.row().name, what, bytes.error());
  return std::move(*bytes);
}

std::unexpected<Thrown> failed(const Call& call, const std::string& why) {
  return throw_text(ErrorKind::Invalid, "{}: {}", call.row().name, why);
}

template <auto kPublic>
Outcome<Value> keypair(Call& call) {
  constexpr uint64_t kBytes = 32;
  std::string secret = HARN_TRY(effects::perform(effects::Run::current(call.vm()), effects::RandomBytes{kBytes}));
  auto open = kPublic(secret);
  if (!open) return failed(call, open.error());
  return DictBuilder()
      .add("private", text_value(codecs::to_hex(secret)))
      .add("public", text_value(codecs::to_hex(*open)))
      .done();
}

Outcome<Value> ed25519_sign(Call& call) {
  auto key = HARN_TRY(hex_argument(call, 0, "private key"));
  auto signature = crypto::ed25519_sign(key, HARN_TRY(call.text(1)));
  if (!signature) return failed(call, signature.error());
  return text_value(codecs::to_hex(*signature));
}

Outcome<Value> ed25519_verify(Call& call) {
  auto key = codecs::from_hex(HARN_TRY(call.text(0))), signature = codecs::from_hex(HARN_TRY(call.text(2)));
  if (!key || !signature) return Value::boolean(false);
  auto valid = crypto::ed25519_verify(*key, HARN_TRY(call.text(1)), *signature);
  if (!valid) return failed(call, valid.error());
  return Value::boolean(*valid);
}

Outcome<Value> x25519_agree(Call& call) {
  auto key = HARN_TRY(hex_argument(call, 0, "private key"));
  auto peer = HARN_TRY(hex_argument(call, 1, "other side's public key"));
  auto secret = crypto::x25519_agree(key, peer);
  if (!secret) return failed(call, secret.error());
  return text_value(codecs::to_hex(*secret));
}

constinit const Builtin kRows[] = {
    {.name = "ed25519_keypair",
     .signature = "() -> {private: string, public: string}",
     .doc = "Makes a new pair of keys for `ed25519_sign` and `ed25519_verify`, in hex.",
     .example = R"(len(ed25519_keypair().public) == 64)",
     .needs = Capability::Random,
     .call = keypair<crypto::ed25519_public>},
    {.name = "ed25519_sign",
     .signature = "(private_key: string, message: string) -> string",
     .doc = "Signs a message; key and signature in hex.",
     .example = R"(len(ed25519_sign("00".repeat(32), "m")) == 128)",
     .call = ed25519_sign},
    {.name = "ed25519_verify",
     .signature = "(public_key: string, message: string, signature: string) -> bool",
     .doc = "Whether the signature is that of the message; false when something is malformed.",
     .example = R"(ed25519_verify("00", "m", "zz") == false)",
     .call = ed25519_verify},
    {.name = "jwt_sign",
     .signature = "(algorithm: string, claims: dict, private_key: string) -> string",
     .doc = "Returns a JSON Web Token with the claims, signed (ES256, RS256) by a private key in PEM.",
     .example = R"(is_err(try { jwt_sign("none", {}, "") }))",
     .call = jwt_sign},
    {.name = "jwt_verify",
     .signature = "(algorithm: string, token: string, key: string) -> {valid: bool, claims: dict}",
     .doc =
         "Returns the claims of a token, or throws unless it is signed (HS256, ES256, RS256) by that key; times in it "
         "are for the caller to check.",
     .example = R"(is_err(try { jwt_verify("HS256", "a.b.c", "key") }))",
     .call = jwt_verify},
    {.name = "x25519_agree",
     .signature = "(private_key: string, peer_public_key: string) -> string",
     .doc = "Returns the secret that two sides share who know each other's public keys, in hex.",
     .example = R"(is_err(try { x25519_agree("00", "00") }))",
     .call = x25519_agree},
    {.name = "x25519_keypair",
     .signature = "() -> {private: string, public: string}",
     .doc = "Makes a new pair of keys for `x25519_agree`, in hex.",
     .example = R"(len(x25519_keypair().private) == 64)",
     .needs = Capability::Random,
     .call = keypair<crypto::x25519_public>},
};

}  // namespace

std::span<const Builtin> signature_rows() { return kRows; }

}  // namespace harn::builtins
