#include "base/secrets.h"

#include <gtest/gtest.h>

namespace harn {
namespace {

std::string hidden(std::string_view text) { return Secrets().hidden(text); }

TEST(Secrets, NamedValuesAreHidden) {
  Secrets secrets;
  secrets.add("PASSWORD", "hunter22");
  secrets.add("LONG", "hunter22-and-more");
  secrets.add("SHORT", "ab");
  EXPECT_EQ(secrets.hidden("hunter22 ab hunter22-and-more"), "<redacted:PASSWORD:8> ab <redacted:LONG:17>");
}

TEST(Secrets, TokensAreKnownByTheirShape) {
  std::string letters(40, 'x');
  for (std::string start : {"ghp_", "github_pat_", "xoxb-", "sk-", "sk_live_", "glpat-", "npm_", "AKIA"}) {
    std::string text = hidden("before " + start + letters + " after");
    EXPECT_EQ(text.find(letters), text.npos) << start;
    EXPECT_TRUE(text.starts_with("before <redacted:") && text.ends_with("> after")) << text;
  }
  EXPECT_EQ(hidden("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl."), "<redacted:jwt:49>.");
  EXPECT_EQ(hidden("Authorization: Bearer abcdef012345\r\n"), "Authorization: Bearer <redacted:bearer:12>\r\n");
}

TEST(Secrets, OtherTextIsLeftAlone) {
  for (std::string_view text : {"task-list sk-12 ghp_short xoxo AKIA bearer of news",
                                "the risk-assessment-of-everything-we-do", "eyJ.eyJ.x", "", "\xff\xfe\0binary"}) {
    EXPECT_EQ(hidden(text), text);
  }
}

TEST(Secrets, WhatIsHiddenStaysAsItIs) {
  Secrets secrets;
  secrets.add("KEY", "s3cr3t-value");
  std::string once = secrets.hidden("Bearer s3cr3t-value sk-abcdefghijklmnopqrstuvwx");
  EXPECT_EQ(secrets.hidden(once), once);
}

TEST(Secrets, NamesOfVariables) {
  for (std::string_view name : {"GITHUB_TOKEN", "db_password", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"}) {
    EXPECT_TRUE(Secrets::is_secret_name(name)) << name;
  }
  for (std::string_view name : {"HOME", "PATH", "KEYBOARD", "LANG"})
    EXPECT_FALSE(Secrets::is_secret_name(name)) << name;
}

}  // namespace
}  // namespace harn
