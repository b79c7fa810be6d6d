#include <re2/re2.h>

#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/regex_cache.h"
#include "builtins/regex_matches.h"
#include "vm/vm.h"

// Regular expressions, on RE2: time grows with the length of the text, whatever the pattern.
namespace harn::builtins {
namespace {

using namespace vm;
using re2::RE2;

// The pattern argument, compiled for the text argument.
Outcome<Regex> compile(Call& call, uint32_t pattern, uint32_t text, uint32_t flags) {
  auto source = HARN_TRY(call.text(pattern));
  HARN_CHECK(call.text(text));
  auto letters = HARN_TRY(call.text_or(flags, ""));
  auto regex = RegexCache::of_thread().get(source, letters, call.arg(text).as_string()->is_ascii());
  if (!regex) return throw_text(ErrorKind::Invalid, "Invalid regex: {}", regex.error());
  return *regex;
}

Outcome<Value> regex_match(Call& call) {
  Regex regex = HARN_TRY(compile(call, 0, 1, 2));
  Matches matches(regex, call.arg(1), 0);
  Ref<ListObject> found;
  while (matches.next()) {
    if (!found) found = new_list();
    found->push(text_value(matches.match()));
  }
  return found ? Value(std::move(found)) : Value();
}

// ---- replacing ----

// The replacement, cut into text and group references once.
struct Piece {
  std::string text;
  int group = -1;  // -1: text; -2: a group that does not exist
};

int group_number(const RE2& regex, const std::string& name) {
  if (text::is_digit(name[0]) && name.find_first_not_of("0123456789") == std::string::npos) {
    return name.size() > 4 || std::stoi(name) > regex.NumberOfCapturingGroups() ? -2 : std::stoi(name);
  }
  auto found = regex.NamedCapturingGroups().find(name);
  return found == regex.NamedCapturingGroups().end() ? -2 : found->second;
}

// The name of the reference at `at` (which is after the dollar), or empty; `at` moves past it.
std::string reference_name(std::string_view replacement, size_t& at) {
  if (at < replacement.size() && replacement[at] == '{') {
    size_t close = replacement.find('}', at);
    if (close == std::string_view::npos || close == at + 1) return {};
    std::string name(replacement.substr(at + 1, close - at - 1));
    at = close + 1;
    return name;
  }
  size_t start = at;
  while (at < replacement.size() && text::is_identifier_part(replacement[at])) ++at;
  return std::string(replacement.substr(start, at - start));
}

std::vector<Piece> cut_replacement(const RE2& regex, std::string_view replacement) {
  std::vector<Piece> pieces(1);
  for (size_t at = 0; at < replacement.size();) {
    char c = replacement[at++];
    if (c != '$') {
      pieces.back().text += c;
    } else if (at < replacement.size() && replacement[at] == '$') {
      pieces.back().text += '$';
      ++at;
    } else if (std::string name = reference_name(replacement, at); !name.empty()) {
      pieces.push_back({"", group_number(regex, name)});
      pieces.emplace_back();
    } else {
      pieces.back().text += '$';
    }
  }
  return pieces;
}

Outcome<Value> regex_replace(Call& call) {
  Regex regex = HARN_TRY(compile(call, 0, 1, 3));
  auto text = HARN_TRY(call.text(1));
  auto pieces = cut_replacement(*regex, HARN_TRY(call.text(2)));
  bool needs_groups = pieces.size() > 1;
  Matches matches(regex, call.arg(1), needs_groups ? regex->NumberOfCapturingGroups() : 0);
  std::string out;
  size_t copied = 0;
  bool found = false;
  while (matches.next()) {
    found = true;
    out += text.substr(copied, matches.begin() - copied);
    for (const Piece& piece : pieces) {
      if (piece.group == -1) out += piece.text;
      else if (piece.group >= 0) out += matches.group(static_cast<size_t>(piece.group));
    }
    copied = matches.end();
    if (out.size() > kMaxStringSize) return runtime_error(ErrorKind::Limit, "string too large");
  }
  if (!found) return call.take(1);
  out += text.substr(copied);
  if (out.size() > kMaxStringSize) return runtime_error(ErrorKind::Limit, "string too large");
  return text_value(out);
}

// ---- captures ----

// Makes the dicts of one call. When every named group took part, they all have one shape.
class CaptureDicts {
 public:
  explicit CaptureDicts(const RE2& regex) : groups_(static_cast<size_t>(regex.NumberOfCapturingGroups())) {
    bool is_regular = true;
    shape_ = empty_shape()->with("match");
    if (shape_) shape_ = shape_->with("groups");
    for (const auto& [number, name] : regex.CapturingGroupNames()) {
      named_.emplace_back(static_cast<size_t>(number), new_string(name));
      is_regular = is_regular && name != "match" && name != "groups";
      if (shape_ && is_regular) shape_ = shape_->with(named_.back().second.get());
    }
    if (!is_regular) shape_ = nullptr;
  }

