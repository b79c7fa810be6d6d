#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "builtins/bounds.h"
#include "builtins/families.h"
#include "data/letter_case.h"
#include "vm/aside.h"
#include "vm/long_text.h"

// Letter case, naming styles, normalisation and graphemes: what needs the Unicode tables.
namespace harn::builtins {
namespace {

using namespace vm;
using data::lower;
using data::upper;

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

// Upper-case mapping can make a text up to three times as long.
Outcome<Value> checked_text(const std::string& text) {
  HARN_CHECK(check_text_size(text.size()));
  return text_value(text);
}

Outcome<Value> uppercase(Call& call) { return checked_text(upper(HARN_TRY(call.text(0)))); }
Outcome<Value> lowercase(Call& call) { return checked_text(lower(HARN_TRY(call.text(0)))); }

std::string_view first_char(std::string_view text) {
  return text.empty() ? text : text.substr(0, text::char_size(text, 0));
}
std::string upper_first(std::string_view text) {
  auto first = first_char(text);
  return upper(first).append(text.substr(first.size()));
}
std::string lower_first(std::string_view text) {
  auto first = first_char(text);
  return lower(first).append(text.substr(first.size()));
}

Outcome<Value> uppercase_first(Call& call) { return checked_text(upper_first(HARN_TRY(call.text(0)))); }
Outcome<Value> lowercase_first(Call& call) { return checked_text(lower_first(HARN_TRY(call.text(0)))); }

Outcome<Value> title_case(Call& call) {
  auto text = HARN_TRY(call.text(0));
  std::string out;
  for (size_t at = 0; at < text.size();) {
    step();
    size_t end = at;
    while (end < text.size() && !text::is_space(text::decode(text, end))) {
      end += text::char_size(text, end);
    }
    out += upper_first(lower(text.substr(at, end - at)));
    if (end < text.size()) {
      size_t space = text::char_size(text, end);
      out += text.substr(end, space);
      end += space;
    }
    at = end;
  }
  return checked_text(out);
}

// ---- naming styles ----

using Words = std::vector<std::string_view>;

// The parts between separators; empty parts (leading, trailing, doubled separators) are dropped.
Words words_between(std::string_view text, char separator) {
  Words words;
  for (;;) {
    size_t end = find_text(text, std::string_view(&separator, 1));
    step();
    if (end != 0 && !text.empty()) words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

bool is_upper(std::string_view text, size_t at) {
  return at < text.size() && category(text::decode(text, at)) == UTF8PROC_CATEGORY_LU;
}

// The humps of a camelCase or PascalCase name. A run of capitals is one word, except that its last
// capital starts the next word when small letters follow: HTTPServer is HTTP, Server.
Words humps(std::string_view text) {
  Words words;
  size_t start = 0;
  bool upper_before = false;
  for (size_t at = 0; at < text.size();) {
    step();
    size_t next = at + text::char_size(text, at);
    bool here = is_upper(text, at);
    bool small_next = next < text.size() && category(text::decode(text, next)) == UTF8PROC_CATEGORY_LL;
    if (here && at > start && (!upper_before || small_next)) {
      words.push_back(text.substr(start, at - start));
      start = at;
    }
    upper_before = here;
    at = next;
  }
  if (start < text.size()) words.push_back(text.substr(start));
  return words;
}

std::string lower_joined(const Words& words, char separator) {
  std::string out;
  for (std::string_view word : words) {
    step();
    if (!out.empty() && out.back() != separator) out += separator;
    out += lower(word);
  }
  return out;
}

std::string pascal_joined(const Words& words) {
  std::string out;
  for (std::string_view word : words) {
    step();
    out += upper_first(lower(word));
  }
  return out;
}

std::string camel_joined(const Words& words) { return lower_first(pascal_joined(words)); }

template <char Separator>
Outcome<Value> to_camel(Call& call) {
  return checked_text(camel_joined(words_between(HARN_TRY(call.text(0)), Separator)));
}
template <char Separator>
Outcome<Value> humps_to(Call& call) {
  return checked_text(lower_joined(humps(HARN_TRY(call.text(0))), Separator));
}
template <char From, char To>
Outcome<Value> exchange_separator(Call& call) {
  return checked_text(lower_joined(words_between(HARN_TRY(call.text(0)), From), To));
}
Outcome<Value> snake_to_pascal(Call& call) {
  return checked_text(pascal_joined(words_between(HARN_TRY(call.text(0)), '_')));
}

// ---- graphemes and normalisation ----

std::vector<std::string_view> graphemes(std::string_view text) {
  std::vector<std::string_view> out;
  utf8proc_int32_t state = 0;
  size_t start = 0;
  for (size_t at = 0; at < text.size();) {
    step();
    size_t next = at + text::char_size(text, at);
    bool breaks = next >= text.size() ||
                  utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text::decode(text, at)),
                                                   static_cast<utf8proc_int32_t>(text::decode(text, next)), &state);
    if (breaks) {
      out.push_back(text.substr(start, next - start));
      start = next;
    }
    at = next;
  }
  return out;
}

Outcome<Value> unicode_graphemes(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto clusters = graphemes(text);
  HARN_CHECK(check_list_size(clusters.size()));
  auto list = new_list(clusters.size());
  for (std::string_view cluster : clusters) {
    step();
    list->push(char_string(cluster));
  }
  return list;
}

// The utf8proc options of a normalisation form; 0 when it is not one.
int normal_form(std::string_view name) {
  std::string form = upper(name);
  if (form == "NFC") return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  if (form == "NFD") return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
  if (form == "NFKC") return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
  if (form == "NFKD") return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
  return 0;
}

// The text in a normal form, or the library's error.
std::expected<std::string, const char*> normalized(std::string_view text, int form) {
  std::string valid = text::to_valid_utf8(text);
  utf8proc_uint8_t* mapped = nullptr;
  auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                           static_cast<utf8proc_ssize_t>(valid.size()), &mapped, static_cast<utf8proc_option_t>(form));
  std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) return std::unexpected(utf8proc_errmsg(size));
  return std::string(reinterpret_cast<const char*>(mapped), static_cast<size_t>(size));
}

