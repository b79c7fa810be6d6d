#include "effects/glob.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"

namespace harn::effects {

// ---- from text to nodes ----
//
// Parts are made as they are read, and linked when what follows them is known.

class GlobParser {
 public:
  GlobParser(std::string_view pattern, Glob& glob) : pattern_(pattern), glob_(glob) {}

  std::expected<void, std::string> parse() {
    Part whole = HARN_TRY(sequence(0));
    if (at_ < pattern_.size()) return std::unexpected(fmt::format("`}}` without `{{` in `{}`", pattern_));
    uint32_t accept = node({.kind = Glob::Kind::Accept});
    glob_.start_ = link(whole, accept);
    return {};
  }

 private:
  using Kind = Glob::Kind;
  using Reach = Glob::Reach;
  template <class T>
  using Parsed = std::expected<T, std::string>;

  static constexpr int kMostDepth = 64;  // of braces
  static constexpr uint32_t kOpen = UINT32_MAX;

  // A piece of the machine: where it starts, and the nodes whose `next` is still open. Without any it is empty.
  struct Part {
    uint32_t start = kOpen;
    std::vector<uint32_t> ends = {};
  };

  uint32_t node(Glob::Node made) {
    glob_.nodes_.push_back(std::move(made));
    return static_cast<uint32_t>(glob_.nodes_.size() - 1);
  }
  uint32_t link(const Part& part, uint32_t to) {
    if (part.start == kOpen) return to;
    for (uint32_t end : part.ends) glob_.nodes_[end].next = to;
    return part.start;
  }
  Part one(Glob::Node made) {
    uint32_t made_at = node(std::move(made));
    return {made_at, {made_at}};
  }
  Part chain(Part first, Part second) {
    if (first.start == kOpen) return second;
    if (second.start == kOpen) return first;
    link(first, second.start);
    return {first.start, std::move(second.ends)};
  }
  // A wildcard any number of times: a split into one more, and on.
  Part any_number(Reach reach) {
    uint32_t more = node({.kind = Kind::Any, .reach = reach});
    uint32_t split = node({.kind = Kind::Split, .other = more});
    glob_.nodes_[more].next = split;
    return {split, {split}};
  }
  // Directories, any number of them, each with its slash.
  Part directories() {
    Part inner =
        chain(one({.kind = Kind::Any}), chain(any_number(Reach::Name), one({.kind = Kind::Char, .character = '/'})));
    uint32_t split = node({.kind = Kind::Split, .other = inner.start});
    link(inner, split);
    return {split, {split}};
  }

  Parsed<Part> sequence(int depth) {
    Part whole;
    while (at_ < pattern_.size()) {
      char c = pattern_[at_];
      if (c == '}' || (c == ',' && depth > 0)) break;
      whole = chain(std::move(whole), HARN_TRY(piece(depth)));
    }
    return whole;
  }

  Parsed<Part> piece(int depth) {
    switch (pattern_[at_]) {
      case '*': return stars();
      case '?': ++at_; return one({.kind = Kind::Any});
      case '[': return char_class();
      case '{': return alternatives(depth + 1);
      case '\\':
        ++at_;
        if (at_ == pattern_.size()) return std::unexpected(fmt::format("`{}` ends in a backslash", pattern_));
        return one({.kind = Kind::Char, .character = take_char()});
      default: return one({.kind = Kind::Char, .character = take_char()});
    }
  }

  // `**` that is a whole name goes past slashes; elsewhere it is one star.
  Parsed<Part> stars() {
    size_t start = at_;
    while (at_ < pattern_.size() && pattern_[at_] == '*') ++at_;
    bool begins = start == 0 || is_one_of(pattern_[start - 1], "/{,");
    bool ends = at_ == pattern_.size() || is_one_of(pattern_[at_], "/},");
    if (at_ - start != 2 || !begins || !ends) return any_number(Reach::Name);
    if (at_ < pattern_.size() && pattern_[at_] == '/') {
      ++at_;
      return directories();
    }
    return chain(one({.kind = Kind::Any}), any_number(Reach::Path));
  }

