#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "diag/diagnostic.h"
#include "format/format.h"
#include "syntax/dump.h"
#include "syntax/tree.h"

namespace {

std::unique_ptr<const harn::syntax::Tree> parse(const std::string& text, harn::diag::Sink& sink) {
  return harn::syntax::parse(std::make_shared<harn::SourceFile>("fuzz.harn", text), sink);
}

[[noreturn]] void fail(const char* what, const std::string& before, const std::string& after) {
  fprintf(stderr, "%s\n--- before\n%s\n--- after\n%s\n---\n", what, before.c_str(), after.c_str());
  abort();
}

}  // namespace

// Formatting keeps the program and the comments, and formatting again changes nothing.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  harn::formatter::Options options{.line_width = static_cast<uint32_t>(10 + size * 7 % 100)};
  std::string text(reinterpret_cast<const char*>(data), size);
  harn::diag::Sink sink;
  auto tree = parse(text, sink);
  if (sink.has_errors()) return 0;
  std::string once = harn::formatter::format(*tree, options);

  harn::diag::Sink again;
  auto formatted = parse(once, again);
  if (again.has_errors()) {
    fail(harn::diag::render_all(again, harn::diag::Colour::No).c_str(), text, once);
  }
  if (harn::syntax::dump(*tree) != harn::syntax::dump(*formatted)) {
    fail("the program changed", text, once);
  }
  if (tree->comments.size() != formatted->comments.size()) fail("comments lost", text, once);
  std::string twice = harn::formatter::format(*formatted, options);
  if (once != twice) fail("not stable", once, twice);
  return 0;
}
