// The bounded evaluator for `const` initialisers: literals, operators, lists, dicts, ternaries,
// subscripts and a few pure builtins. Everything else is rejected with a code that says why.
#include "compile/const_check.h"

#include <cmath>
#include <map>
#include <optional>
#include <variant>

#include "base/text.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

namespace {

struct Constant;
using ConstantList = std::vector<Constant>;
using ConstantDict = std::map<std::string, Constant>;
struct Constant {
  std::variant<std::monostate, bool, int64_t, double, std::string, ConstantList, ConstantDict> value;

  bool is_nil() const { return std::holds_alternative<std::monostate>(value); }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  bool is_number() const { return as<int64_t>() || as<double>(); }
  double number() const { return as<int64_t>() ? static_cast<double>(*as<int64_t>()) : *as<double>(); }
  bool truthy() const {
    if (is_nil()) return false;
    if (auto* b = as<bool>()) return *b;
    if (is_number()) return number() != 0;
    if (auto* s = as<std::string>()) return !s->empty();
    if (auto* l = as<ConstantList>()) return !l->empty();
    return !as<ConstantDict>()->empty();
  }
};

bool same(const Constant& a, const Constant& b) {
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.value.index() != b.value.index()) return false;
  if (auto* list = a.as<ConstantList>()) {
    auto& other = *b.as<ConstantList>();
    if (list->size() != other.size()) return false;
    for (size_t i = 0; i < other.size(); ++i) {
      if (!same((*list)[i], other[i])) return false;
    }
    return true;
  }
  if (auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (auto* flag = a.as<bool>()) return *flag == *b.as<bool>();
  if (auto* dict = a.as<ConstantDict>()) {
    auto& other = *b.as<ConstantDict>();
    if (dict->size() != other.size()) return false;
    for (auto& [key, value] : *dict) {
      auto found = other.find(key);
      if (found == other.end() || !same(value, found->second)) return false;
    }
  }
  return true;
}

// Evaluates one initialiser. The first problem is reported and ends it.
class Evaluator {
 public:
  Evaluator(const modules::Module& module, const Catalog& catalog, diag::Sink& sink, std::string_view name,
            const std::map<std::string_view, Constant>& known)
      : module_(module), catalog_(catalog), sink_(sink), name_(name), known_(known) {}

  std::optional<Constant> run(const Node* node) {
    Constant value = evaluate(node);
    if (failed_) return std::nullopt;
    return value;
  }

 private:
  static constexpr int kMaxDepth = 256;
  static constexpr int kMaxSteps = 100'000;
  static constexpr size_t kMaxText = 1 << 20;
  static constexpr size_t kMaxItems = 1 << 16;

  Constant reject(Span span, std::string_view why) {
    if (!failed_) sink_.report(Code::ConstNotAllowed, module_.source, span, name_, why);
    failed_ = true;
    return {};
  }
  Constant fails(Span span, std::string_view why) {
    if (!failed_) sink_.report(Code::ConstFails, module_.source, span, name_, why);
    failed_ = true;
    return {};
  }

  Constant evaluate(const Node* node) {
    if (failed_) return {};
    if (++steps_ > kMaxSteps) {
      sink_.report(Code::ConstTooManySteps, module_.source, node->span, name_);
      failed_ = true;
      return {};
    }
    if (depth_ >= kMaxDepth) {
      sink_.report(Code::ConstTooDeep, module_.source, node->span, name_);
      failed_ = true;
      return {};
    }
    ++depth_;
    Constant value = evaluate_node(node);
    --depth_;
    return value;
  }

  Constant evaluate_node(const Node* node) {
    switch (node->kind) {
      case NodeKind::NilLiteral: return {};
      case NodeKind::BoolLiteral: return {node->as<BoolLiteral>().value};
      case NodeKind::IntLiteral: return {node->as<IntLiteral>().value};
      case NodeKind::DurationLiteral: return {node->as<DurationLiteral>().milliseconds};
      case NodeKind::FloatLiteral: return {node->as<FloatLiteral>().value};
      case NodeKind::StringLiteral: return {std::string(node->as<StringLiteral>().value)};
      case NodeKind::InterpolatedString: return interpolate(node->as<InterpolatedString>());
      case NodeKind::ListLiteral: return list(node->as<ListLiteral>());
      case NodeKind::DictLiteral: return dict(node->as<DictLiteral>());
      case NodeKind::Identifier: return name(node->as<Identifier>());
      case NodeKind::Unary: return unary(node->as<Unary>());
      case NodeKind::Binary: return binary(node->as<Binary>());
      case NodeKind::Ternary: {
        auto& ternary = node->as<Ternary>();
        return evaluate(evaluate(ternary.condition).truthy() ? ternary.then_value : ternary.else_value);
      }
      case NodeKind::If: return branch(node->as<If>());
      case NodeKind::Index: return subscript(node->as<Index>());
      case NodeKind::Call: return call(node->as<Call>());
      case NodeKind::Member: return reject(node->span, "property access is not allowed in a constant");
      case NodeKind::MethodCall: return reject(node->span, "method calls are not allowed in a constant");
      default: return reject(node->span, "only literals, operators and a few pure builtins are allowed");
    }
  }

