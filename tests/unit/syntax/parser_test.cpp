#include <gtest/gtest.h>

#include "parse_text.h"

namespace harn {

namespace {

// The dump of a program of one statement.
std::string tree(std::string text) {
  test::Parsed parsed = test::parse_text(std::move(text));
  EXPECT_EQ(parsed.errors(), "");
  std::string dump = parsed.dump();
  if (!dump.empty() && dump.back() == '\n') dump.pop_back();
  return dump;
}

}  // namespace

TEST(Parser, FollowsPrecedence) {
  EXPECT_EQ(tree("a || b && c == d < e + f ?? g * -h ** i"),
            "(|| a (&& b (== c (< d (+ e (?? f (* g (neg (** h i)))))))))");
  EXPECT_EQ(tree("a |> b to c ? d : e"), "(|> a (to b (?: c d e)))");
  EXPECT_EQ(tree("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(tree("-2 ** 2"), "(neg (** 2 2))");
  EXPECT_EQ(tree("2 ** -3 ** 2"), "(** 2 (neg (** 3 2)))");
  EXPECT_EQ(tree("!a.b"), "(! (. a b))");
  EXPECT_EQ(tree("a ? b : c ? d : e"), "(?: a b (?: c d e))");
  EXPECT_EQ(tree("a ? b ? c : d : e"), "(?: a (?: b c d) e)");
  EXPECT_EQ(tree("a not in b"), "(not-in a b)");
  EXPECT_EQ(tree("try* foo.bar(1) + b"), "(+ (try* (.call foo bar 1)) b)");
}

TEST(Parser, ContinuesLines) {
  EXPECT_EQ(tree("let x = a\n  + b\n  .c\n  |> d\n  ?? e"), "(let x (|> (+ a (. b c)) (?? d e)))");
  EXPECT_EQ(tree("a\n- b"), "a\n(neg b)");
  EXPECT_EQ(tree("a \\\n- b"), "(- a b)");
  EXPECT_EQ(tree("(a\n- b)"), "(- a b)");
  EXPECT_EQ(tree("a\n(b)"), "a\nb");
  EXPECT_EQ(tree("a\n[b]"), "a\n(list b)");
  EXPECT_EQ(tree("let x =\n  1"), "(let x 1)");
  EXPECT_EQ(tree("let x = 1 +\n  2"), "(let x (+ 1 2))");
  EXPECT_EQ(tree("c\n ? a\n : b"), "(?: c a b)");
}

TEST(Parser, TellsTernaryFromUnwrapAndOptionalIndex) {
  EXPECT_EQ(tree("repo ? [\"--repo\", repo] : []"), "(?: repo (list \"--repo\" repo) (list))");
  EXPECT_EQ(tree("x?[0]"), "([] :optional x 0)");
  EXPECT_EQ(tree("x?[0] ? a : b"), "(?: ([] :optional x 0) a b)");
  EXPECT_EQ(tree("c ? x?[0] : y"), "(?: c ([] :optional x 0) y)");
  EXPECT_EQ(tree("c ? x?[0]?[1] : d ? [1] : [2]"),
            "(?: c ([] :optional ([] :optional x 0) 1) (?: d (list 1) (list 2)))");
  EXPECT_EQ(tree("f()?\ng"), "(unwrap (call f))\ng");
  EXPECT_EQ(tree("f()? - 1"), "(- (unwrap (call f)) 1)");
  EXPECT_EQ(tree("c ? -1 : 1"), "(?: c (neg 1) 1)");
  EXPECT_EQ(tree("c ? {a: 1} : {}"), "(?: c (dict (a 1)) (dict))");
  EXPECT_EQ(tree("if f()? { 1 }"), "(if (unwrap (call f))\n  (block\n    1))");
  EXPECT_EQ(tree("{a: x?[0], b: 1}"), "(dict (a ([] :optional x 0)) (b 1))");
  EXPECT_EQ(tree("\"${x?}\""), "(interp (unwrap x))");
  EXPECT_EQ(tree("x? not in y"), "(not-in (unwrap x) y)");
}

TEST(Parser, TellsBracesApart) {
  EXPECT_EQ(tree("let a = {}"), "(let a (dict))");
  EXPECT_EQ(tree("let a = { -> 1 }"), "(let a (closure\n  (block\n    1)))");
  EXPECT_EQ(tree("let a = { x, y = 1 -> x }"),
            "(let a (closure (params: x (y (default_value: 1)))\n  (block\n    x)))");
  EXPECT_EQ(tree("let a = { x: fn(int) -> int -> x }"),
            "(let a (closure (params: (x (type: (fn int (result: int)))))\n  (block\n    x)))");
  EXPECT_EQ(tree("let a = {b: c, d: fn(x) -> int { x }}"),
            "(let a (dict (b c) (d (closure :fn_form (params: x) (return_type: int)\n  (block\n    x)))))");
  EXPECT_EQ(tree("let a = {[k]: 1, ...b, \"x y\": 2}"), "(let a (dict ((computed: k) 1) (... b) (\"x y\" 2)))");
  EXPECT_EQ(tree("{ x = 1 }"), "(block\n  (= x 1))");
  EXPECT_EQ(tree("{ x = 1 -> x }"), "(closure (params: (x (default_value: 1)))\n  (block\n    x))");
  EXPECT_EQ(tree("{ a: 1 }"), "(dict (a 1))");
  EXPECT_EQ(tree("{ f() }"), "(block\n  (call f))");
}

TEST(Parser, KnowsStructLiterals) {
  EXPECT_EQ(tree("Point { x: 1, y: 2 }"), "(new Point (x 1) (y 2))");
  EXPECT_EQ(tree("Pair<int, list<string>> { a: 1 }"), "(new Pair (type_args: int (list string)) (a 1))");
  EXPECT_EQ(tree("if Ready { }"), "(if Ready\n  (block))");
  EXPECT_EQ(tree("if (Point { x: 1 }) == p { }"), "(if (== (new Point (x 1)) p)\n  (block))");
  EXPECT_EQ(tree("for p in [Point { x: 1 }] { }"), "(for p (list (new Point (x 1)))\n  (block))");
}

TEST(Parser, ReadsTypeArguments) {
  EXPECT_EQ(tree("f<int, dict<string, [T]>>(x)"), "(call f (type_args: int (dict string (list-of T))) x)");
  EXPECT_EQ(tree("[a < b, c > (d)]"), "(list (< a b) (> c d))");
  EXPECT_EQ(tree("a<b"), "(< a b)");
  EXPECT_EQ(tree("let x: list<list<int>>= y"), "(let x (type: (list (list int))) y)");
}

TEST(Parser, ReadsTypes) {
  EXPECT_EQ(tree("type T = A & B? | C"), "(type T (| (& A (optional B)) C))");
  EXPECT_EQ(tree("type T = fn(int, [A]) -> A | nil"), "(type T (fn int (list-of A) (result: (optional A))))");
  EXPECT_EQ(tree("type T = {a: int, b?: \"x\", type: -1, ...rest}"),
            "(type T (shape (a int) (:optional b (text \"x\")) (type (int -1)) (row_tails: rest)))");
  EXPECT_EQ(tree("type T<in A, out B> = Map<A, true | 3>"),
            "(type T (generics: (in A) (out B)) (Map A (| (bool 1) (int 3))))");
  EXPECT_EQ(tree("type T = (int | nil)?"), "(type T (optional int))");
}

TEST(Parser, AllowsReservedWordsAsFieldNames) {
  EXPECT_EQ(tree("a.match.type?.in(to: 1)"), "(.call :optional (. (. a match) type) in (named to 1))");
  EXPECT_EQ(tree("{if: 1, nil: 2}"), "(dict (if 1) (nil 2))");
  EXPECT_EQ(tree("let {type: kind} = x"), "(let (dict-pattern ((key: type) kind)) x)");
}

TEST(Parser, FindsPipePlaceholders) {
  EXPECT_EQ(tree("x |> f(_, 1)"), "(|> :has_placeholder x (call f _ 1))");
  EXPECT_EQ(tree("x |> f({ y -> y + _ })"),
            "(|> :has_placeholder x (call f (closure (params: y)\n  (block\n    (+ y _)))))");
  EXPECT_EQ(tree("x |> { _ -> _ }"), "(|> x (closure (params: _)\n  (block\n    _)))");
  EXPECT_EQ(tree("x |> f(y |> g(_))"), "(|> x (call f (|> :has_placeholder y (call g _))))");
  EXPECT_EQ(tree("x |> (_ |> g)"), "(|> :has_placeholder x (|> _ g))");
  EXPECT_EQ(tree("x |> match y { _ -> { 1 } }"), "(|> x (match y\n  ((_)\n    (block\n      1))))");
}

TEST(Parser, ReadsMatchPatterns) {
  EXPECT_EQ(tree("match x { n if n > 3 -> { n } }"), "(match x\n  ((bind n) (guard: (> n 3))\n    (block\n      n)))");
  EXPECT_EQ(tree("match x { Shape.Circle(r, _) -> 1, Color.Red -> 2 }"),
            "(match x\n  ((variant :has_payload (value: Shape) Circle (bind r) (_))\n    (block\n      1))\n  "
            "((variant (value: Color) Red)\n    (block\n      2)))");
  EXPECT_EQ(tree("match x { [a, 1, ...rest] -> {} -1 | \"b\" -> {} (y) -> {} }"),
            "(match x\n  ((list-pattern :has_rest rest (bind a) (value: 1))\n    (block))\n  ((or (value: (neg 1)) "
            "(value: \"b\"))\n    (block))\n  ((value: y)\n    (block)))");
  EXPECT_EQ(tree("match x { {kind: \"a\", \"b c\": [n], name, ...rest} -> {} {} -> {} }"),
            "(match x\n  ((dict-pattern :has_rest rest (keys: kind \"b c\" name) (value: \"a\") (list-pattern (bind "
            "n)) (bind name))\n    (block))\n  ((value: (dict))\n    (block)))");
  EXPECT_EQ(tree("match x { Ok(v) -> {} Ok -> {} ok(v) -> {} (Ok(v)) -> {} }"),
            "(match x\n  ((variant :has_payload Ok (bind v))\n    (block))\n  ((bind Ok)\n    (block))\n  ((value: "
            "(call ok v))\n    (block))\n  ((value: (call Ok v))\n    (block)))");
  EXPECT_EQ(tree("match x { limits.most -> {} a + b -> {} }"),
            "(match x\n  ((value: (. limits most))\n    (block))\n  ((value: (+ a b))\n    (block)))");
}

TEST(Parser, ReadsSlices) {
  EXPECT_EQ(tree("a[1:2]"), "(slice a (start: 1) (end: 2))");
  EXPECT_EQ(tree("a[:]"), "(slice a)");
  EXPECT_EQ(tree("a[b ? 1 : 2]"), "([] a (?: b 1 2))");
  EXPECT_EQ(tree("a[b ? 1 : 2:]"), "(slice a (start: (?: b 1 2)))");
}

TEST(Parser, DecodesStrings) {
  EXPECT_EQ(tree(R"("a\n\t\"\\\$\q")"), R"("a\n\x09\"\\$\\q")");
  EXPECT_EQ(tree("r#\"a\\n\"b\"#"), R"("a\\n\"b")");
  EXPECT_EQ(tree("\"\"\"\n  one\n    two\n\n  three\n  \"\"\""), R"("one\n  two\n\nthree")");
  EXPECT_EQ(tree("\"\"\"\n    a ${x}\n  ${y}\n  \"\"\""), R"((interp "  a " x "\n" y))");
  EXPECT_EQ(tree("\"\"\"one\"\"\""), R"("one")");
  EXPECT_EQ(tree("\"\"\"\n\"\"\""), R"("")");
  EXPECT_EQ(tree("\"\"\"\n   \"\"\""), R"("")");
  EXPECT_EQ(tree("\"\"\"\r\n  a\r\n  b\r\n\"\"\""), R"("a\nb")");
  EXPECT_EQ(tree("\"\"\"\\${x} \\\"\"\" \"\"\""), R"("${x} \"\"\" ")");
  EXPECT_EQ(tree("\"\""), R"("")");
}

TEST(Parser, ReadsTheSmallestInteger) {
  EXPECT_EQ(tree("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(test::parse_text("9223372036854775808").errors(),
            "1:1 HARN-PAR-006 `9223372036854775808` does not fit in a 64-bit integer\n");
}

TEST(Parser, ReadsContextualWordsAsNames) {
  EXPECT_EQ(tree("let gen = each + with + as + timeout"), "(let gen (+ (+ (+ each with) as) timeout))");
  EXPECT_EQ(tree("gen fn f() { emit 1 }"), "(fn :is_gen f\n  (block\n    (emit 1)))");
  EXPECT_EQ(tree("select(a, b)"), "(call select a b)");
}

TEST(Parser, SpansCoverTheWholeText) {
  test::Parsed parsed = test::parse_text("let x = (a + b).c(1)\n@x pub fn f() { }");
  const auto& let = parsed.tree->items[0]->as<syntax::Let>();
  auto text = [&](Span span) { return parsed.tree->source->text(span); };
  EXPECT_EQ(text(let.span), "let x = (a + b).c(1)");
  EXPECT_EQ(text(let.value->span), "(a + b).c(1)");
  EXPECT_EQ(text(parsed.tree->items[1]->span), "@x pub fn f() { }");
}

}  // namespace harn
