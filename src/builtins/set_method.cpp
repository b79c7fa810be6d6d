#include "base/result.h"
#include "builtins/families.h"
#include "builtins/set_algebra.h"
#include "vm/claim.h"

// The set methods. They compare with `==`: int 1 and float 1.0 are one element.
namespace harn::builtins {
namespace {

using namespace vm;

const SetObject& receiver(Call& call) { return *call.arg(0).as_set(); }

// The set in argument 1, or null: the methods have an answer for other kinds.
const SetObject* other_set(Call& call) { return call.arg(1).is(Kind::Set) ? call.arg(1).as_set() : nullptr; }

Outcome<Value> count(Call& call) { return Value::integer(static_cast<int64_t>(HARN_TRY(call.set(0))->size)); }
Outcome<Value> empty(Call& call) { return Value::boolean(HARN_TRY(call.set(0))->size == 0); }

Outcome<Value> contains_item(Call& call) {
  return Value::boolean(holds(*HARN_TRY(call.set(0)), call.arg(1), Match::Equality));
}

Outcome<Value> add_item(Call& call) {
  HARN_CHECK(call.set(0));
  if (holds(receiver(call), call.arg(1), Match::Equality)) return call.take(0);
  Value set = call.take(0);
  Claimed claimed(set);
  set_insert(set, call.take(1));
  return set;
}

Outcome<Value> remove_item(Call& call) {
  HARN_CHECK(call.set(0));
  Value set = call.take(0);
  Claimed claimed(set);
  erase_all(set, call.arg(1), Match::Equality);
  return set;
}

using Combine = Value (*)(Value a, const SetObject& b, Match match);

template <Combine combine>
Outcome<Value> combined(Call& call) {
  HARN_CHECK(call.set(0));
  const SetObject* other = other_set(call);
  return other ? combine(call.take(0), *other, Match::Equality) : call.take(0);
}

Outcome<Value> intersect(Call& call) {
  HARN_CHECK(call.set(0));
  const SetObject* other = other_set(call);
  if (!other) return new_set();
  return intersection(call.take(0), *other, Match::Equality);
}

Outcome<Value> is_subset(Call& call) {
  HARN_CHECK(call.set(0));
  const SetObject* other = other_set(call);
  return Value::boolean(other && holds_all(*other, receiver(call), Match::Equality));
}
Outcome<Value> is_superset(Call& call) {
  HARN_CHECK(call.set(0));
  const SetObject* other = other_set(call);
  return Value::boolean(other && holds_all(receiver(call), *other, Match::Equality));
}
Outcome<Value> is_disjoint(Call& call) {
  HARN_CHECK(call.set(0));
  const SetObject* other = other_set(call);
  return Value::boolean(!other || !holds_any(receiver(call), *other, Match::Equality));
}

Outcome<Value> to_list(Call& call) { return set_items(HARN_TRY(call.set(0))); }

constexpr KindSet kSet = on(Kind::Set);
constexpr std::string_view kCombine = "<T>(other: any) -> set<T>";
constexpr std::string_view kCompare = "(other: any) -> bool";
constexpr std::string_view kChange = "<T>(value: T) -> set<T>";
constexpr std::string_view kPredicate = "<T>(f: fn(T) -> bool) -> bool";

constinit const Builtin kRows[] = {
    {.name = "add",
     .receiver = kSet,
     .signature = kChange,
     .doc = "Returns the set with `value` in it.",
     .example = "set(1).add(2) == set(1, 2)",
     .call = add_item},
    {.name = "all",
     .receiver = kSet,
     .signature = kPredicate,
     .doc = "Says whether `f` is true of every item.",
     .example = "set(2, 4).all({ x -> x > 1 })",
     .prelude = "set_all"},
    {.name = "any",
     .receiver = kSet,
     .signature = kPredicate,
     .doc = "Says whether `f` is true of some item.",
     .example = "set(1, 2).any({ x -> x > 1 })",
     .prelude = "set_any"},
    {.name = "contains",
     .receiver = kSet,
     .signature = "(value: any) -> bool",
     .doc = "Says whether `value` is in the set.",
     .example = "set(1).contains(1)",
     .call = contains_item},
    {.name = "count",
     .receiver = kSet,
     .signature = "() -> int",
     .doc = "The number of items; property or call.",
     .example = "set(1, 2).count() == 2",
     .flags = BuiltinFlags::Property,
     .call = count},
    {.name = "delete",
     .receiver = kSet,
     .signature = kChange,
     .doc = "Returns the set without `value`.",
     .example = "set(1, 2).delete(2) == set(1)",
     .call = remove_item},
    {.name = "difference",
     .receiver = kSet,
     .signature = kCombine,
     .doc = "Returns the items that are not in `other`.",
     .example = "set(1, 2).difference(set(2)) == set(1)",
     .call = combined<difference>},
    {.name = "empty",
     .receiver = kSet,
     .signature = "() -> bool",
     .doc = "Says whether there are no items; property or call.",
     .example = "set().empty()",
     .flags = BuiltinFlags::Property,
     .call = empty},
    {.name = "every",
     .receiver = kSet,
     .signature = kPredicate,
     .doc = "Says whether `f` is true of every item.",
     .example = "set(2, 4).every({ x -> x > 1 })",
     .prelude = "set_all"},
    {.name = "filter",
     .receiver = kSet,
     .signature = "<T>(f: fn(T) -> bool) -> set<T>",
     .doc = "Returns the items of which `f` is true.",
     .example = "set(1, 2).filter({ x -> x > 1 }) == set(2)",
     .prelude = "set_filter"},
    {.name = "intersect",
     .receiver = kSet,
     .signature = kCombine,
     .doc = "Returns the items that are also in `other`.",
     .example = "set(1, 2).intersect(set(2)) == set(2)",
     .call = intersect},
    {.name = "intersection",
     .receiver = kSet,
     .signature = kCombine,
     .doc = "Returns the items that are also in `other`.",
     .example = "set(1, 2).intersection(set(2)) == set(2)",
     .call = intersect},
    {.name = "is_disjoint",
     .receiver = kSet,
     .signature = kCompare,
     .doc = "Says whether the sets have no item in common.",
     .example = "set(1).is_disjoint(set(2))",
     .call = is_disjoint},
    {.name = "is_subset",
     .receiver = kSet,
     .signature = kCompare,
     .doc = "Says whether every item is in `other`.",
     .example = "set(1).is_subset(set(1, 2))",
     .call = is_subset},
    {.name = "is_superset",
     .receiver = kSet,
     .signature = kCompare,
     .doc = "Says whether every item of `other` is in the set.",
     .example = "set(1, 2).is_superset(set(1))",
     .call = is_superset},
    {.name = "len",
     .receiver = kSet,
     .signature = "() -> int",
     .doc = "Returns the number of items.",
     .example = "set(1, 2).len() == 2",
     .call = count},
    {.name = "map",
     .receiver = kSet,
     .signature = "<T, U>(f: fn(T) -> U) -> set<U>",
     .doc = "Returns the set of what `f` makes of each item.",
     .example = "set(1, 2).map({ x -> x * 2 }) == set(2, 4)",
     .prelude = "set_map"},
    {.name = "remove",
     .receiver = kSet,
     .signature = kChange,
     .doc = "Returns the set without `value`.",
     .example = "set(1, 2).remove(2) == set(1)",
     .call = remove_item},
    {.name = "symmetric_difference",
     .receiver = kSet,
     .signature = kCombine,
     .doc = "Returns the items that are in exactly one of the sets.",
     .example = "set(1, 2).symmetric_difference(set(2, 3)) == set(1, 3)",
     .call = combined<symmetric_difference>},
    {.name = "to_list",
     .receiver = kSet,
     .signature = "<T>() -> list<T>",
     .doc = "Returns the items as a list, in the order they were added.",
     .example = "set(2, 1).to_list() == [2, 1]",
     .call = to_list},
    {.name = "union",
     .receiver = kSet,
     .signature = kCombine,
     .doc = "Returns the items of both sets.",
     .example = "set(1).union(set(2)) == set(1, 2)",
     .call = combined<set_union>},
};

}  // namespace

std::span<const vm::Builtin> set_method_rows() { return kRows; }

}  // namespace harn::builtins
