// A node is written as `(word fields...)`, its fields in the order of nodes.def: operators and flags first, what may be
// missing and lists beside the main one as `(name: values...)`. A part looks like a node without a word.
#include "syntax/dump.h"

#include <deque>
#include <utility>

#include "base/fmt.h"
#include "base/text.h"
#include "syntax/children.h"
#include "syntax/words.h"

namespace harn::syntax {

namespace {

std::string_view word_of(NodeKind kind) {
  switch (kind) {
#define HARN_NODE(name, base, word) \
  case NodeKind::name:              \
    return word;
#define HARN_BASE(name, base)
#define HARN_PART(name)
#define HARN_KEYED(name)
#define HARN_FIELD(type, name)
#define HARN_OPTION(type, name)
#define HARN_ITEMS(type, name)
#define HARN_LAYOUT(type, name)
#define HARN_END
#include "syntax/nodes.def"
  }
  return {};
}

template <class T>
constexpr bool kIsHead = std::is_enum_v<T> || std::is_same_v<T, bool>;

bool is_nil(const TypeNode& type) { return type.kind == TypeKind::Named && type.name.text == "nil"; }

// `T | nil` is another way to write `T?`.
bool is_optional(const TypeNode& type) {
  if (type.kind != TypeKind::Union || type.items.size() != 2 || !is_nil(*type.items[1])) return false;
  const TypeNode& item = *type.items[0];
  bool is_compound = item.kind == TypeKind::Union || item.kind == TypeKind::Intersection ||
                     item.kind == TypeKind::Function || item.kind == TypeKind::Optional;
  return !is_nil(item) && !is_compound;
}

// Trees may be deeper than the stack: what is inside a node is put on a list of steps and written from there.
class Dumper {
 public:
  std::string run(const Tree& tree) {
    for (const Node* item : tree.items) {
      steps_.push_back({Do::Node, {}, item});
      while (!steps_.empty()) {
        Step step = steps_.back();
        steps_.pop_back();
        perform(step);
        steps_.insert(steps_.end(), plan_.rbegin(), plan_.rend());
        plan_.clear();
      }
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  enum class Do : uint8_t { Text, Quoted, Space, In, Out, NewLine, Node, Type, Pattern, Value };
  struct Step {
    Do what;
    std::string_view text;
    const void* of = nullptr;
  };

  void perform(const Step& step) {
    switch (step.what) {
      case Do::Text: out_ += step.text; return;
      case Do::Quoted: return quoted(step.text);
      case Do::Space: return space();
      case Do::In: ++indent_; return;
      case Do::Out: --indent_; return;
      case Do::NewLine: return new_line();
      case Do::Node: return node(*static_cast<const Node*>(step.of));
      case Do::Type: return type(*static_cast<const TypeNode*>(step.of));
      case Do::Pattern: return part(*static_cast<const MatchPattern*>(step.of));
      case Do::Value: return part(*static_cast<const AttributeValue*>(step.of));
    }
  }

  void plan(Do what, const void* of = nullptr) { plan_.push_back({what, {}, of}); }
  void plan(std::string_view text) { plan_.push_back({Do::Text, text}); }
  void plan_word(std::string_view text) {
    plan(Do::Space);
    plan(text);
  }
  void plan_on_line(auto inside) {
    plan(Do::In);
    plan(Do::NewLine);
    inside();
    plan(Do::Out);
  }

  // The word, the operator and the flags come first, wherever they are written.
  void node(const Node& node) {
    if (is_bare(node)) return bare(node);
    if (node.is(NodeKind::Block)) return block(node.as<Block>());
    plan("(");
    std::string_view word = word_of(node.kind);
    if (word != "op") plan(word);
    with_kind(node, [&](const auto& known) {
      each_field(known, [&](auto field, const auto& value) { head_field(field, value); });
      each_field(known, [&](auto field, const auto& value) { body_field(field, value); });
    });
    plan(")");
  }

  void block(const Block& value) {
    plan("(block");
    for (const Node* statement : value.statements) {
      plan_on_line([&] { plan(Do::Node, statement); });
    }
    plan(")");
  }

  // Literals and names stand for themselves.
  static bool is_bare(const Node& node) {
    return node.kind <= NodeKind::StringLiteral || node.is(NodeKind::Identifier);
  }

  void bare(const Node& node) {
    if (node.is(NodeKind::NilLiteral)) out_ += "nil";
    if (node.is(NodeKind::BoolLiteral)) out_ += node.as<BoolLiteral>().value ? "true" : "false";
    if (node.is(NodeKind::IntLiteral)) out_ += std::to_string(node.as<IntLiteral>().value);
    if (node.is(NodeKind::FloatLiteral)) out_ += format("{:#}", node.as<FloatLiteral>().value);
    if (node.is(NodeKind::DurationLiteral)) out_ += format("{}ms", node.as<DurationLiteral>().milliseconds);
    if (node.is(NodeKind::StringLiteral)) quoted(node.as<StringLiteral>().value);
    if (node.is(NodeKind::Identifier)) out_ += node.as<Identifier>().name;
  }

  template <class T>
  void head_field(auto field, const T& value) {
    if constexpr (field.use == FieldUse::Layout) {
    } else if constexpr (std::is_enum_v<T>) {
      if (std::string_view word = word_for(value); !word.empty()) plan_word(word);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!value) return;
      plan_word(":");
      plan(field.name);
    }
  }

  template <class T>
  void body_field(auto field, const T& value) {
    if constexpr (!kIsHead<T> && field.use != FieldUse::Layout) {
      if (is_absent(value)) return;
      constexpr bool kIsLabelled =
          field.use == FieldUse::Optional || (children::ListItem<T>::value && field.use != FieldUse::Items);
      if (kIsLabelled) {
        plan_word("(");
        plan(field.name);
        plan(":");
      }
      show(value);
      if (kIsLabelled) plan(")");
    }
  }

  template <class T>
  static bool is_absent(const T& value) {
    if constexpr (std::is_pointer_v<T>) return value == nullptr;
    else if constexpr (std::is_arithmetic_v<T>) return value == T();
    else return value.empty();
  }

  template <class T>
  void show(const T& value) {
    if constexpr (children::ListItem<T>::value) {
      for (const auto& one : value) show_item(one);
    } else {
      show_item(value);
    }
  }

  template <class T>
  void show_item(const T& value) {
    if constexpr (std::is_pointer_v<T>) {
      show_item(*value);
    } else if constexpr (std::is_base_of_v<Node, T>) {
      child(value);
    } else if constexpr (std::is_same_v<T, MatchArm> || std::is_same_v<T, SelectCase>) {
      plan_on_line([&] { part(value); });
    } else {
      plan(Do::Space);
      leaf(value);
    }
  }

  template <class T>
  void leaf(const T& value) {
    if constexpr (std::is_same_v<T, Name>) {
      plan_.push_back({text::is_identifier(value.text) ? Do::Text : Do::Quoted, value.text});
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      plan_.push_back({Do::Quoted, value});
    } else if constexpr (std::is_arithmetic_v<T>) {
      plan(numbers_.emplace_back(format("{}", value)));
    } else if constexpr (std::is_same_v<T, TypeNode>) {
      plan(Do::Type, &value);
    } else if constexpr (std::is_same_v<T, MatchPattern>) {
      plan(Do::Pattern, &value);
    } else if constexpr (std::is_same_v<T, AttributeValue>) {
      plan(Do::Value, &value);
    } else {
      part(value);
    }
  }

  void child(const Node& value) {
    if (value.is(NodeKind::Block) || value.is(NodeKind::Function)) {
      return plan_on_line([&] { plan(Do::Node, &value); });
    }
    plan(Do::Space);
    plan(Do::Node, &value);
  }

  void type(const TypeNode& value) {
    if (!is_optional(value)) return part(value);
    TypeNode optional = value;
    optional.kind = TypeKind::Optional;
    optional.items = value.items.first(1);
    part(optional);
  }

  // In parentheses, unless it is one name or the like.
  template <class T>
  void part(const T& value) {
    size_t open = plan_.size();
    plan("(");
    each_field(value, [&](auto field, const auto& inner) { head_field(field, inner); });
    bool has_head = plan_.size() > open + 1;
    size_t values = 0;
    each_field(value, [&](auto field, const auto& inner) {
      size_t before = plan_.size();
      body_field(field, inner);
      values += plan_.size() > before;
    });
    if (values == 1 && !has_head) plan_[open].text = {};
    else plan(")");
  }

  void space() {
    if (!out_.empty() && out_.back() != '(' && out_.back() != ' ' && out_.back() != '\n') out_ += ' ';
  }
  void quoted(std::string_view text);
  void new_line() {
    out_ += '\n';
    out_.append(2 * indent_, ' ');
  }

  std::string out_;
  size_t indent_ = 0;
  std::vector<Step> steps_;  // what is still to be written, the next one last
  std::vector<Step> plan_;   // what the step being performed consists of
  std::deque<std::string> numbers_;
};

void Dumper::quoted(std::string_view text) {
  out_ += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out_ += format("\\x{:02x}", static_cast<uint8_t>(c));
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

}  // namespace

std::string dump(const Tree& tree) { return Dumper().run(tree); }

}  // namespace harn::syntax
