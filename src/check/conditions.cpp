// Conditions: what their outcome tells about the values in them.
#include <algorithm>

#include "base/fmt.h"
#include "check/checker.h"
#include "check/kinds.h"
#include "types/print.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

// ---- references ----

// Longer ones are not worth remembering, and looking at each part of one again would take the square of its length.
static bool is_long(const Node& node) {
  constexpr int kLongest = 12;
  const Node* at = &node;
  for (int length = 0; length < kLongest; ++length) {
    if (at->is(NodeKind::Member)) at = at->as<Member>().object;
    else if (at->is(NodeKind::Index)) at = at->as<Index>().object;
    else return false;
  }
  return true;
}

PathId Checker::path_of(const Node& node) {
  if (is_long(node)) return 0;
  switch (node.kind) {
    case NodeKind::Identifier: {
      const compile::Variable* meant = variable(node);
      return meant ? known_.paths.of(meant) : 0;
    }
    case NodeKind::Member: {
      PathId base = path_of(*node.as<Member>().object);
      return base ? known_.paths.child(base, node.as<Member>().name.text) : 0;
    }
    case NodeKind::Index: {
      auto& index = node.as<Index>();
      PathId base = path_of(*index.object);
      if (!base) return 0;
      if (index.index->is(NodeKind::StringLiteral)) {
        return known_.paths.child(base, index.index->as<StringLiteral>().value);
      }
      if (index.index->is(NodeKind::IntLiteral)) {
        return known_.paths.child(base, fmt::format("[{}]", index.index->as<IntLiteral>().value));
      }
      return 0;
    }
    default: return 0;
  }
}

// What a name is at this place.
Fact Checker::current(const Node& node) {
  if (!node.is(NodeKind::Identifier)) {
    PathId path = path_of(node);
    const Fact* fact = path ? flow_.find(path) : nullptr;
    if (fact) return *fact;
    // It was looked at before, and told what there was to tell.
    ++quiet_;
    Fact found{infer(node)};
    --quiet_;
    return found;
  }
  const compile::Variable* meant = variable(node);
  if (!meant) return {any()};
  if (const Fact* fact = flow_.find(known_.paths.of(meant))) return *fact;
  auto known = known_.variables.find(meant);
  if (known != known_.variables.end() && known->second.type) return {known->second.type, 0, known->second.loose};
  // A name that may mean several variables means the first that is set.
  if (known_.program.names.resolution.candidates.contains(&node)) return {any()};
  if (meant->assigned && (known == known_.variables.end() || !known->second.annotated)) return given(*meant);
  if (meant->declaration && !meant->assigned) {
    switch (meant->declaration->kind) {
      case NodeKind::Function: return {known_.function(meant->declaration->as<Function>())};
      case NodeKind::Pipeline: return {known_.pipeline(meant->declaration->as<Pipeline>())};
      case NodeKind::Tool:
      case NodeKind::Skill: return {named(Kind::Dict)};  // registries of one
      case NodeKind::TypeAlias: {
        auto& alias = meant->declaration->as<TypeAlias>();
        if (!alias.generics.empty()) break;
        const Type* type = known_.table.declared(Kind::Alias, alias.name.text, alias, {});
        return {known_.table.named(Kind::Schema, {type})};
      }
      default: break;
    }
  }
  return {any()};
}

// ---- conditions ----

static Checker::Narrowing inverted(Checker::Narrowing narrowing) {
  std::swap(narrowing.yes, narrowing.no);
  return narrowing;
}

// Behind `x == 1 || x == 2 || ...` it is one of so many, and otherwise what it was.
static constexpr size_t kMostInChain = 500;

