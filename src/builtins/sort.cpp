#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "builtins/bounds.h"
#include "builtins/families.h"

// Sorting. Lists of ints, of floats and of strings are the common case and are sorted as such: a
// compact array of (key, place) pairs, where the place makes every key different, so that the
// faster unstable sort gives the stable result. Everything else goes through `compare`.
namespace harn::builtins {
namespace {

using namespace vm;

using Order = std::vector<uint32_t>;

enum class KeyKind { Ints, Floats, Texts, Mixed };

KeyKind kind_of(const Value& key) {
  if (key.is_int()) return KeyKind::Ints;
  // NaN compares as equal to every number, which no numeric order can express.
  if (key.is_float() && !std::isnan(key.as_float())) return KeyKind::Floats;
  return key.is_string() ? KeyKind::Texts : KeyKind::Mixed;
}

KeyKind common_kind(std::span<const Value> keys) {
  if (keys.empty()) return KeyKind::Mixed;
  KeyKind kind = kind_of(keys[0]);
  for (const Value& key : keys) {
    step();
    if (kind_of(key) != kind) return KeyKind::Mixed;
  }
  return kind;
}

template <class Key>
struct Placed {
  Key key;
  uint32_t place;
  bool operator<(const Placed& other) const {
    step();
    if (key < other.key) return true;
    if (other.key < key) return false;
    return place < other.place;
  }
};

// A text with its first eight bytes as a number, which decides most comparisons.
struct TextKey {
  uint64_t prefix;
  const StringObject* text;

  explicit TextKey(const StringObject* string) : prefix(0), text(string) {
    memcpy(&prefix, string->data(), std::min<size_t>(8, string->size));
    prefix = __builtin_bswap64(prefix);
  }
  bool operator<(const TextKey& other) const {
    if (prefix != other.prefix) return prefix < other.prefix;
    return text->view() < other.text->view();
  }
};

template <class Key, class Read>
Order order_by(std::span<const Value> keys, Read read) {
  std::vector<Placed<Key>> placed;
  placed.reserve(keys.size());
  for (uint32_t place = 0; place < keys.size(); ++place) {
    step();
    placed.push_back({Key(read(keys[place])), place});
  }
  if (!std::is_sorted(placed.begin(), placed.end())) std::sort(placed.begin(), placed.end());
  Order order;
  order.reserve(keys.size());
  for (const auto& item : placed) order.push_back(item.place);
  return order;
}

Order order_by_compare(std::span<const Value> keys) {
  Order order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    step();
    return compare(keys[a], keys[b]) < 0;
  });
  return order;
}

// The places of the keys in ascending order.
Order order_of(std::span<const Value> keys) {
  switch (common_kind(keys)) {
    case KeyKind::Ints: return order_by<int64_t>(keys, [](const Value& key) { return key.as_int(); });
    case KeyKind::Floats: return order_by<double>(keys, [](const Value& key) { return key.as_float(); });
    case KeyKind::Texts: return order_by<TextKey>(keys, [](const Value& key) { return key.as_string(); });
    case KeyKind::Mixed: break;
  }
  return order_by_compare(keys);
}

Value permuted(std::span<const Value> items, const Order& order) {
  auto out = new_list(items.size());
  for (uint32_t place : order) {
    step();
    out->push(items[place]);
  }
  return out;
}

// Equal ints cannot be told apart, so the values themselves are sorted.
Value sorted_ints(std::span<const Value> items) {
  std::vector<int64_t> numbers;
  numbers.reserve(items.size());
  for (const Value& item : items) {
    step();
    numbers.push_back(item.as_int());
  }
  // Short ones are done before anybody wants them to stop.
  constexpr size_t kLong = 100'000;
  auto counted = [](int64_t a, int64_t b) {
    step();
    return a < b;
  };
  if (numbers.size() < kLong) std::sort(numbers.begin(), numbers.end());
  else std::sort(numbers.begin(), numbers.end(), counted);
  auto out = new_list(items.size());
  for (int64_t number : numbers) out->push(Value::integer(number));
  return out;
}

Outcome<Value> sort(Call& call) {
  auto list = HARN_TRY(bounded_list(call, 0));
  if (call.arg(0).is(Kind::Range)) return list;
  std::span<const Value> items = list->values();
  if (common_kind(items) == KeyKind::Ints) return sorted_ints(items);
  return permuted(items, order_of(items));
}

Outcome<Value> sort_by_keys(Call& call) {
  auto items = HARN_TRY(bounded_list(call, 0));
  auto keys = HARN_TRY(bounded_list(call, 1));
  if (items->size != keys->size) {
    return runtime_error(ErrorKind::Invalid, "sort_by: {} items but {} keys", items->size, keys->size);
  }
  return permuted(items->values(), order_of(keys->values()));
}

constinit const Builtin kRows[] = {
    {.name = "__sort_by_keys",
     .signature = "<T>(items: list<T>, keys: list) -> list<T>",
     .doc = "Returns the items in ascending order of their keys; equals keep their order.",
     .example = R"(__sort_by_keys(["b", "a"], [2, 1]) == ["a", "b"])",
     .call = sort_by_keys},
    {.name = "sort",
     .receiver = on(Kind::List, Kind::Range),
     .signature = "<T>() -> list<T>",
     .doc = "Returns the items in ascending order; equals keep their order.",
     .example = "[3, 1, 2].sort() == [1, 2, 3]",
     .call = sort},
};

}  // namespace

std::span<const vm::Builtin> sort_rows() { return kRows; }

}  // namespace harn::builtins
