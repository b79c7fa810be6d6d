#include "builtins/signed_text.h"

#include "base/codecs.h"
#include "crypto/digest.h"

namespace harn::builtins {

vm::Outcome<std::string> signature_of(const vm::Call& call, std::string_view text, std::string_view secret) {
  if (secret.empty())
    return vm::runtime_error(ErrorKind::Invalid, "{}: the secret is empty: anybody could sign", call.row().name);
  auto sum = crypto::hmac_sha256(secret, text);
  if (!sum) return vm::runtime_error(ErrorKind::Unsupported, "{}: {}", call.row().name, sum.error());
  return codecs::to_base64(*sum, codecs::Base64::Url);
}

}  // namespace harn::builtins
