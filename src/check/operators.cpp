// Operators: which types they take, and what comes out.
#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "check/checker.h"
#include "check/kinds.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

namespace {

bool is_number(Kind kind) {
  return kind == Kind::Int || kind == Kind::Float || kind == Kind::Number || kind == Kind::IntLiteral;
}
bool is_int(Kind kind) { return kind == Kind::Int || kind == Kind::IntLiteral; }
bool is_text(Kind kind) { return kind == Kind::String || kind == Kind::StringLiteral; }
bool is_duration(Kind kind) { return kind == Kind::Duration; }

std::string_view sign(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return "||";
    case BinaryOp::And: return "&&";
    case BinaryOp::Equal: return "==";
    case BinaryOp::NotEqual: return "!=";
    case BinaryOp::Less: return "<";
    case BinaryOp::Greater: return ">";
    case BinaryOp::LessEqual: return "<=";
    case BinaryOp::GreaterEqual: return ">=";
    case BinaryOp::In: return "in";
    case BinaryOp::NotIn: return "not in";
    case BinaryOp::Add: return "+";
    case BinaryOp::Subtract: return "-";
    case BinaryOp::Coalesce: return "??";
    case BinaryOp::Multiply: return "*";
    case BinaryOp::Divide: return "/";
    case BinaryOp::Modulo: return "%";
    case BinaryOp::Power: return "**";
  }
  return "";
}

}  // namespace

const Type* Checker::unary(const Unary& node) {
  if (node.op == UnaryOp::Not) {
    condition(*node.operand);
    return named(Kind::Bool);
  }
  const Type* type = known_.relation.plain(infer(*node.operand));
  if (type->kind == Kind::IntLiteral && type->integer != INT64_MIN) return known_.table.literal(-type->integer);
  if (is_loose(*node.operand)) return any();
  for (const Type* member : known_.members(type)) {
    Kind kind = known_.relation.plain(member)->kind;
    if (is_number(kind) || is_duration(kind) || says_nothing(kind) || is_folded_) continue;
    report(Code::BadOperand, node.span, fmt::format("can't negate {}", shown(known_.widened(type))))
        .label("needs a number");
    return any();
  }
  return known_.widened(type);
}

const Type* Checker::binary(const Binary& node, const Type* expected) {
  switch (node.op) {
    case BinaryOp::And:
    case BinaryOp::Or: {
      // Of both the outcome is a value; how it is narrowed on the way is the same as in a condition.
      Narrowing left = condition(*node.left);
      size_t mark = flow_.mark();
      bool was_reachable = flow_.reachable;
      flow_.set_all(node.op == BinaryOp::And ? left.yes : left.no);
      infer(*node.right);
      flow_.take(mark, was_reachable);
      return named(Kind::Bool);
    }
    case BinaryOp::Coalesce: return coalesce(node, expected);
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: comparison(node); return named(Kind::Bool);
    case BinaryOp::In:
    case BinaryOp::NotIn:
      infer(*node.left);
      infer(*node.right);
      return named(Kind::Bool);
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual: {
      const Type* left = infer(*node.left);
      const Type* right = infer(*node.right);
      Kind a = known_.relation.plain(left)->kind, b = known_.relation.plain(right)->kind;
      bool ordered = (is_number(a) && is_number(b)) || (is_text(a) && is_text(b)) || (is_duration(a) || is_duration(b));
      if (!ordered && a != Kind::Union && b != Kind::Union && !says_nothing(a) && !says_nothing(b)) {
        report(Code::DubiousComparison, node.span, sign(node.op), shown(left), shown(right))
            .help("only numbers and texts have an order; others compare as equal");
      }
      return named(Kind::Bool);
    }
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Modulo:
    case BinaryOp::Power: {
      const Type* left = infer(*node.left);
      const Type* right = infer(*node.right);
      return arithmetic(node.op, left, right, *node.left, *node.right, node.span, &node);
    }
  }
  return any();
}

// ---- equality ----

