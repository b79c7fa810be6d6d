#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// A template that has been read: a tree in arrays, which refers to its parts by number, so that neither making nor freeing a deep
// one recurses. Immutable once read; shared by tasks on any thread.
namespace harn::templates {

// Of the `{{` that opens a directive; from 1, columns in characters. Text has none.
struct Place {
  uint32_t line = 0;
  uint32_t column = 0;
};

struct ExprId {
  uint32_t number = 0;
};
struct BodyId {
  uint32_t number = 0;
};

// ---- expressions ----

enum class Comparison : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct Literal {
  std::variant<std::monostate, bool, int64_t, double, std::string> value;
};
// `user.name[0]["key"]`
struct Path {
  std::string root;
  std::vector<std::variant<int64_t, std::string>> steps;
};
struct Not {
  ExprId operand;
};
// `a or b or c`: the first operand that decides.
struct Choice {
  bool is_or;
  std::vector<ExprId> operands;
};
struct Compare {
  Comparison op;
  ExprId left, right;
};
// `x | upper | indent: 2, true`
struct Filtered {
  struct Step {
    std::string name;
    std::vector<ExprId> args;
  };
  ExprId input;
  std::vector<Step> steps;
};
using Expr = std::variant<Literal, Path, Not, Choice, Compare, Filtered>;

// ---- nodes ----

struct Text {
  std::string text;
};
// `{{ name }}`: writes itself when nothing has that name.
struct Bare {
  std::string name;
};
struct Interpolation {
  ExprId value;
};
struct If {
  struct Branch {
    ExprId condition;
    BodyId body;
  };
  std::vector<Branch> branches;
  BodyId otherwise;
};
struct For {
  std::string key;  // empty: the items alone
  std::string item;
  ExprId items;
  BodyId body;
  BodyId otherwise;
};
struct Include {
  ExprId path;
  std::vector<std::pair<std::string, ExprId>> bindings;
};
struct Node {
  Place place;
  std::variant<Text, Bare, Interpolation, If, For, Include> what;
};

struct Template {
  std::string path;  // for messages; empty: the text was not in a file
  std::vector<Expr> exprs;
  std::vector<std::vector<Node>> bodies;  // the first is the whole template

  static constexpr BodyId kWhole{0};
  const Expr& expr(ExprId id) const { return exprs[id.number]; }
  const std::vector<Node>& body(BodyId id) const { return bodies[id.number]; }
};

// What is wrong with a template, or with what it was given.
struct Mistake {
  Place place;
  std::string what;
};
// "page.harn.prompt at 3:7: unknown filter `uper`", "at 3:7: ..." without a file.
std::string message_of(const Mistake& mistake, const std::string& path);

}  // namespace harn::templates
