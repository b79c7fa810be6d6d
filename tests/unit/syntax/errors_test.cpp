#include <gtest/gtest.h>

#include "parse_text.h"

namespace harn {

namespace {

std::string errors(std::string text) { return test::parse_text(std::move(text)).errors(); }

}  // namespace

TEST(ParseErrors, SayWhatWasExpected) {
  EXPECT_EQ(errors("let x = 1 + * 2"), "1:13 HARN-PAR-001 expected an expression after `+`, found `*`\n");
  EXPECT_EQ(errors("let match = 1"),
            "1:5 HARN-PAR-001 expected a name or a pattern, found `match` (reserved keyword)\n");
  EXPECT_EQ(errors("foo() bar()"),
            "1:7 HARN-PAR-001 expected top-level item separator (`;` or newline), found `bar`\n");
  EXPECT_EQ(errors("fn f() { a b }"), "1:12 HARN-PAR-001 expected statement separator (`;` or newline), found `b`\n");
  EXPECT_EQ(errors("if x = 5 { }"), "1:6 HARN-PAR-001 expected `{` after the condition, found `=`\n");
  EXPECT_EQ(errors("if a { } elif b { }"), "1:10 HARN-PAR-001 expected `else if`, found `elif`\n");
  EXPECT_EQ(errors("f(1 2)"), "1:5 HARN-PAR-001 expected `,` or `)`, found `2`\n");
  EXPECT_EQ(errors(")"), "1:1 HARN-PAR-001 expected an expression, found `)`\n");
  EXPECT_EQ(errors("let x = { a, b }").find("1:11 HARN-PAR-001 expected a dict entry"), 0u);
}

TEST(ParseErrors, SayWhereTheFileEnds) {
  EXPECT_EQ(errors("fn f() {\n  a()\n"), "2:6 HARN-PAR-002 unexpected end of file, expected `}`\n");
  EXPECT_EQ(errors("fn f() { if a { while b {"), "1:26 HARN-PAR-002 unexpected end of file, expected `}`\n");
  EXPECT_EQ(errors("let x ="), "1:8 HARN-PAR-002 unexpected end of file, expected an expression after `=`\n");
}

TEST(ParseErrors, PointAtTheBraceThatWasForgotten) {
  auto parsed = test::parse_text("fn a() {\n  if x {\n    y()\n}\nfn b() {}\n");
  ASSERT_EQ(parsed.sink.diagnostics().size(), 1u);
  const auto& labels = parsed.sink.diagnostics()[0].labels;
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(parsed.tree->source->position(labels[0].span.start).line, 2u);
}

TEST(ParseErrors, OneCauseIsOneReport) {
  EXPECT_EQ(errors("foo(\n  a b\n  c,\n)\nlet y = 1\n"), "2:5 HARN-PAR-001 expected `,` or `)`, found `b`\n");
  EXPECT_EQ(errors("let s = \"abc\nlet t = 1\n"), "1:9 HARN-PAR-004 unterminated string\n");
  EXPECT_EQ(errors("}}}}}}"), "1:1 HARN-PAR-001 expected a statement, found `}`\n");
  EXPECT_EQ(errors("fn f() { g({ x -> a ) }\nlet x = 1\n"), "1:21 HARN-PAR-001 expected `}`, found `)`\n");
}

TEST(ParseErrors, SeveralMistakesAreSeveralReports) {
  EXPECT_EQ(errors("let = 1\nfn f() {\n  let y = *\n  z(]\n}\nenum { A }\nlet ok = 1\n"),
            "1:5 HARN-PAR-001 expected a name or a pattern, found `=`\n"
            "3:11 HARN-PAR-001 expected an expression after `=`, found `*`\n"
            "4:5 HARN-PAR-001 expected an expression after `(`, found `]`\n"
            "6:6 HARN-PAR-001 expected an enum name, found `{`\n");
}

TEST(ParseErrors, KeepWhatCouldBeUnderstood) {
  auto parsed = test::parse_text("let a = 1\nlet = 2\nlet b = 3\n");
  EXPECT_EQ(parsed.tree->items.size(), 3u);
  EXPECT_TRUE(parsed.tree->has_errors);
  EXPECT_NE(parsed.dump().find("(let b 3)"), std::string::npos);
}

TEST(ParseErrors, RulesTheGrammarCannotSay) {
  EXPECT_EQ(errors("fn f(...a, b) { }"), "1:9 HARN-PAR-010 the rest element `...a` must come last\n");
  EXPECT_EQ(errors("let [...a, b] = c"), "1:9 HARN-PAR-010 the rest element `...a` must come last\n");
  EXPECT_EQ(errors("fn f(a = 1, b) { }"),
            "1:13 HARN-PAR-011 parameter `b` needs a default, because the one before it has one\n");
  EXPECT_EQ(errors("f() = 1"), "1:1 HARN-PAR-012 cannot assign to the result of a call\n");
  EXPECT_EQ(errors("a?.b = 1"), "1:1 HARN-PAR-012 cannot assign to an optional access\n");
  EXPECT_EQ(errors("select { a from b { } timeout 1s { } default { } }"),
            "1:38 HARN-PAR-013 `timeout` and `default` cannot be in the same select\n");
  EXPECT_EQ(errors("@test\nlet x = 1"),
            "1:1 HARN-PAR-008 an attribute must be followed by a declaration, found `let`\n");
  EXPECT_EQ(errors("match x { a | b -> { } }"),
            "1:11 HARN-MAT-003 the alternatives of an or-pattern must be literals\n");
  EXPECT_EQ(errors("for (a, b, c) in x { }").find("1:5 HARN-PAR-001 expected two names"), 0u);
}

TEST(ParseErrors, KnowWordsOfOtherLanguages) {
  auto replacement = [](std::string text) {
    auto parsed = test::parse_text(std::move(text));
    const auto& all = parsed.sink.diagnostics();
    return all.empty() || all[0].fixes.empty() ? std::string() : all[0].fixes[0].replacement;
  };
  EXPECT_EQ(replacement("def f(x) { }"), "fn");
  EXPECT_EQ(replacement("a and b"), "&&");
  EXPECT_EQ(replacement("a | b"), "||");
  EXPECT_EQ(replacement("match x { 1 => 2 }"), "->");
}

TEST(ParseErrors, OfferEdits) {
  auto parsed = test::parse_text("if x = 5 { y() }\n");
  ASSERT_EQ(parsed.sink.diagnostics().size(), 1u);
  const auto& diagnostic = parsed.sink.diagnostics()[0];
  ASSERT_EQ(diagnostic.fixes.size(), 1u);
  EXPECT_EQ(diagnostic.fixes[0].replacement, "==");
  EXPECT_EQ(parsed.tree->source->text(diagnostic.fixes[0].span), "=");
}

}  // namespace harn