namespace {

// Values are equal to values of their own group only.
enum class Group : uint8_t { Unknown, Nil, Number, Text, Bool, List, Dict, Struct, Variant };

Group group_of(Kind kind) {
  switch (kind) {
    case Kind::Nil: return Group::Nil;
    case Kind::Int:
    case Kind::Float:
    case Kind::Number:
    case Kind::Duration:
    case Kind::IntLiteral: return Group::Number;
    case Kind::String:
    case Kind::StringLiteral: return Group::Text;
    case Kind::Bool:
    case Kind::BoolLiteral: return Group::Bool;
    case Kind::List: return Group::List;
    case Kind::Dict:
    case Kind::Shape: return Group::Dict;
    case Kind::Struct: return Group::Struct;
    case Kind::Enum:
    case Kind::Result: return Group::Variant;
    default: return Group::Unknown;
  }
}

bool is_literal(const Type* type) {
  return type->kind == Kind::StringLiteral || type->kind == Kind::IntLiteral || type->kind == Kind::BoolLiteral;
}

}  // namespace

bool Checker::may_be_equal(const Type* left, const Type* right) {
  constexpr size_t kMostPairs = 1 << 16;
  auto& lefts = known_.members(left);
  auto& rights = known_.members(right);
  if (lefts.empty() || rights.empty() || lefts.size() * rights.size() > kMostPairs) return true;
  // Which of several texts it is says a type; that a variable has one text says its last assignment.
  bool are_listed = lefts.size() > 1 || rights.size() > 1;
  for (const Type* member : lefts) {
    const Type* one = known_.relation.plain(member);
    for (const Type* second : rights) {
      const Type* other = known_.relation.plain(second);
      Group group = group_of(one->kind);
      if (group == Group::Unknown || group_of(other->kind) == Group::Unknown) return true;
      if (group != group_of(other->kind)) continue;
      bool are_declared = one->declaration && other->declaration;
      if (are_declared && one->declaration != other->declaration) continue;
      if (are_listed && is_literal(one) && is_literal(other) && !same_type(one, other)) continue;
      return true;
    }
  }
  return false;
}

void Checker::check_equality(const Binary& node, const Type* left, const Type* right) {
  auto is_nil = [&](const Type* type) { return known_.relation.plain(type)->kind == Kind::Nil; };
  if (is_nil(left) || is_nil(right) || is_loose(*node.left) || is_loose(*node.right) || may_be_equal(left, right))
    return;
  auto told = report(Code::NeverEqual, node.span, shown(left), shown(right), sign(node.op));
  slips_.insert(node.left);
  slips_.insert(node.right);
  told.label(node.op == BinaryOp::Equal ? "these are never equal" : "these always differ");
  const Node& written = node.left->is(NodeKind::StringLiteral) ? *node.left : *node.right;
  if (written.is(NodeKind::StringLiteral)) offer_literal(told, written, &written == node.left ? right : left);
}

// The text that was meant, where only some texts are possible.
void Checker::offer_literal(diag::Report& told, const Node& written, const Type* possible) {
  std::vector<std::string_view> texts;
  for (const Type* member : known_.members(possible)) {
    const Type* plain = known_.relation.plain(member);
    if (plain->kind == Kind::StringLiteral) texts.push_back(plain->text);
  }
  auto close = text::close_names(written.as<StringLiteral>().value, texts);
  if (close.empty()) return;
  told.help(fmt::format("did you mean `\"{}\"`?", close[0]));
  told.fix({fmt::format("use `\"{}\"`", close[0]), written.span, fmt::format("\"{}\"", close[0]), false});
}

// What `type_of` is called in other languages.
bool Checker::check_type_name(const Node& written) {
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"array", "list"}, {"boolean", "bool"}, {"double", "float"},  {"function", "closure"}, {"integer", "int"},
      {"map", "dict"},   {"none", "nil"},     {"null", "nil"},      {"number", "int"},       {"object", "dict"},
      {"str", "string"}, {"text", "string"},  {"undefined", "nil"},
  };
  std::string_view name = written.as<StringLiteral>().value;
  auto found = std::ranges::find(kElsewhere, name, &std::pair<std::string_view, std::string_view>::first);
  if (found == std::end(kElsewhere)) return false;
  auto told = report(Code::NeverEqual, written.span, "the name of a type", fmt::format("\"{}\"", name), "==");
  told.label("no type has this name").help(fmt::format("did you mean `\"{}\"`?", found->second));
  told.fix({fmt::format("use `\"{}\"`", found->second), written.span, fmt::format("\"{}\"", found->second), false});
  return true;
}

