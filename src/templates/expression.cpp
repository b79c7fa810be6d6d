#include <charconv>
#include <optional>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "templates/parser.h"

namespace harn::templates {

namespace {

// Parentheses and `not` within each other.
constexpr int kMostDepth = 32;

enum class TokenKind : uint8_t { Word, Number, String, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  // as it is written
  std::string value;      // String: without quotes and escapes
};

std::unexpected<Problem> problem(std::string text) { return std::unexpected(std::move(text)); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  std::expected<Token, Problem> next() {
    while (!rest_.empty() && text::is_space(text::decode(rest_, 0))) rest_.remove_prefix(text::char_size(rest_, 0));
    if (rest_.empty()) return Token{};
    char c = rest_[0];
    if (text::is_identifier_start(c)) return taken(TokenKind::Word, word_size());
    bool is_negative = c == '-' && rest_.size() > 1 && text::is_digit(rest_[1]);
    if (text::is_digit(c) || is_negative) return taken(TokenKind::Number, number_size());
    if (c == '"' || c == '\'') return string(c);
    for (std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"}) {
      if (rest_.starts_with(two)) return taken(TokenKind::Symbol, 2);
    }
    if (std::string_view("()[]{}.,:|!<>").find(c) != std::string_view::npos) return taken(TokenKind::Symbol, 1);
    std::string_view shown = rest_.substr(0, text::char_size(rest_, 0));
    if (c == '=' || c == '&') return problem(fmt::format("unexpected `{}`; write `{}{}`", c, c, c));
    return problem(fmt::format("unexpected character `{}`", text::to_valid_utf8(shown)));
  }

 private:
  Token taken(TokenKind kind, size_t size) {
    Token token{kind, rest_.substr(0, size), {}};
    rest_.remove_prefix(size);
    return token;
  }

  size_t word_size() const {
    size_t size = 1;
    while (size < rest_.size() && text::is_identifier_part(rest_[size])) ++size;
    return size;
  }

  size_t number_size() const {
    size_t size = 1;
    auto digits = [&] {
      while (size < rest_.size() && text::is_digit(rest_[size])) ++size;
    };
    digits();
    bool has_fraction = size + 1 < rest_.size() && rest_[size] == '.' && text::is_digit(rest_[size + 1]);
    if (has_fraction) {
      ++size;
      digits();
    }
    return size;
  }

  std::expected<Token, Problem> string(char quote) {
    std::string value;
    for (size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == quote) {
        Token token = taken(TokenKind::String, at + 1);
        token.value = std::move(value);
        return token;
      }
      if (rest_[at] == '\\' && at + 1 < rest_.size()) value += unescaped(rest_[++at]);
      else value += rest_[at];
    }
    return problem("unterminated string literal");
  }

  static char unescaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c; }

  std::string_view rest_;
};

class Reader {
 public:
  Reader(Template& to, std::string_view text) : to_(to), lexer_(text) {}

  std::expected<void, Problem> start() { return advance(); }
  std::expected<void, Problem> end() const {
    return at_end() ? std::expected<void, Problem>() : problem(fmt::format("unexpected `{}`", token_.text));
  }
  bool at_end() const { return token_.kind == TokenKind::End; }
  const Token& token() const { return token_; }

  // Whether the next token is this symbol or word, which is then read.
  std::expected<bool, Problem> take(std::string_view text) {
    bool is_there = (token_.kind == TokenKind::Symbol || token_.kind == TokenKind::Word) && token_.text == text;
    if (is_there) HARN_CHECK(advance());
    return is_there;
  }

  std::expected<std::string, Problem> word(std::string_view what) {
    if (token_.kind != TokenKind::Word) return expected(what);
    std::string word(token_.text);
    HARN_CHECK(advance());
    return word;
  }

  std::unexpected<Problem> expected(std::string_view what) const {
    if (at_end()) return problem(fmt::format("expected {}", what));
    return problem(fmt::format("expected {}, got `{}`", what, token_.text));
  }

