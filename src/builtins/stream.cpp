#include "builtins/families.h"

// The `stream.*` operators. All are written in Harn: see src/std/prelude.harn.
namespace harn::builtins {
namespace {

using namespace vm;

constexpr std::string_view kCallback = "(source: any, f: fn(any) -> any) -> Iter";
constexpr std::string_view kPredicate = "(source: any, f: fn(any) -> bool) -> Iter";

constinit const Builtin kRows[] = {
    {.name = "stream.broadcast",
     .signature = "(source: any, n: int) -> list<Iter>",
     .doc = "Returns `n` iterators that each yield all items of the source.",
     .example = "stream.broadcast([1, 2], 2)[1].to_list() == [1, 2]",
     .prelude = "stream_broadcast"},
    {.name = "stream.collect",
     .signature = "(source: any, max_or_opts?: int | dict) -> list",
     .doc = "Returns the items as a list of at most `max` (10000) items.",
     .example = "stream.collect(range(3)) == [0, 1, 2]",
     .prelude = "stream_collect"},
    {.name = "stream.debounce",
     .signature = "(source: any, window_ms: int) -> Iter",
     .doc = "Yields the last item of each burst.",
     .example = "stream.debounce([1, 2], 10).to_list() == [2]",
     .prelude = "stream_debounce"},
    {.name = "stream.filter",
     .signature = kPredicate,
     .doc = "Yields the items of which `f` is true.",
     .example = "stream.filter([1, 2], { x -> x > 1 }).to_list() == [2]",
     .prelude = "stream_filter"},
    {.name = "stream.first",
     .signature = "(source: any) -> any",
     .doc = "Returns the first item, or nil.",
     .example = "stream.first([1, 2]) == 1",
     .prelude = "stream_first"},
    {.name = "stream.fold",
     .signature = "(source: any, init: any, f: fn(any, any) -> any) -> any",
     .doc = "Combines the items from the first to the last, starting from `init`.",
     .example = "stream.fold([1, 2], 0, { a, x -> a + x }) == 3",
     .prelude = "stream_fold"},
    {.name = "stream.interleave",
     .signature = "(first: any, second: any, ...more: any) -> Iter",
     .doc = "Yields one item of each source in turn.",
     .example = "stream.interleave([1, 3], [2]).to_list() == [1, 2, 3]",
     .prelude = "stream_interleave"},
    {.name = "stream.map",
     .signature = kCallback,
     .doc = "Yields what `f` makes of each item.",
     .example = "stream.map([1], { x -> x + 1 }).to_list() == [2]",
     .prelude = "stream_map"},
    {.name = "stream.merge",
     .signature = "(first: any, ...more: any) -> Iter",
     .doc = "Yields the items of all sources as they come.",
     .example = "stream.merge([1], [2]).to_list() == [1, 2]",
     .prelude = "stream_merge"},
    {.name = "stream.race",
     .signature = "(first: any, ...more: any) -> Iter",
     .doc = "Yields the items of the source that yields first.",
     .example = "stream.race([], [2, 3]).to_list() == [2, 3]",
     .prelude = "stream_race"},
    {.name = "stream.scan",
     .signature = "(source: any, init: any, f: fn(any, any) -> any) -> Iter",
     .doc = "Yields the result of combining the items so far, starting from `init`.",
     .example = "stream.scan([1, 2], 0, { a, x -> a + x }).to_list() == [1, 3]",
     .prelude = "stream_scan"},
    {.name = "stream.take",
     .signature = "(source: any, n: int) -> Iter",
     .doc = "Yields the first `n` items.",
     .example = "stream.take([1, 2], 1).to_list() == [1]",
     .prelude = "stream_take"},
    {.name = "stream.take_until",
     .signature = kPredicate,
     .doc = "Yields the items before the first of which `f` is true.",
     .example = "stream.take_until([1, 2, 3], { x -> x == 2 }).to_list() == [1]",
     .prelude = "stream_take_until"},
    {.name = "stream.tap",
     .signature = kCallback,
     .doc = "Calls `f` with each item and yields the item.",
     .example = "stream.tap([1], { x -> x + 1 }).to_list() == [1]",
     .prelude = "stream_tap"},
    {.name = "stream.throttle",
     .signature = "(source: any, per_sec: int) -> Iter",
     .doc = "Yields the items, at most `per_sec` in a second.",
     .example = "stream.throttle([1, 2], 100).to_list() == [1, 2]",
     .prelude = "stream_throttle"},
    {.name = "stream.zip",
     .signature = "(first: any, second: any) -> Iter",
     .doc = "Yields Pairs of one item of each source, up to the shorter.",
     .example = "stream.zip([1], [2]).to_list() == [pair(1, 2)]",
     .prelude = "stream_zip"},
};

}  // namespace

std::span<const vm::Builtin> stream_rows() { return kRows; }

}  // namespace harn::builtins
