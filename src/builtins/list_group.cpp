#include <algorithm>

#include "builtins/bounds.h"
#include "builtins/families.h"
#include "vm/print.h"
#include "builtins/records.h"

// Lists into lists of lists or dicts: chunks, windows, pairs, counts. As methods and as functions.
namespace harn::builtins {
namespace {

using namespace vm;

// A size argument: at least 1.
Outcome<size_t> size_argument(Call& call, uint32_t i, int64_t otherwise) {
  int64_t size = HARN_TRY(call.integer_or(i, otherwise));
  return static_cast<size_t>(std::max<int64_t>(1, size));
}

// The list in argument 0. The functions word the error for another kind in their own way.
Outcome<Ref<ListObject>> first_list(Call& call) {
  if (call.row().receiver == 0 && !is_list_like(call.arg(0))) {
    return type_error("{}: first argument must be a list, got {}", call.row().name, type_name(call.arg(0)));
  }
  return bounded_list(call, 0);
}

Outcome<Value> chunk(Call& call) {
  auto list = HARN_TRY(first_list(call));
  size_t size = HARN_TRY(size_argument(call, 1, 1));
  std::span<const Value> rest = list->values();
  auto out = new_list(rest.size() / size + 1);
  while (!rest.empty()) {
    step();
    size_t taken = std::min(size, rest.size());
    out->push(new_list(rest.first(taken)));
    rest = rest.subspan(taken);
  }
  return out;
}

Outcome<Value> window(Call& call) {
  auto list = HARN_TRY(first_list(call));
  size_t size = HARN_TRY(size_argument(call, 1, 2));
  size_t step = HARN_TRY(size_argument(call, 2, 1));
  if (size > list->size) return new_list();
  std::span<const Value> values = list->values();
  size_t places = values.size() - size + 1;
  uint64_t windows = (places - 1) / step + 1;
  HARN_CHECK(check_list_size(saturating_product(windows, size)));
  auto out = new_list(windows);
  for (uint64_t i = 0; i < windows; ++i) {
    vm::step();
    out->push(new_list(values.subspan(i * step, size)));
  }
  return out;
}

Outcome<Value> enumerate(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  TwoFieldDict entry("index", "value");
  auto out = new_list(list->size);
  int64_t index = 0;
  for (const Value& item : list->values()) {
    step();
    out->push(entry.make(Value::integer(index++), item));
  }
  return out;
}

Outcome<Value> zip(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  const Value& other = call.arg(1);
  if (!is_list_like(other)) return new_list();
  size_t size = std::min<size_t>(list->size, list_size(other));
  auto out = new_list(size);
  for (size_t i = 0; i < size; ++i) {
    step();
    auto row = new_list(size_t{2});
    row->push(list->items[i]);
    row->push(list_item(other, i));
    out->push(row);
  }
  return out;
}

template <class Key>
void count_one(Value& counts, Key key) {
  if (Value* slot = dict_slot(counts, key)) slot->set_int(slot->as_int() + 1);
  else dict_set(counts, key, Value::integer(1));
}

Outcome<Value> tally(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  Value counts = new_dict();
  for (const Value& item : list->values()) {
    step();
    with_key(item, [&](auto key) { count_one(counts, key); });
  }
  return counts;
}

constexpr KindSet kLists = on(Kind::List, Kind::Range);
constexpr std::string_view kChunk = "<T>(size?: int) -> list<list<T>>";
constexpr std::string_view kWindow = "<T>(size?: int, step?: int) -> list<list<T>>";
constexpr std::string_view kWindowDoc = "Returns every run of `size` neighbouring items, moving on by `step`.";
constexpr std::string_view kChunkDoc = "Returns the items in lists of `size`; the last may be shorter.";

constinit const Builtin kRows[] = {
    {.name = "chunk",
     .signature = "<T>(items: list<T>, size?: int) -> list<list<T>>",
     .doc = kChunkDoc,
     .example = "chunk([1, 2, 3], 2) == [[1, 2], [3]]",
     .call = chunk},
    {.name = "chunk",
     .receiver = kLists,
     .signature = kChunk,
     .doc = kChunkDoc,
     .example = "[1, 2, 3].chunk(2) == [[1, 2], [3]]",
     .call = chunk},
    {.name = "each_cons",
     .receiver = kLists,
     .signature = kWindow,
     .doc = kWindowDoc,
     .example = "[1, 2, 3].each_cons(2) == [[1, 2], [2, 3]]",
     .call = window},
    {.name = "each_slice",
     .receiver = kLists,
     .signature = kChunk,
     .doc = kChunkDoc,
     .example = "[1, 2, 3].each_slice(2) == [[1, 2], [3]]",
     .call = chunk},
    {.name = "enumerate",
     .receiver = on(Kind::List),
     .signature = "<T>() -> list<{index: int, value: T}>",
     .doc = "Returns a dict {index, value} for each item.",
     .example = "[7].enumerate() == [{index: 0, value: 7}]",
     .call = enumerate},
    {.name = "sliding_window",
     .receiver = kLists,
     .signature = kWindow,
     .doc = kWindowDoc,
     .example = "[1, 2, 3].sliding_window(2) == [[1, 2], [2, 3]]",
     .call = window},
    {.name = "tally",
     .receiver = kLists,
     .signature = "() -> dict<string, int>",
     .doc = "Returns how often each print form occurs.",
     .example = R"(["a", "b", "a"].tally() == {a: 2, b: 1})",
     .call = tally},
    {.name = "window",
     .signature = "<T>(items: list<T>, size?: int, step?: int) -> list<list<T>>",
     .doc = kWindowDoc,
     .example = "window([1, 2, 3]) == [[1, 2], [2, 3]]",
     .call = window},
    {.name = "window",
     .receiver = kLists,
     .signature = kWindow,
     .doc = kWindowDoc,
     .example = "[1, 2, 3].window() == [[1, 2], [2, 3]]",
     .call = window},
    {.name = "zip",
     .receiver = on(Kind::List),
     .signature = "<T, U>(other: list<U>) -> list<list<T | U>>",
     .doc = "Returns lists of two, one item from each list, up to the shorter one.",
     .example = "[1, 2].zip([3, 4]) == [[1, 3], [2, 4]]",
     .call = zip},
};

}  // namespace

std::span<const vm::Builtin> list_group_rows() { return kRows; }

}  // namespace harn::builtins
