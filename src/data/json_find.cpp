// JSON inside other text, as models answer with it.
#include "base/text.h"
#include "data/json.h"
#include "vm/pace.h"

namespace harn::data {

namespace {

// What stands in the first ``` block, without the language after the opening mark.
std::string_view fenced_block(std::string_view text) {
  size_t open = text.find("```");
  if (open == std::string_view::npos) return {};
  size_t line_end = text.find('\n', open);
  if (line_end == std::string_view::npos) return {};
  size_t close = text.find("```", line_end);
  if (close == std::string_view::npos) return {};
  return text.substr(line_end + 1, close - line_end - 1);
}

// The first part from `open` to its matching `close`; brackets inside strings do not count.
std::string_view balanced(std::string_view text, char open, char close) {
  size_t start = text.find(open);
  if (start == std::string_view::npos) return {};
  size_t depth = 0;
  bool in_string = false;
  for (size_t at = start; at < text.size(); ++at) {
    vm::step();
    char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return text.substr(start, at - start + 1);
    }
  }
  return {};
}

}  // namespace

std::string_view find_json(std::string_view text) {
  std::string_view found = text::trim(fenced_block(text));
  if (!found.empty()) return found;
  // Whichever bracket comes first encloses the other.
  size_t brace = text.find('{');
  size_t bracket = text.find('[');
  found = bracket < brace && text::trim(text.substr(0, bracket)).empty() ? balanced(text, '[', ']')
                                                                         : balanced(text, '{', '}');
  if (found.empty()) found = balanced(text, '[', ']');
  return found.empty() ? text::trim(text) : found;
}

}  // namespace harn::data
