#include <optional>

#include "builtins/bounds.h"
#include "builtins/families.h"
#include "builtins/records.h"
#include "vm/claim.h"
#include "vm/print.h"

// Dicts: keys are strings, and whatever else is used as a key becomes its print form.
namespace harn::builtins {
namespace {

using namespace vm;

// The dict or struct in argument 0, or null: the functions answer [] for other kinds.
const DictObject* dict_or_null(Call& call) {
  const Value& value = call.arg(0);
  return value.is(Kind::Dict) || value.is(Kind::Struct) ? value.as_dict() : nullptr;
}

Outcome<Value> keys(Call& call) {
  const DictObject* dict = dict_or_null(call);
  auto list = new_list(dict ? dict->size() : 0);
  if (!dict) return list;
  for (auto [key, value] : dict->entries()) {
    step();
    list->push(Value::share(key));
  }
  return list;
}

Outcome<Value> values(Call& call) {
  const DictObject* dict = dict_or_null(call);
  auto list = new_list(dict ? dict->size() : 0);
  if (!dict) return list;
  for (auto [key, value] : dict->entries()) {
    step();
    list->push(*value);
  }
  return list;
}

Outcome<Value> entries(Call& call) {
  const DictObject* dict = dict_or_null(call);
  auto list = new_list(dict ? dict->size() : 0);
  if (!dict) return list;
  TwoFieldDict entry("key", "value");
  for (auto [key, value] : dict->entries()) {
    step();
    list->push(entry.make(Value::share(key), *value));
  }
  return list;
}

Outcome<Value> count(Call& call) { return Value::integer(static_cast<int64_t>(HARN_TRY(call.dict(0))->size())); }

const Value* find(const DictObject* dict, const Value& key) {
  return with_key(key, [&](auto name) { return dict->find(name); });
}

Outcome<Value> has(Call& call) { return Value::boolean(find(HARN_TRY(call.dict(0)), call.arg(1)) != nullptr); }

Outcome<Value> get(Call& call) {
  const Value* value = find(HARN_TRY(call.dict(0)), call.arg(1));
  return value ? *value : call.arg(2);
}

Outcome<Value> merge(Call& call) {
  HARN_CHECK(call.dict(0));
  Value other = call.take(1);
  Value dict = call.take(0);
  if (!other.is(Kind::Dict) && !other.is(Kind::Struct)) return dict;
  std::optional<Claimed> claimed;
  if (is_small_part(dict, other.as_dict())) claimed.emplace(dict);
  dict_merge(dict, other.as_dict());
  return dict;
}

Outcome<Value> remove(Call& call) {
  HARN_CHECK(call.dict(0));
  Value dict = call.take(0);
  Claimed claimed(dict);
  with_key(call.arg(1), [&](auto name) { dict_erase(dict, name); });
  return dict;
}

constexpr KindSet kDict = on(Kind::Dict);

constinit const Builtin kRows[] = {
    {.name = "count",
     .receiver = kDict,
     .signature = "() -> int",
     .doc = "The number of keys; property (where there is no key of that name) or call.",
     .example = "{a: 1, b: 2}.count() == 2",
     .flags = BuiltinFlags::Property,
     .call = count},
    {.name = "entries",
     .signature = "<V>(d: dict<string, V>) -> list<{key: string, value: V}>; (d: any) -> list<never>",
     .doc = "Returns a dict {key, value} for each entry in key order; [] for other kinds.",
     .example = R"(entries({a: 1}) == [{key: "a", value: 1}])",
     .call = entries},
    {.name = "entries",
     .receiver = kDict,
     .signature = "<V>() -> list<{key: string, value: V}>",
     .doc = "Returns a dict {key, value} for each entry in key order.",
     .example = R"({a: 1}.entries() == [{key: "a", value: 1}])",
     .call = entries},
    {.name = "filter",
     .receiver = kDict,
     .signature = "<V>(f: fn(V) -> bool) -> dict<string, V>",
     .doc = "Returns the entries of whose value `f` is true.",
     .example = "{a: 1, b: 2}.filter({ v -> v > 1 }) == {b: 2}",
     .prelude = "dict_filter"},
    {.name = "get",
     .receiver = kDict,
     .signature = "<V>(key: any, default?: V) -> V?",
     .doc = "Returns the value of `key`, or `default` when the key is absent.",
     .example = R"({a: 1}.get("b", 2) == 2)",
     .call = get},
    {.name = "has",
     .receiver = kDict,
     .signature = "(key: any) -> bool",
     .doc = "Says whether the key is present.",
     .example = R"({a: 1}.has("a"))",
     .call = has},
    {.name = "keys",
     .signature = "(d: any) -> list<string>",
     .doc = "Returns the keys in order; [] for other kinds.",
     .example = R"(keys({b: 1, a: 2}) == ["a", "b"])",
     .call = keys},
    {.name = "keys",
     .receiver = kDict,
     .signature = "() -> list<string>",
     .doc = "Returns the keys in order.",
     .example = R"({b: 1, a: 2}.keys() == ["a", "b"])",
     .call = keys},
    {.name = "map_keys",
     .receiver = kDict,
     .signature = "<V>(f: fn(string) -> any) -> dict<string, V>",
     .doc = "Returns the dict with each key replaced by what `f` makes of it.",
     .example = "{a: 1}.map_keys(uppercase) == {A: 1}",
     .prelude = "dict_map_keys"},
    {.name = "map_values",
     .receiver = kDict,
     .signature = "<V, U>(f: fn(V) -> U) -> dict<string, U>",
     .doc = "Returns the dict with each value replaced by what `f` makes of it.",
     .example = "{a: 1}.map_values({ v -> v + 1 }) == {a: 2}",
     .prelude = "dict_map_values"},
    {.name = "merge",
     .receiver = kDict,
     .signature = "<V>(other: dict<string, V>) -> dict<string, V>",
     .doc = "Returns the entries of both dicts; `other` wins.",
     .example = "{a: 1}.merge({a: 2, b: 3}) == {a: 2, b: 3}",
     .call = merge},
    {.name = "rekey",
     .receiver = kDict,
     .signature = "<V>(f: fn(string) -> any) -> dict<string, V>",
     .doc = "Returns the dict with each key replaced by what `f` makes of it.",
     .example = "{a: 1}.rekey(uppercase) == {A: 1}",
     .prelude = "dict_map_keys"},
    {.name = "remove",
     .receiver = kDict,
     .signature = "<V>(key: any) -> dict<string, V>",
     .doc = "Returns the dict without `key`.",
     .example = R"({a: 1, b: 2}.remove("a") == {b: 2})",
     .call = remove},
    {.name = "values",
     .signature = "<V>(d: dict<string, V>) -> list<V>; (d: any) -> list<never>",
     .doc = "Returns the values in key order; [] for other kinds.",
     .example = "values({b: 1, a: 2}) == [2, 1]",
     .call = values},
    {.name = "values",
     .receiver = kDict,
     .signature = "<V>() -> list<V>",
     .doc = "Returns the values in key order.",
     .example = "{b: 1, a: 2}.values() == [2, 1]",
     .call = values},
};

}  // namespace

std::span<const vm::Builtin> dict_rows() { return kRows; }

}  // namespace harn::builtins
