#include "templates/filters.h"

#include <algorithm>
#include <vector>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "data/json.h"
#include "data/letter_case.h"
#include "templates/values.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::templates {

namespace {

using namespace vm;
using Args = std::span<const Value>;
using Applied = std::expected<Value, std::string>;

std::unexpected<std::string> wrong_input(std::string_view filter, std::string_view wanted, const Value& input) {
  return std::unexpected(fmt::format("filter `{}` takes {}, got {}", filter, wanted, type_name(input)));
}

// A few characters of a template can ask for more than there is memory.
std::expected<void, std::string> check_size(std::string_view filter, uint64_t bytes) {
  if (bytes <= kMostText) return {};
  return std::unexpected(fmt::format("filter `{}` would make more than {} bytes", filter, kMostText));
}

bool is_list_or_set(const Value& value) { return is_list_like(value) || value.is(Kind::Set); }

std::vector<Value> items_of(const Value& value) {
  std::vector<Value> items;
  if (value.is(Kind::Set)) {
    for (const Value& item : value.as_set()->values()) items.push_back(item);
  } else {
    for (size_t i = 0; i < list_size(value); ++i) {
      step();
      items.push_back(list_item(value, i));
    }
  }
  return items;
}

// ---- letters ----

Applied upper(const Value& input, Args) { return text_value(data::upper(display(input))); }
Applied lower(const Value& input, Args) { return text_value(data::lower(display(input))); }
Applied trim(const Value& input, Args) { return text_value(text::trim(display(input))); }

std::string capitalized(std::string_view word) {
  size_t first = word.empty() ? 0 : text::char_size(word, 0);
  return data::upper(word.substr(0, first)) + data::lower(word.substr(first));
}

Applied capitalize(const Value& input, Args) { return text_value(capitalized(display(input))); }

Applied title(const Value& input, Args) {
  std::string text = display(input), out;
  auto end_of = [&](size_t at, bool of_space) {
    while (at < text.size() && text::is_space(text::decode(text, at)) == of_space) at += text::char_size(text, at);
    return at;
  };
  for (size_t at = 0; at < text.size();) {
    size_t word = end_of(at, true), end = end_of(word, false);
    out.append(text, at, word - at).append(capitalized(std::string_view(text).substr(word, end - word)));
    at = end;
  }
  return text_value(out);
}

// ---- parts ----

Applied length(const Value& input, Args) {
  if (input.is_nil()) return Value::integer(0);
  if (input.is_string()) return Value::integer(input.as_string()->chars());
  if (is_list_like(input)) return Value::integer(static_cast<int64_t>(list_size(input)));
  if (input.is(Kind::Set)) return Value::integer(input.as_set()->size);
  if (input.is_dict()) return Value::integer(static_cast<int64_t>(input.as_dict()->size()));
  return wrong_input("length", "a string, list, set, dict or nil", input);
}

Applied first(const Value& input, Args) {
  if (!input.is(Kind::Set)) return part_of(input, 0);
  return input.as_set()->size == 0 ? Value() : *input.as_set()->values().begin();
}

Applied last(const Value& input, Args) {
  if (!input.is(Kind::Set)) return part_of(input, -1);
  return input.as_set()->size == 0 ? Value() : items_of(input).back();
}

Applied reverse(const Value& input, Args) {
  if (is_list_like(input)) {
    auto list = new_list(list_size(input));
    std::vector<Value> items = items_of(input);
    for (auto item = items.rbegin(); item != items.rend(); ++item) list->push(*item);
    return Value(std::move(list));
  }
  if (!input.is_string()) return input;
  std::string_view text = input.as_string()->view();
  std::string out(text.size(), '\0');
  for (size_t at = 0; at < text.size();) {
    step();
    size_t size = text::char_size(text, at);
    text.copy(out.data() + text.size() - at - size, size, at);
    at += size;
  }
  return text_value(out);
}

Applied join(const Value& input, Args args) {
  if (input.is_string()) return input;
  if (!is_list_or_set(input)) return wrong_input("join", "a list, a set or a string", input);
  std::string separator = display(args[0]), out;
  bool is_first = true;
  for (const Value& item : items_of(input)) {
    step();
    if (!is_first) out += separator;
    is_first = false;
    display_to(out, item);
    HARN_CHECK(check_size("join", out.size()));
  }
  return text_value(out);
}

Applied lines(const Value& input, Args) {
  auto list = new_list();
  std::string text = display(input);
  for (std::string_view line : text::split(text, "\n")) {
    step();
    list->push(text_value(line));
  }
  return Value(std::move(list));
}

// ---- others ----

Applied or_default(const Value& input, Args args) { return is_true(input) ? input : args[0]; }

Applied json(const Value& input, Args args) {
  constexpr int kIndent = 2;
  std::string out;
  auto written = data::append_json(out, input, !args.empty() && is_true(args[0]) ? kIndent : 0);
  if (!written) return std::unexpected(fmt::format("filter `json`: {}", written.error().text()));
  return text_value(out);
}

// Lines that are empty stay so.
Applied indent(const Value& input, Args args) {
  if (!args[0].is_int()) {
    return std::unexpected(fmt::format("filter `indent` takes an int as width, got {}", type_name(args[0])));
  }
  constexpr int64_t kMostWidth = 10'000;
  if (args[0].as_int() > kMostWidth) {
    return std::unexpected(fmt::format("filter `indent` takes a width of at most {}", kMostWidth));
  }
  std::string blanks(static_cast<size_t>(std::max<int64_t>(args[0].as_int(), 0)), ' '), text = display(input), out;
  bool with_first = args.size() > 1 && is_true(args[1]);
  size_t number = 0;
  for (std::string_view line : text::split(text, "\n")) {
    step();
    HARN_CHECK(check_size("indent", out.size()));
    if (number > 0) out += '\n';
    bool is_indented = !line.empty() && line != "\r" && (number > 0 || with_first);
    if (is_indented) out += blanks;
    out += line;
    ++number;
  }
  return text_value(out);
}

Applied escape_md(const Value& input, Args) {
  constexpr std::string_view kSpecial = "\\`*_{}[]()#+-.!|<>";
  std::string out;
  for (char c : display(input)) {
    if (kSpecial.find(c) != kSpecial.npos) out += '\\';
    out += c;
  }
  step_bytes(out.size());
  return text_value(out);
}

Applied replace(const Value& input, Args args) {
  std::string text = display(input), from = display(args[0]), to = display(args[1]), out;
  if (from.empty()) return text_value(text);
  std::string_view rest = text;
  for (size_t at = rest.find(from); at != rest.npos; at = rest.find(from)) {
    step_bytes(at + to.size() + 64);
    out.append(rest.substr(0, at)).append(to);
    HARN_CHECK(check_size("replace", out.size()));
    rest.remove_prefix(at + from.size());
  }
  return text_value(out.append(rest));
}

constexpr Filter kFilters[] = {
    {"capitalize", 0, 0, capitalize},
    {"default", 1, 1, or_default},
    {"escape_md", 0, 0, escape_md},
    {"first", 0, 0, first},
    {"indent", 1, 2, indent},
    {"join", 1, 1, join},
    {"json", 0, 1, json},
    {"last", 0, 0, last},
    {"length", 0, 0, length},
    {"lines", 0, 0, lines},
    {"lower", 0, 0, lower},
    {"replace", 2, 2, replace},
    {"reverse", 0, 0, reverse},
    {"title", 0, 0, title},
    {"trim", 0, 0, trim},
    {"upper", 0, 0, upper},
};

}  // namespace

std::expected<const Filter*, std::string> filter_of(const Filtered::Step& step) {
  auto found = std::ranges::find(kFilters, step.name, &Filter::name);
  if (found == std::end(kFilters)) {
    std::vector<std::string_view> names;
    for (const Filter& filter : kFilters) names.push_back(filter.name);
    auto close = text::close_names(step.name, names, 1);
    std::string hint = close.empty() ? "" : fmt::format(", did you mean `{}`?", close[0]);
    return std::unexpected(fmt::format("unknown filter `{}`{}", step.name, hint));
  }
  if (step.args.size() < found->least || step.args.size() > found->most) {
    return std::unexpected(fmt::format("filter `{}` got wrong number of arguments", step.name));
  }
  return found;
}

}  // namespace harn::templates