  // `value | filter: a, b`
  std::expected<ExprId, Problem> filtered() {
    ExprId input = HARN_TRY(choice(true));
    Filtered filtered{input, {}};
    while (HARN_TRY(take("|"))) {
      Filtered::Step step{HARN_TRY(word("filter name")), {}};
      if (HARN_TRY(take(":"))) {
        do step.args.push_back(HARN_TRY(choice(true)));
        while (HARN_TRY(take(",")));
      }
      filtered.steps.push_back(std::move(step));
    }
    return filtered.steps.empty() ? input : add(std::move(filtered));
  }

 private:
  std::expected<void, Problem> advance() {
    token_ = HARN_TRY(lexer_.next());
    return {};
  }

  template <class Part>
  ExprId add(Part part) {
    to_.exprs.emplace_back(std::move(part));
    return {static_cast<uint32_t>(to_.exprs.size() - 1)};
  }

  std::expected<ExprId, Problem> choice(bool is_or) {
    Choice choice{is_or, {}};
    do choice.operands.push_back(HARN_TRY(is_or ? this->choice(false) : negation()));
    while (HARN_TRY(take(is_or ? "or" : "and")) || HARN_TRY(take(is_or ? "||" : "&&")));
    return choice.operands.size() == 1 ? choice.operands[0] : add(std::move(choice));
  }

  std::expected<ExprId, Problem> negation() {
    if (!HARN_TRY(take("not")) && !HARN_TRY(take("!"))) return comparison();
    HARN_CHECK(deeper());
    ExprId operand = HARN_TRY(negation());
    --depth_;
    return add(Not{operand});
  }

  std::expected<ExprId, Problem> comparison() {
    constexpr std::pair<std::string_view, Comparison> kOps[] = {
        {"==", Comparison::Equal},     {"!=", Comparison::NotEqual}, {"<", Comparison::Less},
        {"<=", Comparison::LessEqual}, {">", Comparison::Greater},   {">=", Comparison::GreaterEqual}};
    ExprId left = HARN_TRY(primary());
    for (auto& [text, op] : kOps) {
      if (!HARN_TRY(take(text))) continue;
      ExprId right = HARN_TRY(primary());
      return add(Compare{op, left, right});
    }
    return left;
  }

  std::expected<ExprId, Problem> primary() {
    if (HARN_TRY(take("("))) {
      HARN_CHECK(deeper());
      ExprId inner = HARN_TRY(choice(true));
      if (!HARN_TRY(take(")"))) return expected("`)`");
      --depth_;
      return inner;
    }
    switch (token_.kind) {
      case TokenKind::Word: return word_value();
      case TokenKind::Number: return number();
      case TokenKind::String: {
        ExprId id = add(Literal{std::move(token_.value)});
        HARN_CHECK(advance());
        return id;
      }
      case TokenKind::Symbol:
      case TokenKind::End: break;
    }
    return expected("an expression");
  }

  std::expected<void, Problem> deeper() {
    if (++depth_ > kMostDepth)
      return problem(fmt::format("the expression is nested too deeply (at most {})", kMostDepth));
    return {};
  }

  std::expected<ExprId, Problem> word_value() {
    std::string word = HARN_TRY(this->word("identifier"));
    if (word == "nil") return add(Literal{});
    if (word == "true" || word == "false") return add(Literal{word == "true"});
    return path(std::move(word));
  }

  std::expected<ExprId, Problem> path(std::string root) {
    Path path{std::move(root), {}};
    for (;;) {
      if (HARN_TRY(take("."))) {
        path.steps.emplace_back(HARN_TRY(word("identifier")));
      } else if (HARN_TRY(take("["))) {
        HARN_CHECK(index(path));
        if (!HARN_TRY(take("]"))) return expected("`]`");
      } else {
        return add(std::move(path));
      }
    }
  }

  std::expected<void, Problem> index(Path& path) {
    if (token_.kind == TokenKind::String) path.steps.emplace_back(std::move(token_.value));
    else if (auto number = integer()) path.steps.emplace_back(*number);
    else return expected("an int or a string");
    return advance();
  }

