#include "builtins/jq_parser.h"

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "vm/objects.h"

namespace harn::builtins::jq {

using namespace vm;

namespace {

constexpr int kMaxDepth = 200;

// Recursive descent, loosest first: pipe, comma, or, and, comparison, postfix.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::expected<NodePtr, std::string> parse() {
    NodePtr node = parse_pipe(0);
    skip_space();
    if (node && at_ < text_.size()) node = fail(harn::format("unexpected '{}'", next_char()));
    if (!node) return std::unexpected(std::move(error_));
    return node;
  }

 private:
  NodePtr fail(std::string message) {
    if (error_.empty()) error_ = harn::format("{} at position {}", message, at_);
    return nullptr;
  }

  std::string_view next_char() const { return text_.substr(at_, text::char_size(text_, at_)); }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  bool take_word(std::string_view word) {
    skip_space();
    size_t end = at_ + word.size();
    if (!text_.substr(at_).starts_with(word)) return false;
    if (end < text_.size() && text::is_identifier_part(text_[end])) return false;
    at_ = end;
    return true;
  }

  bool sees_name() const { return at_ < text_.size() && text::is_identifier_start(text_[at_]); }

  std::string read_name() {
    size_t start = at_;
    while (at_ < text_.size() && text::is_identifier_part(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  static NodePtr binary(Op op, NodePtr left, NodePtr right) {
    if (!left || !right) return nullptr;
    auto node = std::make_unique<Node>(op);
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  NodePtr parse_pipe(int depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    NodePtr node = parse_comma(depth);
    // Right-leaning, so that a long chain is not a deep left spine.
    if (node && take("|")) return binary(Op::Pipe, std::move(node), parse_pipe(depth + 1));
    return node;
  }

  NodePtr parse_comma(int depth) {
    NodePtr node = parse_or(depth);
    for (int i = 0; node && take(","); ++i) {
      if (i > kMaxDepth) return fail("too many alternatives");
      node = binary(Op::Comma, std::move(node), parse_or(depth));
    }
    return node;
  }

  NodePtr parse_or(int depth) {
    NodePtr node = parse_and(depth);
    for (int i = 0; node && take_word("or"); ++i) {
      if (i > kMaxDepth) return fail("too many operators");
      node = binary(Op::Or, std::move(node), parse_and(depth));
    }
    return node;
  }

  NodePtr parse_and(int depth) {
    NodePtr node = parse_comparison(depth);
    for (int i = 0; node && take_word("and"); ++i) {
      if (i > kMaxDepth) return fail("too many operators");
      node = binary(Op::And, std::move(node), parse_comparison(depth));
    }
    return node;
  }

  NodePtr parse_comparison(int depth) {
    NodePtr node = parse_postfix(depth);
    if (!node) return nullptr;
    static constexpr std::pair<std::string_view, Op> kOperators[] = {{"==", Op::Equal},     {"!=", Op::NotEqual},
                                                                     {"<=", Op::LessEqual}, {">=", Op::GreaterEqual},
                                                                     {"<", Op::Less},       {">", Op::Greater}};
    for (auto [token, op] : kOperators) {
      if (take(token)) return binary(op, std::move(node), parse_postfix(depth));
    }
    return node;
  }

  NodePtr parse_postfix(int depth) {
    NodePtr node = parse_primary(depth);
    for (int steps = 0; node; ++steps) {
      if (steps > 500) return fail("too many steps");
      if (take("[")) {
        node = parse_brackets(std::move(node), depth);
      } else if (take("?")) {
        auto optional = std::make_unique<Node>(Op::Optional);
        optional->left = std::move(node);
        node = std::move(optional);
      } else if (at_ + 1 < text_.size() && text_[at_] == '.' && text_[at_ + 1] != '.') {
        ++at_;
        if (at_ < text_.size() && text_[at_] == '[') continue;
        node = parse_field(std::move(node));
      } else {
        return node;
      }
    }
    return node;
  }

  // After a dot: a name or a quoted key.
  NodePtr parse_field(NodePtr object) {
    auto node = std::make_unique<Node>(Op::Field);
    node->left = std::move(object);
    if (sees_name()) node->text = read_name();
    else if (at_ < text_.size() && text_[at_] == '"') {
      if (!read_string(node->text)) return nullptr;
    } else {
      return fail("expected a field name");
    }
    return node;
  }

  // After `[`: [], [index], [from:to], [:to], [from:]
  NodePtr parse_brackets(NodePtr object, int depth) {
    if (take("]")) {
      auto node = std::make_unique<Node>(Op::Iterate);
      node->left = std::move(object);
      return node;
    }
    NodePtr from;
    if (!take(":")) {
      from = parse_pipe(depth + 1);
      if (!from) return nullptr;
      if (take("]")) return binary(Op::Index, std::move(object), std::move(from));
      if (!take(":")) return fail("expected ']' or ':'");
    }
    auto node = std::make_unique<Node>(Op::Slice);
    node->left = std::move(object);
    node->right = std::move(from);
    if (take("]")) return node->right ? std::move(node) : fail("expected a slice bound");
    node->third = parse_pipe(depth + 1);
    if (!node->third) return nullptr;
    return take("]") ? std::move(node) : fail("expected ']'");
  }

  static NodePtr literal(Value value) {
    auto node = std::make_unique<Node>(Op::Literal);
    node->value = std::move(value);
    return node;
  }

  NodePtr parse_primary(int depth) {
    skip_space();
    if (at_ >= text_.size()) return fail("unexpected end of expression");
    char c = text_[at_];
    if (take("..")) return std::make_unique<Node>(Op::Recurse);
    if (c == '.') return parse_dot();
    if (c == '"') {
      std::string text;
      if (!read_string(text)) return nullptr;
      return literal(text_value(text));
    }
    if (c == '-' || text::is_digit(c)) return parse_number();
    if (take("(")) return parse_group(depth);
    if (take("[")) return parse_array(depth);
    if (take("{")) return parse_object(depth);
    if (sees_name()) return parse_name(depth);
    return fail(harn::format("unexpected '{}'", next_char()));
  }

  NodePtr parse_dot() {
    ++at_;
    auto identity = std::make_unique<Node>(Op::Identity);
    bool has_field = sees_name() || (at_ < text_.size() && text_[at_] == '"');
    return has_field ? parse_field(std::move(identity)) : std::move(identity);
  }

  NodePtr parse_group(int depth) {
    NodePtr node = parse_pipe(depth + 1);
    if (node && !take(")")) return fail("expected ')'");
    return node;
  }

  NodePtr parse_array(int depth) {
    auto node = std::make_unique<Node>(Op::Array);
    if (take("]")) return node;
    node->left = parse_pipe(depth + 1);
    if (!node->left) return nullptr;
    return take("]") ? std::move(node) : fail("expected ']'");
  }

  // {name}, {name: e}, {"key": e}, {(e): e}
  NodePtr parse_object(int depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    auto node = std::make_unique<Node>(Op::Object);
    if (take("}")) return node;
    do {
      NodePtr key = parse_object_key(depth);
      if (!key) return nullptr;
      NodePtr value;
      if (take(":")) {
        value = parse_or(depth + 1);
      } else if (key->op == Op::Literal) {
        value = std::make_unique<Node>(Op::Field);
        value->text = key->value.as_string()->view();
        value->left = std::make_unique<Node>(Op::Identity);
      } else {
        return fail("expected ':'");
      }
      if (!value) return nullptr;
      node->entries.emplace_back(std::move(key), std::move(value));
    } while (take(","));
    return take("}") ? std::move(node) : fail("expected '}'");
  }

  NodePtr parse_object_key(int depth) {
    skip_space();
    if (take("(")) return parse_group(depth + 1);
    if (sees_name()) return literal(text_value(read_name()));
    std::string text;
    if (at_ < text_.size() && text_[at_] == '"') return read_string(text) ? literal(text_value(text)) : nullptr;
    return fail("expected a key");
  }

  NodePtr parse_name(int depth) {
    std::string name = read_name();
    if (name == "true") return literal(Value::boolean(true));
    if (name == "false") return literal(Value::boolean(false));
    if (name == "null") return literal(Value());
    auto node = std::make_unique<Node>(Op::Call);
    node->text = name;
    if (name == "map" || name == "select" || name == "has") {
      if (!take("(")) return fail(harn::format("expected '(' after {}", name));
      node->left = parse_group(depth);
      return node->left ? std::move(node) : nullptr;
    }
    for (std::string_view known : {"length", "keys", "values", "type", "not", "empty", "first", "last", "add"}) {
      if (known == name) return node;
    }
    return fail(harn::format("unknown function '{}'", name));
  }

  NodePtr parse_number() {
    size_t start = at_;
    if (text_[at_] == '-') ++at_;
    while (at_ < text_.size() &&
           (text::is_digit(text_[at_]) || text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E'))
      ++at_;
    auto number = data::parse_json(text_.substr(start, at_ - start));
    if (!number) return fail("invalid number");
    return literal(std::move(*number));
  }

  // A JSON string.
  bool read_string(std::string& out) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return fail("unterminated string"), false;
    auto parsed = data::parse_json(text_.substr(at_, end + 1 - at_));
    if (!parsed) return fail("invalid string"), false;
    out = parsed->as_string()->view();
    at_ = end + 1;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

}  // namespace

std::expected<NodePtr, std::string> parse(std::string_view expression) { return Parser(expression).parse(); }

}  // namespace harn::builtins::jq
