// Expressions: each has a type. What is expected helps literals and closures, which could be several things.
#include <algorithm>
#include <optional>

#include "base/fmt.h"
#include "base/text.h"
#include "check/checker.h"
#include "check/kinds.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

const Type* Checker::infer(const Node& node, const Type* expected) {
  const Type* type = infer_kind(node, expected);
  if (record_) {
    if (node.id.number >= record_->nodes.size()) record_->nodes.resize(node.id.number + 1);
    record_->nodes[node.id.number] = type;
  }
  return type;
}

const Type* Checker::infer_kind(const Node& node, const Type* expected) {
  types::TypeTable& table = known_.table;
  switch (node.kind) {
    case NodeKind::NilLiteral: return known_.nil();
    case NodeKind::BoolLiteral: return table.literal_bool(node.as<BoolLiteral>().value);
    case NodeKind::IntLiteral: return table.literal(node.as<IntLiteral>().value);
    case NodeKind::FloatLiteral: return named(Kind::Float);
    case NodeKind::DurationLiteral: return named(Kind::Duration);
    case NodeKind::StringLiteral: return table.literal(node.as<StringLiteral>().value);
    case NodeKind::InterpolatedString:
      for (const Node* part : node.as<InterpolatedString>().parts) infer(*part);
      return named(Kind::String);
    case NodeKind::Identifier: return identifier(node.as<Identifier>());
    case NodeKind::ListLiteral: return list_literal(node.as<ListLiteral>(), expected);
    case NodeKind::DictLiteral: {
      const Type* literal = dict_literal(node.as<DictLiteral>().entries, expected);
      return asks_for_schema(expected) ? table.named(Kind::Schema, {described_by(node, 0)}) : literal;
    }
    case NodeKind::StructLiteral: return struct_literal(node.as<StructLiteral>(), expected);
    case NodeKind::Closure: return closure(node.as<Closure>(), expected);
    case NodeKind::Unary: return unary(node.as<Unary>());
    case NodeKind::Binary: return binary(node.as<Binary>(), expected);
    case NodeKind::Range:
      expect_int(*node.as<Range>().start, "`to` needs two ints");
      expect_int(*node.as<Range>().end, "`to` needs two ints");
      return table.named(Kind::List, {named(Kind::Int)});
    case NodeKind::Ternary: return ternary(node.as<Ternary>(), expected);
    case NodeKind::Pipe: {
      const Type* type = pipe(node.as<Pipe>());
      forget_changed_by(node);
      return type;
    }
    case NodeKind::Spread: {
      const Type* type = infer(*node.as<Spread>().operand, expected);
      item_type(type, *node.as<Spread>().operand);
      return type;
    }
    case NodeKind::NamedArgument: return infer(*node.as<NamedArgument>().value, expected);
    case NodeKind::Call: {
      const Type* type = call(node.as<Call>(), expected);
      forget_changed_by(node);
      return type;
    }
    case NodeKind::MethodCall: {
      const Type* type = method_call(node.as<MethodCall>(), expected);
      forget_changed_by(node);
      return type;
    }
    case NodeKind::Member: return member(node.as<Member>(), expected);
    case NodeKind::Index: return index(node.as<Index>());
    case NodeKind::Slice: return slice(node.as<Slice>());
    case NodeKind::TryUnwrap: return unwrapped(node.as<TryUnwrap>());
    case NodeKind::TryStar: return out_of_result(infer(*node.as<TryStar>().operand, expected));
    case NodeKind::Block: return block(node.as<Block>(), expected);
    case NodeKind::If: return if_else(node.as<If>(), expected);
    case NodeKind::Match: return match(node.as<Match>(), expected);
    case NodeKind::Try: return try_catch(node.as<Try>(), expected);
    case NodeKind::Retry: {
      expect_int(*node.as<Retry>().count, "`retry` needs an int");
      return table.optional(aside(*node.as<Retry>().body));
    }
    case NodeKind::Parallel: return parallel(node.as<Parallel>());
    case NodeKind::Spawn: {
      const Type* body = closure(*node.as<Spawn>().body, nullptr);
      return table.named(Kind::Task, {body->result});
    }
    case NodeKind::Deadline: infer(*node.as<Deadline>().duration); return block(*node.as<Deadline>().body, expected);
    case NodeKind::Mutex:
      // A statement, also where a value is asked for.
      block(*node.as<Mutex>().body);
      return flow_.reachable ? known_.nil() : named(Kind::Never);
    case NodeKind::Select: return select(node.as<Select>());
    case NodeKind::CostRoute:
      for (const DictEntry& option : node.as<CostRoute>().options) infer(*option.value);
      return block(*node.as<CostRoute>().body, expected);
    case NodeKind::HumanCall: return human_call(node.as<HumanCall>());
    // Statements, where a value is asked for.
    case NodeKind::Let:
    case NodeKind::Const:
    case NodeKind::Assign:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::Return:
    case NodeKind::Throw:
    case NodeKind::Break:
    case NodeKind::Continue:
    case NodeKind::Defer:
    case NodeKind::Guard:
    case NodeKind::Require:
    case NodeKind::Yield:
    case NodeKind::Emit:
    case NodeKind::Natural:
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool:
    case NodeKind::Skill:
    case NodeKind::EvalPack:
    case NodeKind::TypeAlias:
    case NodeKind::Enum:
    case NodeKind::Struct:
    case NodeKind::Impl:
    case NodeKind::Interface:
    case NodeKind::Import:
    case NodeKind::Broken: return statement(node, expected);
  }
  return any();
}

