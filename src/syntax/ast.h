#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/span.h"

// The syntax tree. Nodes live in the arena of their `Tree` (tree.h) and own nothing: names are views into the source
// text, lists are spans in the arena. A walker switches on `kind` and casts with `as<T>`, or uses children.h.
//
// A tree never changes after it was parsed, so that several phases, and several programs, can look at one at the same
// time. What they learn is theirs, in tables keyed by `NodeId`. The fields of each node are in nodes.def.
namespace harn::syntax {

enum class NodeKind : uint8_t {
#define HARN_NODE(name, base, word) name,
#define HARN_BASE(name, base)
#define HARN_PART(name)
#define HARN_KEYED(name)
#define HARN_FIELD(type, name)
#define HARN_OPTION(type, name)
#define HARN_ITEMS(type, name)
#define HARN_LAYOUT(type, name)
#define HARN_END
#include "syntax/nodes.def"
};

// The number of a node (or a keyed part of one) in its tree: from 1, dense enough for tables by number.
struct NodeId {
  uint32_t number = 0;
  friend constexpr bool operator==(NodeId, NodeId) = default;
};

struct Node {
  NodeKind kind;
  Span span;
  NodeId id;

  template <class T>
  const T& as() const {
    return *static_cast<const T*>(this);
  }
  bool is(NodeKind k) const { return kind == k; }
};

template <class T>
using List = std::span<const T>;
using NodeList = List<const Node*>;

struct Name {
  std::string_view text;
  Span span;
  bool empty() const { return text.empty(); }
};

enum class TypeKind : uint8_t {
  Named,         // int, list<T>, Result<T, E>, owned<channel>
  List,          // [T]
  Function,      // fn(A, B) -> R
  Shape,         // {a: T, b?: U, ...rest}
  Union,         // A | B
  Intersection,  // A & B
  Optional,      // T?
  StringLiteral,
  IntLiteral,
  BoolLiteral,
  Error,
};

enum class Variance : uint8_t { Invariant, In, Out };

enum class PatternKind : uint8_t { Name, Dict, List, Pair };

enum class MatchPatternKind : uint8_t {
  Wildcard,  // _
  Bind,      // name
  Value,     // any expression, compared with ==
  List,      // [a, 1, ...rest]
  Dict,      // {kind: "a", size: n, name, ...rest}
  Variant,   // Enum.Variant(a, b), Enum.Variant or Variant(a, b)
  Or,        // literal | literal
};

enum class StringForm : uint8_t { Plain, Raw, Multiline };

enum class KeyForm : uint8_t { Bare, Quoted, Computed, Spread };

enum class UnaryOp : uint8_t { Not, Negate };

enum class BinaryOp : uint8_t {
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  In,
  NotIn,
  Add,
  Subtract,
  Coalesce,
  Multiply,
  Divide,
  Modulo,
  Power,
};

enum class AssignOp : uint8_t { Set, Add, Subtract, Multiply, Divide, Modulo };

enum class ParallelMode : uint8_t { Count, Each, Settle };

enum class SelectCaseKind : uint8_t { Receive, Timeout, Default };

enum class HumanCallKind : uint8_t { AskUser, RequestApproval, DualControl, EscalateTo };

enum class AttributeValueKind : uint8_t {
  String,
  Int,
  Float,
  Bool,
  Nil,
  Symbol,  // a or a.b.c
  List,
  Dict,
  Call,
};

#define HARN_NODE(name, base, word) struct name;
#define HARN_BASE(name, base) struct name;
#define HARN_PART(name) struct name;
#define HARN_KEYED(name) struct name;
#define HARN_FIELD(type, name)
#define HARN_OPTION(type, name)
#define HARN_ITEMS(type, name)
#define HARN_LAYOUT(type, name)
#define HARN_END
#include "syntax/nodes.def"

#define HARN_NODE(name, base, word) struct name : base {
#define HARN_BASE(name, base) struct name : base {
#define HARN_PART(name) struct name {
#define HARN_KEYED(name) \
  struct name {          \
    NodeId id;
#define HARN_FIELD(type, name) type name{};
#define HARN_OPTION(type, name) type name{};
#define HARN_ITEMS(type, name) type name{};
#define HARN_LAYOUT(type, name) type name{};
#define HARN_END \
  }              \
  ;
#include "syntax/nodes.def"

}  // namespace harn::syntax
