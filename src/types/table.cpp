#include "types/table.h"

#include <algorithm>
#include <functional>

namespace harn::types {

// ---- the names of types.def ----

static constexpr NamedKind kNamed[] = {
#define HARN_TYPE(kind, name, variances) {Kind::kind, name, variances},
#include "types/types.def"
#undef HARN_TYPE
};

std::span<const NamedKind> named_kinds() { return kNamed; }

std::string_view name_of(Kind kind) { return kNamed[static_cast<size_t>(kind)].name; }

const NamedKind* find_named_kind(std::string_view name) {
  // The language document writes both.
  if (name == "iter") name = "Iter";
  if (name == "taskHandle") name = "task";
  auto* found =
      std::find_if(std::begin(kNamed), std::end(kNamed), [&](const NamedKind& row) { return row.name == name; });
  return found == std::end(kNamed) ? nullptr : found;
}

// ---- one object for each type ----

namespace {

class Hasher {
 public:
  template <class T>
  void add(const T& value) {
    hash_ = (hash_ ^ std::hash<T>()(value)) * 0x9E3779B97F4A7C15ull;
    hash_ ^= hash_ >> 29;
  }
  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

bool equal(const Field& a, const Field& b) { return a.name == b.name && a.type == b.type && a.optional == b.optional; }

bool equal(const types::Parameter& a, const types::Parameter& b) {
  return a.name == b.name && a.type == b.type && a.optional == b.optional && a.rest == b.rest;
}

template <class T>
bool equal_spans(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(a, b, [](const T& left, const T& right) { return equal(left, right); });
}

bool has_parameters(const Type& type) {
  auto inside = [](const Type* part) { return part->has_parameters; };
  return type.kind == Kind::Parameter || (type.result && inside(type.result)) ||
         std::ranges::any_of(type.items, inside) ||
         std::ranges::any_of(type.fields, [&](const Field& field) { return inside(field.type); }) ||
         std::ranges::any_of(type.params, [&](const types::Parameter& param) { return inside(param.type); });
}

}  // namespace

size_t TypeTable::Hash::operator()(const Type* type) const {
  Hasher hasher;
  hasher.add(static_cast<int>(type->kind));
  hasher.add(type->integer);
  hasher.add(type->text);
  hasher.add(static_cast<const void*>(type->declaration));
  hasher.add(static_cast<const void*>(type->result));
  for (const Type* item : type->items) hasher.add(static_cast<const void*>(item));
  for (const Field& field : type->fields) {
    hasher.add(field.name);
    hasher.add(static_cast<const void*>(field.type));
  }
  for (const types::Parameter& param : type->params) hasher.add(static_cast<const void*>(param.type));
  return hasher.value();
}

bool TypeTable::Equal::operator()(const Type* a, const Type* b) const {
  return a->kind == b->kind && a->integer == b->integer && a->text == b->text && a->declaration == b->declaration &&
         a->result == b->result && a->variance == b->variance && a->loose == b->loose &&
         std::ranges::equal(a->items, b->items) && equal_spans(a->fields, b->fields) &&
         equal_spans(a->params, b->params);
}

const Type* TypeTable::intern(const Type& wanted) {
  if (auto found = types_.find(&wanted); found != types_.end()) return *found;
  auto* type = arena_.make<Type>(wanted);
  type->number = static_cast<uint32_t>(types_.size());
  type->has_parameters = types::has_parameters(wanted);
  type->text = arena_.copy(wanted.text);
  type->items = arena_.copy(wanted.items);
  auto fields = arena_.copy(wanted.fields);
  for (Field& field : fields) field.name = arena_.copy(field.name);
  type->fields = fields;
  auto params = arena_.copy(wanted.params);
  for (types::Parameter& param : params) param.name = arena_.copy(param.name);
  type->params = params;
  types_.insert(type);
  type->canonical = canonical_of(*type);
  return type;
}

// Members of unions and fields of shapes in a fixed order, functions without the names of their parameters, `list` for
// `list<any>`; all the way down.
const Type* TypeTable::canonical_of(const Type& type) {
  Type other = type;
  other.loose = false;
  std::vector<const Type*> items;
  for (const Type* item : type.items) items.push_back(item->canonical);
  if (type.kind == Kind::Union || type.kind == Kind::Intersection) {
    std::ranges::sort(items, {}, &Type::number);
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  auto is_any = [](const Type* item) { return item->kind == Kind::Any; };
  if (is_named_kind(type.kind) && std::ranges::all_of(items, is_any)) items.clear();
  other.items = items;
  std::vector<Field> fields(type.fields.begin(), type.fields.end());
  for (Field& field : fields) field.type = field.type->canonical;
  std::ranges::stable_sort(fields, {}, &Field::name);
  other.fields = fields;
  std::vector<types::Parameter> params(type.params.begin(), type.params.end());
  for (types::Parameter& param : params) param = {"", param.type->canonical, param.optional, param.rest};
  other.params = params;
  if (type.result) other.result = type.result->canonical;
  return Equal()(&type, &other) ? &type : intern(other)->canonical;
}

// ---- making them ----

const Type* TypeTable::named(Kind kind, TypeList arguments) { return intern({.kind = kind, .items = arguments}); }

const Type* TypeTable::named(Kind kind, std::initializer_list<const Type*> arguments) {
  return named(kind, TypeList(arguments.begin(), arguments.size()));
}

const Type* TypeTable::literal(std::string_view text) { return intern({.kind = Kind::StringLiteral, .text = text}); }

const Type* TypeTable::literal(int64_t number) { return intern({.kind = Kind::IntLiteral, .integer = number}); }

const Type* TypeTable::literal_bool(bool value) { return intern({.kind = Kind::BoolLiteral, .integer = value}); }

const Type* TypeTable::shape(std::span<const Field> fields, TypeList tails, bool loose) {
  std::vector<Field> merged(fields.begin(), fields.end());
  std::vector<const Type*> rest;
  // What comes twice wins where it comes last; the first time says nothing then.
  auto put = [&](const Type* tail) {
    std::erase(rest, tail);
    rest.push_back(tail);
  };
  for (const Type* tail : tails) {
    if (tail->kind != Kind::Shape) {
      put(tail);
      continue;
    }
    for (const Field& right : tail->fields) {
      auto left = std::ranges::find(merged, right.name, &Field::name);
      if (left == merged.end()) {
        merged.push_back(right);
        continue;
      }
      // The value on the right is the one that counts, if there is one.
      if (right.optional) left->type = unite({left->type, right.type});
      else *left = right;
    }
    for (const Type* inner : tail->items) put(inner);
    loose = loose || tail->loose;
  }
  return intern({.kind = Kind::Shape, .loose = loose, .items = rest, .fields = merged});
}

const Type* TypeTable::function(std::span<const types::Parameter> params, const Type* result, TypeList generics) {
  return intern({.kind = Kind::Function, .items = generics, .params = params, .result = result});
}

namespace {

// Members of a union or an intersection, each once.
class Members {
 public:
  explicit Members(Kind nested) : nested_(nested) {}

  void open(TypeList members) {
    for (const Type* member : members) {
      if (member->kind == nested_) open(member->items);
      else if (is_new(member)) all.push_back(member);
    }
  }

  std::vector<const Type*> all;

 private:
  bool is_new(const Type* member) {
    constexpr size_t kFew = 16;
    if (all.size() < kFew) {
      return std::ranges::none_of(all, [&](const Type* known) { return same_type(known, member); });
    }
    if (seen_.empty()) {
      for (const Type* known : all) seen_.insert(known->canonical);
    }
    return seen_.insert(member->canonical).second;
  }

  Kind nested_;
  std::unordered_set<const Type*> seen_;
};

}  // namespace

const Type* TypeTable::unite(TypeList members) {
  Members opened(Kind::Union);
  opened.open(members);
  std::vector<const Type*>& all = opened.all;
  for (Kind top : {Kind::Any, Kind::Unknown}) {
    if (std::ranges::any_of(all, [&](const Type* member) { return member->kind == top; })) return named(top);
  }
  std::erase_if(all, [](const Type* member) { return member->kind == Kind::Never; });
  if (all.empty()) return named(Kind::Never);
  return all.size() == 1 ? all[0] : intern({.kind = Kind::Union, .items = all});
}

const Type* TypeTable::intersect(TypeList members) {
  Members opened(Kind::Intersection);
  opened.open(members);
  std::vector<const Type*>& all = opened.all;
  if (all.empty()) return named(Kind::Unknown);
  return all.size() == 1 ? all[0] : intern({.kind = Kind::Intersection, .items = all});
}

const Type* TypeTable::parameter(std::string_view name, const syntax::Node* owner, TypeList bounds, Variance variance) {
  return intern({.kind = Kind::Parameter, .variance = variance, .text = name, .declaration = owner, .items = bounds});
}

const Type* TypeTable::declared(Kind kind, std::string_view name, const syntax::Node& declaration, TypeList arguments) {
  return intern({.kind = kind, .text = name, .declaration = &declaration, .items = arguments});
}

const Type* TypeTable::foreign(std::string_view name, TypeList arguments) {
  return intern({.kind = Kind::Foreign, .text = name, .items = arguments});
}

const Type* TypeTable::broken() { return intern({.kind = Kind::Broken}); }

const Type* TypeTable::find_signature(std::string_view text) const {
  auto found = signatures_.find(text);
  return found == signatures_.end() ? nullptr : found->second;
}

const Type* TypeTable::remember_signature(std::string_view text, const Type* type) {
  return signatures_[arena_.copy(text)] = type;
}

// ---- substitution ----

const Type* TypeTable::substitute(const Type* type, std::span<const Binding> bindings) {
  if (!type->has_parameters || bindings.empty()) return type;
  if (type->kind != Kind::Parameter) return rebuild(type, bindings);
  auto found = std::ranges::find(bindings, type, &Binding::parameter);
  return found == bindings.end() ? type : found->type;
}

const Type* TypeTable::rebuild(const Type* type, std::span<const Binding> bindings) {
  std::vector<const Type*> items;
  for (const Type* item : type->items) items.push_back(substitute(item, bindings));
  switch (type->kind) {
    case Kind::Union: return unite(items);
    case Kind::Intersection: return intersect(items);
    case Kind::Shape: {
      std::vector<Field> fields(type->fields.begin(), type->fields.end());
      for (Field& field : fields) field.type = substitute(field.type, bindings);
      return shape(fields, items, type->loose);
    }
    case Kind::Function: {
      std::vector<types::Parameter> params(type->params.begin(), type->params.end());
      for (types::Parameter& param : params) param.type = substitute(param.type, bindings);
      // A parameter that stands for something now is no longer to be chosen by the caller.
      std::erase_if(items, [](const Type* generic) { return generic->kind != Kind::Parameter; });
      return function(params, substitute(type->result, bindings), items);
    }
    default: {
      Type other = *type;
      other.items = items;
      return intern(other);
    }
  }
}

}  // namespace harn::types