Checker::Narrowing Checker::condition(const Node& node) {
  switch (node.kind) {
    case NodeKind::Unary:
      if (node.as<Unary>().op == UnaryOp::Not) return inverted(condition(*node.as<Unary>().operand));
      break;
    case NodeKind::Binary: {
      auto& binary = node.as<Binary>();
      if (binary.op == BinaryOp::Equal || binary.op == BinaryOp::NotEqual) return comparison(binary);
      if (binary.op != BinaryOp::And && binary.op != BinaryOp::Or) break;
      bool is_and = binary.op == BinaryOp::And;
      Narrowing left = condition(*binary.left);
      size_t mark = flow_.mark();
      bool was_reachable = flow_.reachable;
      flow_.set_all(is_and ? left.yes : left.no);
      Narrowing right = condition(*binary.right);
      // What a call on the right may have changed is not known any more.
      std::erase_if(is_and ? left.yes : left.no, [&](auto& fact) { return !flow_.find(fact.first); });
      flow_.take(mark, was_reachable);
      Narrowing out;
      Facts& both = is_and ? out.yes : out.no;
      both = is_and ? left.yes : left.no;
      auto& more = is_and ? right.yes : right.no;
      // The right side knew what the left one said.
      for (auto& [path, fact] : more) {
        auto known = std::ranges::find(both, path, [](auto& one) { return one.first; });
        if (known == both.end()) both.emplace_back(path, fact);
        else known->second = fact;
      }
      // On the other way one of the two is true: what both say about a value is its type.
      Facts& either = is_and ? out.no : out.yes;
      for (auto& [path, fact] : is_and ? left.no : left.yes) {
        for (auto& [other, second] : is_and ? right.no : right.yes) {
          if (path != other || known_.members(fact.type).size() > kMostInChain) continue;
          Fact sum{known_.table.unite({fact.type, second.type}),
                   static_cast<uint16_t>(fact.ruled_out & second.ruled_out), fact.loose || second.loose};
          either.emplace_back(path, sum);
        }
      }
      return out;
    }
    case NodeKind::Call:
    case NodeKind::MethodCall: return call_test(node);
    case NodeKind::Identifier:
    case NodeKind::Member:
    case NodeKind::Index: return truth(node);
    default: break;
  }
  infer(node);
  return {};
}

Checker::Narrowing Checker::comparison(const Binary& node) {
  const Node* left = node.left;
  const Node* right = node.right;
  auto is_literal = [](const Node& side) {
    return side.is(NodeKind::NilLiteral) || side.is(NodeKind::StringLiteral) || side.is(NodeKind::IntLiteral) ||
           side.is(NodeKind::BoolLiteral);
  };
  if (is_literal(*left) && !is_literal(*right)) std::swap(left, right);
  Narrowing out;
  if (right->is(NodeKind::StringLiteral) && is_builtin_call(*left, "type_of") && left->as<Call>().args.size() == 1) {
    infer(*left);
    if (check_type_name(*right)) slips_.insert(left);
    out = type_test(*left->as<Call>().args[0], right->as<StringLiteral>().value);
  } else if (right->is(NodeKind::NilLiteral)) {
    infer(*left);
    out = nil_test(*left);
  } else if (is_literal(*right)) {
    const Type* type = infer(*left);
    const Type* literal = infer(*right);
    check_equality(node, left == node.left ? type : literal, left == node.left ? literal : type);
    out = literal_test(*left, literal);
  } else {
    const Type* first = infer(*left);
    const Type* second = infer(*right);
    check_equality(node, first, second);
    if (is_some_value(second)) is_no_nil(*left, out.yes);
    if (is_some_value(first)) is_no_nil(*right, out.yes);
  }
  for (const Node* side : {left, right}) {
    give_up(*side, out.yes);
    give_up(*side, out.no);
  }
  return node.op == BinaryOp::Equal ? out : inverted(out);
}

// A question with a slip in it would have told something of what it asks about: one mistake is told once.
void Checker::give_up(const Node& question, Facts& facts) {
  auto anything = [&](const Node& value) {
    if (PathId path = path_of(value)) facts.emplace_back(path, Fact{any()});
  };
  if (question.is(NodeKind::Member)) {
    if (slips_.contains(&question)) anything(*question.as<Member>().object);
  } else if (question.is(NodeKind::Identifier)) {
    if (slips_.contains(&question)) anything(question);
  } else if (question.is(NodeKind::Call)) {
    auto& call = question.as<Call>();
    bool is_unknown = call.callee->is(NodeKind::Identifier) && !variable(*call.callee) &&
                      !known_.builtin(call.callee->as<Identifier>().name);
    if (!is_unknown && !slips_.contains(&question)) return;
    for (const Node* arg : call.args) anything(*arg);
  }
}

