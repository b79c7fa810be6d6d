#include "syntax/lexer.h"

#include <gtest/gtest.h>

#include "diag/diagnostic.h"

namespace harn::syntax {

namespace {

struct Lexed {
  SourcePtr source;
  TokenList list;
  diag::Sink sink;

  // The texts of the tokens, `|` before those that begin a line.
  std::string texts() const {
    std::string out;
    for (const Token& token : list.tokens) {
      if (token.kind == TokenKind::Eof) break;
      if (!out.empty()) out += token.starts_line() ? " | " : " ";
      out += source->text(token.span());
    }
    return out;
  }
  std::string first_error() const {
    if (sink.diagnostics().empty()) return "";
    const auto& first = sink.diagnostics()[0];
    return format("{} {}-{}", diag::row(first.code).id, first.span.start, first.span.end);
  }
};

Lexed lex_text(std::string text) {
  Lexed lexed;
  lexed.source = std::make_shared<SourceFile>("test.harn", std::move(text));
  lexed.list = lex(lexed.source, lexed.sink);
  return lexed;
}

TokenKind only_kind(std::string text) {
  Lexed lexed = lex_text(std::move(text));
  EXPECT_EQ(lexed.list.tokens.size(), 2u);
  return lexed.list.tokens[0].kind;
}

}  // namespace

TEST(Lexer, KnowsEveryKeyword) {
  for (std::string_view word : keywords()) {
    EXPECT_TRUE(is_keyword(only_kind(std::string(word)))) << word;
    EXPECT_EQ(only_kind(std::string(word) + "x"), TokenKind::Identifier);
    EXPECT_EQ(spelling(only_kind(std::string(word))), word);
  }
  EXPECT_EQ(keywords().size(), 51u);
  for (const char* word : {"gen", "each", "with", "as", "stream", "where", "not", "cost_route", "r"}) {
    EXPECT_EQ(only_kind(word), TokenKind::Identifier) << word;
  }
}

TEST(Lexer, CutsOperatorsGreedily) {
  EXPECT_EQ(lex_text("a**b*=c|>d||e|f??g?.h?i->j-=k...l::m:n<=o").texts(),
            "a ** b *= c |> d || e | f ?? g ?. h ? i -> j -= k ... l :: m : n <= o");
}

TEST(Lexer, MarksLineStartsAndJoinsContinuedLines) {
  EXPECT_EQ(lex_text("a\n b; c \\\n d \\\r\n e").texts(), "a | b ; c d e");
  EXPECT_EQ(lex_text("a /* x \n y */ b // z\nc").texts(), "a b | c");
}

TEST(Lexer, KeepsComments) {
  Lexed lexed = lex_text("// one\nx // two\r\n  /* a /* b */ c */ y\n");
  ASSERT_EQ(lexed.list.comments.size(), 3u);
  EXPECT_EQ(lexed.source->text(lexed.list.comments[0].span), "// one");
  EXPECT_TRUE(lexed.list.comments[0].own_line);
  EXPECT_EQ(lexed.source->text(lexed.list.comments[1].span), "// two");
  EXPECT_FALSE(lexed.list.comments[1].own_line);
  EXPECT_EQ(lexed.source->text(lexed.list.comments[2].span), "/* a /* b */ c */");
  EXPECT_TRUE(lexed.list.comments[2].is_block);
  EXPECT_TRUE(lexed.list.comments[2].own_line);
}

TEST(Lexer, ReadsNumbers) {
  EXPECT_EQ(only_kind("42"), TokenKind::Int);
  EXPECT_EQ(only_kind("4.25"), TokenKind::Float);
  for (const char* text : {"5ms", "5s", "5m", "5h", "5d", "5w"}) {
    EXPECT_EQ(only_kind(text), TokenKind::Duration) << text;
  }
  EXPECT_EQ(lex_text("42.method").texts(), "42 . method");
  EXPECT_EQ(lex_text("1.5.x").texts(), "1.5 . x");
}

TEST(Lexer, RefusesBadNumbers) {
  EXPECT_EQ(lex_text("9223372036854775807").first_error(), "");
  EXPECT_EQ(lex_text("9223372036854775809").first_error(), "HARN-PAR-006 0-19");
  EXPECT_EQ(lex_text("99999999999999999999999").first_error(), "HARN-PAR-006 0-23");
  EXPECT_EQ(lex_text("9223372036854775807w").first_error(), "HARN-PAR-006 0-20");
  EXPECT_EQ(lex_text("1_000").first_error(), "HARN-PAR-001 1-5");
  EXPECT_EQ(lex_text("12min").first_error(), "HARN-PAR-001 2-5");
  EXPECT_EQ(lex_text("1.5s").first_error(), "HARN-PAR-001 3-4");
}

TEST(Lexer, CutsInterpolationsFlat) {
  Lexed lexed = lex_text(R"("a ${f("b ${c}", {d: 1})} e")");
  EXPECT_EQ(lexed.texts(), R"(" a  ${ f ( " b  ${ c } " , { d : 1 } ) }  e ")");
  EXPECT_EQ(lexed.first_error(), "");
  const auto& tokens = lexed.list.tokens;
  EXPECT_EQ(tokens[tokens[0].partner].kind, TokenKind::StringClose);
  EXPECT_EQ(lex_text(R"("no \${x} $ {y} $")").list.tokens.size(), 2u);
}

TEST(Lexer, EndsAPlainStringAtTheLineEnd) {
  Lexed lexed = lex_text("let a = \"abc\nlet b = 2");
  EXPECT_EQ(lexed.first_error(), "HARN-PAR-004 8-9");
  EXPECT_EQ(lexed.texts(), "let a = \"abc | let b = 2");
  EXPECT_EQ(lex_text("\"${a\n}\" b").first_error(), "HARN-PAR-004 0-1");
  EXPECT_EQ(lex_text("\"a \\\nb\"").first_error(), "HARN-PAR-004 0-1");
  EXPECT_EQ(lex_text("r\"a\n").first_error(), "HARN-PAR-004 0-2");
  EXPECT_EQ(lex_text("\"\"\"a\n").first_error(), "HARN-PAR-004 0-3");
  EXPECT_EQ(lex_text("\"\"\"${\n 1\n}\"\"\"").first_error(), "");
}

TEST(Lexer, ReadsRawStrings) {
  EXPECT_EQ(only_kind(R"(r"\d+\")"), TokenKind::RawString);
  EXPECT_EQ(only_kind(R"x(r#"a "quoted" b"#)x"), TokenKind::RawString);
  EXPECT_EQ(only_kind(R"x(r##"a"#b"##)x"), TokenKind::RawString);
  EXPECT_EQ(lex_text("r # x").first_error(), "HARN-PAR-003 2-3");
}

TEST(Lexer, PairsBracketsAroundMistakes) {
  Lexed lexed = lex_text("{ ( }");
  const auto& tokens = lexed.list.tokens;
  EXPECT_EQ(tokens[0].partner, 2u);
  EXPECT_EQ(tokens[2].partner, 0u);
  EXPECT_TRUE(tokens[1].flags & Token::kUnpaired);
  EXPECT_EQ(lex_text("( ] )").list.tokens[0].partner, 2u);
  EXPECT_EQ(lex_text("{ (").list.unclosed.size(), 2u);
}

TEST(Lexer, ReportsOddCharacters) {
  EXPECT_EQ(lex_text("a # b").first_error(), "HARN-PAR-003 2-3");
  EXPECT_EQ(lex_text("a é").first_error(), "HARN-PAR-003 2-4");
  EXPECT_EQ(lex_text("'abc'").sink.error_count(), 1u);
  EXPECT_EQ(lex_text("a “quoted” b").sink.error_count(), 1u);
  EXPECT_EQ(lex_text("/* a").first_error(), "HARN-PAR-005 0-2");
}

TEST(Lexer, ReportsBadUtf8Once) {
  Lexed lexed = lex_text("let a = \"\xFF\" \xFE\xFD x");
  EXPECT_EQ(lexed.sink.error_count(), 1u);
  EXPECT_EQ(lexed.first_error(), "HARN-PAR-009 9-10");
}

TEST(Lexer, SkipsMarkAndScriptLine) {
  EXPECT_EQ(lex_text("\xEF\xBB\xBF#!/usr/bin/env harn\nx").texts(), "x");
  EXPECT_EQ(lex_text("#!x").texts(), "");
}

}  // namespace harn::syntax