// ---- names ----

const Type* Checker::identifier(const Identifier& node) {
  const compile::Variable* meant = variable(node);
  if (!meant) {
    if (known_.program.catalog.constant(node.name)) return named(Kind::Float);
    const Type* builtin = known_.builtin(node.name);
    // `skills` alone is what `skills()` gives.
    bool is_value = builtin && builtin->kind == Kind::Function && builtin->params.empty();
    return builtin && !is_value ? builtin : any();
  }
  if (!meant->assigned && meant->declaration && meant->declaration->is(NodeKind::Interface)) {
    report(Code::UnknownVariable, node.span, node.name).label("an interface is a type, and no value");
  }
  return current(node).type;
}

// ---- literals ----

// Beyond these a literal is data, of which nobody wants to know the type.
static constexpr size_t kMostKinds = 8;
static constexpr size_t kMostFields = 256;
// In a list that is longer nobody is shown which item it is.
static constexpr size_t kMostParts = 1000;

// `["ann", 31]`: which item is what depends on its place.
bool Checker::is_mixed(std::span<const Type* const> items) {
  auto group = [&](const Type* type) {
    Kind kind = known_.relation.plain(type)->kind;
    if (kind == Kind::Float) return Kind::Int;
    return kind == Kind::Shape ? Kind::Dict : kind;
  };
  std::optional<Kind> first;
  for (const Type* item : items) {
    for (const Type* member : known_.members(item)) {
      Kind kind = group(member);
      if (kind == Kind::Nil) continue;
      if (first && *first != kind) return true;
      first = kind;
    }
  }
  return false;
}

// What is read at some place of a list.
const Type* Checker::item_at(const Type* list) {
  const Type* item = argument(list, 0);
  return item && !list->loose ? item : any();
}