// Whether a value of the type is certain not to be nil.
bool Checker::is_some_value(const Type* type) {
  auto& members = known_.members(type);
  return !members.empty() && std::ranges::none_of(members, [&](const Type* member) {
    Kind kind = known_.relation.plain(member)->kind;
    return kind == Kind::Nil || says_nothing(kind);
  });
}

// What equals a value that is not nil is not nil itself.
void Checker::is_no_nil(const Node& value, Facts& facts) {
  narrow_bases(value, facts);
  PathId path = path_of(value);
  if (!path) return;
  Fact fact = current(value);
  if (!known_.has_nil(fact.type)) return;
  fact.type = known_.without_nil(fact.type);
  facts.emplace_back(path, fact);
}

void Checker::narrow_bases(const Node& value, Facts& facts) {
  const Node* at = &value;
  while (true) {
    const Node* base = nullptr;
    bool optional = false;
    if (at->is(NodeKind::Member)) {
      base = at->as<Member>().object;
      optional = at->as<Member>().optional;
    } else if (at->is(NodeKind::Index)) {
      base = at->as<Index>().object;
      optional = at->as<Index>().optional;
    } else if (at->is(NodeKind::MethodCall)) {
      base = at->as<MethodCall>().object;
      optional = at->as<MethodCall>().optional;
    }
    if (!base) return;
    PathId path = optional ? path_of(*base) : 0;
    if (path) {
      Fact fact = current(*base);
      if (known_.has_nil(fact.type)) {
        fact.type = known_.without_nil(fact.type);
        facts.emplace_back(path, fact);
      }
    }
    at = base;
  }
}

Checker::Narrowing Checker::nil_test(const Node& value) {
  Narrowing out;
  narrow_bases(value, out.no);
  PathId path = path_of(value);
  if (!path) return out;
  Fact fact = current(value);
  const Type* plain = known_.relation.plain(fact.type);
  if (types::is_gradual(plain)) return out;
  Fact yes = fact, no = fact;
  if (plain->kind == Kind::Unknown) {
    no.ruled_out |= 1 << 4;  // "nil"
    yes.type = known_.nil();
    out.no.emplace_back(path, no);
    out.yes.emplace_back(path, yes);
    return out;
  }
  if (!known_.has_nil(fact.type)) return out;
  yes.type = known_.nil();
  no.type = known_.without_nil(fact.type);
  out.yes.emplace_back(path, yes);
  out.no.emplace_back(path, no);
  return out;
}

Checker::Narrowing Checker::truth(const Node& value) {
  const Type* type = infer(value);
  Narrowing out;
  narrow_bases(value, out.yes);
  give_up(value, out.yes);
  PathId path = path_of(value);
  if (!path || !known_.has_nil(type)) return out;
  Fact fact = current(value);
  fact.type = known_.without_nil(type);
  if (known_.relation.plain(fact.type)->kind != Kind::Never) out.yes.emplace_back(path, fact);
  return out;
}

// ---- type_of ----

bool Checker::is_called(const Type* type, std::string_view name) {
  const Type* plain = known_.relation.plain(type);
  switch (plain->kind) {
    case Kind::String:
    case Kind::StringLiteral: return name == "string";
    case Kind::Int:
    case Kind::Duration:
    case Kind::IntLiteral: return name == "int";
    case Kind::Float: return name == "float";
    case Kind::Bool:
    case Kind::BoolLiteral: return name == "bool";
    case Kind::Nil: return name == "nil";
    case Kind::List: return name == "list";
    case Kind::Dict:
    case Kind::Schema:
    case Kind::Shape: return name == "dict";
    case Kind::Function:
    case Kind::Closure: return name == "closure" || name == "builtin";
    case Kind::Bytes: return name == "bytes";
    case Kind::Set: return name == "set";
    case Kind::Pair: return name == "pair";
    case Kind::Iter: return name == "iter";
    case Kind::Generator: return name == "generator";
    case Kind::Stream: return name == "stream";
    case Kind::Channel: return name == "channel";
    case Kind::Task: return name == "taskHandle";
    case Kind::Permit: return name == "sync_permit";
    case Kind::Atomic: return name == "atomic";
    case Kind::Rng: return name == "rng";
    case Kind::Result: return name == "enum";
    case Kind::Struct: return name == "struct" || name == plain->text;
    case Kind::Enum: return name == "enum" || name == plain->text;
    default: return false;
  }
}

