#include "data/marked_blocks.h"

#include <algorithm>

#include "base/fmt.h"

namespace harn::data {

namespace {

// Shorter beginnings of markers are what people write, too: three signs of a conflict, say.
constexpr size_t kShortestCut = 4;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// What ends a JSON string that is open where the text begins: its quote, or the end of its line.
struct StringEnd {
  enum Kind { Quote, Line, Open } kind;
  size_t at;  // Quote: behind it; Open: how much has been looked at
};
StringEnd string_end(std::string_view text, size_t from) {
  for (size_t i = from;;) {
    i = text.find_first_of("\"\\\n", i);
    if (i == std::string_view::npos) return {StringEnd::Open, text.size()};
    if (text[i] == '\n') return {StringEnd::Line, i};
    if (text[i] == '"') return {StringEnd::Quote, i + 1};
    if (i + 1 == text.size()) return {StringEnd::Open, i};
    i += text[i + 1] == '"' || text[i + 1] == '\\' ? 2 : 1;
  }
}

}  // namespace

std::optional<BlockReader::Marker> BlockReader::marker_at(std::string_view text) const {
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (text.starts_with(kinds_[kind].begin)) return Marker{kind, false, kinds_[kind].begin.size()};
    if (text.starts_with(kinds_[kind].end)) return Marker{kind, true, kinds_[kind].end.size()};
  }
  return std::nullopt;
}

bool BlockReader::may_begin_marker(std::string_view text) const {
  return std::ranges::any_of(
      kinds_, [&](const BlockKind& kind) { return kind.begin.starts_with(text) || kind.end.starts_with(text); });
}

void BlockReader::add(std::string_view piece) {
  std::string all = std::move(state_.held);
  state_.held.clear();
  all += piece;
  read(all, false);
}

void BlockReader::end() {
  std::string all = std::move(state_.held);
  state_.held.clear();
  read(all, true);
  if (!state_.inside) return;
  const BlockKind& kind = kinds_[*state_.inside];
  problems.push_back(fmt::format("{} has no {}: the block was cut off", kind.begin, kind.end));
}

void BlockReader::read(std::string_view all, bool is_last) {
  while (!all.empty()) {
    size_t done = state_.inside ? read_block(all, is_last) : read_outside(all, is_last);
    all.remove_prefix(done);
    if (!state_.held.empty()) return;
  }
}

// What begins at `at` cannot be told without what comes.
size_t BlockReader::hold(std::string_view all, size_t at, bool is_last) {
  std::string_view rest = all.substr(at);
  if (!is_last) state_.held = rest;
  else if (!state_.inside && rest.size() < kShortestCut) show(rest);
  return all.size();
}

void BlockReader::show(std::string_view part) {
  if (part.empty()) return;
  text += part;
  state_.tail += part;
  size_t longest = 0;
  for (const BlockKind& kind : kinds_) longest = std::max({longest, kind.begin.size(), kind.end.size()});
  size_t at = state_.tail.size() - std::min(state_.tail.size(), longest);
  while ((at = state_.tail.find('<', at)) != std::string::npos &&
         !may_begin_marker(std::string_view(state_.tail).substr(at)))
    ++at;
  state_.tail.erase(0, at);
}

void BlockReader::leave_out() {
  if (!state_.tail.empty()) show(" ");
}

size_t BlockReader::read_outside(std::string_view all, bool is_last) {
  for (size_t at = 0;;) {
    size_t next = std::min(all.find('<', at), all.size());
    show(all.substr(at, next - at));
    if (next == all.size()) return next;
    std::string_view rest = all.substr(next);
    if (auto marker = marker_at(rest)) {
      leave_out();
      if (!marker->is_end) {
        state_.inside = marker->kind;
        state_.is_quoted = false;
        block_.clear();
        return next + marker->size;
      }
      problems.push_back(fmt::format("{} ends no block", kinds_[marker->kind].end));
      at = next + marker->size;
    } else if (may_begin_marker(rest)) {
      return hold(all, next, is_last);
    } else {
      show("<");
      at = next + 1;
    }
  }
}

size_t BlockReader::read_block(std::string_view all, bool is_last) {
  std::string_view end_marker = kinds_[*state_.inside].end;
  for (size_t at = 0;;) {
    size_t next = std::min(all.find_first_of("\"\\\n<", at), all.size());
    add_to_block(all.substr(at, next - at));
    if (next == all.size()) return next;
    std::string_view rest = all.substr(next);
    size_t taken = 1;
    if (rest[0] == '"') {
      state_.is_quoted = !state_.is_quoted;
    } else if (rest[0] == '\n') {
      state_.is_quoted = false;
    } else if (rest[0] == '\\') {
      if (rest.size() == 1 && !is_last) return hold(all, next, is_last);
      // Outside of strings, too: a quote that is escaped begins none.
      if (rest.size() > 1 && (rest[1] == '"' || (rest[1] == '\\' && state_.is_quoted))) taken = 2;
    } else if (rest.starts_with(end_marker)) {
      if (!state_.is_quoted) {
        end_block();
        return next + end_marker.size();
      }
      StringEnd found = string_end(rest, std::max(state_.looked, end_marker.size()));
      state_.looked = 0;
      if (found.kind == StringEnd::Open && !is_last) {
        state_.looked = found.at;
        return hold(all, next, is_last);
      }
      bool is_end =
          found.kind == StringEnd::Line || (found.kind == StringEnd::Open && is_blank(rest.substr(end_marker.size())));
      if (is_end) {
        end_block();
        return next + end_marker.size();
      }
      if (found.kind == StringEnd::Open) return all.size();  // cut off in the string, if that is one
      taken = found.at;
      state_.is_quoted = false;
    } else if (end_marker.starts_with(rest)) {
      return hold(all, next, is_last);
    }
    add_to_block(rest.substr(0, taken));
    at = next + taken;
  }
}

void BlockReader::add_to_block(std::string_view part) {
  if (keeps_) block_ += part;
}

void BlockReader::end_block() {
  if (keeps_) blocks.push_back({*state_.inside, std::move(block_)});
  block_.clear();
  state_.inside.reset();
  state_.is_quoted = false;
}

}  // namespace harn::data