const Type* Checker::coalesce(const Binary& node, const Type* expected) {
  const Type* left = infer(*node.left);
  const Type* inside = known_.without_nil(left);
  // Only evaluated when the left side is nil.
  size_t mark = flow_.mark();
  bool was_reachable = flow_.reachable;
  const Type* right = infer(*node.right, expected ? expected : inside);
  if (!flow_.reachable) right = named(Kind::Never);
  flow_.take(mark, was_reachable);
  if (types::is_gradual(known_.relation.plain(left))) return any();
  // `options ?? {}`: an empty literal is whatever the other side is.
  bool is_empty = (node.right->is(NodeKind::DictLiteral) && node.right->as<DictLiteral>().entries.empty()) ||
                  (node.right->is(NodeKind::ListLiteral) && node.right->as<ListLiteral>().items.empty());
  if (is_empty && known_.relation.plain(inside)->kind == Kind::Never) return right;
  if (is_empty) {
    const Type* shape = known_.relation.as_shape(inside);
    bool all_optional = shape != nullptr;
    if (shape) {
      for (const types::Field& field : shape->fields) all_optional = all_optional && field.optional;
    }
    if (!shape || all_optional) return inside;
  }
  return known_.table.unite({inside, right});
}

const Type* Checker::added(const Type* left, const Type* right) {
  types::TypeTable& table = known_.table;
  if (left->kind == Kind::List && right->kind == Kind::List) {
    const Type* a = argument(left, 0);
    const Type* b = argument(right, 0);
    if (!a || !b) return named(Kind::List);
    const Type* items[] = {a, b};
    return table.list(table.unite(items), left->loose || right->loose || is_mixed(items));
  }
  bool left_dict = left->kind == Kind::Dict || left->kind == Kind::Shape;
  bool right_dict = right->kind == Kind::Dict || right->kind == Kind::Shape;
  if (!left_dict || !right_dict) return nullptr;
  const Type* a = known_.relation.as_shape(left);
  const Type* b = known_.relation.as_shape(right);
  if (!a || !b) return same_type(left, right) ? left : named(Kind::Dict);
  // The right side wins.
  std::vector<const Type*> parts(a->items.begin(), a->items.end());
  parts.push_back(b);
  return table.shape(a->fields, parts, a->loose && b->loose);
}

const Type* Checker::arithmetic_of(BinaryOp op, const Type* left, const Type* right) {
  Kind a = left->kind, b = right->kind;
  if (is_number(a) && is_number(b)) {
    if (is_int(a) && is_int(b)) return named(Kind::Int);
    bool is_open = a == Kind::Number || b == Kind::Number;
    return named(is_open && op != BinaryOp::Power ? Kind::Number : Kind::Float);
  }
  if (is_text(a) && is_text(b) && op == BinaryOp::Add) return named(Kind::String);
  if (op == BinaryOp::Multiply && ((is_text(a) && is_int(b)) || (is_int(a) && is_text(b)))) return named(Kind::String);
  if (op == BinaryOp::Add) {
    if (const Type* sum = added(left, right)) return sum;
  }
  bool are_durations = (is_duration(a) && (is_duration(b) || is_number(b))) || (is_number(a) && is_duration(b));
  return are_durations || says_nothing(a) || says_nothing(b) ? any() : nullptr;
}

// `"n: " + n` as one text: "n: ${n}". Empty where that would be more than a line.
static std::string interpolated(const Binary& node, std::string_view source) {
  auto inside = [&](const Node& operand, Span with_parentheses) -> std::string {
    std::string_view text =
        text::trim(source.substr(with_parentheses.start, with_parentheses.end - with_parentheses.start));
    bool is_text = operand.is(NodeKind::StringLiteral) || operand.is(NodeKind::InterpolatedString);
    bool is_plain =
        is_text && text.size() >= 2 && text.front() == '"' && text.back() == '"' && !text.starts_with("\"\"\"");
    return is_plain ? std::string(text.substr(1, text.size() - 2)) : fmt::format("${{{}}}", text);
  };
  std::string_view whole = source.substr(node.span.start, node.span.end - node.span.start);
  if (whole.find('\n') != whole.npos) return "";
  return fmt::format("\"{}{}\"", inside(*node.left, {node.span.start, node.op_span.start}),
                     inside(*node.right, {node.op_span.end, node.span.end}));
}

