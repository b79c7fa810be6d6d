// Statements: what runs one after the other, and what variables hold.
#include <algorithm>
#include <optional>

#include "base/fmt.h"
#include "check/checker.h"
#include "check/kinds.h"
#include "syntax/children.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

const Type* Checker::block(const Block& block, const Type* expected) { return statements(block.statements, expected); }

const Type* Checker::statements(NodeList nodes, const Type* expected) {
  const Type* last = known_.nil();
  bool told = !flow_.reachable;  // somebody has said so already
  for (const Node* node : nodes) {
    bool is_declaration = node->kind >= NodeKind::Function && !node->is(NodeKind::Broken);
    if (!flow_.reachable && !told && !is_declaration) {
      told = true;
      report(Code::UnreachableCode, node->span).label("this never runs").help("the statement before it always leaves");
    }
    bool was_reachable = flow_.reachable;
    last = statement(*node, node == nodes.back() ? expected : nullptr);
    if (!was_reachable) flow_.reachable = false;
  }
  return flow_.reachable ? last : named(Kind::Never);
}

const Type* Checker::statement(const Node& node, const Type* expected) {
  switch (node.kind) {
    case NodeKind::Let: let(node.as<Let>()); break;
    case NodeKind::Const: constant(node.as<Const>()); break;
    case NodeKind::Assign: assign(node.as<Assign>()); break;
    case NodeKind::For: for_loop(node.as<For>()); break;
    case NodeKind::While: while_loop(node.as<While>()); break;
    case NodeKind::Return: give_back(node.as<Return>()); break;
    case NodeKind::Throw:
      infer(*node.as<Throw>().value);
      check_coverage("throw", node.span);
      leave();
      break;
    case NodeKind::Break:
    case NodeKind::Continue: leave(); break;
    case NodeKind::Defer: aside(*node.as<Defer>().body); break;
    case NodeKind::Guard: guard(node.as<Guard>()); break;
    case NodeKind::Require: require(node.as<Require>()); break;
    case NodeKind::Yield:
      if (const Node* value = node.as<Yield>().value) infer(*value);
      forget_shared();
      break;
    case NodeKind::Emit:
      if (frame_->yielded) expect(*node.as<Emit>().value, frame_->yielded, Code::ReturnMismatch, "`emit` value");
      else infer(*node.as<Emit>().value);
      forget_shared();
      break;
    case NodeKind::Natural: natural(node.as<Natural>()); break;
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool:
    case NodeKind::Impl: later(node); break;
    case NodeKind::TypeAlias:
    case NodeKind::Enum:
    case NodeKind::Struct:
    case NodeKind::Interface: variance(node); break;
    case NodeKind::Skill:
      for (const SkillField& field : node.as<Skill>().fields) infer(*field.value);
      break;
    case NodeKind::EvalPack:
      for (const SkillField& field : node.as<EvalPack>().fields) infer(*field.value);
      break;
    case NodeKind::Import:
    case NodeKind::Broken: break;
    default: return infer(node, expected);
  }
  return flow_.reachable ? known_.nil() : named(Kind::Never);
}

// ---- variables ----

void Checker::declare(const compile::Variable* variable, const Type* type, bool annotated, bool loose) {
  if (!variable) return;
  if (record_ && type) record_->variables[variable] = annotated ? type : known_.widened(type);
  PathId path = known_.paths.of(variable);
  flow_.forget(path);
  VariableType& known = known_.variables[variable];
  // A name that is declared at several places has the type of whichever ran last.
  if (variable->declarations.size() > 1) {
    known = {};
  } else if (annotated) {
    known = {type, true, false};
  } else if (!variable->assigned) {
    known = {type ? known_.widened(type) : nullptr, false, loose};
  } else {
    known = {};
    if (type && !waits_for_others(*variable, type)) flow_.set(path, {known_.widened(type), 0, loose});
  }
}

// A type that nobody has promised: what is put together here may grow.
static bool is_plain_literal(const Node& value) {
  switch (value.kind) {
    case NodeKind::DictLiteral:
    case NodeKind::ListLiteral:
    case NodeKind::NilLiteral: return true;
    default: return false;
  }
}