  Constant name(const Identifier& node) {
    auto found = known_.find(node.name);
    if (found != known_.end()) return found->second;
    if (node.name == "harness") return reject(node.span, "`harness` is only there at run time");
    return reject(node.span, fmt::format("`{}` is not a constant", node.name));
  }

  std::string show(const Constant& value) {
    if (value.is_nil()) return "nil";
    if (auto* flag = value.as<bool>()) return *flag ? "true" : "false";
    if (auto* whole = value.as<int64_t>()) return std::to_string(*whole);
    if (auto* number = value.as<double>()) return fmt::format("{}", *number);
    if (auto* text = value.as<std::string>()) return *text;
    return "";
  }

  Constant interpolate(const InterpolatedString& node) {
    std::string out;
    for (const Node* part : node.parts) out += show(evaluate(part));
    return {out};
  }

  Constant list(const ListLiteral& node) {
    ConstantList out;
    for (const Node* item : node.items) {
      if (!item->is(NodeKind::Spread)) {
        out.push_back(evaluate(item));
        continue;
      }
      Constant spread = evaluate(item->as<Spread>().operand);
      if (failed_) return {};
      auto* items = spread.as<ConstantList>();
      if (!items) return fails(item->span, "only a list can be spread here");
      out.insert(out.end(), items->begin(), items->end());
    }
    return {std::move(out)};
  }

  Constant dict(const DictLiteral& node) {
    ConstantDict out;
    for (const DictEntry& entry : node.entries) {
      Constant value = evaluate(entry.value);
      if (failed_) return {};
      if (entry.form == KeyForm::Spread) {
        auto* other = value.as<ConstantDict>();
        if (!other) return fails(entry.value->span, "only a dict can be spread here");
        for (auto& [key, item] : *other) out[key] = item;
      } else if (entry.form == KeyForm::Computed) {
        out[show(evaluate(entry.computed))] = std::move(value);
      } else {
        out[std::string(entry.key.text)] = std::move(value);
      }
    }
    return {std::move(out)};
  }

  Constant unary(const Unary& node) {
    Constant value = evaluate(node.operand);
    if (failed_) return {};
    if (node.op == UnaryOp::Not) return {!value.truthy()};
    if (auto* whole = value.as<int64_t>()) return {static_cast<int64_t>(0 - static_cast<uint64_t>(*whole))};
    if (auto* number = value.as<double>()) return {-*number};
    return fails(node.span, "only numbers can be negated");
  }

  Constant branch(const If& node) {
    const Node* taken = evaluate(node.condition).truthy() ? node.then_block : node.else_branch;
    if (failed_ || !taken) return {};
    if (taken->is(NodeKind::If)) return evaluate(taken);
    auto& block = taken->as<Block>();
    if (block.statements.size() != 1) return reject(taken->span, "a branch must be a single expression");
    return evaluate(block.statements[0]);
  }

  Constant subscript(const Index& node) {
    Constant object = evaluate(node.object);
    Constant key = evaluate(node.index);
    if (failed_) return {};
    if (auto* items = object.as<ConstantList>()) {
      auto* at = key.as<int64_t>();
      if (!at) return fails(node.span, "a list is indexed with an int");
      int64_t index = *at < 0 ? *at + static_cast<int64_t>(items->size()) : *at;
      if (index < 0 || index >= static_cast<int64_t>(items->size())) return {};
      return (*items)[static_cast<size_t>(index)];
    }
    if (auto* entries = object.as<ConstantDict>()) {
      auto found = entries->find(show(key));
      return found == entries->end() ? Constant{} : found->second;
    }
    return fails(node.span, "only lists and dicts can be indexed in a constant");
  }

  Constant binary(const Binary& node) {
    Constant left = evaluate(node.left);
    if (failed_) return {};
    if (node.op == BinaryOp::And && !left.truthy()) return {false};
    if (node.op == BinaryOp::Or && left.truthy()) return {true};
    if (node.op == BinaryOp::Coalesce && !left.is_nil()) return left;
    Constant right = evaluate(node.right);
    if (failed_) return {};
    switch (node.op) {
      case BinaryOp::And:
      case BinaryOp::Or: return {right.truthy()};
      case BinaryOp::Coalesce: return right;
      case BinaryOp::Equal: return {same(left, right)};
      case BinaryOp::NotEqual: return {!same(left, right)};
      case BinaryOp::Less:
      case BinaryOp::Greater:
      case BinaryOp::LessEqual:
      case BinaryOp::GreaterEqual: return {order(node.op, left, right)};
      case BinaryOp::In:
      case BinaryOp::NotIn: return reject(node.op_span, "`in` is not allowed in a constant");
      default: return arithmetic(node, left, right);
    }
  }

