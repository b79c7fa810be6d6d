// Files of agents, skills and tasks: anybody's text becomes fields, a body and problems with lines, never anything worse.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/front_matter.h"

using namespace harn;

static size_t count_lines(std::string_view text) { return static_cast<size_t>(std::ranges::count(text, '\n')) + 1; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(input), size);
  data::FrontMatter read = data::parse_front_matter(text);
  HARN_ASSERT(read.body.size() <= text.size() + 1, "a body is longer than its file");
  HARN_ASSERT(read.fields.is_nil() || read.fields.is_dict(), "fields are no dict");
  for (const auto& problem : read.problems) {
    HARN_ASSERT(problem.line >= 1 && problem.line <= count_lines(text) + 1, "a problem lies outside of the file");
    HARN_ASSERT(!problem.message.empty() && !problem.fix.empty(), "a problem says nothing");
  }
  HARN_ASSERT(!read.fields.is_nil() || !read.problems.empty(), "there are no fields, and nobody says why");
  return 0;
}