const Type* Checker::narrowed_to(const Type* type, std::string_view name) {
  const Type* plain = known_.relation.plain(type);
  if (types::is_gradual(plain) || plain->kind == Kind::Unknown) {
    for (Kind kind : {Kind::String, Kind::Int, Kind::Float, Kind::Bool, Kind::Nil, Kind::List, Kind::Dict,
                      Kind::Closure, Kind::Bytes, Kind::Set, Kind::Duration}) {
      if (types::name_of(kind) == name) return named(kind);
    }
    return any();
  }
  std::vector<const Type*> kept;
  for (const Type* member : known_.members(type)) {
    const Type* one = known_.relation.plain(member);
    if (is_called(member, name)) kept.push_back(member);
    else if (one->kind == Kind::Number && (name == "int" || name == "float")) {
      kept.push_back(named(name == "int" ? Kind::Int : Kind::Float));
    } else if (one->kind == Kind::Parameter || one->kind == Kind::Interface || one->kind == Kind::Intersection) {
      kept.push_back(member);
    }
  }
  return known_.table.unite(kept);
}

const Type* Checker::narrowed_without(const Type* type, std::string_view name) {
  std::vector<const Type*> kept;
  for (const Type* member : known_.members(type)) {
    bool is_number = known_.relation.plain(member)->kind == Kind::Number;
    if (is_number && name == "int") kept.push_back(named(Kind::Float));
    else if (is_number && name == "float") kept.push_back(named(Kind::Int));
    else if (!is_called(member, name)) kept.push_back(member);
  }
  return known_.table.unite(kept);
}

Checker::Narrowing Checker::type_test(const Node& value, std::string_view name) {
  Narrowing out;
  if (name != "nil") narrow_bases(value, out.yes);
  PathId path = path_of(value);
  if (!path) return out;
  Fact fact = current(value);
  const Type* plain = known_.relation.plain(fact.type);
  Fact yes{narrowed_to(fact.type, name), 0, false};
  out.yes.emplace_back(path, yes);
  if (types::is_gradual(plain)) return out;
  Fact no = fact;
  if (plain->kind == Kind::Unknown) {
    auto found = std::ranges::find(kTypeOfNames, name);
    if (found != std::end(kTypeOfNames)) no.ruled_out |= 1 << (found - std::begin(kTypeOfNames));
  } else {
    no.type = narrowed_without(fact.type, name);
  }
  out.no.emplace_back(path, no);
  return out;
}

// ---- literals and discriminants ----

// What is left of a union of thousands is not worth a type of its own for each comparison.
static constexpr size_t kMostAlternatives = 64;
// But which variant a value is matters to whoever reads its fields.
static constexpr size_t kMostVariants = 2000;

// The variants of a tagged union whose field may have this value, or (`equal` false) may have another.
const Type* Checker::variants_with(const Type* type, std::string_view field, const Type* literal, bool equal) {
  auto& members = known_.members(type);
  if (members.size() > (equal ? kMostVariants : kMostAlternatives)) return type;
  std::vector<const Type*> kept;
  for (const Type* member : members) {
    const Type* shape = known_.relation.as_shape(member);
    if (!shape) {
      if (known_.relation.plain(member)->kind == Kind::Nil && equal) continue;
      kept.push_back(member);
      continue;
    }
    auto tag = std::ranges::find(shape->fields, field, &types::Field::name);
    if (tag == shape->fields.end()) {
      bool may_have_it = shape->loose || !shape->items.empty();
      if (!equal || may_have_it) kept.push_back(member);
      continue;
    }
    const Type* plain = known_.relation.plain(tag->type);
    bool is_tag =
        plain->kind == Kind::StringLiteral || plain->kind == Kind::IntLiteral || plain->kind == Kind::BoolLiteral;
    bool same = same_type(plain, literal) && !tag->optional;
    bool may_equal = is_tag ? same_type(plain, literal) : fits(literal, tag->type);
    if (equal ? may_equal : !(is_tag && same)) kept.push_back(member);
  }
  return known_.table.unite(kept);
}

