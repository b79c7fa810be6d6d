// What choosing texts for a prompt needs to know of them (src/std/prelude/artifacts.harn, context_assembly.harn): how big they
// are, where to cut them, how well they fit a question, and which of them say nearly the same.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

#include "base/result.h"
#include "builtins/families.h"
#include "data/letter_case.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr size_t kBytesPerToken = 4;

int64_t tokens_of(std::string_view text) {
  return static_cast<int64_t>((text.size() + kBytesPerToken - 1) / kBytesPerToken);
}

Outcome<Value> text_tokens(Call& call) { return Value::integer(tokens_of(HARN_TRY(call.text(0)))); }

// ---- pieces ----

bool continues_char(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Where a piece of at most `limit` bytes ends: behind a paragraph, else a line, else a word, unless little would be left.
size_t end_of_piece(std::string_view rest, size_t limit) {
  std::string_view window = rest.substr(0, limit);
  for (std::string_view mark : {"\n\n", "\n", " "}) {
    size_t found = window.rfind(mark);
    if (found != window.npos && found >= limit / 4) return found + mark.size();
  }
  size_t end = limit;
  while (end > 0 && continues_char(rest[end])) --end;
  if (end > 0) return end;
  // One character is bigger than a piece may be: it goes as it is.
  end = 1;
  while (end < rest.size() && continues_char(rest[end])) ++end;
  return end;
}

std::string_view without_line_ends(std::string_view text) {
  size_t first = text.find_first_not_of("\r\n"), last = text.find_last_not_of("\r\n \t");
  return first == text.npos || last == text.npos || last < first ? "" : text.substr(first, last - first + 1);
}

Outcome<Value> text_pieces(Call& call) {
  std::string_view rest = HARN_TRY(call.text(0));
  size_t limit = static_cast<size_t>(std::clamp<int64_t>(HARN_TRY(call.integer(1)), 1, INT32_MAX)) * kBytesPerToken;
  auto out = new_list();
  while (!rest.empty()) {
    step();
    size_t end = rest.size() <= limit ? rest.size() : end_of_piece(rest, limit);
    std::string_view piece = without_line_ends(rest.substr(0, end));
    if (!piece.empty()) out->push(text_value(piece));
    rest.remove_prefix(end);
  }
  return out;
}

// ---- words ----

bool is_word_byte(unsigned char byte) { return byte >= 0x80 || std::isalnum(byte) || byte == '_'; }
// Scripts that write no spaces: each character is a word.
bool stands_alone(unsigned char byte) { return (byte >= 0xE3 && byte <= 0xED) || byte >= 0xF0; }

// Each word is told as often as it is there; `text` is in lower case.
template <class Tell>
void each_word(std::string_view text, Tell tell) {
  for (size_t at = 0; at < text.size();) {
    step();
    auto byte = static_cast<unsigned char>(text[at]);
    size_t end = at + 1;
    if (stands_alone(byte)) {
      while (end < text.size() && continues_char(text[end])) ++end;
    } else if (is_word_byte(byte)) {
      auto goes_on = [&](unsigned char next) { return is_word_byte(next) && !stands_alone(next); };
      while (end < text.size() && goes_on(static_cast<unsigned char>(text[end]))) ++end;
    } else {
      at = end;
      continue;
    }
    tell(text.substr(at, end - at));
    at = end;
  }
}

Outcome<std::vector<std::string_view>> texts_of(Call& call, uint32_t index) {
  std::vector<std::string_view> out;
  for (const Value& item : HARN_TRY(call.list(index))->values()) {
    if (!item.is_string()) return type_error("{}: expected a list of strings", call.row().name);
    out.push_back(item.as_string()->view());
  }
  return out;
}

// ---- how well texts fit a question ----

// Numbers of words, in the order in which they were first seen.
using Numbers = std::unordered_map<std::string, uint32_t>;

// Of every text, which words of the question it has.
std::vector<std::vector<bool>> words_held(const Numbers& asked, const std::vector<std::string_view>& texts) {
  std::vector<std::vector<bool>> out;
  for (std::string_view text : texts) {
    std::vector<bool> holds(asked.size());
    each_word(data::lower(text), [&](std::string_view word) {
      if (auto found = asked.find(std::string(word)); found != asked.end()) holds[found->second] = true;
    });
    out.push_back(std::move(holds));
  }
  return out;
}

// 0 to 1: the share of the question's words that the text has, where rare words count for more.
Outcome<Value> text_scores(Call& call) {
  Numbers asked;
  each_word(data::lower(HARN_TRY(call.text(0))),
            [&](std::string_view word) { asked.try_emplace(std::string(word), static_cast<uint32_t>(asked.size())); });
  auto texts = HARN_TRY(texts_of(call, 1));
  auto held = words_held(asked, texts);
  std::vector<double> weights(asked.size());
  double whole = 0;
  for (size_t word = 0; word < asked.size(); ++word) {
    auto having = std::count_if(held.begin(), held.end(), [&](const auto& text) { return text[word]; });
    weights[word] = std::log(1 + static_cast<double>(texts.size()) / static_cast<double>(1 + having));
    whole += weights[word];
  }
  auto out = new_list(texts.size());
  for (const auto& text : held) {
    double sum = 0;
    for (size_t word = 0; word < weights.size(); ++word) sum += text[word] ? weights[word] : 0;
    out->push(Value::number(whole > 0 ? sum / whole : 0));
  }
  return out;
}

// ---- texts that say nearly the same ----

// A text as the set of its words; the rarest of all texts have the smallest numbers and come first.
using Words = std::vector<uint32_t>;

std::vector<Words> word_sets(const std::vector<std::string_view>& texts) {
  Numbers numbers;
  std::vector<uint32_t> counts;
  std::vector<Words> sets;
  for (std::string_view text : texts) {
    Words& words = sets.emplace_back();
    each_word(data::lower(text), [&](std::string_view word) {
      words.push_back(numbers.try_emplace(std::string(word), static_cast<uint32_t>(numbers.size())).first->second);
    });
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    counts.resize(numbers.size());
    for (uint32_t word : words) ++counts[word];
  }
  Words order(counts.size()), rank(counts.size());
  for (uint32_t word = 0; word < order.size(); ++word) order[word] = word;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return counts[a] < counts[b]; });
  for (uint32_t place = 0; place < order.size(); ++place) rank[order[place]] = place;
  for (Words& words : sets) {
    for (uint32_t& word : words) word = rank[word];
    std::sort(words.begin(), words.end());
  }
  return sets;
}

