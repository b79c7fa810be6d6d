#include <gtest/gtest.h>

#include "diag/diagnostic.h"

namespace harn::diag {

namespace {

SourcePtr source(std::string text) { return std::make_shared<SourceFile>("a.harn", std::move(text)); }

Span span_of(const SourcePtr& source, std::string_view part) {
  auto start = static_cast<uint32_t>(source->text().find(part));
  return {start, start + static_cast<uint32_t>(part.size())};
}

std::string shown(const Sink& sink) { return render_all(sink, Colour::No); }

}  // namespace

TEST(Render, ShowsTheLineAndTheMark) {
  auto file = source("let a = 1\nlog(b)\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, span_of(file, "b)"), "b").label("not here");
  EXPECT_EQ(shown(sink),
            "error[HARN-NAM-001]: cannot find `b` in this scope\n"
            "  --> a.harn:2:5\n"
            "   |\n"
            " 2 | log(b)\n"
            "   |     ^^ not here\n"
            "   = run `harn explain HARN-NAM-001` to learn more\n");
}

TEST(Render, HangsLabelsOfTheSameLineBelow) {
  auto file = source("  let total: int = \"12\"\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, span_of(file, "\"12\""), "x")
      .label("this is a `string`")
      .label(file, span_of(file, "int"), "because of this annotation")
      .fix({"convert the text", span_of(file, "\"12\""), "to_int(\"12\")"});
  EXPECT_EQ(shown(sink),
            "error[HARN-NAM-001]: cannot find `x` in this scope\n"
            "  --> a.harn:1:20\n"
            "   |\n"
            " 1 |   let total: int = \"12\"\n"
            "   |              ---   ^^^^ this is a `string`\n"
            "   |              |\n"
            "   |              because of this annotation\n"
            "help: convert the text\n"
            "   |\n"
            " 1 |   let total: int = to_int(\"12\")\n"
            "   |                    +++++++    +\n"
            "   = run `harn explain HARN-NAM-001` to learn more\n");
}

TEST(Render, SkipsLinesBetweenLabels) {
  std::string text = "fn f() {\n";
  for (int i = 0; i < 12; ++i) text += "  a()\n";
  auto file = source(text);
  Sink sink;
  uint32_t end = static_cast<uint32_t>(text.size() - 1);
  sink.report(Code::UnexpectedEnd, file, Span{end, end}, "`}`")
      .label("file ends here")
      .label(file, span_of(file, "{"), "opened here");
  EXPECT_EQ(shown(sink),
            "error[HARN-PAR-002]: unexpected end of file, expected `}`\n"
            "   --> a.harn:13:6\n"
            "    |\n"
            "  1 | fn f() {\n"
            "    |        - opened here\n"
            " ...\n"
            " 13 |   a()\n"
            "    |      ^ file ends here\n"
            "    = run `harn explain HARN-PAR-002` to learn more\n");
}

TEST(Render, AlignsMarksUnderTabsAndWideCharacters) {
  auto file = source("\tlet 漢 = bad\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, span_of(file, "bad"), "bad");
  EXPECT_EQ(shown(sink),
            "error[HARN-NAM-001]: cannot find `bad` in this scope\n"
            "  --> a.harn:1:10\n"
            "   |\n"
            " 1 |     let 漢 = bad\n"
            "   |              ^^^\n"
            "   = run `harn explain HARN-NAM-001` to learn more\n");
}

TEST(Render, MarksBothEndsOfALongSpan) {
  auto file = source("f(\n  1,\n  2,\n)\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, span_of(file, "f(\n  1,\n  2,\n)"), "f").label("all this");
  EXPECT_EQ(shown(sink),
            "error[HARN-NAM-001]: cannot find `f` in this scope\n"
            "  --> a.harn:1:1\n"
            "   |\n"
            " 1 | f(\n"
            "   | ^^\n"
            "...\n"
            " 4 | )\n"
            "   | ^ all this\n"
            "   = run `harn explain HARN-NAM-001` to learn more\n");
}

TEST(Render, CutsVeryLongLinesAroundTheMark) {
  auto file = source(std::string(5000, 'a') + " bad " + std::string(5000, 'b'));
  Sink sink;
  sink.report(Code::UnknownVariable, file, span_of(file, "bad"), "bad");
  std::string text = shown(sink);
  EXPECT_LT(text.size(), 800u);
  EXPECT_NE(text.find("a bad b"), std::string::npos);
  EXPECT_NE(text.find("^^^"), std::string::npos);
}

TEST(Render, WorksOnEmptyFilesAndBrokenText) {
  Sink sink;
  sink.report(Code::UnexpectedEnd, source(""), Span{0, 0}, "x");
  sink.report(Code::InvalidUtf8, source("a\xFF\xFE\x01"), Span{1, 2});
  sink.report(Code::UnexpectedEnd, nullptr, Span{0, 0}, "x");
  std::string text = shown(sink);
  EXPECT_NE(text.find("--> a.harn:1:1"), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos) << "control characters must not reach a terminal";
}

TEST(Render, SortsByPlaceAndCountsWhatWasDropped) {
  auto file = source("a\nb\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, Span{2, 3}, "b");
  sink.report(Code::UnknownVariable, file, Span{0, 1}, "a");
  std::string text = shown(sink);
  EXPECT_LT(text.find("`a`"), text.find("`b`"));
  for (size_t i = 0; i < Sink::kMost; ++i) sink.report(Code::UnknownVariable, file, Span{0, 1}, "c");
  EXPECT_EQ(sink.diagnostics().size(), Sink::kMost);
  EXPECT_EQ(sink.error_count(), Sink::kMost + 2);
  EXPECT_NE(shown(sink).find("and 2 more"), std::string::npos);
}

TEST(Render, ColoursOnlyWhenAsked) {
  auto file = source("a\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, Span{0, 1}, "a").help("x");
  EXPECT_EQ(shown(sink).find('\x1b'), std::string::npos);
  EXPECT_NE(render_all(sink, Colour::Yes).find("\x1b[1;31m"), std::string::npos);
}

TEST(Render, ShowsOtherFiles) {
  auto file = source("a\n");
  auto other = std::make_shared<SourceFile>("b.harn", "first\nsecond\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, Span{0, 1}, "a").label(other, Span{6, 12}, "declared here");
  std::string text = shown(sink);
  EXPECT_NE(text.find("::: b.harn:2:1"), std::string::npos) << text;
  EXPECT_NE(text.find("------ declared here"), std::string::npos) << text;
}

TEST(RenderJson, EscapesEverything) {
  auto file = std::make_shared<SourceFile>("dir\\a \"b\".harn", "x\n\ty\n");
  Sink sink;
  sink.report(Code::UnknownVariable, file, Span{3, 4}, "\x01\n\"\xFF")
      .help("one")
      .help("two")
      .fix({"t\t", Span{3, 4}, "\\", false});
  EXPECT_EQ(render_json(sink.diagnostics()[0]),
            "{\"source\":\"type\",\"severity\":\"error\",\"code\":\"HARN-NAM-001\","
            "\"message\":\"cannot find `\\u0001\\n\\\"\xEF\xBF\xBD` in this scope\","
            "\"span\":{\"start\":3,\"end\":4},\"line\":2,\"column\":2,"
            "\"path\":\"dir\\\\a \\\"b\\\".harn\",\"help\":\"one\\ntwo\","
            "\"fixes\":[{\"title\":\"t\\t\",\"span\":{\"start\":3,\"end\":4},"
            "\"replacement\":\"\\\\\",\"safe\":false}]}");
}

}  // namespace harn::diag
