#pragma once

#include <string_view>
#include <vector>

#include "base/source.h"
#include "syntax/token.h"
#include "syntax/tree.h"

namespace harn::diag {
class Sink;
}

// The lexer: the text of a file as a list of tokens, which the parser goes through by index. Tokens are spans of the
// source and own nothing. A pure function, for any thread.
namespace harn::syntax {

constexpr size_t kLargestFile = size_t{1} << 30;

struct TokenList {
  std::vector<Token> tokens;      // ends with Eof
  std::vector<Comment> comments;  // in source order
  // Braces that were never closed, outermost first (token indexes).
  std::vector<uint32_t> unclosed;
  bool open_at_end = false;  // the text stopped inside a string or a comment
};

// Cuts a whole file into tokens in one pass. Never fails: what is not a token is reported and
// skipped.
TokenList lex(const SourcePtr& source, diag::Sink& sink);

}  // namespace harn::syntax
