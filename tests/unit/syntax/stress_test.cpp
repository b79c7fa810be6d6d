#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>

#include "../base/golden.h"
#include "parse_text.h"
#include "syntax/input.h"
#include "syntax/lexer.h"

namespace harn {

namespace {

std::string repeat(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

// Parses and shows everything; the test is that this ends.
size_t error_count(const std::string& text) {
  test::Parsed parsed = test::parse_text(text);
  parsed.dump();
  diag::render_all(parsed.sink, diag::Colour::No);
  return parsed.sink.error_count();
}

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const char* folder : {"parse", "format", "diag"}) {
    for (const auto& file : test::harn_files(test::golden_folder(folder))) {
      texts.push_back(test::read_file(file));
    }
  }
  return texts;
}

}  // namespace

TEST(Stress, DeepNestingIsReportedOnce) {
  constexpr size_t kDepth = 10'000;
  struct Case {
    std::string_view before, open, middle, close, after;
  };
  const Case cases[] = {
      {"let x = ", "(", "1", ")", ""},
      {"let x = ", "[", "", "]", ""},
      {"let x = ", "{a: ", "1", "}", ""},
      {"", "{\n", "", "}", ""},
      {"let x = ", "{ -> ", "1", "}", ""},
      {"f(", "{ x -> f(", "1", ") }", ")"},
      {"let x = ", "\"${", "1", "}\"", ""},
      {"let x = ", "!", "1", "", ""},
      {"let x = ", "- ", "1", "", ""},
      {"let x = ", "1 ** ", "1", "", ""},
      {"let x = ", "try* ", "1", "", ""},
      {"let x = ", "a ? b : ", "1", "", ""},
      {"let x = ", "a ? ", "1", " : 2", ""},
      {"if a { }", " else if b { }", "", "", ""},
      {"", "if a { ", "", "}", ""},
      {"", "fn f() { ", "", "}", ""},
      {"", "match x { _ -> { ", "", "} }", ""},
      {"match x { ", "[", "a", "]", " -> {} }"},
      {"match x { ", "A.B(", "a", ")", " -> {} }"},
      {"let x: ", "[", "int", "]", " = 1"},
      {"let x: ", "list<", "int", ">", " = 1"},
      {"let x: ", "fn() -> ", "int", "", " = 1"},
      {"let x: ", "{a: ", "int", "}", " = 1"},
      {"@a(", "[", "", "]", ")\nfn f() {}"},
      {"", "select { a from b { ", "", "} }", ""},
      {"", "spawn { ", "", "}", ""},
      {"let x = ", "Point { a: ", "1", "}", ""},
      {"let x = a", ".b()", "", "", ""},
      {"let x = a", "?[0]", "", "", ""},
      {"let x = 1", " + 1", "", "", ""},
      {"x", " |> f", "", "", ""},
  };
  for (const Case& c : cases) {
    std::string text = std::string(c.before) + repeat(c.open, kDepth) + std::string(c.middle) +
                       repeat(c.close, kDepth) + std::string(c.after);
    EXPECT_EQ(error_count(text), 1u) << c.before << c.open;
    // The same without its end.
    EXPECT_GE(error_count(std::string(c.before) + repeat(c.open, kDepth)), 1u);
  }
}

TEST(Stress, NestingBelowTheLimitIsFine) {
  constexpr size_t kDepth = 150;
  EXPECT_EQ(error_count("let x = " + repeat("(", kDepth) + "1" + repeat(")", kDepth)), 0u);
  EXPECT_EQ(error_count(repeat("if a {\n", kDepth) + repeat("}\n", kDepth)), 0u);
  EXPECT_EQ(error_count("let x = 1" + repeat(" + 1", 3000)), 0u);
  EXPECT_EQ(error_count("if a { }" + repeat(" else if b { }", 800)), 0u);
}

TEST(Stress, RepeatedMistakesStayLinear) {
  for (const char* text : {")",      "}",  "]",     "(]",  "{(", "\"${", "@a ",  "a?",         "a<",  "let ",
                           "{ x = ", "/*", "fn f(", "a?[", "\\", "'",    "\xFF", "match x { ", "...", "|>"}) {
    error_count(repeat(text, 50'000));
  }
}

// Random edits of real programs: nothing may crash, hang or leave its text.
TEST(Stress, MutatedProgramsAlwaysGiveATree) {
  std::vector<std::string> texts = corpus();
  ASSERT_FALSE(texts.empty());
  static constexpr std::string_view kPieces[] = {
      "{",  "}",  "(",    ")",   "[",      "]",   "\"",    "${", "\"\"\"", "->", "?",    ":",    ",",    "\n", "//",
      "/*", "*/", "let ", "fn ", "match ", "if ", "else ", "@",  "...",    "|>", "r#\"", "\\\n", "\xC3", "5s", "."};
  std::mt19937 random(20240607);
  for (int round = 0; round < 3000; ++round) {
    std::string text = texts[random() % texts.size()];
    size_t edits = 1 + random() % 8;
    for (size_t i = 0; i < edits && !text.empty(); ++i) {
      size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text.erase(at, 1 + random() % 10); break;
        case 1: text.insert(at, kPieces[random() % std::size(kPieces)]); break;
        case 2: text[at] = static_cast<char>(random() % 256); break;
        case 3: text = text.substr(0, at) + text.substr(random() % text.size()); break;
      }
    }
    test::Parsed parsed = test::parse_text(text);
    parsed.dump();
    EXPECT_EQ(parsed.tree->has_errors, parsed.sink.has_errors());
    for (const auto& diagnostic : parsed.sink.diagnostics()) {
      EXPECT_LE(diagnostic.span.start, diagnostic.span.end);
      EXPECT_LE(diagnostic.span.end, text.size());
      EXPECT_FALSE(diag::render(diagnostic, diag::Colour::No).empty());
    }
    syntax::input_state(text);
  }
}

// Prints how fast it is; a slow machine must not fail the build.
TEST(Stress, AMillionLines) {
  std::string function =
      "fn compute(items: list<int>, factor: float = 1.5) -> dict {\n"
      "  let total = items.filter({ x -> x > 3 }).map({ x -> x * 2 })\n"
      "  var result = {name: \"item ${total}\", count: len(total)}\n"
      "  for (key, value) in result {\n"
      "    if value == nil && key != \"name\" {\n"
      "      log(\"skip ${key}\")\n"
      "    }\n"
      "  }\n"
      "  return result?.count ?? total[0]\n"
      "}\n";
  std::string text = repeat(function, 100'000);
  auto source = std::make_shared<SourceFile>("big.harn", std::move(text));
  diag::Sink sink;
  auto start = std::chrono::steady_clock::now();
  auto tree = syntax::parse(source, sink);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(tree->items.size(), 100'000u);
  EXPECT_FALSE(sink.has_errors());
  printf("parsed %.2f million lines a second\n", 1.0 / seconds.count());
}

}  // namespace harn
