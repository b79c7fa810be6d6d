#include "data/front_matter.h"

#include <algorithm>
#include <vector>

#include "base/fmt.h"
#include "vm/dict.h"

namespace harn::data {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

std::string_view line_at(std::string_view text, size_t start) {
  return text.substr(start, std::min(text.find('\n', start), text.size()) - start);
}

bool is_fence(std::string_view line) {
  size_t end = line.find_last_not_of(" \t");
  return end != std::string_view::npos && line.substr(0, end + 1) == "---";
}

struct Block {
  size_t begin = 0, end = 0;  // of the YAML
  size_t body = 0;
  size_t body_line = 1;
  bool is_closed = false;
};

Block block_of(std::string_view text) {
  Block out{.begin = line_at(text, 0).size() + 1, .end = text.size(), .body = text.size()};
  size_t line = 2;
  for (size_t at = out.begin; at < text.size(); ++line) {
    std::string_view here = line_at(text, at);
    size_t next = at + here.size() + 1;
    if (is_fence(here)) {
      out.end = at;
      out.body = std::min(next, text.size());
      out.body_line = line + 1;
      out.is_closed = true;
      return out;
    }
    at = next;
  }
  return out;
}

// YAML indents with spaces only, and what its parser says of tabs helps nobody.
void find_tabs(std::string_view yaml, FrontMatter& out) {
  size_t line = 2;
  for (size_t at = 0; at < yaml.size(); ++line) {
    std::string_view here = line_at(yaml, at);
    size_t indent = here.find_first_not_of(' ');
    if (indent != std::string_view::npos && here[indent] == '\t' &&
        here.find_first_not_of(" \t") != std::string_view::npos)
      out.problems.push_back({line, "", "a tab stands in the indentation", "indent with spaces"});
    at += here.size() + 1;
  }
}

// With anchors, a few lines stand for more than anybody can hold, or are nested deeper than anybody can follow; records and prompts have all of it.
// Looks at no more than is allowed.
bool is_bounded(const vm::Value& fields) {
  constexpr size_t kMostBytes = 32 << 20, kBytesOfValue = 16, kDeepest = 200;
  struct Open {
    const vm::Value* value;
    size_t depth;
  };
  std::vector<Open> open{{&fields, 0}};
  for (size_t used = 0; !open.empty();) {
    auto [value, depth] = open.back();
    open.pop_back();
    used += kBytesOfValue + (value->is_string() ? value->as_string()->view().size() : 0);
    if (used > kMostBytes || depth > kDeepest) return false;
    if (value->is_list()) {
      for (const vm::Value& item : value->as_list()->values()) open.push_back({&item, depth + 1});
    } else if (value->is_dict()) {
      const vm::DictObject& dict = *value->as_dict();
      for (size_t i = 0; i < dict.size(); ++i) {
        used += dict.entry(i).key->view().size();
        open.push_back({dict.entry(i).value, depth + 1});
      }
    }
  }
  return true;
}

void read_yaml(std::string_view yaml, FrontMatter& out) {
  find_tabs(yaml, out);
  if (!out.problems.empty()) return;
  auto parsed = parse_yaml(yaml, out.places);
  for (auto* list : {&out.places.all, &out.places.repeated}) {
    for (auto& place : *list) ++place.line;
  }
  if (!parsed) {
    out.problems.push_back({parsed.error().line + 1, "", fmt::format("this is no YAML: {}", parsed.error().detail),
                            "quote texts that hold `: ` or ` #`, or begin with a sign such as `*`, `[`, `{` or `@`"});
    return;
  }
  for (const auto& place : out.places.repeated)
    out.problems.push_back(
        {place.line, place.path, fmt::format("`{}` is given twice", place.path), "keep one of them"});
  if (!is_bounded(*parsed)) {
    out.problems.push_back({2, "",
                            "the fields hold too much, or are nested too deep, once each alias is what it stands for",
                            "write what is needed, with fewer anchors"});
    return;
  }
  if (parsed->is_nil()) out.fields = vm::new_dict();
  else if (parsed->is_dict()) out.fields = std::move(*parsed);
  else
    out.problems.push_back({2, "", "the front matter is no list of fields", "write one `field: value` on each line"});
}

}  // namespace

FrontMatter parse_front_matter(std::string_view given) {
  if (given.starts_with(kByteOrderMark)) given.remove_prefix(kByteOrderMark.size());
  std::string text = with_plain_line_ends(given);
  FrontMatter out;
  if (!is_fence(line_at(text, 0))) {
    out.body = std::move(text);
    out.problems.push_back(
        {1, "", "the file has no front matter", "begin it with a line `---`, the fields, and another line `---`"});
    return out;
  }
  Block block = block_of(text);
  if (!block.is_closed) {
    out.problems.push_back(
        {1, "", "the front matter that begins here has no end", "put a line `---` after its fields"});
    return out;
  }
  read_yaml(std::string_view(text).substr(block.begin, block.end - block.begin), out);
  out.body = text.substr(block.body);
  out.body_line = block.body_line;
  return out;
}

}  // namespace harn::data
