#include <gtest/gtest.h>

#include "format_text.h"

namespace harn {

using test::format_text;

TEST(Format, SettlesSpacing) {
  EXPECT_EQ(format_text("let x=1+2*3;let y={ a:1,\"b\":2 }"), "let x = 1 + 2 * 3\nlet y = {a: 1, b: 2}\n");
  EXPECT_EQ(format_text("f( {x->x+1} )"), "f({ x -> x + 1 })\n");
  EXPECT_EQ(format_text("Point{x:3,y:4}"), "Point { x: 3, y: 4 }\n");
  EXPECT_EQ(format_text("import {a,b} from \"m\""), "import { a, b } from \"m\"\n");
  EXPECT_EQ(format_text("fn f(a:int,b=2)->int{return a}"), "fn f(a: int, b = 2) -> int {\n  return a\n}\n");
  EXPECT_EQ(format_text("\n\n\na\n\n\n\nb\n\n"), "a\n\nb\n");
  EXPECT_EQ(format_text(""), "");
}

TEST(Format, WritesParenthesesWhereNeeded) {
  EXPECT_EQ(format_text("((a+b))*(c)"), "(a + b) * c\n");
  EXPECT_EQ(format_text("a&&b||c&&d"), "(a && b) || (c && d)\n");
  EXPECT_EQ(format_text("a ?? b + c"), "(a ?? b) + c\n");
  EXPECT_EQ(format_text("(a.b)(c)"), "(a.b)(c)\n");
  EXPECT_EQ(format_text("(f()?).a"), "(f()?).a\n");
  EXPECT_EQ(format_text("(-2) ** 2"), "(-2) ** 2\n");
  EXPECT_EQ(format_text("a - (b - c)"), "a - (b - c)\n");
  EXPECT_EQ(format_text("if (Point { x: 1 }) == p { }"), "if (Point { x: 1 }) == p {}\n");
  EXPECT_EQ(format_text("guard (if a { b }) else { c }"), "guard (if a {\n  b\n}) else { c }\n");
}

TEST(Format, WritesOptionalTypesShort) {
  EXPECT_EQ(format_text("let x: int | nil = 1"), "let x: int? = 1\n");
  EXPECT_EQ(format_text("let x: A & B | nil = 1"), "let x: A & B | nil = 1\n");
  EXPECT_EQ(format_text("let x: (fn() -> A) | nil = 1"), "let x: (fn() -> A) | nil = 1\n");
}

TEST(Format, BreaksLongLists) {
  EXPECT_EQ(format_text("f(aaaa, bbbb, cccc)", 12), "f(\n  aaaa,\n  bbbb,\n  cccc,\n)\n");
  EXPECT_EQ(format_text("let x = {aa: 1, bb: 2}", 14), "let x = {\n  aa: 1,\n  bb: 2,\n}\n");
  EXPECT_EQ(format_text("call(a, {bb: 1, cc: 2})", 16), "call(a, {\n  bb: 1,\n  cc: 2,\n})\n");
}

TEST(Format, BreaksOperatorsBefore) {
  EXPECT_EQ(format_text("let x = aaaa + bbbb + cccc", 20), "let x = aaaa\n  + bbbb\n  + cccc\n");
  EXPECT_EQ(format_text("let x = aaaa + bbbb - cccc", 20), "let x = aaaa\n  + bbbb \\\n  - cccc\n");
  EXPECT_EQ(format_text("let x = (aaaa - bbbb) * cccc", 14), "let x = (aaaa\n    - bbbb)\n  * cccc\n");
  EXPECT_EQ(format_text("let x = aaaa in bbbb", 14), "let x = aaaa \\\n  in bbbb\n");
  EXPECT_EQ(format_text("let x = c ? aaaa : bbbb", 16), "let x = c\n  ? aaaa\n  : bbbb\n");
  EXPECT_EQ(format_text("items |> first |> second", 14), "items\n  |> first\n  |> second\n");
}

TEST(Format, BreaksMethodChains) {
  EXPECT_EQ(format_text("let x = items.filter(a).map(b)", 20), "let x = items\n  .filter(a)\n  .map(b)\n");
  EXPECT_EQ(format_text("xs.filter(a).each({ x ->\n  f(x)\n  g(x)\n})"),
            "xs.filter(a).each({ x ->\n  f(x)\n  g(x)\n})\n");
}

TEST(Format, WritesPatterns) {
  EXPECT_EQ(format_text("match x { {a:1,\"b\":n,\"c d\":_,e,...r}->{n} Ok(v)->{v} (Ok(v))->{v} ({a:1})->{2} {}->{3} }"),
            "match x {\n  {a: 1, b: n, \"c d\": _, e, ...r} -> { n }\n  Ok(v) -> { v }\n  (Ok(v)) -> { v }\n"
            "  ({a: 1}) -> { 2 }\n  {} -> { 3 }\n}\n");
}

TEST(Format, KeepsShortBlocksOfValuesOnALine) {
  EXPECT_EQ(format_text("let x = if a { b } else { c }"), "let x = if a { b } else { c }\n");
  EXPECT_EQ(format_text("if a { b }"), "if a {\n  b\n}\n");
  EXPECT_EQ(format_text("match x { 1 -> {\n a } _ -> { b\nc } }"),
            "match x {\n  1 -> { a }\n  _ -> {\n    b\n    c\n  }\n}\n");
  EXPECT_EQ(format_text("defer { f() }"), "defer { f() }\n");
}

TEST(Format, KeepsComments) {
  EXPECT_EQ(format_text("// a\nx // b\n\n// c\n"), "// a\nx // b\n\n// c\n");
  EXPECT_EQ(format_text("fn f() { // a\n// b\n}"), "fn f() { // a\n  // b\n}\n");
  EXPECT_EQ(format_text("f(a, // one\nb)"), "f(\n  a, // one\n  b,\n)\n");
  EXPECT_EQ(format_text("f(/* x */ a)"), "f(/* x */ a)\n");
  EXPECT_EQ(format_text("let x = a // one\n  + b"), "let x = a // one\n  + b\n");
  EXPECT_EQ(format_text("/* a */ let x = 1"), "/* a */ let x = 1\n");
  EXPECT_EQ(format_text("if x // why\n{ y }"), "if x { // why\n  y\n}\n");
}

TEST(Format, TrailingCommentsHaveNoWidth) {
  EXPECT_EQ(format_text("f(a, b) // a comment that is much too long for the line", 20),
            "f(a, b) // a comment that is much too long for the line\n");
}

TEST(Format, KeepsStringsAsWritten) {
  EXPECT_EQ(format_text("let x = r\"\\d\" + \"\\u\" + \"${ a+b }\""), "let x = r\"\\d\" + \"\\u\" + \"${ a+b }\"\n");
  EXPECT_EQ(format_text("fn f() { g(\"\"\"\n  a\n    b\n\"\"\") }"), "fn f() {\n  g(\"\"\"\n  a\n    b\n\"\"\")\n}\n");
}

TEST(Format, KeepsTheScriptLine) {
  EXPECT_EQ(format_text("#!/usr/bin/env harn\n\n\nlet x = 1"), "#!/usr/bin/env harn\n\nlet x = 1\n");
  EXPECT_EQ(format_text("#!harn\nx"), "#!harn\nx\n");
}

TEST(Format, KeepsTheOrderOfMixedMembers) {
  EXPECT_EQ(format_text("interface I { fn a(self)\ntype T\nfn b(self) }"),
            "interface I {\n  fn a(self)\n  type T\n  fn b(self)\n}\n");
  EXPECT_EQ(format_text("type T = {...A, b: int, ...C}"), "type T = {...A, b: int, ...C}\n");
}

}  // namespace harn
