#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>

#include "../base/golden.h"
#include "format_text.h"
#include "generate.h"
#include "syntax/lexer.h"

namespace harn {

TEST(Stress, RandomProgramsStayTheSame) {
  constexpr uint32_t kWidths[] = {100, 40, 10};
  size_t formatted = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    std::string text = test::Generator(seed).program();
    if (test::parse_text(text).sink.has_errors()) continue;
    ++formatted;
    test::format_text(text, kWidths[seed % 3]);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(formatted, 500u) << "the generator should mostly write programs that parse";
}

// Puts comments between tokens where nobody would.
TEST(Stress, CommentsAnywhereSurvive) {
  std::mt19937 random(7);
  for (const auto& file : test::harn_files(test::golden_folder("format"))) {
    std::string text = test::read_file(file);
    for (int round = 0; round < 60; ++round) {
      auto source = std::make_shared<SourceFile>("x", text);
      diag::Sink sink;
      syntax::TokenList list = syntax::lex(source, sink);
      std::string edited = text;
      for (int i = 0; i < 4; ++i) {
        const syntax::Token& token = list.tokens[random() % list.tokens.size()];
        static constexpr std::string_view kComments[] = {" /* c */ ", " // c\n", "\n// own\n"};
        size_t at = std::min<size_t>(token.start, edited.size());
        edited.insert(at, kComments[random() % 3]);
      }
      if (test::parse_text(edited).sink.has_errors()) continue;
      test::format_text(edited, 20 + random() % 80);
      if (testing::Test::HasFailure()) FAIL() << "in " << file << "\n" << edited;
    }
  }
}

// The deepest programs that parse at all.
TEST(Stress, DeepProgramsFormat) {
  struct Case {
    std::string_view before, open, middle, close, after;
  };
  const Case cases[] = {
      {"let x = ", "[", "a, b", "]", ""},
      {"let x = ", "{a: ", "1", "}", ""},
      {"let x = ", "{ -> ", "1", "}", ""},
      {"let x = ", "f(", "1", ")", ""},
      {"let x = ", "Point { a: ", "1", "}", ""},
      {"let x = ", "!", "1", "", ""},
      {"let x = ", "1 ** ", "1", "", ""},
      {"let x = ", "a ? b : ", "1", "", ""},
      {"let x = ", "a + (b * ", "1", ")", ""},
      {"if a { }", " else if b { }", "", "", ""},
      {"", "if a { ", "", "}", ""},
      {"", "match x { _ -> { ", "", "} }", ""},
      {"match x { ", "[", "a", "]", " -> {} }"},
      {"let x: ", "[", "int", "]", " = 1"},
      {"let x: ", "{a: ", "int", "}", " = 1"},
      {"let x: ", "fn() -> ", "int", "", " = 1"},
      {"let x = 1", " + 1", "", "", ""},
      {"let x = a", ".b()", "", "", ""},
  };
  for (const Case& c : cases) {
    auto text = [&](size_t depth) {
      std::string out(c.before);
      for (size_t i = 0; i < depth; ++i) out += c.open;
      out += c.middle;
      for (size_t i = 0; i < depth; ++i) out += c.close;
      out += c.after;
      return out;
    };
    size_t depth = 5000;
    while (depth > 0 && test::parse_text(text(depth)).sink.has_errors()) depth = depth * 9 / 10;
    EXPECT_GT(depth, 100u) << c.before << c.open;
    test::Parsed parsed = test::parse_text(text(depth));
    EXPECT_FALSE(formatter::format(*parsed.tree).empty());
  }
}

TEST(Stress, ManyLines) {
  std::string function =
      "fn compute(items: list<int>,factor: float = 1.5) -> dict {\n"
      "  let total=items.filter({ x -> x > 3 }).map({ x -> x * 2 }) // note\n"
      "  var result = {name: \"item ${total}\", count: len(total), nested: [1,2,3]}\n"
      "  for (key, value) in result {\n"
      "    if value == nil && key != \"name\" {\n"
      "      log(\"skip ${key}\")\n"
      "    }\n"
      "  }\n"
      "  return result?.count ?? total[0]\n"
      "}\n";
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += function;
  auto start = std::chrono::steady_clock::now();
  test::Parsed parsed = test::parse_text(text);
  std::string out = formatter::format(*parsed.tree);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 100'000);
  printf("formatted 100,000 lines in %.3f s\n", seconds.count());
}

}  // namespace harn
