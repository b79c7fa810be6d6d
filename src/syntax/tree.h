#pragma once

#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/source.h"
#include "syntax/ast.h"

namespace harn::diag {
class Sink;
}

// What the parser makes of a file. A tree owns its nodes and keeps its source, never changes, and may be read by any thread.
//
//   std::unique_ptr<const Tree> tree = parse(source, sink);
//   for (const Node* item : tree->items) ...
namespace harn::syntax {

struct Comment {
  Span span;      // from `//` or `/*` to the last character, line end not included
  bool is_block;  // /* */
  bool own_line;  // nothing but white space before it on its line
};

// A parsed file: the nodes, the arena they live in and the comments between them.
struct Tree {
  SourcePtr source;
  Arena arena;
  NodeList items;                 // top-level statements and declarations, in order
  NodeId last_id;                 // every node and keyed part has a number up to this one
  std::vector<Comment> comments;  // in source order
  bool has_errors = false;
  // Where the text was not understood, in source order: a statement with a mistake in it, or all behind a brace that
  // is not closed. What the tree has of these places may be wrong.
  std::vector<Span> broken;
  bool lacks_name = false;  // of a declaration in such a place: any name may be the one
};

// Parses a whole file. Problems go to the sink; the tree then holds what could be understood, with
// Broken nodes in place of the rest. Never fails otherwise.
//
// `after`: ids begin behind this one, for a tree whose nodes are used together with those of another.
std::unique_ptr<const Tree> parse(SourcePtr source, diag::Sink& sink, NodeId after = {});

}  // namespace harn::syntax