void Checker::let(const Let& node) {
  const Pattern& pattern = *node.pattern;
  bool is_name = pattern.kind == PatternKind::Name;
  const Type* annotation = node.type ? known_.lowering.lower(*node.type) : nullptr;
  const Type* type = annotation;
  if (annotation && is_name) {
    std::string context = fmt::format("{} binding `{}`", node.is_var ? "var" : "let", pattern.fields[0].binding.text);
    expect(*node.value, annotation, Code::LetMismatch, context);
  } else {
    type = infer(*node.value, annotation);
  }
  if (!flow_.reachable) return;
  if (!is_name) return bind_pattern(pattern, type, *node.value);
  const PatternField& field = pattern.fields[0];
  const compile::Variable* declared = variable(field);
  declare(declared, type, annotation != nullptr, is_plain_literal(*node.value));
  if (is_strict_ && !annotation) note_outside(declared, *node.value);
  bool waits = node.is_var && !annotation && node.value->is(NodeKind::NilLiteral);
  if (declared && waits && declared->declarations.size() <= 1) known_.variables[declared].is_waiting = true;
}

void Checker::constant(const Const& node) {
  const Type* annotation = node.type ? known_.lowering.lower(*node.type) : nullptr;
  const Type* type = annotation;
  is_folded_ = true;
  if (annotation) expect(*node.value, annotation, Code::LetMismatch, fmt::format("const binding `{}`", node.name.text));
  else type = infer(*node.value);
  is_folded_ = false;
  declare(variable(node), type, annotation != nullptr, is_plain_literal(*node.value));
}

// Whether there can be such parts in the value.
void Checker::check_taken_apart(const Pattern& pattern, const Type* type) {
  std::string_view wanted;
  bool is_dict = pattern.kind == PatternKind::Dict;
  auto may_be = [&](Kind kind) {
    if (says_nothing(kind)) return true;
    switch (pattern.kind) {
      case PatternKind::List: wanted = "`[...]` takes lists"; return kind == Kind::List;
      case PatternKind::Pair: wanted = "`(a, b)` takes pairs"; return kind == Kind::Pair;
      case PatternKind::Dict:
        wanted = "`{...}` takes dicts and structs";
        return has_use(kind, kDictSpread) && kind != Kind::Nil;
      case PatternKind::Name: return true;
    }
    return true;
  };
  for (const Type* member : known_.members(type)) {
    Kind kind = known_.relation.plain(member)->kind;
    if (may_be(kind)) continue;
    auto told =
        report(Code::BadMatchPattern, pattern.span, fmt::format("{}, found {}", wanted, shown(known_.widened(type))));
    if (kind == Kind::Nil) {
      told.help(fmt::format("give a default with `?? {}`, or check `!= nil` first", is_dict ? "{}" : "[]"));
    } else if (kind == Kind::Shape && pattern.kind == PatternKind::Pair) {
      told.help("the entries of a dict are taken apart with `{key, value}`");
    }
    return;
  }
}

void Checker::bind_pattern(const Pattern& pattern, const Type* type, const Node& value) {
  bool loose = is_loose(value);
  const Type* whole = known_.without_nil(type);
  if (!loose) check_taken_apart(pattern, type);
  for (const PatternField& field : pattern.fields) {
    const Type* part = nullptr;
    if (field.rest) {
      part = pattern.kind == PatternKind::List ? whole : named(Kind::Dict);
    } else if (pattern.kind == PatternKind::Dict) {
      std::string_view key = field.key.empty() ? field.binding.text : field.key.text;
      part = loose ? nullptr : field_of(whole, key);
      bool is_missing =
          !loose && !part && !field.default_value && known_.relation.as_shape(known_.relation.plain(whole));
      if (is_missing) tell_unknown_field(field.key.empty() ? field.binding : field.key, whole);
    } else if (pattern.kind == PatternKind::List) {
      const Type* plain = known_.relation.plain(whole);
      part = plain->kind == Kind::List && !plain->loose ? argument(plain, 0) : nullptr;
    } else if (pattern.kind == PatternKind::Pair) {
      const Type* plain = known_.relation.plain(whole);
      size_t at = static_cast<size_t>(&field - pattern.fields.data());
      if (plain->kind == Kind::Pair) part = argument(plain, at);
    } else {
      part = type;
    }
    if (field.default_value) {
      const Type* otherwise = infer(*field.default_value);
      if (part) part = known_.table.unite({known_.without_nil(part), known_.widened(otherwise)});
    }
    declare(variable(field), part, false, loose);
  }
}