Outcome<Value> unicode_normalize(Call& call) {
  auto text = HARN_TRY(call.text(0));
  int form = normal_form(HARN_TRY(call.text_or(1, "NFC")));
  if (form == 0) {
    return runtime_error(ErrorKind::Invalid, "unicode_normalize: form must be NFC, NFD, NFKC, or NFKD");
  }
  if (call.arg(0).as_string()->is_ascii()) return call.arg(0);
  auto result = read_aside(call.arg(0), [=] { return normalized(text, form); });
  if (!result) return runtime_error("unicode_normalize: {}", result.error());
  return checked_text(*result);
}

// ---- str_pad ----

void append_times(std::string& out, std::string_view text, uint64_t count) {
  for (; count > 0; --count) {
    step();
    out += text;
  }
}

Outcome<Value> str_pad(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto width = HARN_TRY(call.integer(1));
  auto fill = HARN_TRY(call.text_or(2, " "));
  auto side = HARN_TRY(call.text_or(3, "right"));
  if (side != "left" && side != "right" && side != "both") {
    return runtime_error(ErrorKind::Invalid, "str_pad: side must be left, right, or both");
  }
  auto clusters = static_cast<int64_t>(graphemes(text).size());
  if (width <= clusters) return call.arg(0);
  fill = fill.empty() ? " " : graphemes(fill)[0];
  auto missing = static_cast<uint64_t>(width - clusters);
  uint64_t added = saturating_product(missing, fill.size());
  HARN_CHECK(check_text_size(added));
  HARN_CHECK(check_text_size(text.size() + added));
  uint64_t left = side == "left" ? missing : side == "both" ? missing / 2 : 0;
  std::string out;
  out.reserve(text.size() + added);
  append_times(out, fill, left);
  out += text;
  append_times(out, fill, missing - left);
  return text_value(out);
}

constexpr KindSet kText = on(Kind::String);
constexpr std::string_view kFunction = "(text: string) -> string";
constexpr std::string_view kMethod = "() -> string";