const Type* Checker::list_literal(const ListLiteral& node, const Type* expected) {
  const Type* wanted = nullptr;
  if (expected) {
    for (const Type* member : known_.members(expected)) {
      const Type* plain = known_.relation.plain(member);
      if (plain->kind == Kind::List || plain->kind == Kind::Iterable) wanted = argument(plain, 0);
    }
    // Where anything will do, it is what it is.
    if (wanted && types::is_gradual(known_.relation.plain(wanted))) wanted = nullptr;
  }
  if (node.items.empty()) return wanted ? known_.table.named(Kind::List, {wanted}) : named(Kind::List);
  std::vector<const Type*> items;
  std::vector<Part> parts;
  size_t place = 0;
  bool all_fit = wanted != nullptr;
  for (const Node* item : node.items) {
    const Type* type = nullptr;
    if (item->is(NodeKind::Spread)) {
      const Node& operand = *item->as<Spread>().operand;
      type = item_type(infer(operand, expected), operand);
    } else {
      type = infer(*item, wanted);
    }
    all_fit = all_fit && fits(type, wanted);
    ++place;
    if (wanted && !item->is(NodeKind::Spread) && node.items.size() <= kMostParts) parts.push_back({item, type, place});
    const Type* one = known_.widened(type);
    auto is_same = [&](const Type* known) { return same_type(known, one); };
    if (items.size() <= kMostKinds && std::ranges::none_of(items, is_same)) items.push_back(one);
  }
  note_misfit(node, parts, wanted, expected);
  // What fits is what was asked for; otherwise the difference shall be seen.
  if (all_fit) return known_.table.named(Kind::List, {wanted});
  const Type* item = items.size() > kMostKinds ? any() : known_.table.unite(items);
  return known_.table.list(item, !wanted && is_mixed(items));
}

const Type* Checker::dict_literal(List<DictEntry> entries, const Type* expected) {
  const Type* shape = nullptr;
  const Type* value_type = nullptr;
  if (expected) {
    size_t shapes = 0;
    for (const Type* member : known_.members(expected)) {
      const Type* plain = known_.relation.plain(member);
      if (plain->kind == Kind::Dict) value_type = argument(plain, 1);
      if (const Type* one = plain->kind == Kind::Struct ? nullptr : known_.relation.as_shape(plain)) {
        shape = one;
        ++shapes;
      }
    }
    if (shapes > 1) shape = nullptr;
  }
  std::vector<types::Field> fields;
  std::vector<const Type*> tails;
  bool is_open = false;
  if (entries.size() > kMostFields && !shape) {
    for (const DictEntry& entry : entries) {
      if (entry.computed) infer(*entry.computed);
      infer(*entry.value, value_type);
    }
    return named(Kind::Dict);
  }
  auto put = [&](std::string_view name, const Type* type) {
    for (types::Field& field : fields) {
      if (field.name == name) {
        field = {name, type};
        return;
      }
    }
    fields.push_back({name, type});
  };
  for (const DictEntry& entry : entries) {
    if (entry.computed) {
      infer(*entry.computed);
      is_open = true;
    }
    if (entry.form == KeyForm::Spread) {
      const Type* plain = known_.relation.plain(infer(*entry.value));
      for (const Type* member : known_.members(plain)) {
        if (has_use(known_.relation.plain(member)->kind, kDictSpread)) continue;
        report(Code::BadOperand, entry.value->span, fmt::format("can't spread {} into a dict", shown(member)))
            .label("only dicts and structs have fields to take over");
        break;
      }
      const Type* spread = known_.relation.as_shape(plain);
      if (!spread || !spread->items.empty()) {
        is_open = true;
        continue;
      }
      for (const types::Field& field : spread->fields) {
        if (field.optional) is_open = true;
        else put(field.name, field.type);
      }
      continue;
    }
    const Type* wanted = value_type;
    if (shape) {
      for (const types::Field& field : shape->fields) {
        if (field.name == entry.key.text) wanted = field.optional ? known_.table.optional(field.type) : field.type;
      }
    }
    const Type* type = infer(*entry.value, wanted);
    if (!entry.computed) put(entry.key.text, type);
  }
  if (is_open) {
    // With keys that only the run knows it may have any field.
    if (fields.empty() || !shape) return named(Kind::Dict);
    tails.push_back(named(Kind::Dict));
  }
  return known_.table.shape(fields, tails, true);
}

