#include <optional>

#include "base/result.h"
#include "builtins/bounds.h"
#include "builtins/families.h"
#include "builtins/set_algebra.h"
#include "vm/claim.h"

// The set functions. They compare structurally: int 1 and float 1.0 are two elements.
namespace harn::builtins {
namespace {

using namespace vm;

bool is_set(const Value& value) { return value.is(Kind::Set); }

Outcome<bool> expect_set(Call& call) {
  if (is_set(call.arg(0))) return true;
  return throw_text(ErrorKind::Type, "{}: first argument must be a set", call.row().name);
}

// How many items there are to add.
Outcome<size_t> items_in(std::span<const Value> values) {
  size_t count = 0;
  for (const Value& value : values) {
    if (is_list_like(value)) HARN_CHECK(check_list_size(list_size(value)));
    count += is_list_like(value) ? list_size(value) : is_set(value) ? value.as_set()->size : 1;
  }
  return count;
}

Outcome<Value> make_set(Call& call) {
  // `set(s, x)` starts from `s` as it is.
  bool extends = !call.args().empty() && is_set(call.arg(0));
  Value made = extends ? call.take(0) : Value(new_set());
  auto added = call.args().subspan(extends);
  if (added.empty()) return made;
  size_t count = HARN_TRY(items_in(added));
  std::optional<Claimed> claimed;
  if (count <= kInOneGo) claimed.emplace(made);
  SetObject* set = writable_set(made);
  if (extends) set->make_room(count);
  else set->reserve(count);
  std::optional<Undisturbed> in_one_go;
  if (claimed) in_one_go.emplace();
  for (Value& value : added) {
    if (is_list_like(value)) {
      for (size_t i = 0, size = list_size(value); i < size; ++i) {
        step();
        set->insert(list_item(value, i));
      }
    } else if (is_set(value)) {
      for (const Value& item : value.as_set()->values()) {
        step();
        set->insert(item);
      }
    } else {
      set->insert(std::move(value));
    }
  }
  set->trim();
  return made;
}

Outcome<Value> add_item(Call& call) {
  HARN_CHECK(expect_set(call));
  Value set = call.take(0);
  Claimed claimed(set);
  set_insert(set, call.take(1));
  return set;
}

Outcome<Value> remove_item(Call& call) {
  HARN_CHECK(expect_set(call));
  Value set = call.take(0);
  Claimed claimed(set);
  set_erase(set, call.arg(1));
  return set;
}

Outcome<Value> contains_item(Call& call) {
  return Value::boolean(is_set(call.arg(0)) && call.arg(0).as_set()->contains(call.arg(1)));
}

using Combine = Value (*)(Value a, const SetObject& b, Match match);

template <Combine combine>
Outcome<Value> combined(Call& call) {
  if (!is_set(call.arg(0)) || !is_set(call.arg(1))) {
    return throw_text(ErrorKind::Type, "{}: arguments must be sets", call.row().name);
  }
  return combine(call.take(0), *call.arg(1).as_set(), Match::Structure);
}

bool both_sets(Call& call) { return is_set(call.arg(0)) && is_set(call.arg(1)); }

Outcome<Value> is_subset(Call& call) {
  return Value::boolean(both_sets(call) && holds_all(*call.arg(1).as_set(), *call.arg(0).as_set(), Match::Structure));
}
Outcome<Value> is_superset(Call& call) {
  return Value::boolean(both_sets(call) && holds_all(*call.arg(0).as_set(), *call.arg(1).as_set(), Match::Structure));
}
Outcome<Value> is_disjoint(Call& call) {
  return Value::boolean(!both_sets(call) || !holds_any(*call.arg(0).as_set(), *call.arg(1).as_set(), Match::Structure));
}

constexpr std::string_view kCombine = "<T>(a: set<T>, b: set<T>) -> set<T>";
constexpr std::string_view kCompare = "(a: any, b: any) -> bool";

constinit const Builtin kRows[] = {
    {.name = "set",
     .signature = "<T>(...values: T | list<T> | set<T>) -> set<T>",
     .doc = "Returns the set of the values; lists and sets stand for their items.",
     .example = "len(set(1, [2, 1])) == 2",
     .call = make_set},
    {.name = "set_add",
     .signature = "<T>(s: set<T>, value: T) -> set<T>",
     .doc = "Returns the set with `value` in it.",
     .example = "set_add(set(1), 2) == set(1, 2)",
     .call = add_item},
    {.name = "set_contains",
     .signature = "(s: any, value: any) -> bool",
     .doc = "Says whether `value` is in the set.",
     .example = "set_contains(set(1), 1)",
     .call = contains_item},
    {.name = "set_difference",
     .signature = kCombine,
     .doc = "Returns the items of `a` that are not in `b`.",
     .example = "set_difference(set(1, 2), set(2)) == set(1)",
     .call = combined<difference>},
    {.name = "set_intersect",
     .signature = kCombine,
     .doc = "Returns the items that are in both sets.",
     .example = "set_intersect(set(1, 2), set(2)) == set(2)",
     .call = combined<intersection>},
    {.name = "set_is_disjoint",
     .signature = kCompare,
     .doc = "Says whether the sets have no item in common.",
     .example = "set_is_disjoint(set(1), set(2))",
     .call = is_disjoint},
    {.name = "set_is_subset",
     .signature = kCompare,
     .doc = "Says whether every item of `a` is in `b`.",
     .example = "set_is_subset(set(1), set(1, 2))",
     .call = is_subset},
    {.name = "set_is_superset",
     .signature = kCompare,
     .doc = "Says whether every item of `b` is in `a`.",
     .example = "set_is_superset(set(1, 2), set(1))",
     .call = is_superset},
    {.name = "set_remove",
     .signature = "<T>(s: set<T>, value: T) -> set<T>",
     .doc = "Returns the set without `value`.",
     .example = "set_remove(set(1, 2), 2) == set(1)",
     .call = remove_item},
    {.name = "set_symmetric_difference",
     .signature = kCombine,
     .doc = "Returns the items that are in exactly one of the sets.",
     .example = "set_symmetric_difference(set(1, 2), set(2, 3)) == set(1, 3)",
     .call = combined<symmetric_difference>},
    {.name = "set_union",
     .signature = kCombine,
     .doc = "Returns the items of both sets.",
     .example = "set_union(set(1), set(2)) == set(1, 2)",
     .call = combined<set_union>},
};

}  // namespace

std::span<const vm::Builtin> set_rows() { return kRows; }

}  // namespace harn::builtins