  static bool order(BinaryOp op, const Constant& a, const Constant& b) {
    int sign = 0;
    if (a.is_number() && b.is_number()) sign = a.number() < b.number() ? -1 : a.number() > b.number();
    else if (a.as<std::string>() && b.as<std::string>()) sign = a.as<std::string>()->compare(*b.as<std::string>());
    switch (op) {
      case BinaryOp::Less: return sign < 0;
      case BinaryOp::Greater: return sign > 0;
      case BinaryOp::LessEqual: return sign <= 0;
      default: return sign >= 0;
    }
  }

  Constant arithmetic(const Binary& node, const Constant& left, const Constant& right) {
    auto* a = left.as<int64_t>();
    auto* b = right.as<int64_t>();
    if (a && b) return integers(node, *a, *b);
    if (left.is_number() && right.is_number()) return floats(node, left.number(), right.number());
    if (node.op == BinaryOp::Add) {
      if (can_join(left, right)) return join(node.span, left, right);
      if (auto* dict = left.as<ConstantDict>(); dict && right.as<ConstantDict>()) {
        ConstantDict out = *dict;
        for (auto& [key, value] : *right.as<ConstantDict>()) out[key] = value;
        return {std::move(out)};
      }
    }
    if (node.op == BinaryOp::Multiply) {
      const std::string* text = left.as<std::string>() ? left.as<std::string>() : right.as<std::string>();
      const int64_t* count = a ? a : b;
      if (text && count) {
        if (*count > 0 && text->size() > kMaxText / static_cast<size_t>(*count)) {
          return fails(node.span, "the text is too long for a constant");
        }
        std::string out;
        for (int64_t i = 0; i < *count; ++i) out += *text;
        return {out};
      }
    }
    return fails(node.op_span, "these operands do not go with this operator");
  }

  Constant integers(const Binary& node, int64_t a, int64_t b) {
    int64_t out = 0;
    bool overflow = false;
    switch (node.op) {
      case BinaryOp::Add: overflow = __builtin_add_overflow(a, b, &out); break;
      case BinaryOp::Subtract: overflow = __builtin_sub_overflow(a, b, &out); break;
      case BinaryOp::Multiply: overflow = __builtin_mul_overflow(a, b, &out); break;
      case BinaryOp::Divide:
      case BinaryOp::Modulo:
        if (b == 0) return fails(node.op_span, "division by zero");
        if (b == -1) overflow = __builtin_sub_overflow(int64_t{0}, a, &out);
        else out = node.op == BinaryOp::Divide ? a / b : a % b;
        if (b == -1 && node.op == BinaryOp::Modulo) out = 0, overflow = false;
        break;
      default:
        if (b < 0) return {std::pow(static_cast<double>(a), static_cast<double>(b))};
        out = 1;
        for (int64_t i = 0; i < b && !overflow; ++i) {
          if (a == 0 || a == 1) {
            out = a;
            break;
          }
          if (a == -1) {
            out = b % 2 ? -1 : 1;
            break;
          }
          overflow = __builtin_mul_overflow(out, a, &out);
        }
    }
    if (overflow) return fails(node.op_span, "the result does not fit in a 64-bit integer");
    return {out};
  }

  Constant floats(const Binary& node, double a, double b) {
    switch (node.op) {
      case BinaryOp::Add: return {a + b};
      case BinaryOp::Subtract: return {a - b};
      case BinaryOp::Multiply: return {a * b};
      case BinaryOp::Divide: return {a / b};
      case BinaryOp::Modulo:
        if (b == 0) return fails(node.op_span, "division by zero");
        return {std::fmod(a, b)};
      default: return {std::pow(a, b)};
    }
  }

  Constant call(const Call& node) {
    if (!node.callee->is(NodeKind::Identifier)) return reject(node.span, "only pure builtins can be called");
    std::string_view callee = node.callee->as<Identifier>().name;
    auto builtin = catalog_.find(callee);
    if (builtin && builtin->touches_world) {
      if (!failed_) sink_.report(Code::ConstEffect, module_.source, node.span, name_, callee);
      failed_ = true;
      return {};
    }
    if (!builtin || !has(builtin->flags, bytecode::BuiltinFlags::Constant)) {
      return reject(node.callee->span, fmt::format("`{}` is not one of the pure builtins a constant may call", callee));
    }
    ConstantList args;
    for (const Node* arg : node.args) args.push_back(evaluate(arg));
    if (failed_) return {};
    return pure(node, callee, args);
  }