// `x?`: the value in `Ok`.
const Type* Checker::unwrapped(const TryUnwrap& node) {
  const Type* type = infer(*node.operand);
  std::vector<const Type*> values;
  for (const Type* member : known_.members(type)) {
    const Type* plain = known_.relation.plain(member);
    if (!has_use(plain->kind, kUnwrapped)) {
      report(Code::BadOperand, node.span, fmt::format("`?` needs a Result, found {}", shown(known_.widened(type))))
          .label("neither `Ok` nor `Err`");
      return any();
    }
    values.push_back(plain->kind == Kind::Result && argument(plain, 0) ? argument(plain, 0) : any());
  }
  return known_.table.unite(values);
}

// `try*` takes what is in an Ok, and leaves other values as they are.
const Type* Checker::out_of_result(const Type* type) {
  std::vector<const Type*> values;
  for (const Type* member : known_.members(type)) {
    const Type* plain = known_.relation.plain(member);
    if (plain->kind == Kind::Result) values.push_back(argument(plain, 0) ? argument(plain, 0) : any());
    else values.push_back(member);
  }
  return known_.table.unite(values);
}

void Checker::expect_int(const Node& value, std::string_view what) {
  const Type* type = infer(value, named(Kind::Int));
  if (fits(type, named(Kind::Int)) || is_loose(value)) return;
  report(Code::BadOperand, value.span, fmt::format("{}, found {}", what, shown(known_.widened(type))))
      .label("found this type");
}

// ---- branches ----

const Type* Checker::if_else(const If& node, const Type* expected) {
  Narrowing narrowing = condition(*node.condition);
  bool was_reachable = flow_.reachable;
  size_t mark = flow_.mark();
  flow_.set_all(narrowing.yes);
  const Type* then = block(*node.then_block, expected);
  std::vector<Flow::Branch> branches = {flow_.take(mark, was_reachable)};
  flow_.set_all(narrowing.no);
  const Type* otherwise = node.else_branch ? infer(*node.else_branch, expected) : known_.nil();
  branches.push_back(flow_.take(mark, was_reachable));
  flow_.join(branches, known_.table);
  flow_.reachable = flow_.reachable && was_reachable;
  if (!branches[0].reachable) then = named(Kind::Never);
  if (!branches[1].reachable) otherwise = named(Kind::Never);
  std::vector<Part> parts = {{node.then_block, then}};
  if (node.else_branch) parts.push_back({node.else_branch, otherwise});
  note_misfit(node, parts, expected, expected);
  return known_.table.unite({then, otherwise});
}

// Which of the parts, one of which is the value, is to blame when the whole does not fit.
void Checker::note_misfit(const Node& whole, std::span<const Part> parts, const Type* expected, const Type* of_whole) {
  misfits_.erase(&whole);
  if (!expected) return;
  Part found;
  for (const Part& part : parts) {
    if (fits(part.type, expected)) continue;
    if (found.node) return;  // several
    found = part;
  }
  found.expected = expected;
  found.of_whole = of_whole;
  while (found.node && found.node->is(NodeKind::Block)) {
    auto& statements = found.node->as<Block>().statements;
    found.node = statements.empty() ? nullptr : statements.back();
  }
  if (found.node) misfits_[&whole] = found;
}

const Type* Checker::ternary(const Ternary& node, const Type* expected) {
  Narrowing narrowing = condition(*node.condition);
  bool was_reachable = flow_.reachable;
  size_t mark = flow_.mark();
  flow_.set_all(narrowing.yes);
  const Type* then = infer(*node.then_value, expected);
  std::vector<Flow::Branch> branches = {flow_.take(mark, was_reachable)};
  flow_.set_all(narrowing.no);
  const Type* otherwise = infer(*node.else_value, expected);
  branches.push_back(flow_.take(mark, was_reachable));
  flow_.join(branches, known_.table);
  flow_.reachable = flow_.reachable && was_reachable;
  const Part parts[] = {{node.then_value, then}, {node.else_value, otherwise}};
  note_misfit(node, parts, expected, expected);
  return known_.table.unite({then, otherwise});
}

