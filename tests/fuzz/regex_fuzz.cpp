#include <re2/re2.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"
#include "builtins/regex_cache.h"
#include "builtins/regex_matches.h"
#include "vm/objects.h"

// The first line is the pattern, the rest the text. Matches must lie in the text in order, none inside
// another, and ASCII text must match alike with both forms of the pattern.
namespace {

using namespace harn;

std::string describe(const builtins::Regex& regex, const vm::Value& value) {
  std::string spans;
  size_t last = 0;
  std::string_view text = value.as_string()->view();
  builtins::Matches matches(regex, value, regex->NumberOfCapturingGroups());
  while (matches.next()) {
    HARN_ASSERT(matches.begin() >= last && matches.end() <= text.size(), "matches overlap or leave the text");
    for (int i = 1; i <= regex->NumberOfCapturingGroups(); ++i) {
      auto group = matches.group(static_cast<size_t>(i));
      bool inside =
          group.empty() || (group.data() >= text.data() && group.data() + group.size() <= text.data() + text.size());
      HARN_ASSERT(inside, "a group leaves the text");
    }
    last = matches.end();
    spans += std::to_string(matches.begin()) + "-" + std::to_string(matches.end()) + " ";
  }
  return spans;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static builtins::RegexCache cache;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  std::string_view pattern = input.substr(0, line);
  std::string_view text = input.substr(line + 1);
  vm::Value value = vm::text_value(text);
  std::string_view flags = size % 5 == 0 ? "i" : size % 7 == 0 ? "x" : size % 11 == 0 ? "ms" : "";

  auto unicode = cache.get(pattern, flags, false);
  if (!unicode) return 0;
  std::string found = describe(*unicode, value);
  if (!text::is_ascii(text)) return 0;
  auto ascii = cache.get(pattern, flags, true);
  HARN_ASSERT(ascii.has_value(), "the pattern is valid in one form only");
  HARN_ASSERT(describe(*ascii, value) == found, "the two forms of the pattern differ on ASCII text");
  return 0;
}
