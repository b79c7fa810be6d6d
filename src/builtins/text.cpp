#include <algorithm>
#include <string>

#include "base/text.h"
#include "builtins/bounds.h"
#include "builtins/join.h"
#include "builtins/families.h"
#include "vm/aside.h"
#include "vm/long_text.h"

// Searching, cutting and building text. Positions count Unicode scalar values.
namespace harn::builtins {
namespace {

using namespace vm;

const StringObject* receiver(Call& call) { return call.arg(0).as_string(); }

// What a search answers: the number of the character at a byte offset, or -1.
Value place_of(const StringObject* string, size_t offset) {
  if (offset == std::string_view::npos) return Value::integer(-1);
  return Value::integer(static_cast<int64_t>(string->char_number(offset)));
}

// A part of argument 0; the argument itself when the part is all of it.
Value part_of(Call& call, std::string_view part) {
  if (part.size() == receiver(call)->size) return call.arg(0);
  if (part.size() <= 1) return char_string(part);
  return text_value(part);
}

template <std::string_view (*Trim)(std::string_view)>
Outcome<Value> trimmed(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return part_of(call, read_aside(call.arg(0), [text] { return Trim(text); }));
}

Outcome<Value> count(Call& call) {
  HARN_CHECK(call.text(0));
  return Value::integer(receiver(call)->chars());
}

Outcome<Value> empty(Call& call) { return Value::boolean(HARN_TRY(call.text(0)).empty()); }

Ref<ListObject> list_of_chars(const StringObject* string) {
  auto list = new_list(string->chars());
  std::string_view view = string->view();
  for (size_t at = 0; at < view.size();) {
    step();
    size_t size = text::char_size(view, at);
    list->push(char_string(view.substr(at, size)));
    at += size;
  }
  return list;
}

Outcome<Value> chars(Call& call) {
  HARN_CHECK(call.text(0));
  HARN_CHECK(check_list_size(receiver(call)->chars()));
  return list_of_chars(receiver(call));
}

// ---- splitting and joining ----

// An empty separator matches before, between and after all characters.
Value split_everywhere(const StringObject* string) {
  auto parts = new_list(string->chars() + size_t{2});
  parts->push(char_string(""));
  auto characters = list_of_chars(string);
  for (const Value& character : characters->values()) {
    step();
    parts->push(character);
  }
  parts->push(char_string(""));
  return parts;
}

Outcome<Value> split_by(Call& call, std::string_view separator) {
  auto text = HARN_TRY(call.text(0));
  HARN_CHECK(check_list_size(receiver(call)->chars()));
  if (separator.empty()) return split_everywhere(receiver(call));
  auto parts = new_list();
  for (size_t start = 0;;) {
    step();
    size_t end = find_text(text, separator, start);
    if (end == std::string_view::npos) {
      parts->push(text_value(text.substr(start)));
      return parts;
    }
    parts->push(text_value(text.substr(start, end - start)));
    start = end + separator.size();
  }
}

Outcome<Value> split_function(Call& call) { return split_by(call, HARN_TRY(call.text_or(1, " "))); }
Outcome<Value> split_method(Call& call) { return split_by(call, HARN_TRY(call.text_or(1, ","))); }

Outcome<Value> lines(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto parts = new_list();
  while (!text.empty()) {
    step();
    size_t end = find_text(text, "\n");
    auto line = text.substr(0, end);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    parts->push(text_value(line));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

Outcome<Value> join(Call& call) {
  auto separator = HARN_TRY(call.text_or(1, ""));
  if (!is_list_like(call.arg(0))) return char_string("");
  return join_list(call.arg(0), separator);
}

// ---- replacing ----

// Writes `with` before every character and at the end.
std::string insert_everywhere(std::string_view text, std::string_view with) {
  std::string out(with);
  for (size_t at = 0; at < text.size();) {
    step();
    size_t size = text::char_size(text, at);
    out.append(text.substr(at, size)).append(with);
    at += size;
  }
  return out;
}

size_t occurrences(std::string_view text, std::string_view of) {
  size_t count = 0;
  size_t at = find_text(text, of);
  for (; at != std::string_view::npos; at = find_text(text, of, at + of.size())) {
    step();
    ++count;
  }
  return count;
}

Outcome<Value> replace(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto from = HARN_TRY(call.text(1));
  auto to = HARN_TRY(call.text(2));
  size_t hits = from.empty() ? receiver(call)->chars() + size_t{1} : occurrences(text, from);
  if (hits == 0) return call.arg(0);
  uint64_t added = saturating_product(hits, to.size());
  HARN_CHECK(check_text_size(added));
  HARN_CHECK(check_text_size(text.size() - hits * from.size() + added));
  if (from.empty()) return text_value(insert_everywhere(text, to));
  auto result = new_string(text.size() + hits * to.size() - hits * from.size());
  char* out = result->data();
  auto put = [&](std::string_view piece) {
    copy_text(out, piece);
    out += piece.size();
  };
  for (; hits > 0; --hits) {
    step();
    size_t at = find_text(text, from);
    put(text.substr(0, at));
    put(to);
    text.remove_prefix(at + from.size());
  }
  put(text);
  return result;
}

// ---- searching ----

Outcome<Value> starts_with(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return Value::boolean(text.starts_with(HARN_TRY(call.text(1))));
}

Outcome<Value> ends_with(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return Value::boolean(text.ends_with(HARN_TRY(call.text(1))));
}

Outcome<Value> contains_method(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return Value::boolean(find_text(text, HARN_TRY(call.text(1))) != std::string_view::npos);
}

Outcome<Value> contains_function(Call& call) {
  const Value& where = call.arg(0);
  bool can_contain = where.is_string() || is_list_like(where);
  return Value::boolean(can_contain && contains(where, call.arg(1)));
}

Outcome<Value> index_of(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return place_of(receiver(call), find_text(text, HARN_TRY(call.text(1))));
}

Outcome<Value> last_index_of(Call& call) {
  auto text = HARN_TRY(call.text(0));
  return place_of(receiver(call), find_last_text(text, HARN_TRY(call.text(1))));
}

// ---- cutting ----

// Characters start..end; both are already known not to be negative.
Value cut(Call& call, uint64_t start, uint64_t end) {
  uint64_t chars = receiver(call)->chars();
  end = std::min(end, chars);
  if (end <= start) return char_string("");
  if (start == 0 && end == chars) return call.arg(0);
  return part_of_text(call.take(0), start, end);
}

uint64_t not_negative(int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(0, number)); }

Outcome<Value> substring_function(Call& call) {
  HARN_CHECK(call.text(0));
  uint64_t start = not_negative(HARN_TRY(call.integer(1)));
  uint64_t length = not_negative(HARN_TRY(call.integer_or(2, INT64_MAX)));
  return cut(call, start, start + length);
}

Outcome<Value> substring_method(Call& call) {
  HARN_CHECK(call.text(0));
  uint64_t start = not_negative(HARN_TRY(call.integer(1)));
  return cut(call, start, not_negative(HARN_TRY(call.integer_or(2, INT64_MAX))));
}

Outcome<Value> char_at(Call& call) {
  HARN_CHECK(call.text(0));
  auto index = HARN_TRY(call.integer(1));
  if (index < 0 || index >= receiver(call)->chars()) return Value();
  return cut(call, static_cast<uint64_t>(index), static_cast<uint64_t>(index) + 1);
}

// ---- building ----

// `count` copies of a text.
Outcome<Ref<StringObject>> repeated(std::string_view text, uint64_t count) {
  uint64_t size = saturating_product(count, text.size());
  HARN_CHECK(check_text_size(size));
  auto result = new_string(static_cast<size_t>(size));
  fill_text(result->data(), static_cast<size_t>(size), text);
  return result;
}

Outcome<Value> repeat(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto count = HARN_TRY(call.integer_or(1, 1));
  if (count == 1) return call.arg(0);
  return HARN_TRY(repeated(text, not_negative(count)));
}

Outcome<Value> reverse(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto result = new_string(text.size());
  char* out = result->data() + text.size();
  for (size_t at = 0; at < text.size();) {
    step();
    auto character = text.substr(at, text::char_size(text, at));
    out -= character.size();
    std::copy(character.begin(), character.end(), out);
    at += character.size();
  }
  return result;
}

enum class Side : uint8_t { Left, Right };

// Adds copies of the first character of argument 2.
template <Side side>
Outcome<Value> pad(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto width = HARN_TRY(call.integer(1));
  auto fill = HARN_TRY(call.text_or(2, " "));
  if (fill.empty()) fill = " ";
  fill = fill.substr(0, text::char_size(fill, 0));
  auto chars = static_cast<int64_t>(receiver(call)->chars());
  if (width <= chars) return call.arg(0);
  uint64_t size = saturating_product(static_cast<uint64_t>(width - chars), fill.size());
  HARN_CHECK(check_text_size(size));
  HARN_CHECK(check_text_size(size + text.size()));
  auto result = new_string(static_cast<size_t>(size) + text.size());
  fill_text(result->data() + (side == Side::Right ? text.size() : 0), static_cast<size_t>(size), fill);
  copy_text(result->data() + (side == Side::Left ? size : 0), text);
  return result;
}

// ---- format ----

// Replaces `{name}` by the dict's values; a name the dict does not have stays as written.
Outcome<Value> format_names(std::string_view form, const DictObject* values) {
  std::string out;
  for (;;) {
    step();
    size_t open = form.find('{');
    size_t close = open == std::string_view::npos ? open : form.find('}', open);
    if (close == std::string_view::npos) break;
    // The innermost brace: `{ {name}` finds its name, and no text is looked at twice.
    open = form.rfind('{', close);
    const Value* value = values->find(form.substr(open + 1, close - open - 1));
    out += form.substr(0, value ? open : close + 1);
    if (value) display_to(out, *value);
    HARN_CHECK(check_text_size(out.size()));
    form.remove_prefix(close + 1);
  }
  HARN_CHECK(check_text_size(out.size() + form.size()));
  return text_value(out.append(form));
}

Outcome<Value> format_in_order(std::string_view form, std::span<Value> values) {
  std::string out;
  for (const Value& value : values) {
    size_t at = form.find("{}");
    if (at == std::string_view::npos) break;
    size_t before = out.size();
    out += form.substr(0, at);
    display_to(out, value);
    step_bytes(64 + out.size() - before);
    HARN_CHECK(check_text_size(out.size()));
    form.remove_prefix(at + 2);
  }
  HARN_CHECK(check_text_size(out.size() + form.size()));
  return text_value(out.append(form));
}

Outcome<Value> format(Call& call) {
  auto form = HARN_TRY(call.text(0));
  if (call.arg(1).is_dict()) return format_names(form, call.arg(1).as_dict());
  return format_in_order(form, call.args().subspan(1));
}

constexpr KindSet kText = on(Kind::String);

constinit const Builtin kRows[] = {
    {.name = "char_at",
     .receiver = kText,
     .signature = "(index: int) -> string?",
     .doc = "Returns the character at `index`, or nil when there is none.",
     .example = R"("abc".char_at(1) == "b")",
     .call = char_at},
    {.name = "chars",
     .receiver = kText,
     .signature = "() -> list<string>",
     .doc = "Returns the characters of the text, each as a string.",
     .example = R"("abc".chars() == ["a", "b", "c"])",
     .call = chars},
    {.name = "contains",
     .signature = "(collection: string, item: string) -> bool; <T>(collection: list<T>, item: T) -> bool",
     .doc = "Says whether a string holds a text or a list holds an element.",
     .example = R"(contains("abc", "b") && contains([1, 2], 2))",
     .call = contains_function},
    {.name = "contains",
     .receiver = kText,
     .signature = "(sub: string) -> bool",
     .doc = "Says whether the text holds `sub`.",
     .example = R"("abc".contains("bc"))",
     .call = contains_method},
    {.name = "count",
     .receiver = kText,
     .signature = "() -> int",
     .doc = "The number of characters; property or call.",
     .example = R"("abc".count == 3)",
     .flags = BuiltinFlags::Property,
     .call = count},
    {.name = "empty",
     .receiver = kText,
     .signature = "() -> bool",
     .doc = "Says whether the text has no characters; property or call.",
     .example = R"("".empty)",
     .flags = BuiltinFlags::Property,
     .call = empty},
    {.name = "ends_with",
     .signature = "(text: string, suffix: string) -> bool",
     .doc = "Says whether `text` ends with `suffix`.",
     .example = R"(ends_with("a.harn", ".harn"))",
     .call = ends_with},
    {.name = "ends_with",
     .receiver = kText,
     .signature = "(suffix: string) -> bool",
     .doc = "Says whether the text ends with `suffix`.",
     .example = R"("a.harn".ends_with(".harn"))",
     .call = ends_with},
    {.name = "format",
     .signature = "(template: string, ...values: any) -> string",
     .doc = "Fills each `{}` with the next value, or each `{key}` from a dict.",
     .example = R"(format("{}-{}", 1, 2) == "1-2")",
     .flags = BuiltinFlags::Constant,
     .call = format},
    {.name = "index_of",
     .receiver = kText,
     .signature = "(sub: string) -> int",
     .doc = "Returns the position of the first `sub`, or -1.",
     .example = R"("abcabc".index_of("c") == 2)",
     .call = index_of},
    {.name = "join",
     .signature = "(items: any, separator?: string) -> string",
     .doc = "Returns the print forms of the items with the separator between them.",
     .example = R"(join([1, 2], "-") == "1-2")",
     .flags = BuiltinFlags::Constant,
     .call = join},
    {.name = "last_index_of",
     .receiver = kText,
     .signature = "(sub: string) -> int",
     .doc = "Returns the position of the last `sub`, or -1.",
     .example = R"("abcabc".last_index_of("c") == 5)",
     .call = last_index_of},
    {.name = "len",
     .receiver = kText,
     .signature = "() -> int",
     .doc = "Returns the number of characters.",
     .example = R"("abc".len() == 3)",
     .call = count},
    {.name = "lines",
     .receiver = kText,
     .signature = "() -> list<string>",
     .doc = "Returns the lines of the text without their line ends.",
     .example = R"("a\nb\n".lines() == ["a", "b"])",
     .call = lines},
    {.name = "pad_left",
     .receiver = kText,
     .signature = "(width: int, char?: string) -> string",
     .doc = "Returns the text filled up at the start to `width` characters.",
     .example = R"("7".pad_left(3, "0") == "007")",
     .call = pad<Side::Left>},
    {.name = "pad_right",
     .receiver = kText,
     .signature = "(width: int, char?: string) -> string",
     .doc = "Returns the text filled up at the end to `width` characters.",
     .example = R"("7".pad_right(3, ".") == "7..")",
     .call = pad<Side::Right>},
    {.name = "repeat",
     .receiver = kText,
     .signature = "(count?: int) -> string",
     .doc = "Returns `count` copies of the text in a row.",
     .example = R"("ab".repeat(2) == "abab")",
     .call = repeat},
    {.name = "replace",
     .signature = "(text: string, old: string, new: string) -> string",
     .doc = "Returns `text` with every `old` replaced by `new`.",
     .example = R"(replace("a-b", "-", "+") == "a+b")",
     .call = replace},
    {.name = "replace",
     .receiver = kText,
     .signature = "(old: string, new: string) -> string",
     .doc = "Returns the text with every `old` replaced by `new`.",
     .example = R"("a-b".replace("-", "+") == "a+b")",
     .call = replace},
    {.name = "reverse",
     .receiver = kText,
     .signature = "() -> string",
     .doc = "Returns the text with its characters in reverse order.",
     .example = R"("abc".reverse() == "cba")",
     .call = reverse},
    {.name = "split",
     .signature = "(text: string, separator?: string) -> list<string>",
     .doc = "Returns the parts of `text` between separators (a space unless given).",
     .example = R"(split("a b") == ["a", "b"])",
     .call = split_function},
    {.name = "split",
     .receiver = kText,
     .signature = "(separator?: string) -> list<string>",
     .doc = "Returns the parts of the text between separators (a comma unless given).",
     .example = R"("a,b".split(",") == ["a", "b"])",
     .call = split_method},
    {.name = "starts_with",
     .signature = "(text: string, prefix: string) -> bool",
     .doc = "Says whether `text` starts with `prefix`.",
     .example = R"(starts_with("abc", "ab"))",
     .call = starts_with},
    {.name = "starts_with",
     .receiver = kText,
     .signature = "(prefix: string) -> bool",
     .doc = "Says whether the text starts with `prefix`.",
     .example = R"("abc".starts_with("ab"))",
     .call = starts_with},
    {.name = "substring",
     .signature = "(text: string, start: int, length?: int) -> string",
     .doc = "Returns up to `length` characters of `text` from `start` on.",
     .example = R"(substring("abcdef", 2, 3) == "cde")",
     .call = substring_function},
    {.name = "substring",
     .receiver = kText,
     .signature = "(start: int, end?: int) -> string",
     .doc = "Returns the characters from `start` up to but not including `end`.",
     .example = R"("abcdef".substring(2, 3) == "c")",
     .call = substring_method},
    {.name = "trim",
     .signature = "(text: string) -> string",
     .doc = "Returns `text` without white space at either end.",
     .example = R"(trim("  hi ") == "hi")",
     .flags = BuiltinFlags::Constant,
     .call = trimmed<text::trim>},
    {.name = "trim",
     .receiver = kText,
     .signature = "() -> string",
     .doc = "Returns the text without white space at either end.",
     .example = R"("  hi ".trim() == "hi")",
     .call = trimmed<text::trim>},
    {.name = "trim_end",
     .receiver = kText,
     .signature = "() -> string",
     .doc = "Returns the text without white space at its end.",
     .example = R"(" hi ".trim_end() == " hi")",
     .call = trimmed<text::trim_end>},
    {.name = "trim_start",
     .receiver = kText,
     .signature = "() -> string",
     .doc = "Returns the text without white space at its start.",
     .example = R"(" hi ".trim_start() == "hi ")",
     .call = trimmed<text::trim_start>},
};

}  // namespace

std::span<const vm::Builtin> text_rows() { return kRows; }

}  // namespace harn::builtins
