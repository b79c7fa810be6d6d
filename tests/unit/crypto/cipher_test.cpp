#include "crypto/cipher.h"

#include <gtest/gtest.h>

#include "base/codecs.h"

namespace harn::crypto {
namespace {

const std::string kKey(kCipherKeyBytes, '\0');
const std::string kNonce(kCipherNonceBytes, '\0');

// Test cases 13 and 14 of the specification of GCM.
TEST(Cipher, SealsAsTheSpecificationHasIt) {
  EXPECT_EQ(codecs::to_hex(*seal(kKey, kNonce, "", "")), "530f8afbc74536b9a963b4f1c4cb738b");
  EXPECT_EQ(codecs::to_hex(*seal(kKey, kNonce, std::string(16, '\0'), "")),
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919");
}

TEST(Cipher, OpensWhatIsWholeAndMeantForThis) {
  std::string sealed = *seal(kKey, kNonce, "a secret", "tokens");
  EXPECT_EQ(open(kKey, kNonce, sealed, "tokens")->value_or("none"), "a secret");
  EXPECT_FALSE(*open(kKey, kNonce, sealed, "other"));
  EXPECT_FALSE(*open(std::string(kCipherKeyBytes, 'k'), kNonce, sealed, "tokens"));
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(*open(kKey, kNonce, changed, "tokens")) << i;
    EXPECT_FALSE(*open(kKey, kNonce, std::string_view(sealed).substr(0, i), "tokens")) << i;
  }
}

}  // namespace
}  // namespace harn::crypto
