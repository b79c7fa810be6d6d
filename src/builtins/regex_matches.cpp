#include "builtins/regex_matches.h"

#include <re2/re2.h>

#include "base/text.h"
#include "vm/aside.h"
#include "vm/objects.h"
#include "vm/pace.h"

namespace harn::builtins {

// Usually a byte costs some nanoseconds, at worst as many as the pattern has instructions.
static bool takes_long(const re2::RE2& regex, std::string_view text) {
  constexpr size_t kMostSteps = 8 * 1024 * 1024;
  return text.size() >= vm::kLongText || text.size() * static_cast<size_t>(regex.ProgramSize()) > kMostSteps;
}

bool Matches::Search::next(Piece* groups) {
  Piece whole(text.data(), text.size());
  while (start <= text.size()) {
    if (!regex.Match(whole, start, text.size(), re2::RE2::UNANCHORED, groups, static_cast<int>(group_count))) {
      break;
    }
    size_t begin = static_cast<size_t>(groups[0].data() - text.data());
    size_t end = begin + groups[0].size();
    bool is_empty = begin == end;
    start = is_empty ? end + (end < text.size() ? text::char_size(text, end) : 1) : end;
    if (is_empty && begin == last_end) continue;
    last_end = end;
    return true;
  }
  start = text.size() + 1;
  return false;
}

// What is found in one go on another thread: enough to be worth the way.
struct Matches::Batch {
  static constexpr size_t kMostPieces = 16 * 1024;
  static constexpr size_t kMostText = 4 * 1024 * 1024;

  Batch(const Regex& regex, const Search& search) : regex(regex), search(search) {}

  void fill() {
    found.clear();
    used = 0;
    size_t from = search.start;
    do {
      found.resize(found.size() + search.group_count);
      if (!search.next(found.data() + found.size() - search.group_count)) {
        found.resize(found.size() - search.group_count);
        is_last = true;
        return;
      }
    } while (found.size() < kMostPieces && search.start - from < kMostText);
  }

  Regex regex;  // a search that nobody waits for any more outlives the cache's entry
  Search search;
  std::vector<Piece> found;  // the groups of each match, one after the other
  size_t used = 0;
  bool is_last = false;
};

Matches::Matches(const Regex& regex, const vm::Value& text, int groups)
    : text_(text),
      text_data_(text.as_string()->data()),
      group_count_(static_cast<size_t>(groups) + 1),
      search_{*regex, text.as_string()->view(), group_count_} {
  if (takes_long(*regex, search_.text)) batch_ = std::make_shared<Batch>(regex, search_);
  else own_groups_.resize(group_count_);
}

Matches::~Matches() = default;

bool Matches::next() {
  vm::step();
  if (batch_) return next_of_batch();
  groups_ = own_groups_.data();
  return search_.next(own_groups_.data());
}

bool Matches::next_of_batch() {
  Batch& batch = *batch_;
  if (batch.used == batch.found.size()) {
    if (batch.is_last) return false;
    vm::run_aside([batch = batch_] { batch->fill(); }, text_);
    if (batch.found.empty()) return false;
  }
  groups_ = batch.found.data() + batch.used;
  batch.used += group_count_;
  return true;
}

bool has_match(const Regex& regex, const vm::Value& text) {
  std::string_view view = text.as_string()->view();
  re2::StringPiece whole(view.data(), view.size());
  if (!takes_long(*regex, view)) return re2::RE2::PartialMatch(whole, *regex);
  auto answer = std::make_shared<bool>();
  vm::run_aside([=] { *answer = re2::RE2::PartialMatch(whole, *regex); }, text);
  return *answer;
}

}  // namespace harn::builtins
