#include "builtins/bounds.h"
#include "builtins/families.h"
#include "vm/function.h"
#include "vm/print.h"

// The list builtins that call back into the program live in src/std/prelude.harn: here are their
// rows and the natives they lean on.
namespace harn::builtins {
namespace {

using namespace vm;

// ---- natives of the prelude ----

Outcome<Value> expect_callable(Call& call) {
  if (call.arg(0).is_callable()) return Value();
  return type_error("{}: expected callable, got {}", HARN_TRY(call.text(1)), type_name(call.arg(0)));
}

// A builtin is taken to want all that it is offered: its own check says more than a shorter call would.
Outcome<Value> takes_arguments(Call& call) {
  int64_t count = HARN_TRY(call.integer(1));
  if (call.arg(0).kind() != Kind::Closure) return Value::boolean(true);
  const Prototype& proto = *call.arg(0).as_closure()->proto;
  return Value::boolean(proto.has_rest || count <= static_cast<int64_t>(proto.params));
}

Outcome<Value> is_callable(Call& call) { return Value::boolean(call.arg(0).is_callable()); }
Outcome<Value> is_number(Call& call) { return Value::boolean(call.arg(0).is_number()); }

Outcome<Value> raise_type_error(Call& call) { return type_error("{}", HARN_TRY(call.text(0))); }
Outcome<Value> raise_runtime_error(Call& call) { return runtime_error("{}", HARN_TRY(call.text(0))); }

struct KeyedItems {
  Ref<ListObject> items;
  Ref<ListObject> keys;
};

Outcome<KeyedItems> keyed_items(Call& call) {
  auto items = HARN_TRY(bounded_list(call, 0));
  auto keys = HARN_TRY(bounded_list(call, 1));
  if (items->size != keys->size) {
    return runtime_error(ErrorKind::Invalid, "{}: {} items but {} keys", call.row().name, items->size, keys->size);
  }
  return KeyedItems{items, keys};
}

template <class Key>
Value* group_of(Value& groups, Key key) {
  if (Value* group = dict_slot(groups, key)) return group;
  dict_set(groups, key, new_list());
  return dict_slot(groups, key);
}

// Adds to the group in place; read, push and write back would copy the group for every item.
Outcome<Value> group_by_keys(Call& call) {
  auto [items, keys] = HARN_TRY(keyed_items(call));
  Value groups = new_dict();
  for (size_t i = 0; i < items->size; ++i) {
    step();
    Value* group = with_key(keys->items[i], [&](auto key) { return group_of(groups, key); });
    writable_list(*group)->push(items->items[i]);
  }
  return groups;
}

Outcome<Value> dedup_by_keys(Call& call) {
  auto [items, keys] = HARN_TRY(keyed_items(call));
  auto seen = new_set();
  auto out = new_list();
  for (size_t i = 0; i < items->size; ++i) {
    step();
    if (seen->insert(keys->items[i])) out->push(items->items[i]);
  }
  return out;
}

constexpr KindSet kLists = on(Kind::List, Kind::Range);
constexpr KindSet kList = on(Kind::List);  // on ranges these are lazy: see iter.cpp
constexpr std::string_view kPredicate = "<T>(f: fn(T) -> bool) -> bool";

constinit const Builtin kRows[] = {
    {.name = "__dedup_by_keys",
     .signature = "<T>(items: list<T>, keys: list) -> list<T>",
     .doc = "Returns the first item of each key.",
     .example = "__dedup_by_keys([1, 2, 3], [0, 0, 1]) == [1, 3]",
     .call = dedup_by_keys},
    {.name = "__expect_callable",
     .signature = "(f: any, where: string) -> nil",
     .doc = "Raises a type error unless `f` can be called.",
     .example = R"(__expect_callable(len, "test") == nil)",
     .call = expect_callable},
    {.name = "__group_by_keys",
     .signature = "<T>(items: list<T>, keys: list) -> dict<string, list<T>>",
     .doc = "Returns the items in lists by the print form of their keys.",
     .example = R"(__group_by_keys([1, 2], ["a", "a"]) == {a: [1, 2]})",
     .call = group_by_keys},
    {.name = "__is_callable",
     .signature = "(value: any) -> bool",
     .doc = "Says whether `value` can be called.",
     .example = "__is_callable(len)",
     .call = is_callable},
    {.name = "__is_number",
     .signature = "(value: any) -> bool",
     .doc = "Says whether `value` is an int or a float.",
     .example = "__is_number(1.5)",
     .call = is_number},
    {.name = "__runtime_error",
     .signature = "(text: string) -> never",
     .doc = "Raises a runtime error.",
     .example = R"(is_err(try { __runtime_error("x") }))",
     .call = raise_runtime_error},
    {.name = "__takes_arguments",
     .signature = "(callable: any, count: int) -> bool",
     .doc = "Says whether `callable` may be called with so many arguments, as far as it must not be fewer.",
     .example = "__takes_arguments({ x -> x }, 1) && !__takes_arguments({ x -> x }, 2)",
     .call = takes_arguments},
    {.name = "__type_error",
     .signature = "(text: string) -> never",
     .doc = "Raises a type error.",
     .example = R"(is_err(try { __type_error("x") }))",
     .call = raise_type_error},
    {.name = "all",
     .receiver = kLists,
     .signature = kPredicate,
     .doc = "Says whether `f` is true of every item.",
     .example = "[2, 4].all({ x -> x > 1 })",
     .prelude = "list_all"},
    {.name = "any",
     .receiver = kLists,
     .signature = kPredicate,
     .doc = "Says whether `f` is true of some item.",
     .example = "[1, 2].any({ x -> x > 1 })",
     .prelude = "list_any"},
    {.name = "dedup_by",
     .signature = "<T>(items: list<T>, f: fn(T) -> any) -> list<T>",
     .doc = "Returns the first item of each key that `f` derives.",
     .example = "dedup_by([1, 2, 3], { x -> x % 2 }) == [1, 2]",
     .prelude = "dedup_by"},
    {.name = "every",
     .receiver = kLists,
     .signature = kPredicate,
     .doc = "Says whether `f` is true of every item.",
     .example = "[2, 4].every({ x -> x > 1 })",
     .prelude = "list_all"},
    {.name = "filter",
     .receiver = kList,
     .signature = "<T>(f: fn(T) -> bool) -> list<T>",
     .doc = "Returns the items of which `f` is true.",
     .example = "[1, 2, 3].filter({ x -> x > 1 }) == [2, 3]",
     .prelude = "list_filter"},
    {.name = "find",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> bool) -> T?",
     .doc = "Returns the first item of which `f` is true, or nil.",
     .example = "[1, 2, 3].find({ x -> x > 1 }) == 2",
     .prelude = "list_find"},
    {.name = "find_index",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> bool) -> int",
     .doc = "Returns the place of the first item of which `f` is true, or -1.",
     .example = "[1, 2, 3].find_index({ x -> x > 1 }) == 1",
     .prelude = "list_find_index"},
    {.name = "flat_map",
     .signature = "<T, U>(items: list<T>, f: fn(T) -> list<U> | U) -> list<U>",
     .doc = "Returns the results of `f`, with the items of list results in their place.",
     .example = "flat_map([1, 2], { x -> [x, x] }) == [1, 1, 2, 2]",
     .prelude = "flat_map"},
    {.name = "flat_map",
     .receiver = kList,
     .signature = "<T, U>(f: fn(T) -> list<U> | U) -> list<U>",
     .doc = "Returns the results of `f`, with the items of list results in their place.",
     .example = "[1, 2].flat_map({ x -> [x, x] }) == [1, 1, 2, 2]",
     .prelude = "list_flat_map"},
    {.name = "group_by",
     .signature = "<T>(items: list<T>, f: fn(T) -> any) -> dict<string, list<T>>",
     .doc = "Returns the items in lists by the print form of what `f` returns.",
     .example = R"(group_by([1, 2, 3], { x -> x % 2 }) == {"0": [2], "1": [1, 3]})",
     .prelude = "group_by"},
    {.name = "group_by",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> any) -> dict<string, list<T>>",
     .doc = "Returns the items in lists by the print form of what `f` returns.",
     .example = R"([1, 2, 3].group_by({ x -> x % 2 }) == {"0": [2], "1": [1, 3]})",
     .prelude = "list_group_by"},
    {.name = "map",
     .receiver = kList,
     .signature = "<T, U>(f: fn(T) -> U) -> list<U>",
     .doc = "Returns what `f` makes of each item.",
     .example = "[1, 2].map({ x -> x * 2 }) == [2, 4]",
     .prelude = "list_map"},
    {.name = "max_by",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> any) -> T?",
     .doc = "Returns the item with the largest key, the first of equals, or nil.",
     .example = R"(["a", "bcd"].max_by({ s -> s.count }) == "bcd")",
     .prelude = "list_max_by"},
    {.name = "min_by",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> any) -> T?",
     .doc = "Returns the item with the smallest key, the first of equals, or nil.",
     .example = R"(["bcd", "a"].min_by({ s -> s.count }) == "a")",
     .prelude = "list_min_by"},
    {.name = "none",
     .receiver = kLists,
     .signature = "<T>(f?: fn(T) -> bool) -> bool",
     .doc = "Says whether `f` is true of no item; without `f`, whether there are no items.",
     .example = "[1, 2].none({ x -> x > 2 })",
     .prelude = "list_none"},
    {.name = "partition",
     .signature = "<T>(items: list<T>, f: fn(T) -> bool) -> {match: list<T>, no_match: list<T>}",
     .doc = "Returns {match, no_match}: the items of which `f` is true, and the others.",
     .example = R"(partition([1, 2], { x -> x > 1 })["match"] == [2])",
     .prelude = "partition"},
    {.name = "partition",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> bool) -> list<list<T>>",
     .doc = "Returns the items of which `f` is true, and the others.",
     .example = "[1, 2, 3].partition({ x -> x > 1 }) == [[2, 3], [1]]",
     .prelude = "list_partition"},
    {.name = "reduce",
     .receiver = kLists,
     .signature = "<T, U>(init: U, f: fn(U, T) -> U) -> U",
     .doc = "Combines the items from the first to the last, starting from `init`.",
     .example = "[1, 2, 3].reduce(0, { a, x -> a + x }) == 6",
     .prelude = "list_reduce"},
    {.name = "sort_by",
     .receiver = kLists,
     .signature = "<T>(f: fn(T) -> any) -> list<T>",
     .doc = "Returns the items in ascending order of their keys; equals keep their order.",
     .example = "[1, 2, 3].sort_by({ x -> -x }) == [3, 2, 1]",
     .prelude = "list_sort_by"},
};

}  // namespace

std::span<const vm::Builtin> list_callback_rows() { return kRows; }

}  // namespace harn::builtins
