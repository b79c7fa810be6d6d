#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value.h"

// The subset of jq that `jq` and `jq_first` understand, as a tree.
namespace harn::builtins::jq {

enum class Op : uint8_t {
  Identity,  // .
  Recurse,   // ..
  Field,     // left.text
  Index,     // left[right], a field or an item
  Slice,     // left[a:b]
  Iterate,   // left[]
  Literal,   // value
  Pipe,      // left | right
  Comma,     // left, right
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Array,     // [left]
  Object,    // {entries}
  Call,      // text(arguments)
  Optional,  // left?
};

struct Node {
  explicit Node(Op kind) : op(kind) {}

  Op op;
  std::string text;
  vm::Value value;
  std::unique_ptr<Node> left;
  std::unique_ptr<Node> right;
  std::unique_ptr<Node> third;  // the end of a slice
  // Object: key expressions and their values
  std::vector<std::pair<std::unique_ptr<Node>, std::unique_ptr<Node>>> entries;
};
using NodePtr = std::unique_ptr<Node>;

// The tree of an expression, or what is wrong with it.
std::expected<NodePtr, std::string> parse(std::string_view expression);

}  // namespace harn::builtins::jq
