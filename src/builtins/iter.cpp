#include "builtins/families.h"

// Lazy iterators. Everything that pulls items may run the program's own code, so it is written in
// Harn (src/std/prelude.harn); only the making of an iterator is native.
namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> iter(Call& call) {
  if (call.arg(0).is(Kind::Iter)) return call.arg(0);
  return new_iter(call.take(0));
}

constexpr KindSet kSinks = on(Kind::Iter, Kind::Generator);
// Ranges are lists, except that a combinator on a range is lazy.
constexpr KindSet kLazy = on(Kind::Iter, Kind::Generator, Kind::Range);

constexpr std::string_view kPredicate = "(f: fn(any) -> bool) -> bool";
constexpr std::string_view kCount = "(n: int) -> Iter";
constexpr std::string_view kOther = "(other: any) -> Iter";
constexpr std::string_view kCallback = "(f: fn(any) -> any) -> Iter";
constexpr std::string_view kFilter = "(f: fn(any) -> bool) -> Iter";

constinit const Builtin kRows[] = {
    {.name = "all", .receiver = kSinks, .signature = kPredicate,
     .doc = "Says whether `f` is true of every item.",
     .example = "iter([2, 4]).all({ x -> x > 1 })", .prelude = "iter_all"},
    {.name = "any", .receiver = kSinks, .signature = kPredicate,
     .doc = "Says whether `f` is true of some item.",
     .example = "iter([1, 2]).any({ x -> x > 1 })", .prelude = "iter_any"},
    {.name = "chain", .receiver = kLazy, .signature = kOther,
     .doc = "Yields the items, then those of `other`.",
     .example = "iter([1]).chain([2]).to_list() == [1, 2]", .prelude = "iter_chain"},
    {.name = "chunks", .receiver = kLazy, .signature = kCount,
     .doc = "Yields the items in lists of `n`; the last may be shorter.",
     .example = "iter([1, 2, 3]).chunks(2).to_list() == [[1, 2], [3]]", .prelude = "iter_chunks"},
    {.name = "count", .receiver = kSinks, .signature = "() -> int",
     .doc = "Returns the number of items left.",
     .example = "iter([1, 2]).count() == 2", .prelude = "iter_count"},
    {.name = "enumerate", .receiver = kLazy, .signature = "() -> Iter",
     .doc = "Yields a Pair of number and item for each item.",
     .example = "iter([7]).enumerate().to_list() == [pair(0, 7)]", .prelude = "iter_enumerate"},
    {.name = "filter", .receiver = kLazy, .signature = kFilter,
     .doc = "Yields the items of which `f` is true.",
     .example = "iter([1, 2]).filter({ x -> x > 1 }).to_list() == [2]", .prelude = "iter_filter"},
    {.name = "find", .receiver = kSinks, .signature = "(f: fn(any) -> bool) -> any",
     .doc = "Returns the first item of which `f` is true, or nil.",
     .example = "iter([1, 2]).find({ x -> x > 1 }) == 2", .prelude = "iter_find"},
    {.name = "first", .receiver = kSinks, .signature = "() -> any",
     .doc = "Returns the next item, or nil.",
     .example = "iter([1, 2]).first() == 1", .prelude = "iter_first"},
    {.name = "flat_map", .receiver = kLazy, .signature = kCallback,
     .doc = "Yields the items of what `f` returns for each item.",
     .example = "iter([1, 2]).flat_map({ x -> [x, x] }).to_list() == [1, 1, 2, 2]",
     .prelude = "iter_flat_map"},
    {.name = "for_each", .receiver = kLazy, .signature = "(f: fn(any) -> any) -> nil",
     .doc = "Calls `f` with each item.",
     .example = "iter([1]).for_each({ x -> x }) == nil", .prelude = "iter_for_each"},
    {.name = "iter",
     .receiver = on(Kind::List, Kind::Range, Kind::Dict, Kind::Set, Kind::String, Kind::Generator,
                    Kind::Iter, Kind::Handle),
     .signature = "() -> Iter",
     .doc = "Returns a lazy iterator over the value; dicts yield Pairs.",
     .example = "[1, 2].iter().to_list() == [1, 2]", .call = iter},
    {.name = "last", .receiver = kSinks, .signature = "() -> any",
     .doc = "Returns the last item, or nil.",
     .example = "iter([1, 2]).last() == 2", .prelude = "iter_last"},
    {.name = "map", .receiver = kLazy, .signature = kCallback,
     .doc = "Yields what `f` makes of each item.",
     .example = "iter([1, 2]).map({ x -> x * 2 }).to_list() == [2, 4]", .prelude = "iter_map"},
    {.name = "max", .receiver = kSinks, .signature = "() -> any",
     .doc = "Returns the largest item, or nil.",
     .example = "iter([1, 2]).max() == 2", .prelude = "iter_max"},
    {.name = "min", .receiver = kSinks, .signature = "() -> any",
     .doc = "Returns the smallest item, or nil.",
     .example = "iter([1, 2]).min() == 1", .prelude = "iter_min"},
    {.name = "next", .receiver = on(Kind::Generator), .signature = "() -> dict",
     .doc = "Returns {value, done}: the next item, or nil and true at the end.",
     .example = "iter([]).first() == nil", .prelude = "generator_next"},
    {.name = "reduce", .receiver = kSinks,
     .signature = "(init: any, f: fn(any, any) -> any) -> any",
     .doc = "Combines the items from the first to the last, starting from `init`.",
     .example = "iter([1, 2]).reduce(0, { a, x -> a + x }) == 3", .prelude = "iter_reduce"},
    {.name = "skip", .receiver = kLazy, .signature = kCount,
     .doc = "Yields the items after the first `n`.",
     .example = "iter([1, 2]).skip(1).to_list() == [2]", .prelude = "iter_skip"},
    {.name = "skip_while", .receiver = kLazy, .signature = kFilter,
     .doc = "Yields the items from the first of which `f` is false.",
     .example = "iter([1, 2, 1]).skip_while({ x -> x < 2 }).to_list() == [2, 1]",
     .prelude = "iter_skip_while"},
    {.name = "sum", .receiver = kSinks, .signature = "() -> int | float",
     .doc = "Returns the sum of the items.",
     .example = "iter([1, 2]).sum() == 3", .prelude = "iter_sum"},
    {.name = "take", .receiver = kLazy, .signature = kCount,
     .doc = "Yields the first `n` items.",
     .example = "iter([1, 2]).take(1).to_list() == [1]", .prelude = "iter_take"},
    {.name = "take_while", .receiver = kLazy, .signature = kFilter,
     .doc = "Yields the items before the first of which `f` is false.",
     .example = "iter([1, 2, 1]).take_while({ x -> x < 2 }).to_list() == [1]",
     .prelude = "iter_take_while"},
    {.name = "to_dict", .receiver = kLazy, .signature = "() -> dict",
     .doc = "Returns a dict of the items, which must be Pairs of a string and a value.",
     .example = R"(iter([pair("a", 1)]).to_dict() == {a: 1})", .prelude = "iter_to_dict"},
    {.name = "to_list", .receiver = kLazy, .signature = "() -> list",
     .doc = "Returns the items as a list.",
     .example = "iter([1, 2]).to_list() == [1, 2]", .prelude = "iter_to_list"},
    {.name = "to_set", .receiver = kLazy, .signature = "() -> set",
     .doc = "Returns the items as a set.",
     .example = "iter([1, 1]).to_set() == set(1)", .prelude = "iter_to_set"},
    {.name = "windows", .receiver = kLazy, .signature = kCount,
     .doc = "Yields every run of `n` neighbouring items.",
     .example = "iter([1, 2, 3]).windows(2).to_list() == [[1, 2], [2, 3]]",
     .prelude = "iter_windows"},
    {.name = "zip", .receiver = kLazy, .signature = kOther,
     .doc = "Yields Pairs of an item and one of `other`, up to the shorter.",
     .example = "iter([1]).zip([2]).to_list() == [pair(1, 2)]", .prelude = "iter_zip"},
};

}  // namespace

std::span<const vm::Builtin> iter_rows() { return kRows; }

}  // namespace harn::builtins