void Checker::assign(const Assign& node) {
  const Type* value = nullptr;
  const Node& target = *node.target;
  PathId path = path_of(target);
  // The type of the place, without what is known about the value in it.
  const Type* slot = nullptr;
  const compile::Variable* written = target.is(NodeKind::Identifier) ? variable(target) : nullptr;
  if (written) {
    auto known = known_.variables.find(written);
    if (known != known_.variables.end() && known->second.annotated) slot = known->second.type;
  } else if (target.is(NodeKind::Member)) {
    auto& member = target.as<Member>();
    const Type* object = infer(*member.object);
    if (!is_loose(*member.object)) slot = field_of(known_.without_nil(object), member.name.text);
  } else if (target.is(NodeKind::Index)) {
    auto& index = target.as<Index>();
    const Type* object = known_.relation.plain(infer(*index.object));
    infer(*index.index);
    if (object->kind == Kind::List) slot = argument(object, 0);
    else if (object->kind == Kind::Dict) slot = argument(object, 1);
    if (is_loose(*index.object)) slot = nullptr;
  }
  std::string context = fmt::format("assignment to `{}`", module_.source->text(target.span));
  const Type* asked = slot ? slot : written ? known_.variables[written].fixed : nullptr;
  if (node.op == AssignOp::Set) {
    value = infer(*node.value, asked);
    if (asked && !fits(value, asked)) {
      mismatch(*node.value, value, asked, Code::AssignMismatch, context);
      value = nullptr;
    }
  } else {
    const Type* before = path ? current(target).type : slot ? slot : any();
    const Type* right = infer(*node.value);
    value = arithmetic(assigned_op(node.op), before, right, target, *node.value, node.span);
    if (asked && !fits(value, asked)) mismatch(*node.value, value, asked, Code::AssignMismatch, context);
  }
  if (!path) {
    // Something inside a list or a dict whose place is not known.
    const Node* base = &target;
    while (base->is(NodeKind::Member) || base->is(NodeKind::Index)) {
      base = base->is(NodeKind::Member) ? base->as<Member>().object : base->as<Index>().object;
      if (PathId known = path_of(*base)) {
        flow_.forget(known);
        break;
      }
    }
    return;
  }
  flow_.forget(path);
  if (!written) {
    // Its container has another field now, or one of another type.
    for (const Node* base = &target; base->is(NodeKind::Member) || base->is(NodeKind::Index);) {
      base = base->is(NodeKind::Member) ? base->as<Member>().object : base->as<Index>().object;
      PathId known = path_of(*base);
      if (const Fact* fact = known ? flow_.find(known) : nullptr; fact && fact->loose) {
        Fact other = *fact;
        other.type = named(Kind::Dict);
        flow_.set(known, other);
      }
    }
    return;
  }
  if (written->declarations.size() > 1 || (value && waits_for_others(*written, value))) return;
  VariableType& known = known_.variables[written];
  if (slot) {
    // The annotation holds again, but for what the new value cannot be.
    if (const Type* left = value ? what_is_left(slot, value) : nullptr) flow_.set(path, {left});
  } else if (value && !known.annotated) {
    if (known.is_waiting && !known.fixed) known.fixed = fixed_by(value);
    flow_.set(path, {known_.widened(value), 0, is_plain_literal(*node.value)});
  }
}

