// Texts that are written for models, and what comes back: Natural blocks with their front matter, templates of typed prompts, JSON in prose.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "base/placeholders.h"
#include "builtins/natural_program.h"
#include "data/bounded_json.h"
#include "data/loose_json.h"

using namespace harn;

static void read_block(std::string_view text) {
  builtins::NaturalProgram program = builtins::read_natural_program(text);
  HARN_ASSERT(program.text.size() <= text.size(), "a program is longer than its block");
  HARN_ASSERT(program.problem.empty() || program.line > 0, "a problem has no line");
  auto allowed = builtins::allowed_outcomes(true, program.deny);
  for (const std::string& denied : program.deny) {
    HARN_ASSERT(std::ranges::find(allowed, denied) == allowed.end(), "a denied outcome is allowed");
  }
}

static void read_template(std::string_view text) {
  size_t at = 0, line = 0;
  PlaceholderScanner scanner(text);
  while (scanner.next()) {
    const PlaceholderPiece& piece = scanner.piece();
    HARN_ASSERT(piece.start >= at && piece.line >= line, "pieces go backwards");
    HARN_ASSERT(piece.start < text.size(), "a piece begins behind the text");
    at = piece.start;
    line = piece.line;
  }
  Dedented once = dedent(text);
  HARN_ASSERT(dedent(once.text).text == once.text, "a template changes when it is dedented again");
}

static void read_answer(std::string_view text) {
  data::LooseValue found = data::read_loose(text);
  if (!found.value) return;
  constexpr size_t kMost = 64;
  data::BoundedJson shown = data::bounded_json(*found.value, kMost);
  // Escapes are up to six bytes long, and brackets of what is open come on top.
  HARN_ASSERT(shown.text.size() <= 8 * kMost, "a bounded text is not bounded");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(input), size);
  read_block(text);
  read_template(text);
  read_answer(text);
  return 0;
}
