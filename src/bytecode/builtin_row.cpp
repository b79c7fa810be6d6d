#include "bytecode/builtin_row.h"

#include <tuple>

#include "base/fmt.h"

namespace harn::bytecode {

namespace {

bool closes(std::string_view text, size_t at) {
  char c = text[at];
  return c == ')' || c == ']' || c == '}' || (c == '>' && text[at - 1] != '-');
}

bool opens(char c) { return c == '(' || c == '[' || c == '{' || c == '<'; }

// Where parameter number `index` begins in one overload; npos when it has fewer.
size_t find_parameter(std::string_view text, uint32_t index) {
  bool in_params = false;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    bool starts = in_params && depth == 1 && text[at] == ',';
    if (opens(text[at])) {
      starts = depth++ == 0 && text[at] == '(';
      in_params = in_params || starts;
    } else if (closes(text, at) && --depth == 0 && in_params) {
      break;
    }
    if (starts && index-- == 0) return text.find_first_not_of(" ", at + 1);
  }
  return std::string_view::npos;
}

// The overload that the text begins with, and what follows it.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
  size_t end = text.find("; ");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 2)};
}

}  // namespace

std::string_view Signature::parameter_name(uint32_t index) const {
  for (auto [one, more] = split(text_); !one.empty(); std::tie(one, more) = split(more)) {
    size_t start = find_parameter(one, index);
    if (start == std::string_view::npos) continue;
    size_t end = one.find_first_of("?:)", start);
    std::string_view name = one.substr(start, end - start);
    return name.starts_with("...") ? std::string_view() : name;
  }
  return {};
}

// The text of a shape behind its `{`. What is within other brackets is not its own.
static std::vector<std::string_view> names_of_shape(std::string_view text) {
  std::vector<std::string_view> out;
  bool is_name_next = true;
  int depth = 1;
  for (size_t at = 0; at < text.size() && depth > 0; ++at) {
    if (opens(text[at])) ++depth;
    else if (closes(text, at)) --depth;
    if (depth != 1 || text[at] == ' ') continue;
    if (!is_name_next) {
      is_name_next = text[at] == ',';
      continue;
    }
    std::string_view name = text.substr(at, text.find_first_of("?:}", at) - at);
    if (name.starts_with("...")) return {};
    out.push_back(name);
    is_name_next = false;
  }
  return out;
}

std::vector<std::string_view> Signature::field_names(uint32_t index) const {
  for (auto [one, more] = split(text_); !one.empty(); std::tie(one, more) = split(more)) {
    int depth = 0;
    for (size_t at = find_parameter(one, index); at < one.size(); ++at) {
      if (depth == 0 && one[at] == '{') return names_of_shape(one.substr(at + 1));
      if (depth == 0 && (one[at] == ',' || one[at] == ')')) break;
      if (opens(one[at])) ++depth;
      else if (closes(one, at)) --depth;
    }
  }
  return {};
}

// Behind the first three fields of a shape, of which the text begins with `{`; npos when there are hardly more.
static size_t end_of_first_fields(std::string_view text) {
  constexpr int kShown = 3, kMost = 6;
  size_t end = text.npos;
  int depth = 0, commas = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (opens(text[at])) ++depth;
    else if (closes(text, at) && --depth == 0) break;
    if (depth == 1 && text[at] == ',' && ++commas == kShown) end = at;
  }
  return commas >= kMost ? end : text.npos;
}

std::string Signature::brief(std::string_view name) const {
  std::string whole = shown(name), out;
  std::string_view rest = whole;
  while (!rest.empty()) {
    size_t shown_end = rest[0] == '{' ? end_of_first_fields(rest) : rest.npos;
    out += rest.substr(0, shown_end == rest.npos ? 1 : shown_end);
    if (shown_end == rest.npos) {
      rest.remove_prefix(1);
      continue;
    }
    out += ", ...}";
    int depth = 0;
    size_t at = 0;
    do {
      if (opens(rest[at])) ++depth;
      else if (closes(rest, at)) --depth;
      ++at;
    } while (depth > 0 && at < rest.size());
    rest.remove_prefix(at);
  }
  return out;
}

std::string Signature::shown(std::string_view name) const {
  std::string out;
  for (auto [one, more] = split(text_); !one.empty(); std::tie(one, more) = split(more)) {
    out += fmt::format("{}{}{}", out.empty() ? "" : " or ", name, one);
  }
  return out;
}

}  // namespace harn::bytecode