const Type* Checker::aside(const Block& body, const Type* expected) {
  forget_assigned(body);
  bool was_reachable = flow_.reachable;
  size_t mark = flow_.mark();
  const Type* type = block(body, expected);
  flow_.take(mark, was_reachable);
  forget_assigned(body);
  return type;
}

const Type* Checker::try_catch(const Try& node, const Type* expected) {
  bool was_reachable = flow_.reachable;
  forget_assigned(*node.body);
  size_t mark = flow_.mark();
  const Type* body = block(*node.body, node.has_catch ? expected : nullptr);
  std::vector<Flow::Branch> branches = {flow_.take(mark, was_reachable)};
  const Type* type = body;
  if (node.has_catch) {
    if (!node.error_name.empty()) {
      const Type* error = node.error_type ? known_.lowering.lower(*node.error_type) : nullptr;
      declare(variable(node), error, error != nullptr);
    }
    const Type* caught = node.catch_block ? block(*node.catch_block, expected) : known_.nil();
    branches.push_back(flow_.take(mark, was_reachable));
    if (!branches[0].reachable) type = named(Kind::Never);
    if (!branches[1].reachable) caught = named(Kind::Never);
    type = known_.table.unite({type, caught});
  } else if (!node.finally_block) {
    // Without a handler it gives a Result, and the program goes on.
    type = known_.table.named(Kind::Result, {body, any()});
    branches[0].reachable = was_reachable;
  }
  flow_.join(branches, known_.table);
  flow_.reachable = flow_.reachable && was_reachable;
  // Without a handler the body may have ended anywhere.
  if (!node.has_catch) forget_assigned(*node.body);
  if (node.finally_block) {
    bool ends = flow_.reachable;
    flow_.reachable = was_reachable;
    block(*node.finally_block);
    flow_.reachable = flow_.reachable && ends;
  }
  return flow_.reachable ? type : named(Kind::Never);
}

const Type* Checker::select(const Select& node) {
  bool was_reachable = flow_.reachable;
  size_t mark = flow_.mark();
  std::vector<Flow::Branch> branches;
  std::vector<const Type*> types;
  for (const SelectCase& option : node.cases) {
    if (option.source) {
      const Type* source = known_.relation.plain(infer(*option.source));
      const Type* item = source->kind == Kind::Channel ? argument(source, 0) : nullptr;
      if (!option.binding.empty()) declare(variable(option), item, false);
    }
    const Type* type = block(*option.body);
    branches.push_back(flow_.take(mark, was_reachable));
    if (branches.back().reachable) types.push_back(type);
  }
  flow_.join(branches, known_.table);
  flow_.reachable = flow_.reachable && was_reachable;
  return known_.table.unite(types);
}

const Type* Checker::parallel(const Parallel& node) {
  const Type* item = named(Kind::Int);
  if (node.mode == ParallelMode::Count) expect_int(*node.source, "`parallel` needs an int");
  else item = item_type(infer(*node.source), *node.source);
  if (node.max_concurrent) {
    const Type* most = infer(*node.max_concurrent, named(Kind::Int));
    if (!fits(most, named(Kind::Int)) && !is_loose(*node.max_concurrent)) {
      std::string text = fmt::format("`max_concurrent` on `parallel` must be int, got {}", shown(known_.widened(most)));
      report(Code::BadConstruct, node.max_concurrent->span, text).label("found this type");
    }
  }
  types::Parameter param{"", item};
  const Type* wanted = known_.table.function(std::span(&param, node.body->params.empty() ? 0 : 1), any());
  const Type* body = closure(*node.body, wanted);
  if (node.as_stream) return known_.table.named(Kind::Stream, {body->result});
  if (node.mode == ParallelMode::Settle) {
    const Type* one = known_.table.named(Kind::Result, {known_.widened(body->result), any()});
    const types::Field fields[] = {{"results", known_.table.named(Kind::List, {one})},
                                   {"succeeded", named(Kind::Int)},
                                   {"failed", named(Kind::Int)}};
    return known_.table.shape(fields, {});
  }
  return known_.table.named(Kind::List, {known_.widened(body->result)});
}