const Type* Checker::arithmetic(BinaryOp op, const Type* left_type, const Type* right_type, const Node& left_node,
                                const Node& right_node, Span where, const Binary* written) {
  const Type* left = known_.relation.plain(left_type);
  const Type* right = known_.relation.plain(right_type);
  auto nilable = [&](const Type* type, const Node& node) {
    if (type->kind != Kind::Union || !known_.has_nil(type) || is_loose(node)) return false;
    report(Code::BadOperand, node.span, fmt::format("operand of '{}' may be nil (type {})", sign(op), shown(type)))
        .label("may be nil")
        .help("give a default with `??`, or check `!= nil` first");
    return true;
  };
  // An operator that the fold of a constant cannot apply is told by the fold.
  if (!is_folded_ && (nilable(left, left_node) || nilable(right, right_node))) return any();
  auto is_open = [&](const Type* type, const Node& node) {
    if (type->kind != Kind::Unknown) return false;
    report(Code::BadOperand, node.span, fmt::format("can't use '{}' on an `unknown` value", sign(op)))
        .label("this may be anything")
        .help("narrow it first: `type_of(x) == \"...\"`, `schema_is(x, T)`, or `schema_expect(x, T)`");
    assume(node, any());
    return true;
  };
  if (is_open(left, left_node) || is_open(right, right_node)) return any();
  if (is_loose(left_node) || is_loose(right_node)) return any();
  // Each alternative may meet each of the other side.
  auto& lefts = known_.members(left_type);
  auto& rights = known_.members(right_type);
  constexpr size_t kMostPairs = 64;
  if (lefts.size() * rights.size() > kMostPairs) return any();
  std::vector<const Type*> results;
  bool undefined = false;
  for (const Type* one : lefts) {
    for (const Type* other : rights) {
      const Type* result = arithmetic_of(op, known_.relation.plain(one), known_.relation.plain(other));
      if (result) results.push_back(result);
      else undefined = true;
    }
  }
  if (!undefined) return known_.table.unite(results);
  if (is_folded_) return any();
  Kind a = left->kind, b = right->kind;
  left_type = known_.widened(left_type);
  right_type = known_.widened(right_type);
  auto are_texts = [&](const std::vector<const Type*>& types) {
    return std::ranges::all_of(types, [&](const Type* one) { return is_text(known_.relation.plain(one)->kind); });
  };
  if (op == BinaryOp::Add && (are_texts(lefts) || are_texts(rights))) {
    auto told = report(Code::TextJoined, where, shown(left_type), shown(right_type));
    told.help("use \"${...}\" or `to_string(...)`");
    // `text += n`
    std::string_view added = module_.source->text(right_node.span);
    if (!written && are_texts(lefts) && added.find('\n') == added.npos) {
      told.fix({"convert it with `${...}`", right_node.span, fmt::format("\"${{{}}}\"", added), false});
    }
    std::string joined = written ? interpolated(*written, module_.source->text()) : "";
    if (!joined.empty()) told.fix({"write one text with `${...}`", where, joined, false});
    return any();
  }
  std::string text;
  if (op == BinaryOp::Add) text = fmt::format("can't add {} and {}", shown(left_type), shown(right_type));
  else if (op == BinaryOp::Multiply && (is_text(a) || is_text(b))) {
    text = fmt::format("can't multiply {} and {} (try string * int)", shown(left_type), shown(right_type));
  } else {
    text = fmt::format("can't use '{}' on {} and {} (needs numeric operands)", sign(op), shown(left_type),
                       shown(right_type));
  }
  report(Code::BadOperand, where, text).label("not defined for these types");
  return any();
}

}  // namespace harn::check
