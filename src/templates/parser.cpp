// Text and directives, one after the other; the blocks that are open stand on a stack. Whitespace marks are dealt with here:
// they are about the text beside a directive, and what is left of it is all that the tree has.
#include "templates/parser.h"

#include <algorithm>
#include <optional>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"

namespace harn::templates {

std::string message_of(const Mistake& mistake, const std::string& path) {
  return fmt::format("{}{}at {}:{}: {}", path, path.empty() ? "" : " ", mistake.place.line, mistake.place.column,
                     mistake.what);
}

namespace {

constexpr std::string_view kBlank = " \t";

// What `{{-` takes away: blanks, and one end of a line behind which they stood.
std::string_view trimmed_end(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(kBlank) + 1);
  if (text.ends_with('\n')) text.remove_suffix(text.ends_with("\r\n") ? 2 : 1);
  return text;
}

// What `-}}` takes away.
std::string_view trimmed_start(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  if (text.starts_with('\n')) text.remove_prefix(1);
  else if (text.starts_with("\r\n")) text.remove_prefix(2);
  return text;
}

// Where in a text something is; only ever asked further along.
class Counter {
 public:
  explicit Counter(std::string_view text) : text_(text) {}

  Place place(size_t at) {
    for (; at_ < at; at_ += text::char_size(text_, at_)) {
      if (text_[at_] == '\n') {
        ++place_.line;
        place_.column = 1;
      } else {
        ++place_.column;
      }
    }
    return place_;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  Place place_{1, 1};
};

class Parser {
 public:
  Parser(std::string_view text, std::string path) : text_(text), counter_(text) {
    to_.path = std::move(path);
    to_.bodies.emplace_back();
  }

  std::expected<Template, Mistake> parse() {
    while (at_ < text_.size()) {
      size_t open = text_.find("{{", at_);
      if (open == text_.npos) open = text_.size();
      std::string_view before = text_.substr(at_, open - at_);
      at_ = open;
      bool ends_here = open == text_.size();
      bool trims_before = !ends_here && text_.substr(open + 2).starts_with('-');
      add_text(before, trims_before);
      if (!ends_here) HARN_CHECK(directive());
    }
    if (!blocks_.empty()) {
      place_ = blocks_.back().place;
      return mistake(fmt::format("missing matching `end` for `{}`", blocks_.back().is_loop ? "for" : "if"));
    }
    return std::move(to_);
  }

 private:
  using Done = std::expected<void, Mistake>;

  // An `if` or `for` that waits for its `end`. Bodies move when others are added, so it is named by its own.
  struct Block {
    Place place;
    bool is_loop;
    bool has_else = false;
    BodyId around;  // the body it is the last node of
  };

  std::unexpected<Mistake> mistake(std::string what) const { return std::unexpected(Mistake{place_, std::move(what)}); }
  // A part of the directive that cannot be read.
  template <class T>
  std::expected<T, Mistake> placed(std::expected<T, Problem> part) const {
    if (!part) return mistake(std::move(part).error());
    return *std::move(part);
  }

  // ---- text ----

  void add_text(std::string_view text, bool trims_end) {
    if (trims_next_) text = trimmed_start(text);
    trims_next_ = false;
    if (trims_end) text = trimmed_end(text);
    if (!text.empty()) add_node({}, Text{std::string(text)});
  }

  void add_node(Place place, decltype(Node::what) what) {
    to_.bodies[body_.number].push_back({place, std::move(what)});
  }

  BodyId new_body() {
    to_.bodies.emplace_back();
    return {static_cast<uint32_t>(to_.bodies.size() - 1)};
  }

  // ---- directives ----

  Done directive() {
    place_ = counter_.place(at_);
    std::string_view rest = text_.substr(at_ + 2);
    if (rest.starts_with('-')) rest.remove_prefix(1);
    if (rest.starts_with('#')) return comment(rest.substr(1));
    if (auto body = after_word(rest, "raw")) return raw(*body);
    size_t end = end_of_directive(rest);
    if (end == rest.npos) return mistake("unterminated directive: `{{` without `}}`");
    std::string_view inside = rest.substr(0, end);
    at_ = text_.size() - rest.size() + end + 2;
    trims_next_ = inside.ends_with('-');
    if (trims_next_) inside.remove_suffix(1);
    return command(text::trim(inside));
  }

  // The first `}}` outside of strings.
  static size_t end_of_directive(std::string_view text) {
    for (size_t at = 0; at + 1 < text.size(); ++at) {
      char c = text[at];
      if (c == '}' && text[at + 1] == '}') return at;
      if (c != '"' && c != '\'') continue;
      for (++at; at < text.size() && text[at] != c; ++at) at += text[at] == '\\';
    }
    return text.npos;
  }

  Done comment(std::string_view rest) {
    for (size_t at = rest.find('#'); at != rest.npos; at = rest.find('#', at + 1)) {
      std::string_view behind = rest.substr(at + 1);
      trims_next_ = behind.starts_with("-}}");
      if (!trims_next_ && !behind.starts_with("}}")) continue;
      at_ = text_.size() - behind.size() + (trims_next_ ? 3 : 2);
      return {};
    }
    return mistake("unterminated comment: `{{#` without `#}}`");
  }