  Value make(const Matches& matches) const {
    auto groups = new_list(groups_);
    for (size_t i = 1; i <= groups_; ++i) groups->push(matches.has(i) ? text_value(matches.group(i)) : Value());
    bool all_named = true;
    for (const auto& [number, name] : named_) all_named = all_named && matches.has(number);
    if (!shape_ || !all_named) return make_one_by_one(matches, std::move(groups));
    auto dict = new_dict(shape_);
    Value* slot = dict->slots();
    *slot++ = text_value(matches.match());
    for (const auto& [number, name] : named_) *++slot = groups->items[number - 1];
    dict->slots()[1] = std::move(groups);
    return dict;
  }

 private:
  Value make_one_by_one(const Matches& matches, Ref<ListObject> groups) const {
    Value dict = new_dict();
    dict_set(dict, "match", text_value(matches.match()));
    dict_set(dict, "groups", groups);
    for (const auto& [number, name] : named_) {
      if (matches.has(number)) dict_set(dict, name.get(), groups->items[number - 1]);
    }
    return dict;
  }

  size_t groups_;
  std::vector<std::pair<size_t, Ref<StringObject>>> named_;
  Shape* shape_;
};

Outcome<Value> regex_captures(Call& call) {
  Regex regex = HARN_TRY(compile(call, 0, 1, 2));
  Matches matches(regex, call.arg(1), regex->NumberOfCapturingGroups());
  CaptureDicts dicts(*regex);
  auto found = new_list();
  while (matches.next()) found->push(dicts.make(matches));
  return found;
}

Outcome<Value> regex_split(Call& call) {
  Regex regex = HARN_TRY(compile(call, 1, 0, 2));
  auto text = HARN_TRY(call.text(0));
  Matches matches(regex, call.arg(0), 0);
  auto parts = new_list();
  size_t start = 0;
  while (matches.next()) {
    parts->push(text_value(text.substr(start, matches.begin() - start)));
    start = matches.end();
  }
  parts->push(text_value(text.substr(start)));
  return parts;
}

constexpr std::string_view kReplace = "(pattern: string, text: string, replacement: string, flags?: string) -> string";

constinit const Builtin kRows[] = {
    {.name = "regex_captures",
     .signature = "(pattern: string, text: string, flags?: string) -> list<dict>",
     .doc = "Returns a dict for every match: `match`, `groups` and each named group.",
     .example = R"(regex_captures("(?P<user>\\w+)@", "ann@x")[0].user == "ann")",
     .call = regex_captures},
    {.name = "regex_match",
     .signature = "(pattern: string, text: string, flags?: string) -> list<string>?",
     .doc = "Returns all matches of the pattern, or nil when there is none.",
     .example = R"(regex_match("[0-9]+", "a1b22") == ["1", "22"])",
     .call = regex_match},
    {.name = "regex_replace",
     .signature = kReplace,
     .doc = "Returns the text with every match replaced; `$1` and `${name}` stand for groups.",
     .example = R"(regex_replace("(\\w+)@", "ann@x", "$1 at ") == "ann at x")",
     .call = regex_replace},
    {.name = "regex_replace_all",
     .signature = kReplace,
     .doc = "Returns the text with every match replaced; the same as `regex_replace`.",
     .example = R"(regex_replace_all("a", "banana", "o") == "bonono")",
     .call = regex_replace},
    {.name = "regex_split",
     .signature = "(text: string, pattern: string, flags?: string) -> list<string>",
     .doc = "Returns the parts of the text between matches of the pattern.",
     .example = R"(regex_split("a1b22c", "[0-9]+") == ["a", "b", "c"])",
     .call = regex_split},
};

}  // namespace

std::span<const vm::Builtin> regex_rows() { return kRows; }

}  // namespace harn::builtins