  std::optional<int64_t> integer() const {
    int64_t number = 0;
    const char* end = token_.text.data() + token_.text.size();
    if (token_.kind != TokenKind::Number) return std::nullopt;
    auto [stop, error] = std::from_chars(token_.text.data(), end, number);
    return stop == end && error == std::errc() ? std::optional(number) : std::nullopt;
  }

  std::expected<ExprId, Problem> number() {
    Literal literal;
    if (auto number = integer()) {
      literal.value = *number;
    } else {
      double value = 0;
      auto [stop, error] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), value);
      if (error != std::errc()) return problem(fmt::format("`{}` is too large", token_.text));
      literal.value = value;
    }
    HARN_CHECK(advance());
    return add(std::move(literal));
  }

  Template& to_;
  Lexer lexer_;
  Token token_;
  int depth_ = 0;
};

std::expected<void, Problem> parse_bindings(Reader& reader, Include& include) {
  if (!HARN_TRY(reader.take("{"))) return problem("expected `{ key: value, ... }` after `with`");
  while (!HARN_TRY(reader.take("}"))) {
    if (reader.token().kind != TokenKind::Word) {
      if (reader.at_end()) return reader.expected("`}`");
      return problem(fmt::format("invalid key `{}`: keys are identifiers", reader.token().text));
    }
    std::string key = HARN_TRY(reader.word("identifier"));
    if (!HARN_TRY(reader.take(":"))) return reader.expected("`key: value`");
    include.bindings.emplace_back(std::move(key), HARN_TRY(reader.filtered()));
    bool has_more = HARN_TRY(reader.take(","));
    if (!has_more && !(reader.token().kind == TokenKind::Symbol && reader.token().text == "}")) {
      return reader.expected("`,` or `}`");
    }
  }
  return {};
}

// Where ` in ` is, outside of strings and brackets; npos when it is nowhere.
size_t find_in(std::string_view text) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"' || c == '\'') {
      for (++at; at < text.size() && text[at] != c; ++at) at += text[at] == '\\';
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (depth == 0 && c == 'i' && at > 0 && text.substr(at).starts_with("in")) {
      auto is_blank = [&](size_t i) {
        return i >= text.size() || text[i] == ' ' || text[i] == '\t' || text[i] == '\n';
      };
      if (is_blank(at - 1) && is_blank(at + 2)) return at;
    }
  }
  return text.npos;
}

std::expected<std::string, Problem> loop_variable(std::string_view name) {
  name = text::trim(name);
  if (!text::is_identifier(name)) {
    return problem(fmt::format("invalid for-loop variable `{}`", text::to_valid_utf8(name)));
  }
  return std::string(name);
}

}  // namespace

std::expected<ExprId, Problem> parse_expression(Template& to, std::string_view text) {
  Reader reader(to, text);
  HARN_CHECK(reader.start());
  ExprId id = HARN_TRY(reader.filtered());
  HARN_CHECK(reader.end());
  return id;
}

std::expected<Include, Problem> parse_include(Template& to, std::string_view text) {
  Reader reader(to, text);
  HARN_CHECK(reader.start());
  Include include{HARN_TRY(reader.filtered()), {}};
  if (HARN_TRY(reader.take("with"))) HARN_CHECK(parse_bindings(reader, include));
  HARN_CHECK(reader.end());
  return include;
}

std::expected<For, Problem> parse_loop(Template& to, std::string_view text) {
  size_t in = find_in(text);
  if (in == text.npos) return problem("expected `in` after the variables of the loop");
  std::string_view names = text.substr(0, in);
  For loop;
  if (size_t comma = names.find(','); comma != names.npos) {
    loop.key = HARN_TRY(loop_variable(names.substr(0, comma)));
    names.remove_prefix(comma + 1);
  }
  loop.item = HARN_TRY(loop_variable(names));
  loop.items = HARN_TRY(parse_expression(to, text.substr(in + 2)));
  return loop;
}

}  // namespace harn::templates