double overlap_of(const Words& a, const Words& b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    step();
    if (a[i] == b[j]) ++common, ++i, ++j;
    else if (a[i] < b[j]) ++i;
    else ++j;
  }
  return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

// Finds, among texts that are kept, one that shares enough words with another. Two sets that have the share `least` of
// their words in common have at least one in common among the rarest `size - least * size + 1` of each, so only texts that
// meet there are compared (prefix filtering); with all pairs, ten thousand texts would be fifty million comparisons.
class NearTexts {
 public:
  NearTexts(const std::vector<Words>& sets, double least) : sets_(sets), least_(least), seen_(sets.size(), SIZE_MAX) {}

  // The number of the first kept text that `number` resembles; -1: it resembles none, and is kept.
  int64_t place(size_t number) {
    const Words& words = sets_[number];
    int64_t found = -1;
    for (size_t i = 0; i < prefix(words); ++i) {
      for (size_t other : kept_[words[i]]) {
        if (seen_[other] == number || (found >= 0 && other >= static_cast<size_t>(found))) continue;
        seen_[other] = number;
        if (is_near(words, sets_[other])) found = static_cast<int64_t>(other);
      }
    }
    if (found >= 0) return found;
    for (size_t i = 0; i < prefix(words); ++i) kept_[words[i]].push_back(number);
    return -1;
  }

 private:
  size_t prefix(const Words& words) const {
    if (words.empty()) return 0;
    auto common = static_cast<size_t>(std::ceil(least_ * static_cast<double>(words.size()) - 1e-9));
    return words.size() - std::clamp<size_t>(common, 1, words.size()) + 1;
  }
  bool is_near(const Words& a, const Words& b) const {
    size_t small = std::min(a.size(), b.size());
    size_t big = std::max(a.size(), b.size());
    if (static_cast<double>(small) < least_ * static_cast<double>(big)) return false;
    return overlap_of(a, b) >= least_;
  }

  const std::vector<Words>& sets_;
  double least_;
  std::vector<size_t> seen_;  // the last text it was compared with
  std::unordered_map<uint32_t, std::vector<size_t>> kept_;
};

Outcome<Value> near_texts(Call& call) {
  auto texts = HARN_TRY(texts_of(call, 0));
  double least = HARN_TRY(call.number(1));
  auto sets = word_sets(texts);
  NearTexts near(sets, least);
  auto out = new_list(texts.size());
  for (size_t number = 0; number < sets.size(); ++number) out->push(Value::integer(near.place(number)));
  return out;
}

constinit const Builtin kRows[] = {
    {.name = "__near_texts",
     .signature = "(texts: list<string>, least: float) -> list<int>",
     .doc = "For each text the number of the earlier one whose words it shares at least so far, or -1.",
     .example = R"(__near_texts(["a b c", "C, B, A", "d"], 0.9) == [-1, 0, -1])",
     .call = near_texts},
    {.name = "__text_pieces",
     .signature = "(text: string, max_tokens: int) -> list<string>",
     .doc = "A text in pieces of so many tokens, cut between paragraphs, lines or words.",
     .example = R"(__text_pieces("one two three four", 2) == ["one two", "three", "four"])",
     .call = text_pieces},
    {.name = "__text_scores",
     .signature = "(query: string, texts: list<string>) -> list<float>",
     .doc = "How many of the words of a question each text has, from 0 to 1; rare words count for more.",
     .example = R"(__text_scores("red fox", ["a red fox", "no"]) == [1.0, 0.0])",
     .call = text_scores},
    {.name = "__text_tokens",
     .signature = "(text: string) -> int",
     .doc = "About how many tokens a text has.",
     .example = R"(__text_tokens("12345") == 2)",
     .call = text_tokens},
};

}  // namespace

std::span<const Builtin> context_text_rows() { return kRows; }

}  // namespace harn::builtins
