#pragma once

#include <re2/stringpiece.h>

#include <memory>
#include <string_view>
#include <vector>

#include "builtins/regex_cache.h"
#include "vm/value.h"

namespace harn::builtins {

// Goes through the matches that do not overlap. An empty match right after another one is skipped. The text must
// stay where it is meanwhile. A long text is searched aside (vm/aside.h), many matches at a time.
class Matches {
 public:
  Matches(const Regex& regex, const vm::Value& text, int groups);
  ~Matches();
  Matches(const Matches&) = delete;

  bool next();

  std::string_view match() const { return view(groups_[0]); }
  size_t begin() const { return static_cast<size_t>(groups_[0].data() - text_data_); }
  size_t end() const { return begin() + groups_[0].size(); }
  // Group 0 is the match.
  bool has(size_t group) const { return group < group_count_ && groups_[group].data() != nullptr; }
  std::string_view group(size_t group) const { return has(group) ? view(groups_[group]) : std::string_view(); }

 private:
  using Piece = re2::StringPiece;
  static std::string_view view(Piece piece) { return {piece.data(), piece.size()}; }

  // Where the search is. Only this goes to another thread.
  struct Search {
    const re2::RE2& regex;
    std::string_view text;
    size_t group_count;
    size_t start = 0;
    size_t last_end = ~size_t{0};

    bool next(Piece* groups);
  };
  struct Batch;
  bool next_of_batch();

  const vm::Value& text_;
  const char* text_data_;
  size_t group_count_;
  const Piece* groups_ = nullptr;  // of the current match
  Search search_;
  std::vector<Piece> own_groups_;
  std::shared_ptr<Batch> batch_;  // for a long text
};

// Whether the pattern matches anywhere in the text.
bool has_match(const Regex& regex, const vm::Value& text);

}  // namespace harn::builtins
