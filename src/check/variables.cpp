// Variables that others may change: what they are where nothing else is known, and what a call leaves of it.
#include "check/checker.h"
#include "check/kinds.h"
#include "syntax/children.h"

namespace harn::check {

using namespace syntax;
using compile::Variable;
using types::argument;

// ---- what a call may change ----

bool Checker::may_change(const Variable& variable, std::span<const Change* const> changes) {
  bool named = std::ranges::any_of(
      changes, [&](const Change* change) { return change->anything || change->variables.contains(&variable); });
  return named && known_.assignments.is_shared(variable, module_);
}

void Checker::forget_changed(std::span<const Change* const> changes) {
  for (const Variable* variable : flow_.watched()) {
    if (may_change(*variable, changes)) flow_.forget(known_.paths.of(variable));
  }
}

void Checker::forget_changed_by(const Node& call) {
  if (!flow_.watched().empty()) forget_changed(known_.assignments.of_call(call, module_));
}

// Somebody else goes on here, who may call anything.
void Checker::forget_shared() {
  static const Change anything{{}, true};
  const Change* all = &anything;
  forget_changed(std::span(&all, 1));
}

void Checker::forget_changed_inside(const Node& inside) {
  if (flow_.watched().empty()) return;
  auto [known, is_new] = changed_.try_emplace(&inside);
  std::vector<const Change*>& changes = known->second;
  if (is_new) {
    std::unordered_set<const Change*> seen;
    std::vector<const Node*> open = {&inside};
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (node->is(NodeKind::Call) || node->is(NodeKind::MethodCall) || node->is(NodeKind::Pipe)) {
        for (const Change* change : known_.assignments.of_call(*node, module_)) {
          if (seen.insert(change).second) changes.push_back(change);
        }
      }
      for_each_child(*node, [&](const Node& child) { open.push_back(&child); });
    }
  }
  forget_changed(changes);
}

// ---- what a variable may be ----

// A variable without a value yet, which some function is going to give it one.
bool Checker::waits_for_others(const compile::Variable& variable, const Type* value) {
  return known_.has_nil(value) && known_.assignments.is_shared(variable, module_);
}

// A variable without annotation that is given several values is what its assignments say in so many words; `any` when one
// of them does not say. What the variable itself is counts in them, so this is looked for until nothing is added.
Fact Checker::given(const Variable& variable) {
  Fact nothing{any()};
  if (!variable.assigned || variable.type || variable.declarations.size() > 1) return nothing;
  auto [known, is_new] = known_.given.try_emplace(&variable, nothing);  // of one that needs another that needs it: any
  if (!is_new) return known->second;
  auto* values = known_.assignments.values(variable, module_);
  if (!values) return nothing;
  constexpr int kMostRounds = 4;
  constexpr size_t kMostValues = 200;
  if (values->size() > kMostValues) return nothing;
  Given self{&variable, named(Kind::Never)};
  bool is_loose = false;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<const Type*> all;
    for (const Node* node : *values) {
      bool is_set = node->is(NodeKind::Let) || node->as<Assign>().op == AssignOp::Set;
      const Node& value = node->is(NodeKind::Let) ? *node->as<Let>().value : *node->as<Assign>().value;
      // That there is no value yet is nothing that anybody has promised, and nobody must ask about each time.
      is_loose = is_loose || value.is(NodeKind::NilLiteral);
      if (is_set && value.is(NodeKind::NilLiteral)) continue;
      const Type* type = said(value, self, 0);
      all.push_back(is_set ? type : combined(assigned_op(node->as<Assign>().op), self.type, type));
      if (types::is_gradual(known_.relation.plain(all.back()))) return nothing;
    }
    if (all.empty()) return nothing;
    const Type* sum = known_.widened(known_.table.unite(all));
    if (same_type(sum, self.type)) return known_.given[&variable] = {sum, 0, is_loose};
    self.type = sum;
  }
  return nothing;
}