// The alternatives of an annotation that a value of such a type may be, told apart by what `type_of` would say: a
// string that was assigned is no nil and no int, but which variant of a union of shapes it is may change any time. Null
// when nothing is ruled out.
const Type* Checker::what_is_left(const Type* slot, const Type* value) {
  auto group = [&](const Type* type) -> std::optional<Kind> {
    switch (known_.relation.plain(type)->kind) {
      case Kind::Nil: return Kind::Nil;
      case Kind::Bool:
      case Kind::BoolLiteral: return Kind::Bool;
      case Kind::Int:
      case Kind::IntLiteral: return Kind::Int;
      case Kind::String:
      case Kind::StringLiteral: return Kind::String;
      case Kind::List: return Kind::List;
      case Kind::Dict:
      case Kind::Shape: return Kind::Dict;
      case Kind::Struct: return Kind::Struct;
      case Kind::Enum: return Kind::Enum;
      case Kind::Function:
      case Kind::Closure: return Kind::Closure;
      default: return std::nullopt;  // several, or nobody knows
    }
  };
  // An int where a float was asked for stays an int; a dict may stand for a struct.
  auto could_be = [](Kind asked, Kind given) {
    return asked == given || (asked == Kind::Struct && given == Kind::Dict);
  };
  std::vector<Kind> given;
  for (const Type* member : known_.members(value)) {
    auto one = group(member);
    if (!one) return nullptr;
    given.push_back(*one);
  }
  // That nothing is left but nil is no reason to say so: the annotation tells what may come next.
  if (std::ranges::all_of(given, [](Kind kind) { return kind == Kind::Nil; })) return nullptr;
  auto& members = known_.members(slot);
  std::vector<const Type*> kept;
  for (const Type* member : members) {
    auto asked = group(member);
    if (!asked || std::ranges::any_of(given, [&](Kind kind) { return could_be(*asked, kind); })) kept.push_back(member);
  }
  return kept.empty() || kept.size() == members.size() ? nullptr : known_.table.unite(kept);
}

// What a variable that began as nil may be from now on; null while that is open.
const Type* Checker::fixed_by(const Type* value) {
  const Type* type = known_.widened(known_.without_nil(value));
  switch (known_.relation.plain(type)->kind) {
    case Kind::Any:
    case Kind::Broken:
    case Kind::Foreign:
    case Kind::Unknown:
    case Kind::Never:
    case Kind::Parameter: return nullptr;
    // Of a literal nobody has promised more than its kind.
    case Kind::Shape:
    case Kind::Dict: return known_.table.optional(named(Kind::Dict));
    case Kind::List: return known_.table.optional(named(Kind::List));
    default: return known_.table.optional(type);
  }
}

// ---- loops ----

// Calls `found` for every variable that is assigned inside, also in closures.
static void each_assigned(const Node& node, const compile::Bindings& bindings, auto&& found) {
  std::vector<const Node*> open = {&node};
  while (!open.empty()) {
    const Node* next = open.back();
    open.pop_back();
    if (next->is(NodeKind::Assign)) {
      const Node* target = next->as<Assign>().target;
      while (target->is(NodeKind::Member) || target->is(NodeKind::Index)) {
        target = target->is(NodeKind::Member) ? target->as<Member>().object : target->as<Index>().object;
      }
      if (target->is(NodeKind::Identifier)) {
        if (const compile::Variable* variable = bindings.variable(*target)) found(variable);
      }
    } else if (next->is(NodeKind::Let) && next->as<Let>().pattern) {
      for (const PatternField& field : next->as<Let>().pattern->fields) {
        if (const compile::Variable* variable = bindings.variable(field)) found(variable);
      }
    }
    if (next->is(NodeKind::Natural)) {
      for (const Node* output : next->as<Natural>().outputs) {
        if (const compile::Variable* variable = bindings.variable(*output)) found(variable);
      }
    }
    for_each_child(*next, [&](const Node& child) { open.push_back(&child); });
  }
}

// What a model writes fits the annotation, and without one nobody knows.
void Checker::natural(const Natural& node) {
  infer(*node.program);
  for (const Node* input : node.inputs) infer(*input);
  for (const Node* output : node.outputs) {
    if (PathId path = path_of(*output)) flow_.forget(path);
  }
}

void Checker::forget_assigned(const Node& inside) {
  auto [found, is_new] = assigned_.try_emplace(&inside);
  std::vector<const compile::Variable*>& all = found->second;
  if (is_new) {
    std::unordered_set<const compile::Variable*> seen;
    each_assigned(inside, bindings_, [&](const compile::Variable* variable) {
      if (seen.insert(variable).second) all.push_back(variable);
    });
  }
  for (const compile::Variable* variable : all) flow_.forget(known_.paths.of(variable));
  forget_changed_inside(inside);
}

// What a loop over a dict sees.
const Type* Checker::entry_type(const Type* value) {
  types::Field fields[] = {{"key", named(Kind::String)}, {"value", value ? value : any()}};
  return known_.table.shape(fields);
}