Checker::Narrowing Checker::literal_test(const Node& value, const Type* literal) {
  Narrowing out;
  narrow_bases(value, out.yes);
  PathId path = path_of(value);
  if (!path) return out;
  Fact fact = current(value);
  const Type* plain = known_.relation.plain(fact.type);
  if (!types::is_gradual(plain) && plain->kind != Kind::Unknown) {
    Fact yes = fact, no = fact;
    std::vector<const Type*> equal, other;
    auto& members = known_.members(fact.type);
    bool are_many = members.size() > kMostAlternatives;
    if (are_many) equal.push_back(literal);
    for (const Type* member : are_many ? std::vector<const Type*>() : members) {
      const Type* one = known_.relation.plain(member);
      bool is_literal =
          one->kind == Kind::StringLiteral || one->kind == Kind::IntLiteral || one->kind == Kind::BoolLiteral;
      if (fits(literal, member)) equal.push_back(is_literal ? member : one->kind == Kind::Float ? member : literal);
      if (!(is_literal && same_type(one, literal))) other.push_back(member);
    }
    yes.type = known_.table.unite(equal);
    if (!equal.empty()) out.yes.emplace_back(path, yes);
    no.type = known_.table.unite(other);
    if (!are_many) out.no.emplace_back(path, no);
  }
  // `m.kind == "ping"` says which variant m is.
  const Node* base = nullptr;
  std::string_view key;
  if (value.is(NodeKind::Member)) {
    base = value.as<Member>().object;
    key = value.as<Member>().name.text;
  } else if (value.is(NodeKind::Index) && value.as<Index>().index->is(NodeKind::StringLiteral)) {
    base = value.as<Index>().object;
    key = value.as<Index>().index->as<StringLiteral>().value;
  }
  PathId owner = base ? path_of(*base) : 0;
  if (!owner) return out;
  Fact whole = current(*base);
  Fact yes = whole, no = whole;
  yes.type = variants_with(whole.type, key, literal, true);
  no.type = variants_with(whole.type, key, literal, false);
  if (yes.type != whole.type && known_.relation.plain(yes.type)->kind != Kind::Never) out.yes.emplace_back(owner, yes);
  if (no.type != whole.type) out.no.emplace_back(owner, no);
  return out;
}

// ---- calls ----

// What a schema describes; null when that is not known.
const Type* Checker::schema_type(const Node& schema) {
  ++quiet_;
  const Type* type = known_.relation.plain(infer(schema));
  --quiet_;
  return type->kind == Kind::Schema ? argument(type, 0) : nullptr;
}

// The struct or enum that a name stands for; null when it is none.
const Type* Checker::class_type(const Node& node) {
  const compile::Variable* meant = node.is(NodeKind::Identifier) ? variable(node) : nullptr;
  const Node* declaration = meant && !meant->assigned ? meant->declaration : nullptr;
  if (!declaration) return nullptr;
  auto made = [&](Kind kind, const auto& declared) {
    std::vector<const Type*> arguments(declared.generics.size(), any());
    return known_.table.declared(kind, declared.name.text, declared, arguments);
  };
  if (declaration->is(NodeKind::Struct)) return made(Kind::Struct, declaration->as<Struct>());
  return declaration->is(NodeKind::Enum) ? made(Kind::Enum, declaration->as<Enum>()) : nullptr;
}

