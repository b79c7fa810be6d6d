#include "syntax/children.h"

#include <gtest/gtest.h>

#include <set>

#include "parse_text.h"

namespace harn {
namespace {

using namespace syntax;

std::string names_in(std::string text) {
  test::Parsed parsed = test::parse_text(std::move(text));
  EXPECT_EQ(parsed.errors(), "");
  std::string out;
  auto walk = [&](auto& self, const Node& node) -> void {
    if (node.is(NodeKind::Identifier)) out += format("{} ", node.as<Identifier>().name);
    for_each_child(node, [&](const Node& child) { self(self, child); });
  };
  for (const Node* item : parsed.tree->items) walk(walk, *item);
  return out;
}

TEST(Children, ComeInTheOrderOfTheSource) {
  EXPECT_EQ(names_in("a + b * c"), "a b c ");
  EXPECT_EQ(names_in("f(a, x: b, ...c)[d].e(g)?"), "f a b c d g ");
  EXPECT_EQ(names_in("let {k = a, l} = b"), "a b ");
  EXPECT_EQ(names_in("{[a]: b, c: d, ...e}"), "a b d e ");
  EXPECT_EQ(names_in("parallel each a with { max_concurrent: b } { x -> c }"), "a b c ");
}

TEST(Children, IncludeThoseInsideParts) {
  EXPECT_EQ(names_in("match a { [1, (b)] if c -> { d } }"), "a b c d ");
  EXPECT_EQ(names_in("select { x from a { b } timeout c { d } }"), "a b c d ");
  EXPECT_EQ(names_in("fn f(x = a) { b }"), "a b ");
  EXPECT_EQ(names_in("try { a } catch (e) { b } finally { c }"), "a b c ");
  EXPECT_EQ(names_in("skill s { x a }\neval_pack p { y: b }"), "a b ");
}

TEST(Children, AreTypesToThoseWhoAsk) {
  test::Parsed parsed = test::parse_text("fn f(x: list<int>, y: {a: string}) -> bool { x }");
  size_t nodes = 0;
  for_each_child(*parsed.tree->items[0], [&](const Node&) { ++nodes; });
  EXPECT_EQ(nodes, 1u);
  struct Both {
    size_t types = 0;
    void operator()(const Node&) {}
    void operator()(const TypeNode&) { ++types; }
  } both;
  for_each_child(*parsed.tree->items[0], both);
  EXPECT_EQ(both.types, 3u);
}

struct IdWalk {
  std::set<uint32_t> seen;
  size_t count = 0;

  void note(NodeId id) {
    seen.insert(id.number);
    ++count;
  }
  void inside(const auto& part) {
    note(part.id);
    for_each_child_of(part, *this);
  }
  void operator()(const Node& node) {
    note(node.id);
    for_each_child(node, *this);
  }
  void operator()(const TypeNode& part) { inside(part); }
  void operator()(const Param& part) { inside(part); }
  void operator()(const PatternField& part) { inside(part); }
  void operator()(const MatchPattern& part) { inside(part); }
  void operator()(const SelectCase& part) { inside(part); }
};

TEST(NodeIds, AreThereOnce) {
  test::Parsed parsed = test::parse_text(
      "fn f(a: int, b = {x: 1}) -> list<int> { match a { Ok(v) | 1 -> { v } } }\n"
      "let {p, q = 2} = f(1)\nfor (i, j) in [q] { select { m from p { i } } }\n");
  IdWalk walk;
  for (const Node* item : parsed.tree->items) walk(*item);
  EXPECT_EQ(walk.seen.size(), walk.count);
  EXPECT_FALSE(walk.seen.contains(0));
  EXPECT_LE(*walk.seen.rbegin(), parsed.tree->last_id.number);
}

}  // namespace
}  // namespace harn