  // What is behind `{{ word }}`, of which `rest` begins behind the braces; and whether that is to be trimmed.
  struct Behind {
    std::string_view rest;
    bool is_trimmed;
  };
  static std::optional<Behind> after_word(std::string_view rest, std::string_view word) {
    rest = text::trim_start(rest);
    if (!rest.starts_with(word)) return std::nullopt;
    rest = text::trim_start(rest.substr(word.size()));
    bool is_trimmed = rest.starts_with("-}}");
    if (!is_trimmed && !rest.starts_with("}}")) return std::nullopt;
    return Behind{rest.substr(is_trimmed ? 3 : 2), is_trimmed};
  }

  Done raw(const Behind& start) {
    for (size_t at = start.rest.find("{{"); at != start.rest.npos; at = start.rest.find("{{", at + 2)) {
      std::string_view inside = start.rest.substr(at + 2);
      bool is_trimmed = inside.starts_with('-');
      auto behind = after_word(is_trimmed ? inside.substr(1) : inside, "endraw");
      if (!behind) continue;
      std::string_view body = start.rest.substr(0, at);
      if (start.is_trimmed) body = trimmed_start(body);
      if (is_trimmed) body = trimmed_end(body);
      if (!body.empty()) add_node({}, Text{std::string(body)});
      at_ = text_.size() - behind->rest.size();
      trims_next_ = behind->is_trimmed;
      return {};
    }
    return mistake("unterminated raw block: `{{ raw }}` without `{{ endraw }}`");
  }

  Done command(std::string_view inside) {
    size_t size = 0;
    while (size < inside.size() && text::is_identifier_part(inside[size])) ++size;
    std::string_view word = inside.substr(0, size), rest = text::trim(inside.substr(size));
    if (word == "if") return open_if(rest);
    if (word == "elif") return next_branch(rest);
    if (word == "else") return otherwise(rest);
    if (word == "end") return end(rest);
    if (word == "for") return open_loop(rest);
    if (word == "include") {
      add_node(place_, HARN_TRY(placed(parse_include(to_, rest))));
      return {};
    }
    if (text::is_identifier(inside)) add_node({}, Bare{std::string(inside)});
    else add_node(place_, Interpolation{HARN_TRY(placed(parse_expression(to_, inside)))});
    return {};
  }

  // ---- blocks ----

  Done open_if(std::string_view condition) {
    If node{{{HARN_TRY(placed(parse_expression(to_, condition))), new_body()}}, new_body()};
    BodyId inner = node.branches[0].body;
    add_node(place_, std::move(node));
    return open(inner, false);
  }

  Done open_loop(std::string_view header) {
    For node = HARN_TRY(placed(parse_loop(to_, header)));
    BodyId inner = node.body = new_body();
    node.otherwise = new_body();
    add_node(place_, std::move(node));
    return open(inner, true);
  }

  Done open(BodyId inner, bool is_loop) {
    if (blocks_.size() == kMostNesting)
      return mistake(fmt::format("too many nested blocks (at most {})", kMostNesting));
    blocks_.push_back({.place = place_, .is_loop = is_loop, .around = body_});
    body_ = inner;
    return {};
  }

  Node& node_of(const Block& block) { return to_.bodies[block.around.number].back(); }

  Done next_branch(std::string_view condition) {
    if (blocks_.empty() || blocks_.back().is_loop) return mistake("unexpected `elif` outside of an `if`");
    if (blocks_.back().has_else) return mistake("unexpected `elif` after `else`");
    ExprId id = HARN_TRY(placed(parse_expression(to_, condition)));
    BodyId body = new_body();
    std::get<If>(node_of(blocks_.back()).what).branches.push_back({id, body});
    body_ = body;
    return {};
  }

  Done otherwise(std::string_view rest) {
    if (!rest.empty())
      return mistake(fmt::format("unexpected `{}` after `else`; write `elif` for another condition", rest));
    if (blocks_.empty()) return mistake("unexpected `else` outside of an `if` or `for`");
    if (blocks_.back().has_else) return mistake("unexpected `else`: there is one already");
    blocks_.back().has_else = true;
    Node& node = node_of(blocks_.back());
    body_ = blocks_.back().is_loop ? std::get<For>(node.what).otherwise : std::get<If>(node.what).otherwise;
    return {};
  }

  Done end(std::string_view rest) {
    if (!rest.empty()) return mistake(fmt::format("unexpected `{}` after `end`", rest));
    if (blocks_.empty()) return mistake("unexpected `end`: no block is open");
    body_ = blocks_.back().around;
    blocks_.pop_back();
    return {};
  }

  std::string_view text_;
  Counter counter_;
  size_t at_ = 0;
  Place place_{1, 1};        // of the directive that is being read
  bool trims_next_ = false;  // it ended with `-}}`
  Template to_;
  BodyId body_ = Template::kWhole;
  std::vector<Block> blocks_;
};

}  // namespace

std::expected<Template, Mistake> parse(std::string_view text, std::string path) {
  return Parser(text, std::move(path)).parse();
}

}  // namespace harn::templates