// ---- what is expected ----

bool Checker::expect(const Node& value, const Type* expected, Code code, const std::string& context) {
  const Type* actual = infer(value, expected);
  if (fits(actual, expected)) return true;
  return mismatch(value, actual, expected, code, context);
}

// The part of a literal that is to blame, so that the carets show it.
static const Node* blamed(const Node& value, const Type* actual, const Type* expected, Knowledge& known) {
  if (!value.is(NodeKind::DictLiteral)) return &value;
  const Type* shape = known.relation.as_shape(known.without_nil(expected));
  const Type* given = known.relation.as_shape(actual);
  if (!shape || !given) return &value;
  const Node* found = nullptr;
  for (const DictEntry& entry : value.as<DictLiteral>().entries) {
    for (const types::Field& wanted : shape->fields) {
      if (wanted.name != entry.key.text || entry.computed || entry.form == KeyForm::Spread) continue;
      const Type* type = wanted.optional ? known.table.optional(wanted.type) : wanted.type;
      for (const types::Field& field : given->fields) {
        if (field.name != wanted.name || known.relation.fits(field.type, type)) continue;
        if (found) return &value;  // several
        found = entry.value;
      }
    }
  }
  return found ? found : &value;
}

// The method that makes such a collection of an iterator; null when it is neither.
static const char* collected(Kind from, Kind to) {
  if (from != Kind::Iter && from != Kind::Generator && from != Kind::Stream) return nullptr;
  switch (to) {
    case Kind::List: return "to_list";
    case Kind::Set: return "to_set";
    case Kind::Dict: return "to_dict";
    default: return nullptr;
  }
}

bool Checker::mismatch(const Node& value, const Type* actual, const Type* expected, Code code,
                       const std::string& context) {
  auto part = misfits_.find(&value);
  if (part != misfits_.end() && same_type(part->second.of_whole, expected)) {
    auto [blamed_node, type, item, wanted, _] = part->second;
    std::string place = item ? fmt::format("{}, item {}", context, item) : context;
    return mismatch(*blamed_node, type, wanted, code, place);
  }
  // The value of a literal matters where others are wanted.
  if (!fits(known_.widened(actual), expected)) actual = known_.widened(actual);
  std::string detail = known_.relation.detail(actual, expected);
  if (!detail.empty()) detail = fmt::format(" ({})", detail);
  auto told =
      report(code, blamed(value, actual, expected, known_)->span, context, shown(expected), shown(actual), detail);
  told.label("found this type");
  const Type* plain = known_.relation.plain(actual);
  const Type* wanted = known_.relation.plain(expected);
  if (const char* collect = collected(plain->kind, wanted->kind)) {
    told.help(fmt::format("an iterator gives its items one at a time; `.{}()` takes all of them", collect));
    told.fix({fmt::format("collect it with {}", collect),
              {value.span.end, value.span.end},
              fmt::format(".{}()", collect),
              false});
  } else if (plain->kind == Kind::Unknown) {
    told.help("narrow it first: `type_of(x) == \"...\"`, `schema_is(x, T)`, or `schema_expect(x, T)`");
  } else if (known_.has_nil(actual) && !known_.has_nil(expected) && fits(known_.without_nil(actual), expected)) {
    told.help("it may be nil: give a default with `??`, or check `!= nil` first");
  } else if (wanted->kind == Kind::String && (plain->kind == Kind::Int || plain->kind == Kind::IntLiteral ||
                                              plain->kind == Kind::Float || plain->kind == Kind::Bool)) {
    told.help("use `to_string(...)` or \"${...}\"");
    told.fix({"convert it with to_string", value.span, fmt::format("to_string({})", module_.source->text(value.span)),
              false});
  } else if (wanted->kind == Kind::Int && (plain->kind == Kind::String || plain->kind == Kind::StringLiteral)) {
    told.help("use `to_int(...)`, which is nil when the text is no number");
  }
  return false;
}

}  // namespace harn::check