  Parsed<Part> char_class() {
    size_t start = at_++;
    Glob::Node made{.kind = Kind::Class};
    if (at_ < pattern_.size() && is_one_of(pattern_[at_], "!^")) made.is_negated = true, ++at_;
    for (bool first = true;; first = false) {
      if (at_ >= pattern_.size())
        return std::unexpected(fmt::format("`[` without `]` in `{}`", pattern_.substr(start)));
      if (pattern_[at_] == ']' && !first) break;
      char32_t low = take_class_char(), high = low;
      bool is_range = at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']';
      if (is_range) ++at_, high = take_class_char();
      made.ranges.emplace_back(low, high);
    }
    ++at_;
    return one(std::move(made));
  }

  Parsed<Part> alternatives(int depth) {
    if (depth > kMostDepth) return std::unexpected(fmt::format("more than {} braces inside each other", kMostDepth));
    size_t start = at_;
    Part all;
    do {
      ++at_;  // `{` or `,`
      Part next = HARN_TRY(sequence(depth));
      if (at_ >= pattern_.size())
        return std::unexpected(fmt::format("`{{` without `}}` in `{}`", pattern_.substr(start)));
      if (next.start == kOpen) next = one({.kind = Kind::Split, .other = Glob::kNone});  // `{,b}`: nothing at all
      all = all.start == kOpen ? std::move(next) : either(std::move(all), std::move(next));
    } while (pattern_[at_] == ',');
    ++at_;
    return all;
  }

  Part either(Part first, Part second) {
    uint32_t split = node({.kind = Kind::Split, .next = first.start, .other = second.start});
    first.ends.insert(first.ends.end(), second.ends.begin(), second.ends.end());
    return {split, std::move(first.ends)};
  }

  char32_t take_char() {
    char32_t c = text::decode(pattern_, at_);
    at_ += text::char_size(pattern_, at_);
    return c;
  }
  char32_t take_class_char() {
    if (pattern_[at_] == '\\' && at_ + 1 < pattern_.size()) ++at_;
    return take_char();
  }
  static bool is_one_of(char c, std::string_view set) { return set.contains(c); }

  std::string_view pattern_;
  Glob& glob_;
  size_t at_ = 0;
};

std::expected<Glob, std::string> Glob::parse(std::string_view pattern, Hidden hidden) {
  constexpr size_t kLongest = 64 * 1024;
  if (pattern.size() > kLongest) return std::unexpected(fmt::format("the pattern has more than {} bytes", kLongest));
  Glob glob;
  glob.hidden_ = hidden;
  HARN_CHECK(GlobParser(pattern, glob).parse());
  return glob;
}

// ---- running it ----

// Adds a node, and those that are reached from it without taking a character.
void Glob::add(std::vector<uint32_t>& to, std::vector<bool>& seen, uint32_t first) const {
  std::vector<uint32_t> open = {first};
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    if (at == kNone || seen[at]) continue;
    seen[at] = true;
    const Node& node = nodes_[at];
    if (node.kind != Kind::Split) to.push_back(at);
    else open.push_back(node.other), open.push_back(node.next);
  }
}

Glob::States Glob::start() const {
  States states;
  std::vector<bool> seen(nodes_.size());
  add(states.at, seen, start_);
  return states;
}

bool Glob::takes(const Node& node, char32_t c, bool begins_name) const {
  if (node.kind == Kind::Accept) return false;
  if (node.kind == Kind::Char) return c == node.character;
  if (c == '.' && begins_name && hidden_ == Hidden::No) return false;
  if (c == '/' && node.reach == Reach::Name) return false;
  if (node.kind == Kind::Any) return true;
  auto holds = [&](const auto& range) { return range.first <= c && c <= range.second; };
  return std::any_of(node.ranges.begin(), node.ranges.end(), holds) != node.is_negated;
}

Glob::States Glob::after(States states, std::string_view text) const {
  for (size_t i = 0; i < text.size() && !states.is_dead(); i += text::char_size(text, i)) {
    char32_t c = text::decode(text, i);
    std::vector<uint32_t> next;
    std::vector<bool> seen(nodes_.size());
    for (uint32_t at : states.at) {
      if (takes(nodes_[at], c, states.begins_name)) add(next, seen, nodes_[at].next);
    }
    states.at = std::move(next);
    states.begins_name = c == '/';
  }
  return states;
}

bool Glob::accepts(const States& states) const {
  return std::any_of(states.at.begin(), states.at.end(), [&](uint32_t at) { return nodes_[at].kind == Kind::Accept; });
}

}  // namespace harn::effects