void Checker::not_iterable(const Type* type, const Node& node) {
  auto told = report(Code::NotIterable, node.span, shown(type));
  if (!known_.has_nil(type)) {
    told.label("a loop cannot go over this");
    return;
  }
  told.label("may be nil").help("give a default with `?? []`, or check `!= nil` first");
  assume(node, known_.without_nil(type));
}

const Type* Checker::item_type(const Type* iterable, const Node& node) {
  const Type* out = nullptr;
  for (const Type* member : known_.members(iterable)) {
    const Type* plain = known_.relation.plain(member);
    const Type* item = any();
    switch (plain->kind) {
      case Kind::List:
      case Kind::Set:
      case Kind::Iterable:
      case Kind::Iter:
      case Kind::Generator:
      case Kind::Stream:
      case Kind::Channel:
        if (argument(plain, 0)) item = argument(plain, 0);
        break;
      case Kind::Dict: item = entry_type(argument(plain, 1)); break;
      case Kind::Shape: {
        const Type* shape = known_.relation.as_shape(plain);
        std::vector<const Type*> values;
        for (const types::Field& field : shape->fields) values.push_back(known_.widened(field.type));
        bool is_open = !shape->items.empty() || shape->loose || values.empty();
        item = entry_type(is_open ? nullptr : known_.table.unite(values));
        break;
      }
      case Kind::String:
      case Kind::StringLiteral: item = named(Kind::String); break;
      default:
        if (has_use(plain->kind, kIterated) || (plain->kind == Kind::Nil && is_loose(node))) break;
        not_iterable(iterable, node);
        return any();
    }
    out = out ? known_.table.unite({out, item}) : item;
  }
  return out ? out : any();
}

void Checker::for_loop(const For& node) {
  const Type* iterable = infer(*node.iterable);
  const Type* item = item_type(iterable, *node.iterable);
  forget_assigned(node);
  size_t mark = flow_.mark();
  bool was_reachable = flow_.reachable;
  bind_pattern(*node.pattern, item, *node.iterable);
  block(*node.body);
  flow_.take(mark, was_reachable);
  forget_assigned(node);
}

// `while true` without a way out ends only by leaving the function.
static bool has_break(const Node& body) {
  std::vector<const Node*> open = {&body};
  while (!open.empty()) {
    const Node* next = open.back();
    open.pop_back();
    if (next->is(NodeKind::Break)) return true;
    if (next->is(NodeKind::For) || next->is(NodeKind::While) || next->is(NodeKind::Closure) ||
        next->is(NodeKind::Function)) {
      continue;
    }
    for_each_child(*next, [&](const Node& child) { open.push_back(&child); });
  }
  return false;
}

void Checker::while_loop(const While& node) {
  forget_assigned(node);
  bool was_reachable = flow_.reachable;
  Narrowing narrowing = condition(*node.condition);
  size_t mark = flow_.mark();
  flow_.set_all(narrowing.yes);
  block(*node.body);
  flow_.take(mark, was_reachable);
  forget_assigned(node);
  bool breaks = has_break(*node.body);
  if (!breaks) flow_.set_all(narrowing.no);
  bool forever = node.condition->is(NodeKind::BoolLiteral) && node.condition->as<BoolLiteral>().value;
  if (forever && !breaks) leave();
}

// ---- leaving ----

void Checker::give_back(const Return& node) {
  const Type* type = known_.nil();
  if (frame_->result && node.value) {
    if (!expect(*node.value, frame_->result, Code::ReturnMismatch, std::string(frame_->what))) type = any();
    else type = frame_->result;
  } else if (node.value) {
    type = infer(*node.value);
  } else if (frame_->result && !fits(type, frame_->result)) {
    report(Code::ReturnMismatch, node.span, frame_->what, shown(frame_->result), "nil", "")
        .label("nothing is returned");
  }
  frame_->returned.push_back(type);
  leave();
}

void Checker::guard(const Guard& node) {
  Narrowing narrowing = condition(*node.condition);
  size_t mark = flow_.mark();
  bool was_reachable = flow_.reachable;
  flow_.set_all(narrowing.no);
  block(*node.else_block);
  flow_.take(mark, was_reachable);
  flow_.set_all(narrowing.yes);
}

void Checker::require(const Require& node) {
  Narrowing narrowing = condition(*node.condition);
  if (node.message) infer(*node.message);
  flow_.set_all(narrowing.yes);
}

}  // namespace harn::check
