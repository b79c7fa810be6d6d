#include "crypto/openssl.h"

#include "base/dynamic_library.h"

namespace harn::crypto {

namespace {

struct Loading {
  OpenSsl functions{};
  std::string why;

  Loading() {
    DynamicLibrary library("libcrypto.so.3");
#define HARN_OPENSSL_FIND(name) library.find(functions.name, #name);
    HARN_OPENSSL_FUNCTIONS(HARN_OPENSSL_FIND)
#undef HARN_OPENSSL_FIND
    why = library.why();
  }
};

}  // namespace

std::expected<const OpenSsl*, std::string> OpenSsl::load() {
  static const Loading loading;
  if (!loading.why.empty()) return std::unexpected(loading.why);
  return &loading.functions;
}

}  // namespace harn::crypto