constinit const Builtin kRows[] = {
    {.name = "camel_to_kebab",
     .signature = kFunction,
     .doc = "Turns `someName` into `some-name`.",
     .example = R"(camel_to_kebab("someName") == "some-name")",
     .call = humps_to<'-'>},
    {.name = "camel_to_pascal",
     .signature = kFunction,
     .doc = "Turns `someName` into `SomeName`.",
     .example = R"(camel_to_pascal("someName") == "SomeName")",
     .call = uppercase_first},
    {.name = "camel_to_snake",
     .signature = kFunction,
     .doc = "Turns `someName` into `some_name`.",
     .example = R"(camel_to_snake("HTTPServer") == "http_server")",
     .call = humps_to<'_'>},
    {.name = "kebab_to_camel",
     .signature = kFunction,
     .doc = "Turns `some-name` into `someName`.",
     .example = R"(kebab_to_camel("some-name") == "someName")",
     .call = to_camel<'-'>},
    {.name = "kebab_to_snake",
     .signature = kFunction,
     .doc = "Turns `some-name` into `some_name`.",
     .example = R"(kebab_to_snake("some-name") == "some_name")",
     .call = exchange_separator<'-', '_'>},
    {.name = "lower",
     .receiver = kText,
     .signature = kMethod,
     .doc = "Returns the text in lower case.",
     .example = R"("AbC".lower() == "abc")",
     .call = lowercase},
    {.name = "lowercase",
     .signature = kFunction,
     .doc = "Returns `text` in lower case.",
     .example = R"(lowercase("AbC") == "abc")",
     .flags = BuiltinFlags::Constant,
     .call = lowercase},
    {.name = "lowercase",
     .receiver = kText,
     .signature = kMethod,
     .doc = "Returns the text in lower case.",
     .example = R"("AbC".lowercase() == "abc")",
     .call = lowercase},
    {.name = "lowercase_first",
     .signature = kFunction,
     .doc = "Returns `text` with its first letter in lower case.",
     .example = R"(lowercase_first("ABC") == "aBC")",
     .call = lowercase_first},
    {.name = "pascal_to_camel",
     .signature = kFunction,
     .doc = "Turns `SomeName` into `someName`.",
     .example = R"(pascal_to_camel("SomeName") == "someName")",
     .call = lowercase_first},
    {.name = "pascal_to_snake",
     .signature = kFunction,
     .doc = "Turns `SomeName` into `some_name`.",
     .example = R"(pascal_to_snake("SomeName") == "some_name")",
     .call = humps_to<'_'>},
    {.name = "snake_to_camel",
     .signature = kFunction,
     .doc = "Turns `some_name` into `someName`.",
     .example = R"(snake_to_camel("some_name") == "someName")",
     .call = to_camel<'_'>},
    {.name = "snake_to_kebab",
     .signature = kFunction,
     .doc = "Turns `some_name` into `some-name`.",
     .example = R"(snake_to_kebab("some_name") == "some-name")",
     .call = exchange_separator<'_', '-'>},
    {.name = "snake_to_pascal",
     .signature = kFunction,
     .doc = "Turns `some_name` into `SomeName`.",
     .example = R"(snake_to_pascal("some_name") == "SomeName")",
     .call = snake_to_pascal},
    {.name = "str_pad",
     .signature = "(text: string, width: int, char?: string, side?: string) -> string",
     .doc = "Fills `text` up to `width` graphemes on the right, left or both sides.",
     .example = R"(str_pad("a", 3, "-", "both") == "-a-")",
     .call = str_pad},
    {.name = "title_case",
     .signature = kFunction,
     .doc = "Returns `text` with each word capitalised and the rest in lower case.",
     .example = R"(title_case("the END") == "The End")",
     .call = title_case},
    {.name = "to_lower",
     .receiver = kText,
     .signature = kMethod,
     .doc = "Returns the text in lower case.",
     .example = R"("AbC".to_lower() == "abc")",
     .call = lowercase},
    {.name = "to_upper",
     .receiver = kText,
     .signature = kMethod,
     .doc = "Returns the text in upper case.",
     .example = R"("AbC".to_upper() == "ABC")",
     .call = uppercase},
    {.name = "unicode_graphemes",
     .signature = "(text: string) -> list<string>",
     .doc = "Returns the extended grapheme clusters of `text`.",
     .example = R"(unicode_graphemes("ab") == ["a", "b"])",
     .call = unicode_graphemes},
    {.name = "unicode_normalize",
     .signature = "(text: string, form?: string) -> string",
     .doc = "Returns `text` in the normal form NFC, NFD, NFKC or NFKD.",
     .example = R"(unicode_normalize("abc", "NFD") == "abc")",
     .call = unicode_normalize},
    {.name = "upper",
     .receiver = kText,
     .signature = kMethod,
     .doc = "Returns the text in upper case.",
     .example = R"("AbC".upper() == "ABC")",
     .call = uppercase},
    {.name = "uppercase",
     .signature = kFunction,
     .doc = "Returns `text` in upper case.",
     .example = R"(uppercase("AbC") == "ABC")",
     .flags = BuiltinFlags::Constant,
     .call = uppercase},
    {.name = "uppercase",
     .receiver = kText,
     .signature = kMethod,
     .doc = "Returns the text in upper case.",
     .example = R"("AbC".uppercase() == "ABC")",
     .call = uppercase},
    {.name = "uppercase_first",
     .signature = kFunction,
     .doc = "Returns `text` with its first letter in upper case.",
     .example = R"(uppercase_first("abc") == "Abc")",
     .call = uppercase_first},
};

}  // namespace

std::span<const vm::Builtin> text_case_rows() { return kRows; }

}  // namespace harn::builtins
