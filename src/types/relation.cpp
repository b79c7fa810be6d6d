#include "types/relation.h"

#include <algorithm>

#include "base/fmt.h"
#include "types/print.h"

namespace harn::types {

namespace {

constexpr size_t kDeepest = 100;  // types that grow while they are compared

bool is_literal(Kind kind) {
  return kind == Kind::StringLiteral || kind == Kind::IntLiteral || kind == Kind::BoolLiteral;
}

Kind base_of(Kind kind) {
  switch (kind) {
    case Kind::StringLiteral: return Kind::String;
    case Kind::IntLiteral: return Kind::Int;
    case Kind::BoolLiteral: return Kind::Bool;
    default: return kind;
  }
}

const Field* find_field(const Type* shape, std::string_view name) {
  auto found = std::ranges::find(shape->fields, name, &Field::name);
  return found == shape->fields.end() ? nullptr : &*found;
}

// A tail may bring any field, unless it is a row variable, which brings what nobody knows.
bool has_gradual_tail(const Type* shape) {
  return std::ranges::any_of(shape->items, [](const Type* tail) {
    return is_gradual(tail) || (tail->kind == Kind::Dict && (!argument(tail, 1) || is_gradual(argument(tail, 1))));
  });
}

}  // namespace

const Type* Relation::plain(const Type* type) {
  type = lowering_.resolve(type);
  while (type->kind == Kind::Owned && argument(type, 0)) type = lowering_.resolve(argument(type, 0));
  return type;
}

const Type* Relation::as_shape(const Type* type) {
  type = plain(type);
  if (type->kind == Kind::Shape) return lowering_.whole_shape(type);
  if (type->kind == Kind::Struct) return lowering_.table().shape(lowering_.fields(type));
  if (type->kind != Kind::Intersection) return nullptr;
  std::vector<const Type*> parts;
  for (const Type* item : type->items) {
    const Type* shape = as_shape(item);
    if (!shape) return nullptr;
    parts.push_back(shape);
  }
  return lowering_.table().shape({}, parts);
}

size_t Relation::Hash::operator()(const Question& question) const {
  size_t hash = reinterpret_cast<size_t>(question.from) * 31 + reinterpret_cast<size_t>(question.to);
  return (hash ^ (hash >> 17)) * 0x9E3779B97F4A7C15ull + question.how;
}

// What is being asked is taken to be true meanwhile. If it turns out not to be, so may be all that was found to be true
// because of it. A no is a no: nothing becomes true by assuming less. So every question is answered once.
bool Relation::fits(const Type* from, const Type* to, Widening widening) {
  if (from == to || is_gradual(from) || is_gradual(to)) return true;
  Question question{from, to, static_cast<uint8_t>((widening == Widening::Yes ? 1 : 0) + (only_read_ ? 2 : 0))};
  if (depth_ >= kDeepest || accepted_.contains(question)) return true;
  if (refused_.contains(question)) return false;
  size_t mark = trail_.size();
  accepted_.insert(question);
  trail_.push_back(question);
  ++depth_;
  bool answer = compare(from, to, widening);
  --depth_;
  if (!answer) {
    for (size_t i = mark; i < trail_.size(); ++i) accepted_.erase(trail_[i]);
    trail_.resize(mark);
    refused_.insert(question);
  }
  if (depth_ == 0) trail_.clear();
  return answer;
}

bool Relation::compare(const Type* from, const Type* to, Widening widening) {
  from = plain(from);
  to = plain(to);
  if (same_type(from, to) || is_gradual(from) || is_gradual(to)) return true;
  if (from->kind == Kind::Never || to->kind == Kind::Unknown || to->kind == Kind::Error) return true;
  if (from->kind == Kind::Unknown || to->kind == Kind::Never) return false;
  if (from->kind == Kind::Error) return true;
  if (from->kind == Kind::Union) {
    return std::ranges::all_of(from->items, [&](const Type* item) { return fits(item, to, widening); });
  }
  if (to->kind == Kind::Union) {
    return std::ranges::any_of(to->items, [&](const Type* item) { return fits(from, item, widening); });
  }
  if (to->kind == Kind::Intersection) {
    return std::ranges::all_of(to->items, [&](const Type* item) { return fits(from, item, widening); });
  }
  if (from->kind == Kind::Parameter || to->kind == Kind::Parameter) {
    // Only the same one, which was seen above; or what one of its bounds promises.
    if (from->kind != Kind::Parameter) return false;
    return std::ranges::any_of(from->items, [&](const Type* bound) { return fits(bound, to, widening); });
  }
  if (to->kind == Kind::Interface) return methods_.unsatisfied(from, to).empty();
  if (from->kind == Kind::Function && to->kind == Kind::Function) return function_fits(from, to);
  if (from->kind == Kind::Intersection) {
    if (std::ranges::any_of(from->items, [&](const Type* item) { return fits(item, to, widening); })) return true;
    from = as_shape(from);
    if (!from) return false;
  }
  bool calls = from->kind == Kind::Function || from->kind == Kind::Closure;
  if (calls && (to->kind == Kind::Function || to->kind == Kind::Closure)) return true;
  if (to->kind == Kind::Shape) {
    if (from->kind == Kind::Dict) return dict_in_shape(from, lowering_.whole_shape(to));
    if (from->kind == Kind::Schema) return true;
    const Type* shape = as_shape(from);
    return shape && shape_fits(shape, lowering_.whole_shape(to), widening);
  }
  if ((from->kind == Kind::Shape || from->kind == Kind::Struct) && to->kind == Kind::Dict) {
    return shape_in_dict(as_shape(from), to);
  }
  if (to->kind == Kind::Struct && from->kind != Kind::Struct) {
    // The run time takes a dict that has the fields.
    const Type* shape = as_shape(to);
    if (from->kind == Kind::Dict) return dict_in_shape(from, shape);
    const Type* given = as_shape(from);
    return given && shape_fits(given, shape, widening);
  }
  if (to->kind == Kind::Struct || to->kind == Kind::Enum) return declared_fits(from, to);
  return named_fits(from, to, widening);
}

// Where a type may be changed through both of its names, it must be the same for both.
bool Relation::same(const Type* a, const Type* b) { return fits(a, b, Widening::No) && fits(b, a, Widening::No); }

bool Relation::named_fits(const Type* from, const Type* to, Widening widening) {
  if (is_literal(to->kind)) return from->kind == base_of(to->kind);  // a string may be that string
  Kind kind = base_of(from->kind);
  if (to->kind == Kind::Iterable) return iterates(from, to);
  if (to->kind == Kind::Schema) return kind == Kind::Schema || kind == Kind::Dict || kind == Kind::Shape;
  if (to->kind == Kind::Dict && kind == Kind::Schema) return true;
  // A duration is a number of milliseconds.
  if ((to->kind == Kind::Duration && kind == Kind::Int) || (to->kind == Kind::Int && kind == Kind::Duration))
    return true;
  if (to->kind == Kind::Number) return kind == Kind::Int || kind == Kind::Float || kind == Kind::Number;
  if (to->kind == Kind::Float && kind == Kind::Int) return widening == Widening::Yes;
  if (to->kind == Kind::Iter && kind == Kind::Generator) return arguments_fit(from, to, "+", widening);
  // What is made of a range is a list to the program.
  if (kind != to->kind || !is_named_kind(kind)) return false;
  return arguments_fit(from, to, named_kinds()[static_cast<size_t>(kind)].variances, widening);
}

bool Relation::arguments_fit(const Type* from, const Type* to, std::string_view variances, Widening widening) {
  for (size_t i = 0; i < variances.size(); ++i) {
    const Type* a = argument(from, i);
    const Type* b = argument(to, i);
    if (!a || !b) continue;
    if (variances[i] == '-' ? !fits(b, a) : variances[i] == '+' || only_read_ ? !fits(a, b, widening) : !same(a, b)) {
      return false;
    }
  }
  return true;
}

bool Relation::iterates(const Type* from, const Type* to) {
  const Type* wanted = argument(to, 0);
  auto item_fits = [&](const Type* item) { return !wanted || !item || fits(item, wanted); };
  TypeTable& table = lowering_.table();
  switch (from->kind) {
    case Kind::String:
    case Kind::StringLiteral: return item_fits(table.named(Kind::String));
    case Kind::List:
    case Kind::Set:
    case Kind::Iterable:
    case Kind::Iter:
    case Kind::Generator:
    case Kind::Stream:
    case Kind::Channel: return item_fits(argument(from, 0));
    case Kind::Dict:
    case Kind::Shape:
    case Kind::Bytes: return true;
    default: return false;
  }
}

bool Relation::declared_fits(const Type* from, const Type* to) {
  return from->kind == to->kind && from->declaration == to->declaration && declared_arguments_fit(from, to);
}

bool Relation::declared_arguments_fit(const Type* from, const Type* to) {
  std::string variances;
  for (const syntax::GenericParam& param : generics_of(*to->declaration)) {
    constexpr char kLetters[] = {'=', '-', '+'};
    variances += kLetters[static_cast<size_t>(param.variance)];
  }
  return arguments_fit(from, to, variances, Widening::Yes);
}

bool Relation::shape_fits(const Type* from, const Type* to, Widening widening) {
  for (const Field& wanted : to->fields) {
    const Field* field = find_field(from, wanted.name);
    if (!field) {
      if (wanted.optional || has_gradual_tail(from)) continue;
      return false;
    }
    if (field->optional && !wanted.optional) return false;
    const Type* type = wanted.optional ? lowering_.table().optional(wanted.type) : wanted.type;
    if (!fits(field->type, type, widening)) return false;
  }
  return true;
}

bool Relation::shape_in_dict(const Type* shape, const Type* dict) {
  const Type* value = argument(dict, 1);
  return !value || std::ranges::all_of(shape->fields, [&](const Field& field) { return fits(field.type, value); });
}

// A dict of unknown values may have any field; one whose values are known has none for certain.
bool Relation::dict_in_shape(const Type* dict, const Type* shape) {
  const Type* value = argument(dict, 1);
  if (!value || is_gradual(plain(value))) return true;
  return std::ranges::all_of(shape->fields, &Field::optional);
}

bool Relation::function_fits(const Type* from, const Type* to) {
  // Whoever passes a generic function lets the other side choose.
  std::vector<Binding> any;
  for (const Type* generic : from->items) any.push_back({generic, lowering_.table().named(Kind::Any)});
  from = lowering_.table().substitute(from, any);
  size_t given = 0;
  for (const Parameter& param : to->params) {
    if (param.rest) return fits(from->result, to->result);
    const Parameter* own = given < from->params.size()                         ? &from->params[given]
                           : !from->params.empty() && from->params.back().rest ? &from->params.back()
                                                                               : nullptr;
    if (!own || !fits(param.type, own->type)) return false;
    ++given;
  }
  for (size_t i = given; i < from->params.size(); ++i) {
    if (!from->params[i].optional && !from->params[i].rest) return false;
  }
  // What comes back to somebody who wants nothing is dropped.
  return plain(to->result)->kind == Kind::Nil || fits(from->result, to->result);
}

std::string Relation::detail(const Type* from, const Type* to) {
  from = plain(from);
  to = plain(to);
  if (to->kind == Kind::Interface) return methods_.unsatisfied(from, to);
  if (to->kind == Kind::Union) {
    // `T?`: the other member is what was meant.
    std::vector<const Type*> shapes;
    for (const Type* item : to->items) {
      if (as_shape(item)) shapes.push_back(item);
    }
    return shapes.size() == 1 ? detail(from, shapes[0]) : "";
  }
  const Type* actual = as_shape(from);
  const Type* expected = to->kind == Kind::Struct ? nullptr : as_shape(to);
  if (!expected || !actual) return "";
  std::string out;
  for (const Field& wanted : expected->fields) {
    const Field* field = find_field(actual, wanted.name);
    std::string one;
    if (!field) {
      if (!wanted.optional && !has_gradual_tail(actual)) {
        one = fmt::format("missing field '{}' ({})", wanted.name, print(wanted.type));
      }
    } else if (field->optional && !wanted.optional) {
      one = fmt::format("field '{}' may be missing, expected {}", wanted.name, print(wanted.type));
    } else if (!fits(field->type, wanted.optional ? lowering_.table().optional(wanted.type) : wanted.type)) {
      one = fmt::format("field '{}' has type {}, expected {}", wanted.name, print(field->type), print(wanted.type));
    }
    if (!one.empty()) out += out.empty() ? one : "; " + one;
  }
  return out;
}

}  // namespace harn::types
