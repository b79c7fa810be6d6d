#include "effects/fields.h"

#include <gtest/gtest.h>

#include "effects/http.h"

namespace harn::effects {
namespace {

TEST(Fields, AStructReadsWhatItWrote) {
  SendHttp::Answer answer{{.failure = HttpFailure::Timeout, .message = "late", .status = -7}};
  answer.headers = {{"a", "1"}, {"b", std::string("\0\xFF", 2)}};
  answer.body = std::string(100'000, 'x');
  SendHttp::Answer read;
  ASSERT_TRUE(from_bytes(to_bytes(answer), read));
  EXPECT_EQ(read.failure, HttpFailure::Timeout);
  EXPECT_EQ(read.status, -7);
  ASSERT_EQ(read.headers.size(), 2u);
  EXPECT_EQ(read.headers[1].value, std::string("\0\xFF", 2));
  EXPECT_EQ(read.body, answer.body);
}

TEST(Fields, BytesThatAreCutOrTooManyAreNoticed) {
  std::string bytes = to_bytes(SendHttp::Answer{{.message = "m", .headers = {{"a", "1"}}}});
  SendHttp::Answer read;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(from_bytes(std::string_view(bytes).substr(0, size), read)) << size;
  }
  EXPECT_FALSE(from_bytes(bytes + "x", read));
  // Other fields than were written.
  std::vector<std::string> words;
  EXPECT_FALSE(from_bytes(bytes, words));
  EXPECT_FALSE(from_bytes(to_bytes(std::vector<int64_t>{1, 2}), words));
  EXPECT_FALSE(from_bytes(to_bytes(std::string("a")), read));
}

}  // namespace
}  // namespace harn::effects