  Constant pure(const Call& node, std::string_view callee, const ConstantList& args) {
    auto text = [&](size_t i) { return i < args.size() ? args[i].as<std::string>() : nullptr; };
    auto is_number = [&](size_t i) { return i < args.size() && args[i].is_number(); };
    if (callee == "len") {
      if (args.size() != 1) return fails(node.span, "`len` takes one argument");
      if (text(0)) return {static_cast<int64_t>(text::count_chars(*text(0)))};
      if (auto* list = args[0].as<ConstantList>()) return {static_cast<int64_t>(list->size())};
      if (auto* dict = args[0].as<ConstantDict>()) return {static_cast<int64_t>(dict->size())};
      return {int64_t{0}};
    }
    if (callee == "min" || callee == "max") {
      if (args.size() != 2 || !is_number(0) || !is_number(1)) return fails(node.span, "two numbers are needed");
      bool first = callee == "min" ? args[0].number() <= args[1].number() : args[0].number() >= args[1].number();
      return args[first ? 0 : 1];
    }
    if (callee == "abs" || callee == "floor" || callee == "ceil" || callee == "round") {
      if (!is_number(0)) return fails(node.span, "a number is needed");
      if (auto* whole = args[0].as<int64_t>()) return {callee == "abs" && *whole < 0 ? -*whole : *whole};
      double number = args[0].number();
      if (callee == "abs") return {std::fabs(number)};
      double rounded = callee == "floor"  ? std::floor(number)
                       : callee == "ceil" ? std::ceil(number)
                                          : std::round(number);
      if (!(std::fabs(rounded) < 9.2e18)) return fails(node.span, "the result does not fit in a 64-bit integer");
      return {static_cast<int64_t>(rounded)};
    }
    if (callee == "trim" || callee == "lowercase" || callee == "uppercase") {
      if (!text(0)) return fails(node.span, "a string is needed");
      if (callee == "trim") return {std::string(text::trim(*text(0)))};
      return {*text(0)};  // only the kind matters here: the program computes the text itself
    }
    if (callee == "concat") return concat(node, args);
    // format, join: text from anything
    return {std::string()};
  }

  Constant concat(const Call& node, const ConstantList& args) {
    Constant out = args.empty() ? Constant{std::string()} : args[0];
    for (size_t i = 1; i < args.size() && !failed_; ++i) {
      if (!can_join(out, args[i])) return fails(node.span, "`concat` joins strings, or lists");
      out = join(node.span, out, args[i]);
    }
    return out;
  }

  static bool can_join(const Constant& left, const Constant& right) {
    return (left.as<std::string>() && right.as<std::string>()) || (left.as<ConstantList>() && right.as<ConstantList>());
  }

  Constant join(Span span, const Constant& left, const Constant& right) {
    if (auto* text = left.as<std::string>()) {
      const std::string& more = *right.as<std::string>();
      if (text->size() + more.size() > kMaxText) return fails(span, "the text is too long for a constant");
      return {*text + more};
    }
    ConstantList items = *left.as<ConstantList>();
    const ConstantList& more = *right.as<ConstantList>();
    if (items.size() + more.size() > kMaxItems) return fails(span, "the list is too long for a constant");
    items.insert(items.end(), more.begin(), more.end());
    return {std::move(items)};
  }

  const modules::Module& module_;
  const Catalog& catalog_;
  diag::Sink& sink_;
  std::string_view name_;
  const std::map<std::string_view, Constant>& known_;
  int steps_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

// Constants stand at the top level or in blocks; each sees the top-level ones before it.
class Finder {
 public:
  Finder(const modules::Module& module, const Catalog& catalog, diag::Sink& sink)
      : module_(module), catalog_(catalog), sink_(sink) {}

  void statements(NodeList list, std::map<std::string_view, Constant> known) {
    for (const Node* node : list) {
      if (node->is(NodeKind::Const)) {
        auto& constant = node->as<Const>();
        auto value = Evaluator(module_, catalog_, sink_, constant.name.text, known).run(constant.value);
        known[constant.name.text] = value ? std::move(*value) : Constant{};
      } else if (node->is(NodeKind::Function) && node->as<Function>().body) {
        statements(node->as<Function>().body->statements, known);
      } else if (node->is(NodeKind::Pipeline)) {
        statements(module_.pipelines.body_of(node->as<Pipeline>())->statements, known);
      }
    }
  }

 private:
  const modules::Module& module_;
  const Catalog& catalog_;
  diag::Sink& sink_;
};

}  // namespace

void check_constants(const modules::Module& module, const Catalog& catalog, diag::Sink& sink) {
  Finder(module, catalog, sink).statements(module.tree->items, {});
}

}  // namespace harn::compile
