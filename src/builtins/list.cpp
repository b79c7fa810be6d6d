#include <algorithm>
#include <string>

#include "builtins/bounds.h"
#include "builtins/join.h"
#include "builtins/families.h"
#include "vm/claim.h"

// What a list can be asked or turned into item by item. Ranges have the same methods: those that
// can answer from the two ends do so, the others write the range out.
namespace harn::builtins {
namespace {

using namespace vm;

// Clamps a count argument to 0..size.
size_t clamp_count(int64_t count, size_t size) { return count <= 0 ? 0 : std::min(static_cast<size_t>(count), size); }

// Items from..to of the list in argument 0; part of a range stays a range.
Outcome<Value> part(Call& call, size_t from, size_t to) { return part_of_list(call.take(0), from, std::max(from, to)); }

Outcome<size_t> receiver_size(Call& call) {
  if (!is_list_like(call.arg(0))) return call.wrong_type(0, "a list");
  return list_size(call.arg(0));
}

// ---- size and ends ----

Outcome<Value> count(Call& call) { return Value::integer(static_cast<int64_t>(HARN_TRY(receiver_size(call)))); }
Outcome<Value> empty(Call& call) { return Value::boolean(HARN_TRY(receiver_size(call)) == 0); }

Outcome<Value> first(Call& call) {
  size_t size = HARN_TRY(receiver_size(call));
  if (call.has(1)) return part(call, 0, clamp_count(HARN_TRY(call.integer(1)), size));
  return size > 0 ? list_item(call.arg(0), 0) : Value();
}

Outcome<Value> last(Call& call) {
  size_t size = HARN_TRY(receiver_size(call));
  if (call.has(1)) return part(call, size - clamp_count(HARN_TRY(call.integer(1)), size), size);
  return size > 0 ? list_item(call.arg(0), size - 1) : Value();
}

Outcome<Value> take(Call& call) {
  size_t size = HARN_TRY(receiver_size(call));
  return part(call, 0, clamp_count(HARN_TRY(call.integer(1)), size));
}

Outcome<Value> skip(Call& call) {
  size_t size = HARN_TRY(receiver_size(call));
  return part(call, clamp_count(HARN_TRY(call.integer(1)), size), size);
}

// A position where negative numbers count from the end.
size_t position(int64_t index, size_t size) {
  if (index >= 0) return clamp_count(index, size);
  return size - clamp_count(index == INT64_MIN ? INT64_MAX : -index, size);
}

Outcome<Value> slice(Call& call) {
  size_t size = HARN_TRY(receiver_size(call));
  size_t start = position(HARN_TRY(call.integer(1)), size);
  return part(call, start, position(HARN_TRY(call.integer_or(2, INT64_MAX)), size));
}

// ---- searching ----

int64_t place_of(const Value& list, const Value& item) {
  if (list.is(Kind::Range)) return place_in_range(list.as_range(), item);
  auto values = list.as_list()->values();
  auto found = std::find_if(values.begin(), values.end(), [&](const Value& value) {
    step();
    return equal(value, item);
  });
  return found == values.end() ? -1 : found - values.begin();
}

Outcome<Value> index_of(Call& call) {
  HARN_CHECK(receiver_size(call));
  return Value::integer(place_of(call.arg(0), call.arg(1)));
}
Outcome<Value> contains_item(Call& call) {
  HARN_CHECK(receiver_size(call));
  return Value::boolean(place_of(call.arg(0), call.arg(1)) >= 0);
}

// ---- folding without a callback ----

// `wanted` is the sign of compare(item, best) that makes an item the new best.
Outcome<Value> extreme(Call& call, int wanted) {
  size_t size = HARN_TRY(receiver_size(call));
  const Value& list = call.arg(0);
  if (size == 0) return Value();
  if (list.is(Kind::Range)) return list_item(list, wanted < 0 ? 0 : size - 1);
  const Value* best = list.as_list()->items;
  for (const Value& item : list.as_list()->values()) {
    step();
    if (compare(item, *best) == wanted) best = &item;
  }
  return *best;
}
Outcome<Value> min(Call& call) { return extreme(call, -1); }
Outcome<Value> max(Call& call) { return extreme(call, 1); }

// n/2 * (first + last), with the halving done on whichever factor is even; wraps like `+`.
Value range_sum(const RangeObject* range) {
  auto size = static_cast<unsigned __int128>(range->size());
  auto ends = static_cast<unsigned __int128>(static_cast<__int128>(range->start) + range->item(range->size() - 1));
  auto total = static_cast<unsigned __int128>(static_cast<__int128>(size * ends) / 2);
  return Value::integer(static_cast<int64_t>(static_cast<uint64_t>(total)));
}

Outcome<Value> sum(Call& call) {
  size_t size = HARN_TRY(receiver_size(call));
  if (size == 0) return Value::integer(0);
  if (call.arg(0).is(Kind::Range)) return range_sum(call.arg(0).as_range());
  uint64_t whole = 0;
  double number = 0;
  bool any_float = false;
  for (const Value& item : call.arg(0).as_list()->values()) {
    step();
    if (item.is_int()) whole += static_cast<uint64_t>(item.as_int());
    if (item.is_float()) any_float = true;
    if (item.is_number()) number += item.as_number();
  }
  if (any_float) return Value::number(number);
  return Value::integer(static_cast<int64_t>(whole));
}

Outcome<Value> join(Call& call) { return join_list(call.arg(0), HARN_TRY(call.text_or(1, ""))); }

// ---- changed copies ----

// The receiver, ready to be written to.
Outcome<Value> owned_list(Call& call, uint64_t more) {
  HARN_CHECK(check_list_size(HARN_TRY(receiver_size(call)) + more));
  Value list = call.take(0);
  claim(list);
  return list;
}

Outcome<Value> push(Call& call) {
  Value list = HARN_TRY(owned_list(call, 1));
  Value item = call.take(1);
  writable_list(list)->push(std::move(item));
  return list;
}

Outcome<Value> pop(Call& call) {
  Value list = HARN_TRY(owned_list(call, 0));
  size_t size = list_size(list);
  return size == 0 ? std::move(list) : part_of_list(std::move(list), 0, size - 1);
}

Outcome<Value> reverse(Call& call) {
  Value list = HARN_TRY(owned_list(call, 0));
  auto values = writable_list(list)->values();
  std::reverse(values.begin(), values.end());
  return list;
}

Outcome<Value> compact(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  auto out = new_list(list->size);
  for (const Value& item : list->values()) {
    step();
    if (!item.is_nil()) out->push(item);
  }
  return out;
}

Outcome<Value> flatten(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  uint64_t size = 0;
  for (const Value& item : list->values()) size += is_list_like(item) ? list_size(item) : 1;
  HARN_CHECK(check_list_size(size));
  auto out = new_list(size);
  for (const Value& item : list->values()) {
    step();
    if (!is_list_like(item)) {
      out->push(item);
      continue;
    }
    for (size_t i = 0, end = list_size(item); i < end; ++i) {
      step();
      out->push(list_item(item, i));
    }
  }
  return out;
}

Outcome<Value> unique(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  if (call.arg(0).is(Kind::Range)) return list;
  auto seen = new_set();
  seen->reserve(list->size);
  for (const Value& item : list->values()) {
    step();
    seen->insert(item);
  }
  return set_items(seen.get());
}

constexpr KindSet kLists = on(Kind::List, Kind::Range);

constinit const Builtin kRows[] = {
    {.name = "compact",
     .receiver = kLists,
     .signature = "<T>() -> list<T>",
     .doc = "Returns the items that are not nil.",
     .example = "[1, nil, 2].compact() == [1, 2]",
     .call = compact},
    {.name = "contains",
     .receiver = kLists,
     .signature = "(item: any) -> bool",
     .doc = "Says whether an item equals `item`.",
     .example = "[1, 2].contains(2)",
     .call = contains_item},
    {.name = "count",
     .receiver = kLists,
     .signature = "() -> int",
     .doc = "The number of items; property or call.",
     .example = "[1, 2].count == 2",
     .flags = BuiltinFlags::Property,
     .call = count},
    {.name = "empty",
     .receiver = kLists,
     .signature = "() -> bool",
     .doc = "Says whether there are no items; property or call.",
     .example = "[].empty",
     .flags = BuiltinFlags::Property,
     .call = empty},
    {.name = "first",
     .receiver = kLists,
     .signature = "<T>() -> T?; <T>(n: int) -> list<T>",
     .doc = "The first item or nil, or a list of the first `n` items; property or call.",
     .example = "[1, 2, 3].first == 1 && [1, 2, 3].first(2) == [1, 2]",
     .flags = BuiltinFlags::Property,
     .call = first},
    {.name = "flatten",
     .receiver = kLists,
     .signature = "() -> list",
     .doc = "Returns the list with the items of inner lists in their place, one level deep.",
     .example = "[[1], 2, [[3]]].flatten() == [1, 2, [3]]",
     .call = flatten},
    {.name = "index_of",
     .receiver = kLists,
     .signature = "(item: any) -> int",
     .doc = "Returns the place of the first item that equals `item`, or -1.",
     .example = "[5, 6].index_of(6) == 1",
     .call = index_of},
    {.name = "join",
     .receiver = kLists,
     .signature = "(separator?: string) -> string",
     .doc = "Returns the print forms of the items with the separator between them.",
     .example = R"([1, 2].join("-") == "1-2")",
     .call = join},
    {.name = "last",
     .receiver = kLists,
     .signature = "<T>() -> T?; <T>(n: int) -> list<T>",
     .doc = "The last item or nil, or a list of the last `n` items; property or call.",
     .example = "[1, 2, 3].last == 3 && [1, 2, 3].last(2) == [2, 3]",
     .flags = BuiltinFlags::Property,
     .call = last},
    {.name = "len",
     .receiver = on(Kind::Range),
     .signature = "() -> int",
     .doc = "Returns the number of items.",
     .example = "range(3).len() == 3",
     .call = count},
    {.name = "max",
     .receiver = kLists,
     .signature = "<T>() -> T?",
     .doc = "Returns the largest item, the first of equals, or nil.",
     .example = "[1, 3, 2].max() == 3",
     .call = max},
    {.name = "min",
     .receiver = kLists,
     .signature = "<T>() -> T?",
     .doc = "Returns the smallest item, the first of equals, or nil.",
     .example = "[2, 1, 3].min() == 1",
     .call = min},
    {.name = "pop",
     .receiver = kLists,
     .signature = "<T>() -> list<T>",
     .doc = "Returns the list without its last item.",
     .example = "[1, 2].pop() == [1]",
     .call = pop},
    {.name = "push",
     .receiver = kLists,
     .signature = "<T>(item: T) -> list<T>",
     .doc = "Returns the list with `item` at its end.",
     .example = "[1].push(2) == [1, 2]",
     .call = push},
    {.name = "reverse",
     .receiver = kLists,
     .signature = "<T>() -> list<T>",
     .doc = "Returns the items in reverse order.",
     .example = "[1, 2].reverse() == [2, 1]",
     .call = reverse},
    {.name = "skip",
     .receiver = on(Kind::List),
     .signature = "<T>(n: int) -> list<T>",
     .doc = "Returns the list without its first `n` items.",
     .example = "[1, 2, 3].skip(1) == [2, 3]",
     .call = skip},
    {.name = "slice",
     .receiver = kLists,
     .signature = "<T>(start: int, end?: int) -> list<T>",
     .doc = "Returns the items from `start` up to `end`; negative places count from the end.",
     .example = "[1, 2, 3].slice(-2) == [2, 3]",
     .call = slice},
    {.name = "sum",
     .receiver = kLists,
     .signature = "<T>() -> T",
     .doc = "Returns the sum of the items that are numbers.",
     .example = "[1, 2, 3].sum() == 6",
     .call = sum},
    {.name = "take",
     .receiver = on(Kind::List),
     .signature = "<T>(n: int) -> list<T>",
     .doc = "Returns the first `n` items.",
     .example = "[1, 2, 3].take(2) == [1, 2]",
     .call = take},
    {.name = "unique",
     .receiver = kLists,
     .signature = "<T>() -> list<T>",
     .doc = "Returns the list without items that occurred before.",
     .example = "[1, 2, 1].unique() == [1, 2]",
     .call = unique},
};

}  // namespace

std::span<const vm::Builtin> list_rows() { return kRows; }

}  // namespace harn::builtins
