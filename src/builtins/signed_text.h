#pragma once

#include <string>
#include <string_view>

#include "vm/builtin.h"

// What signed cookies, sessions and URLs have in common.
namespace harn::builtins {

// The HMAC-SHA256 of a text, in base64 as URLs have it. Fails without a secret, which is often a
// variable that is not set, and where OpenSSL is not installed.
vm::Outcome<std::string> signature_of(const vm::Call& call, std::string_view text, std::string_view secret);

}  // namespace harn::builtins
