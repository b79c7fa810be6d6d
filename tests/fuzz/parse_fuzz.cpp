#include <cstdint>
#include <cstdlib>
#include <string>

#include "diag/diagnostic.h"
#include "syntax/input.h"
#include "syntax/dump.h"
#include "syntax/lexer.h"
#include "syntax/tree.h"

// Any bytes at all must give a tree, and diagnostics that can be shown.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  auto source = std::make_shared<harn::SourceFile>("fuzz.harn", text);
  harn::diag::Sink sink;
  auto tree = harn::syntax::parse(source, sink);
  harn::syntax::dump(*tree);
  constexpr size_t kShown = 3;  // showing takes longer than parsing
  size_t shown = 0;
  for (const auto& diagnostic : sink.diagnostics()) {
    if (diagnostic.span.end > size || diagnostic.span.start > diagnostic.span.end) abort();
    if (shown++ >= kShown) continue;
    harn::diag::render(diagnostic, harn::diag::Colour::Yes);
    harn::diag::render_json(diagnostic);
  }
  if (tree->has_errors != sink.has_errors()) abort();
  harn::syntax::input_state(text);
  return 0;
}
