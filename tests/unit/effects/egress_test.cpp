#include "effects/egress.h"

#include <gtest/gtest.h>

namespace harn::effects {
namespace {

bool fits(std::string_view rule, std::string host, int port = 80) {
  auto parsed = EgressRule::parse(rule);
  EXPECT_TRUE(parsed) << rule;
  return parsed && parsed->fits({std::move(host), port});
}

TEST(EgressRule, IsAHostASuffixAnAddressOrANetwork) {
  EXPECT_TRUE(fits("example.com", "example.com"));
  EXPECT_TRUE(fits(" Example.COM ", "example.com"));
  EXPECT_TRUE(fits("example.com", "example.com."));
  EXPECT_FALSE(fits("example.com", "a.example.com"));
  EXPECT_TRUE(fits("*.example.com", "a.b.example.com"));
  EXPECT_FALSE(fits("*.example.com", "example.com"));
  EXPECT_FALSE(fits("*.example.com", "badexample.com"));
  EXPECT_TRUE(fits("*", "anything"));
  EXPECT_TRUE(fits("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(fits("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(fits("10.0.0.128/25", "10.0.0.129"));
  EXPECT_FALSE(fits("10.0.0.128/25", "10.0.0.127"));
  EXPECT_TRUE(fits("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(fits("0.0.0.0/0", "::1"));
  EXPECT_TRUE(fits("::1", "0:0:0:0:0:0:0:1"));
  EXPECT_TRUE(fits("fe80::/10", "fe80::1%eth0"));
  EXPECT_TRUE(fits("10.0.0.1", "::ffff:10.0.0.1"));
  EXPECT_FALSE(fits("10.0.0.0/8", "ten.example.com"));
}

// Behind a proxy nobody asks about the address of the connection.
TEST(EgressRule, FitsAddressesHoweverTheyAreWritten) {
  for (const char* host : {"10.1", "10.0.1", "0x0a000001", "167772161", "012.0.0.1", "0xa.0.0.1", "10.0.0.1.",
                           "::ffff:a00:1", "64:ff9b::a00:1", "64:ff9b::10.0.0.1"}) {
    EXPECT_TRUE(fits("10.0.0.0/8", host)) << host;
  }
  for (const char* host : {"10.1.example.com", "0xb000001", "11.1", "::a00:1", "64:ff9b:0:0:1::a00:1", "10.0.0.256"}) {
    EXPECT_FALSE(fits("10.0.0.0/8", host)) << host;
  }
}

TEST(EgressRule, MayNameAPort) {
  EXPECT_TRUE(fits("example.com:443", "example.com", 443));
  EXPECT_FALSE(fits("example.com:443", "example.com", 80));
  EXPECT_TRUE(fits("[::1]:443", "::1", 443));
  EXPECT_FALSE(fits("[::1]:443", "::1", 80));
  EXPECT_TRUE(fits("10.0.0.0/8:5432", "10.1.1.1", 5432));
  EXPECT_FALSE(fits("10.0.0.0/8:5432", "10.1.1.1", 80));
  EXPECT_TRUE(fits("[fe80::]/10:443", "fe80::2", 443));
}

TEST(EgressRule, RefusesWhatMakesNoSense) {
  for (std::string_view text : {"", "a b", "example.com:", "example.com:x", "example.com:70000", "10.0.0.0/33",
                                "10.0.0.0/", "http://example.com", "*.*.com", "*", "a/b", "*."}) {
    bool is_rule = EgressRule::parse(text).has_value();
    EXPECT_EQ(is_rule, text == "*") << text;
  }
}

}  // namespace
}  // namespace harn::effects
