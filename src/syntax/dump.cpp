// A node is written as `(word fields...)`, its fields in the order of nodes.def: operators and flags first, what may be
// missing and lists beside the main one as `(name: values...)`. A part looks like a node without a word.
#include "syntax/dump.h"

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
constexpr bool kIsNode = std::is_same_v<T, const Node*>;
template <class T>
constexpr bool kIsHead = std::is_enum_v<T> || std::is_same_v<T, bool>;

// The nodes a node begins and ends with, as in `first + last`; null when it does with something else.
struct Ends {
  const Node* first = nullptr;
  const Node* last = nullptr;
  std::string_view label;  // of the last, when it may be missing
};
Ends ends_of(const Node& node) {
  Ends ends;
  bool at_start = true;
  with_kind(node, [&](const auto& known) {
    each_field(known, [&](auto field, const auto& value) {
      using T = std::remove_cvref_t<decltype(value)>;
      if (kIsHead<T> || field.use == FieldUse::Layout) return;
      ends.last = nullptr;
      if constexpr (kIsNode<T>) {
        if (at_start) ends.first = value;
        else ends.last = value;
        ends.label = field.use == FieldUse::Optional ? field.name : "";
      }
      at_start = false;
    });
  });
  return ends;
}

bool is_nil(const TypeNode& type) { return type.kind == TypeKind::Named && type.name.text == "nil"; }

// `T | nil` is another way to write `T?`.
bool is_optional(const TypeNode& type) {
  if (type.kind != TypeKind::Union || type.items.size() != 2 || !is_nil(*type.items[1])) return false;
  const TypeNode& item = *type.items[0];
  bool is_compound = item.kind == TypeKind::Union || item.kind == TypeKind::Intersection ||
                     item.kind == TypeKind::Function || item.kind == TypeKind::Optional;
  return !is_nil(item) && !is_compound;
}

class Dumper {
 public:
  std::string run(const Tree& tree) {
    for (const Node* item : tree.items) {
      node(*item);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  // Long chains of operators are deep on their left side, `else if` on the right: both are walked in loops, and only
  // what hangs on them with the stack.
  void node(const Node& outermost) {
    size_t closers = 0;
    for (const Node* at = &outermost; at;) {
      if (at->is(NodeKind::Block)) {
        indent_ += closers > 0;
        block(at->as<Block>());
        indent_ -= closers > 0;
        break;
      }
      std::vector<const Node*> links = {at};
      while (const Node* left = ends_of(*links.back()).first) links.push_back(left);
      for (const Node* link : links) head(*link);
      for (size_t i = links.size(); i-- > 1;) {
        rest(*links[i], i + 1 == links.size() ? nullptr : links[i + 1], nullptr);
        if (!is_bare(*links[i])) out_ += ')';
      }
      Ends ends = ends_of(*at);
      rest(*at, ends.first, ends.last);
      closers += is_bare(*at) ? 0 : 1;
      at = ends.last;
      if (!at) break;
      space();
      if (ends.label.empty()) continue;
      out_ += format("({}: ", ends.label);
      ++closers;
    }
    out_.append(closers, ')');
  }

  // Literals and names stand for themselves.
  static bool is_bare(const Node& node) {
    return node.kind <= NodeKind::StringLiteral || node.is(NodeKind::Identifier);
  }

  // The word, the operator and the flags, which come first wherever they are written.
  void head(const Node& node) {
    if (is_bare(node)) return;
    out_ += '(';
    std::string_view word = word_of(node.kind);
    if (word != "op") out_ += word;
    with_kind(node, [&](const auto& known) { each_field(known, [&](auto f, const auto& v) { head_field(f, v); }); });
    if (ends_of(node).first) out_ += ' ';
  }

  template <class T>
  void head_field(auto field, const T& value) {
    if constexpr (field.use == FieldUse::Layout) {
    } else if constexpr (std::is_enum_v<T>) {
      if (std::string_view word = word_for(value); !word.empty()) item(word);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (value) item(format(":{}", field.name));
    }
  }

  // All but the two ends, which the caller writes itself.
  void rest(const Node& node, const Node* first, const Node* last) {
    if (is_bare(node)) return bare(node);
    with_kind(node, [&](const auto& known) {
      each_field(known, [&](auto field, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (kIsNode<T>) {
          if (value && (value == first || value == last)) return;
        }
        if constexpr (!kIsHead<T>) body_field(field, value);
      });
    });
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
  void body_field(auto field, const T& value) {
    if constexpr (field.use != FieldUse::Layout) {
      if (is_absent(value)) return;
      bool is_labelled =
          field.use == FieldUse::Optional || (children::ListItem<T>::value && field.use != FieldUse::Items);
      if (is_labelled) item(format("({}:", field.name));
      show(value);
      if (is_labelled) out_ += ')';
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
      for (const auto& one : value) show(one);
    } else if constexpr (std::is_pointer_v<T>) {
      show(*value);
    } else if constexpr (std::is_base_of_v<Node, T>) {
      child(value);
    } else if constexpr (std::is_same_v<T, Name>) {
      space();
      if (text::is_identifier(value.text)) out_ += value.text;
      else quoted(value.text);
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      space();
      quoted(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      item(format("{}", value));
    } else if constexpr (std::is_same_v<T, TypeNode>) {
      type(value);
    } else {
      part(value);
    }
  }

  void child(const Node& value) {
    if (!value.is(NodeKind::Block) && !value.is(NodeKind::Function)) {
      space();
      return node(value);
    }
    ++indent_;
    new_line();
    if (value.is(NodeKind::Block)) block(value.as<Block>());
    else node(value);
    --indent_;
  }

  void block(const Block& value) {
    out_ += "(block";
    ++indent_;
    for (const Node* statement : value.statements) {
      new_line();
      node(*statement);
    }
    --indent_;
    out_ += ')';
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
    constexpr bool kHasBlock = std::is_same_v<T, MatchArm> || std::is_same_v<T, SelectCase>;
    indent_ += kHasBlock;
    if (kHasBlock) new_line();
    space();
    size_t start = out_.size();
    size_t values = 0;
    bool has_head = false;
    out_ += '(';
    each_field(value, [&](auto field, const auto& inner) {
      size_t before = out_.size();
      using Inner = std::remove_cvref_t<decltype(inner)>;
      if constexpr (kIsHead<Inner>) {
        head_field(field, inner);
        has_head |= out_.size() > before;
      } else {
        body_field(field, inner);
        values += out_.size() > before;
      }
    });
    if (values == 1 && !has_head) out_.erase(start, 1);
    else out_ += ')';
    indent_ -= kHasBlock;
  }

  void space() {
    if (!out_.empty() && out_.back() != '(' && out_.back() != ' ' && out_.back() != '\n') out_ += ' ';
  }
  void item(std::string_view text) {
    space();
    out_ += text;
  }
  void quoted(std::string_view text);
  void new_line() {
    out_ += '\n';
    out_.append(2 * indent_, ' ');
  }

  std::string out_;
  size_t indent_ = 0;
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