// The type of an expression as far as it can be told wherever it stands; `any` otherwise.
const Type* Checker::said(const Node& node, const Given& self, int depth) {
  constexpr int kDeepest = 50;
  if (depth > kDeepest) return any();
  auto inner = [&](const Node& part) { return said(part, self, depth + 1); };
  switch (node.kind) {
    case NodeKind::NilLiteral: return known_.nil();
    case NodeKind::BoolLiteral: return named(Kind::Bool);
    case NodeKind::IntLiteral: return named(Kind::Int);
    case NodeKind::FloatLiteral: return named(Kind::Float);
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString: return named(Kind::String);
    case NodeKind::ListLiteral: return named(Kind::List);
    case NodeKind::DictLiteral: return named(Kind::Dict);
    case NodeKind::StructLiteral: {
      const Variable* owner = variable(node.as<StructLiteral>());
      const Node* declaration = owner ? owner->declaration : nullptr;
      if (!declaration || !declaration->is(NodeKind::Struct)) return any();
      auto& structure = declaration->as<Struct>();
      return structure.generics.empty() ? known_.lowering.self_type(structure) : any();
    }
    case NodeKind::Unary: {
      if (node.as<Unary>().op == UnaryOp::Not) return named(Kind::Bool);
      const Type* type = inner(*node.as<Unary>().operand);
      bool is_number = type->kind == Kind::Int || type->kind == Kind::Float;
      return is_number ? type : any();
    }
    case NodeKind::Binary: {
      auto& binary = node.as<Binary>();
      switch (binary.op) {
        case BinaryOp::Coalesce:
          return known_.table.unite({known_.without_nil(inner(*binary.left)), inner(*binary.right)});
        case BinaryOp::Add:
        case BinaryOp::Subtract:
        case BinaryOp::Multiply:
        case BinaryOp::Divide:
        case BinaryOp::Modulo:
        case BinaryOp::Power: return combined(binary.op, inner(*binary.left), inner(*binary.right));
        default: return named(Kind::Bool);
      }
    }
    case NodeKind::Ternary:
      return known_.table.unite({inner(*node.as<Ternary>().then_value), inner(*node.as<Ternary>().else_value)});
    case NodeKind::Identifier: {
      const Variable* meant = variable(node);
      if (!meant || known_.program.names.resolution.candidates.contains(&node)) return any();
      if (meant == self.variable) return self.type;
      if (meant->declarations.size() > 1) return any();
      if (meant->assigned && !meant->type) return given(*meant).type;
      if (!meant->assigned) {
        auto known = known_.variables.find(meant);
        bool is_known = known != known_.variables.end() && known->second.type && !known->second.loose;
        return is_known ? unbound(known->second.type) : any();
      }
      return unbound(known_.lowering.lower(*meant->type));
    }
    case NodeKind::Call: {
      const Node& callee = *node.as<Call>().callee;
      if (!callee.is(NodeKind::Identifier)) return any();
      const Variable* meant = variable(callee);
      const Type* function = nullptr;
      if (!meant) function = known_.builtin(callee.as<Identifier>().name);
      else if (!meant->assigned && meant->declaration && meant->declaration->is(NodeKind::Function)) {
        function = known_.function(meant->declaration->as<Function>());
      }
      return function && function->kind == Kind::Function ? unbound(function->result) : any();
    }
    case NodeKind::MethodCall: {
      const Type* object = inner(*node.as<MethodCall>().object);
      if (object->kind == Kind::Never) return object;  // nothing is known of the variable yet
      bool is_plain = !node.as<MethodCall>().optional && !types::is_gradual(known_.relation.plain(object)) &&
                      known_.members(object).size() == 1;
      if (!is_plain) return any();
      // What does not exist is told where it stands; as with operators, it says nothing here.
      std::string_view name = node.as<MethodCall>().name.text;
      return find_method(object, name).known ? unbound(method_result(object, name)) : named(Kind::Never);
    }
    case NodeKind::Member: {
      auto& member = node.as<Member>();
      const Type* object = inner(*member.object);
      if (object->kind == Kind::Never) return object;
      bool is_plain = !member.optional && !types::is_gradual(known_.relation.plain(object));
      const Type* field = is_plain ? field_of(object, member.name.text) : nullptr;
      return field ? unbound(field) : any();
    }
    case NodeKind::Index: {
      const Type* object = known_.relation.plain(inner(*node.as<Index>().object));
      if (object->kind == Kind::Never || object->kind == Kind::String) return object;
      return object->kind == Kind::List ? unbound(item_at(object)) : any();
    }
    case NodeKind::TryUnwrap: {
      const Type* operand = known_.relation.plain(inner(*node.as<TryUnwrap>().operand));
      const Type* value = operand->kind == Kind::Result ? argument(operand, 0) : nullptr;
      return value ? unbound(value) : any();
    }
    default: return any();
  }
}

// A type that means the same everywhere.
const Type* Checker::unbound(const Type* type) {
  return known_.relation.plain(type)->kind == Kind::Unknown ? any() : open_type(type);
}

// Of an operator, as far as it is defined: what is not is told where it stands.
const Type* Checker::combined(BinaryOp op, const Type* left, const Type* right) {
  constexpr size_t kMostPairs = 64;
  auto& lefts = known_.members(left);
  auto& rights = known_.members(right);
  if (types::is_gradual(known_.relation.plain(left)) || types::is_gradual(known_.relation.plain(right)) ||
      lefts.size() * rights.size() > kMostPairs) {
    return any();
  }
  std::vector<const Type*> results;
  for (const Type* one : lefts) {
    for (const Type* other : rights) {
      const Type* result = arithmetic_of(op, known_.relation.plain(one), known_.relation.plain(other));
      if (result) results.push_back(result);
    }
  }
  return known_.table.unite(results);
}

}  // namespace harn::check
