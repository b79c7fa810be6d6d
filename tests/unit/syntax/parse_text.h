#pragma once

#include <memory>
#include <string>

#include "diag/diagnostic.h"
#include "syntax/dump.h"
#include "syntax/tree.h"

namespace harn::test {

struct Parsed {
  std::unique_ptr<const syntax::Tree> tree;
  diag::Sink sink;

  std::string dump() const { return syntax::dump(*tree); }
  // "1:5 HARN-PAR-001 message", one a line.
  std::string errors() const {
    std::string out;
    for (const auto& diagnostic : sink.diagnostics()) {
      auto at = diagnostic.source->position(diagnostic.span.start);
      out += format("{}:{} {} {}\n", at.line, at.column, diag::row(diagnostic.code).id, diagnostic.message);
    }
    return out;
  }
};

inline Parsed parse_text(std::string text) {
  Parsed parsed;
  parsed.tree = syntax::parse(std::make_shared<SourceFile>("test.harn", std::move(text)), parsed.sink);
  return parsed;
}

}  // namespace harn::test
