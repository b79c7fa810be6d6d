#include "audit/known_values.h"

#include <algorithm>
#include <cmath>

namespace harn::audit {

using namespace syntax;

static constexpr int kMostDepth = 64;

const compile::Variable* KnownValues::variable(const Node& node, const Frame* frame) const {
  return frame ? callables_.program().bindings(*frame->module).variable(node) : nullptr;
}

const Frame* KnownValues::module_frame(const modules::Module& module) const {
  auto [found, is_new] = modules_.try_emplace(&module);
  if (is_new) found->second.module = &module;
  return &found->second;
}

Known KnownValues::resolve(Known value) const {
  for (int i = 0; i < kMostDepth && value.node; ++i) {
    if (value.node->is(NodeKind::NamedArgument)) {
      value.node = value.node->as<NamedArgument>().value;
      continue;
    }
    if (!value.node->is(NodeKind::Identifier)) return value;
    const compile::Variable* named = variable(*value.node, value.frame);
    if (!named || named->assigned) return {};
    bool is_param = false;
    for (const Frame* frame = value.frame; frame && !is_param; frame = frame->around) {
      auto found = frame->params.find(named);
      if (found == frame->params.end()) continue;
      value = found->second;
      is_param = true;
    }
    if (is_param) continue;
    const Node* given = callables_.value(*named);
    if (!given) return {};
    // What a global stands for says nothing about the call that mentions it; its module may be another one.
    if (named->kind == compile::Variable::Kind::Global) {
      const modules::Module* home = Callables::home(*named);
      if (!home) return {};
      value.frame = module_frame(*home);
    }
    value.node = given;
  }
  return {};
}

std::optional<int64_t> KnownValues::integer(Known value, int depth) const {
  value = resolve(value);
  if (!value.node || depth > kMostDepth) return std::nullopt;
  auto in = [&](const Node* node) { return integer({node, value.frame}, depth + 1); };
  switch (value.node->kind) {
    case NodeKind::IntLiteral: return value.node->as<IntLiteral>().value;
    case NodeKind::DurationLiteral: return value.node->as<DurationLiteral>().milliseconds;
    case NodeKind::Unary: {
      auto& unary = value.node->as<Unary>();
      auto of = unary.op == UnaryOp::Negate ? in(unary.operand) : std::nullopt;
      return of && *of > INT64_MIN ? std::optional(-*of) : std::nullopt;
    }
    case NodeKind::Binary: {
      auto& binary = value.node->as<Binary>();
      auto left = in(binary.left), right = left ? in(binary.right) : std::nullopt;
      int64_t out = 0;
      if (!right) return std::nullopt;
      // What wraps around is not worth a guess.
      bool wraps = true;
      if (binary.op == BinaryOp::Add) wraps = __builtin_add_overflow(*left, *right, &out);
      else if (binary.op == BinaryOp::Subtract) wraps = __builtin_sub_overflow(*left, *right, &out);
      else if (binary.op == BinaryOp::Multiply) wraps = __builtin_mul_overflow(*left, *right, &out);
      return wraps ? std::nullopt : std::optional(out);
    }
    default: return std::nullopt;
  }
}

std::optional<double> KnownValues::number(Known value) const {
  Known resolved = resolve(value);
  if (resolved.node && resolved.node->is(NodeKind::FloatLiteral)) return resolved.node->as<FloatLiteral>().value;
  auto whole = integer(value);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<std::string> KnownValues::text(Known value) const {
  value = resolve(value);
  if (!value.node || !value.node->is(NodeKind::StringLiteral)) return std::nullopt;
  return std::string(value.node->as<StringLiteral>().value);
}

std::optional<int64_t> KnownValues::most_bytes(Known value, int depth) const {
  value = resolve(value);
  if (!value.node || depth > kMostDepth) return std::nullopt;
  switch (value.node->kind) {
    case NodeKind::StringLiteral: return static_cast<int64_t>(value.node->as<StringLiteral>().value.size());
    case NodeKind::IntLiteral: return 20;
    case NodeKind::BoolLiteral: return 5;
    case NodeKind::NilLiteral: return 3;
    case NodeKind::FloatLiteral: return 32;
    case NodeKind::InterpolatedString: {
      int64_t sum = 0;
      for (const Node* part : value.node->as<InterpolatedString>().parts) {
        auto one = most_bytes({part, value.frame}, depth + 1);
        if (!one) return std::nullopt;
        sum += *one;
      }
      return sum;
    }
    case NodeKind::Binary: {
      auto& binary = value.node->as<Binary>();
      if (binary.op != BinaryOp::Add) return std::nullopt;
      auto left = most_bytes({binary.left, value.frame}, depth + 1);
      auto right = most_bytes({binary.right, value.frame}, depth + 1);
      return left && right ? std::optional(*left + *right) : std::nullopt;
    }
    case NodeKind::Ternary: {
      auto& ternary = value.node->as<Ternary>();
      auto yes = most_bytes({ternary.then_value, value.frame}, depth + 1);
      auto no = most_bytes({ternary.else_value, value.frame}, depth + 1);
      return yes && no ? std::optional(std::max(*yes, *no)) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::optional<int64_t> KnownValues::most_items(Known value, int depth) const {
  value = resolve(value);
  if (!value.node || depth > kMostDepth) return std::nullopt;
  switch (value.node->kind) {
    case NodeKind::ListLiteral: {
      int64_t sum = 0;
      for (const Node* item : value.node->as<ListLiteral>().items) {
        if (!item->is(NodeKind::Spread)) {
          ++sum;
          continue;
        }
        auto more = most_items({item->as<Spread>().operand, value.frame}, depth + 1);
        if (!more) return std::nullopt;
        sum += *more;
      }
      return sum;
    }
    case NodeKind::DictLiteral: {
      auto known = fields(value, depth + 1);
      return known ? std::optional(static_cast<int64_t>(known->size())) : std::nullopt;
    }
    case NodeKind::StringLiteral: return static_cast<int64_t>(value.node->as<StringLiteral>().value.size());
    case NodeKind::Range: {
      auto& range = value.node->as<Range>();
      auto from = integer({range.start, value.frame}, depth + 1), to = integer({range.end, value.frame}, depth + 1);
      int64_t count = 0;
      if (!from || !to || __builtin_sub_overflow(*to, *from, &count)) return std::nullopt;
      if (!range.exclusive && __builtin_add_overflow(count, 1, &count)) return std::nullopt;
      return std::max<int64_t>(count, 0);
    }
    case NodeKind::Binary: {
      auto& binary = value.node->as<Binary>();
      if (binary.op != BinaryOp::Add) return std::nullopt;
      auto left = most_items({binary.left, value.frame}, depth + 1);
      auto right = most_items({binary.right, value.frame}, depth + 1);
      return left && right ? std::optional(*left + *right) : std::nullopt;
    }
    // What makes no list longer than its receiver.
    case NodeKind::MethodCall: {
      auto& call = value.node->as<MethodCall>();
      constexpr std::string_view kKeep[] = {"map",    "filter",    "reverse", "reversed", "sort", "sort_by",
                                            "unique", "enumerate", "take",    "skip",     "iter", "to_list",
                                            "keys",   "values",    "entries", "slice"};
      if (std::find(std::begin(kKeep), std::end(kKeep), call.name.text) == std::end(kKeep)) return std::nullopt;
      auto of = most_items({call.object, value.frame}, depth + 1);
      if (call.name.text == "take" && call.args.size() == 1) {
        auto most = integer({call.args[0], value.frame}, depth + 1);
        if (most) return of ? std::min(*of, std::max<int64_t>(*most, 0)) : std::max<int64_t>(*most, 0);
      }
      return of;
    }
    case NodeKind::Call: {
      auto& call = value.node->as<Call>();
      if (!value.frame) return std::nullopt;
      std::string_view name = callables_.target(*call.callee, *value.frame->module).builtin;
      if (name != "range" || call.args.empty() || call.args.size() > 2) return std::nullopt;
      auto first = integer({call.args[0], value.frame}, depth + 1);
      auto last = call.args.size() == 2 ? integer({call.args[1], value.frame}, depth + 1) : first;
      int64_t from = call.args.size() == 2 && first ? *first : 0, count = 0;
      if (!first || !last || __builtin_sub_overflow(*last, from, &count)) return std::nullopt;
      return std::max<int64_t>(count, 0);
    }
    default: return std::nullopt;
  }
}

std::optional<KnownValues::Fields> KnownValues::fields(Known value, int depth) const {
  value = resolve(value);
  if (!value.node || depth > kMostDepth) return std::nullopt;
  if (value.node->is(NodeKind::NilLiteral)) return Fields();
  if (value.node->is(NodeKind::Binary) && value.node->as<Binary>().op == BinaryOp::Add) {
    auto& sum = value.node->as<Binary>();
    auto left = fields({sum.left, value.frame}, depth + 1), right = fields({sum.right, value.frame}, depth + 1);
    if (!left || !right) return std::nullopt;
    for (auto& [name, one] : *right) (*left)[name] = one;
    return left;
  }
  if (!value.node->is(NodeKind::DictLiteral)) return std::nullopt;
  Fields out;
  for (const DictEntry& entry : value.node->as<DictLiteral>().entries) {
    if (entry.form == KeyForm::Computed) return std::nullopt;
    if (entry.form != KeyForm::Spread) {
      out[entry.key.text] = {entry.value, value.frame};
      continue;
    }
    auto more = fields({entry.value, value.frame}, depth + 1);
    if (!more) return std::nullopt;
    for (auto& [name, one] : *more) out[name] = one;
  }
  return out;
}

}  // namespace harn::audit