// A question whether a value fits a type.
Checker::Narrowing Checker::fitting_test(const Node& value, const Type* wanted) {
  Narrowing out;
  PathId path = path_of(value);
  if (!path) return out;
  Fact fact = current(value);
  // Of a union what fits; anything else is what was asked for.
  std::vector<const Type*> kept, rest;
  for (const Type* member : known_.members(fact.type)) {
    bool is_open =
        types::is_gradual(known_.relation.plain(member)) || known_.relation.plain(member)->kind == Kind::Unknown;
    if (!is_open && fits(member, wanted)) kept.push_back(member);
    else rest.push_back(member);
  }
  Fact yes{kept.empty() ? wanted : known_.table.unite(kept)};
  out.yes.emplace_back(path, yes);
  if (!kept.empty()) {
    Fact no = fact;
    no.type = known_.table.unite(rest);
    out.no.emplace_back(path, no);
  }
  return out;
}

// Behind a validation that throws the value is what was asked for.
void Checker::note_validated(const Call& node) {
  std::string_view name = node.callee->as<Identifier>().name;
  if (node.args.size() < 2 || (name != "assert_shape" && name != "schema_expect")) return;
  const Type* wanted = schema_type(*node.args[1]);
  if (wanted) flow_.set_all(fitting_test(*node.args[0], wanted).yes);
}

Checker::Narrowing Checker::call_test(const Node& node) {
  infer(node);
  Narrowing out;
  narrow_bases(node, out.yes);
  give_up(node, out.yes);
  give_up(node, out.no);
  bool is_schema = is_builtin_call(node, "schema_is") || is_builtin_call(node, "is_type");
  bool is_class = is_builtin_call(node, "is_a");
  if ((is_schema || is_class) && node.as<Call>().args.size() == 2) {
    const Node& value = *node.as<Call>().args[0];
    const Node& type = *node.as<Call>().args[1];
    if (is_class && type.is(NodeKind::StringLiteral)) {
      std::string_view name = type.as<StringLiteral>().value;
      return std::ranges::find(kTypeOfNames, name) == std::end(kTypeOfNames) ? out : type_test(value, name);
    }
    const Type* wanted = is_class ? class_type(type) : schema_type(type);
    return wanted ? fitting_test(value, wanted) : out;
  }
  // `x.has("name")`
  if (node.is(NodeKind::MethodCall)) {
    auto& call = node.as<MethodCall>();
    bool asks = call.name.text == "has" && call.args.size() == 1 && call.args[0]->is(NodeKind::StringLiteral);
    PathId path = asks ? path_of(*call.object) : 0;
    if (!path) return out;
    Fact fact = current(*call.object);
    const Type* plain = known_.relation.plain(known_.without_nil(fact.type));
    const Type* shape = plain->kind == Kind::Struct ? nullptr : known_.relation.as_shape(plain);
    if (!shape) return out;
    std::vector<types::Field> fields(shape->fields.begin(), shape->fields.end());
    bool found = false;
    for (types::Field& field : fields) {
      if (field.name != call.args[0]->as<StringLiteral>().value) continue;
      field.optional = false;
      found = true;
    }
    if (!found) return out;
    fact.type = known_.table.shape(fields, shape->items, shape->loose);
    out.yes.emplace_back(path, fact);
  }
  return out;
}

// ---- coverage of unknown ----

void Checker::check_coverage(std::string_view site, Span where) {
  if (!flow_.reachable) return;
  constexpr uint16_t kAll = (1 << std::size(kTypeOfNames)) - 1;
  std::vector<std::pair<PathId, uint16_t>> partial;
  flow_.each([&](PathId path, const Fact& fact) {
    if (fact.ruled_out != 0 && fact.ruled_out != kAll && known_.relation.plain(fact.type)->kind == Kind::Unknown) {
      partial.emplace_back(path, fact.ruled_out);
    }
  });
  std::ranges::sort(partial);
  for (auto& [path, ruled_out] : partial) {
    std::string missing;
    for (size_t i = 0; i < std::size(kTypeOfNames); ++i) {
      if (ruled_out & (1 << i)) continue;
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", kTypeOfNames[i]);
    }
    report(Code::PartlyNarrowed, where, site, known_.paths.text(path), missing);
  }
}

}  // namespace harn::check
