#pragma once

#include <re2/re2.h>

#include <string_view>
#include <vector>

#include "base/text.h"
#include "vm/pace.h"

namespace harn::builtins {

// Goes through the matches that do not overlap. An empty match right after another one is skipped.
class Matches {
 public:
  Matches(const re2::RE2& regex, std::string_view text, int groups)
      : regex_(regex), text_(text), groups_(static_cast<size_t>(groups) + 1) {}

  bool next() {
    re2::StringPiece whole(text_.data(), text_.size());
    while (start_ <= text_.size()) {
      vm::step();
      if (!regex_.Match(whole, start_, text_.size(), re2::RE2::UNANCHORED, groups_.data(),
                        static_cast<int>(groups_.size()))) {
        return false;
      }
      size_t begin = static_cast<size_t>(groups_[0].data() - text_.data());
      size_t end = begin + groups_[0].size();
      bool is_empty = begin == end;
      start_ = is_empty ? end + (end < text_.size() ? text::char_size(text_, end) : 1) : end;
      if (is_empty && begin == last_end_) continue;
      last_end_ = end;
      return true;
    }
    return false;
  }

  std::string_view match() const { return view(groups_[0]); }
  size_t begin() const { return static_cast<size_t>(groups_[0].data() - text_.data()); }
  size_t end() const { return begin() + groups_[0].size(); }
  // Group 0 is the match.
  bool has(size_t group) const {
    return group < groups_.size() && groups_[group].data() != nullptr;
  }
  std::string_view group(size_t group) const {
    return has(group) ? view(groups_[group]) : std::string_view();
  }

 private:
  static std::string_view view(re2::StringPiece piece) { return {piece.data(), piece.size()}; }

  const re2::RE2& regex_;
  std::string_view text_;
  std::vector<re2::StringPiece> groups_;
  size_t start_ = 0;
  size_t last_end_ = ~size_t{0};
};

}  // namespace harn::builtins
