#include <cmath>
#include <vector>

#include "vm/dict.h"
#include "vm/handle.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/pace.h"

// `==`, structural identity and structural hashes.
//
// Values nest as deeply as memory allows, so nothing here recurses once per level for ever:
// comparison goes on in a list of its own below a certain depth, and hashes stop looking there.
namespace harn::vm {

constinit thread_local int set_depth = 0;

namespace {

enum class Mode { Equal, Same };

constexpr int kMaxRecursion = 40;  // C++ frames; deeper levels wait in a list
constexpr int kMaxHashDepth = 24;
// Values that a hash looks at: a value whose parts are shared may have more of them than anybody could count.
constexpr size_t kHashedValues = size_t{1} << 18;
// Sets look their items up, which recurses. Sets of sets deeper than this compare by address.
constexpr int kMaxSetDepth = 64;

template <Mode mode>
class Comparison {
 public:
  bool run(const Value& a, const Value& b) {
    if (!compare(a, b, 0)) return false;
    while (!waiting_.empty()) {
      auto [left, right] = waiting_.back();
      waiting_.pop_back();
      if (!compare(*left, *right, 0)) return false;
    }
    return true;
  }

 private:
  bool compare(const Value& a, const Value& b, int depth) {
    if (a.kind() != b.kind()) return compare_mixed(a, b);
    if (!a.is_heap()) return compare_scalars(a, b);
    if (mode == Mode::Same && a.object() == b.object()) return true;
    if (depth > kMaxRecursion) {
      waiting_.emplace_back(&a, &b);
      return true;
    }
    return compare_objects(a, b, depth + 1);
  }

  static bool compare_mixed(const Value& a, const Value& b) {
    if (is_list_like(a) && is_list_like(b)) {
      return a.is(Kind::Range) ? is_range(a.as_range(), b.as_list()) : is_range(b.as_range(), a.as_list());
    }
    if (mode == Mode::Same || !a.is_number() || !b.is_number()) return false;
    return a.as_number() == b.as_number();
  }

  static bool compare_scalars(const Value& a, const Value& b) {
    if (!a.is_float()) return a.is_nil() || a.is(Kind::Unset) || a.bits() == b.bits();
    if (mode == Mode::Same && std::isnan(a.as_float())) return std::isnan(b.as_float());
    return a.as_float() == b.as_float();
  }

  static bool is_range(const RangeObject* range, const ListObject* list) {
    if (static_cast<size_t>(range->size()) != list->size) return false;
    for (size_t i = 0; i < list->size; ++i) {
      step();
      const Value& item = list->items[i];
      int64_t expected = range->start + static_cast<int64_t>(i);
      bool matches = item.is_int()
                         ? item.as_int() == expected
                         : mode == Mode::Equal && item.is_float() && item.as_float() == static_cast<double>(expected);
      if (!matches) return false;
    }
    return true;
  }

  bool compare_items(std::span<const Value> a, std::span<const Value> b, int depth) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      step();
      if (!compare(a[i], b[i], depth)) return false;
    }
    return true;
  }

  bool compare_dicts(const DictObject* a, const DictObject* b, int depth) {
    if (a->kind == Kind::Struct && struct_type(a) != struct_type(b)) return false;
    if (a->shape && a->shape == b->shape) {
      return compare_items({a->slots(), a->shape->count}, {b->slots(), b->shape->count}, depth);
    }
    if (a->size() != b->size()) return false;
    for (auto [key, value] : a->entries()) {
      step();
      const Value* other = b->find(key);
      if (!other || !compare(*value, *other, depth)) return false;
    }
    return true;
  }

  static bool compare_sets(const SetObject* a, const SetObject* b) {
    using Match = SetObject::Match;
    if (a->size != b->size) return false;
    if (a == b) return true;
    if (set_depth >= kMaxSetDepth) return false;
    struct Level {
      Level() { ++set_depth; }
      ~Level() { --set_depth; }
    } level;
    auto items = a->values();
    for (auto item = items.begin(); item != items.end(); ++item) {
      step();
      if (!b->contains(*item, item.hash(), mode == Mode::Equal ? Match::Equality : Match::Structure)) return false;
    }
    return true;
  }

  // Sets go by identity: what makes handles equal may change while they are in one.
  static bool compare_handles(const HandleObject* a, const HandleObject* b) {
    if (a == b) return true;
    return mode == Mode::Equal && a->type == b->type && a->type->equal && a->type->equal(a, b);
  }

  bool compare_objects(const Value& a, const Value& b, int depth) {
    switch (a.kind()) {
      case Kind::String: return same_text(a.as_string(), b.as_string());
      case Kind::Bytes: return a.as_bytes()->view() == b.as_bytes()->view();
      case Kind::List: return compare_items(a.as_list()->values(), b.as_list()->values(), depth);
      case Kind::Range: {
        const RangeObject* x = a.as_range();
        const RangeObject* y = b.as_range();
        return x->size() == y->size() && (x->size() == 0 || x->start == y->start);
      }
      case Kind::Dict:
      case Kind::Struct: return compare_dicts(a.as_dict(), b.as_dict(), depth);
      case Kind::Set: return compare_sets(a.as_set(), b.as_set());
      case Kind::Enum: {
        const EnumObject* x = a.as_enum();
        const EnumObject* y = b.as_enum();
        return x->type == y->type && x->variant == y->variant && compare_items(x->values(), y->values(), depth);
      }
      case Kind::Pair:
        return compare(a.as_pair()->first, b.as_pair()->first, depth) &&
               compare(a.as_pair()->second, b.as_pair()->second, depth);
      case Kind::Closure: return false;
      case Kind::Handle: return compare_handles(a.as<HandleObject>(), b.as<HandleObject>());
      default: return a.object() == b.object();
    }
  }

  std::vector<std::pair<const Value*, const Value*>> waiting_;
};

uint64_t mix(uint64_t a, uint64_t b) {
  auto wide = static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15ull) * (b ^ 0xD6E8FEB86659FD93ull);
  return static_cast<uint64_t>(wide) ^ static_cast<uint64_t>(wide >> 64);
}

// `left`: how many values may still be looked at. Equal values are looked at alike, so they end at the same place.
uint64_t hash_at(const Value& value, int depth, size_t& left);

// Of a long list only both ends count, so that a range of a billion has a hash too.
constexpr size_t kHashedEnds = 512;

template <class Item>
uint64_t hash_sequence(uint64_t seed, size_t size, Item item, int depth, size_t& left) {
  size_t skipped = size > 2 * kHashedEnds ? size - 2 * kHashedEnds : 0;
  for (size_t i = 0; i < size && left > 0; ++i) {
    if (i == kHashedEnds) i += skipped;
    seed = mix(seed, hash_at(item(i), depth + 1, left));
  }
  return seed;
}

uint64_t hash_items(uint64_t seed, std::span<const Value> items, int depth, size_t& left) {
  return hash_sequence(
      seed, items.size(), [&](size_t i) -> const Value& { return items[i]; }, depth, left);
}

uint64_t hash_range(uint64_t seed, const RangeObject* range, int depth, size_t& left) {
  auto item = [&](size_t i) { return Value::integer(range->start + static_cast<int64_t>(i)); };
  return hash_sequence(seed, static_cast<size_t>(range->size()), item, depth, left);
}

uint64_t hash_int(uint64_t bits) { return mix(2, bits); }

uint64_t hash_number(double number) {
  if (std::isnan(number)) return mix(3, 1);
  // As the int that is `==` to it, where no two ints are equal to one float.
  constexpr double kExact = 0x1p53;
  if (number >= -kExact && number <= kExact && number == std::trunc(number)) {
    return hash_int(static_cast<uint64_t>(static_cast<int64_t>(number)));
  }
  return mix(3, std::bit_cast<uint64_t>(number));
}

uint64_t hash_dict(const DictObject* dict, int depth, size_t& left) {
  uint64_t seed = mix(6, dict->size());
  if (depth >= kMaxHashDepth) return seed;
  for (auto [key, value] : dict->entries()) {
    if (left == 0) break;
    seed = mix(mix(seed, key->hash()), hash_at(*value, depth + 1, left));
  }
  return seed;
}

// Order does not count: the hashes, which the set keeps, are added up.
uint64_t hash_set(const SetObject* set) {
  uint64_t sum = set->size;
  auto items = set->values();
  for (auto item = items.begin(); item != items.end(); ++item) sum += item.hash();
  return mix(7, sum);
}

uint64_t hash_at(const Value& value, int depth, size_t& left) {
  if (left > 0) --left;
  bool deep = depth >= kMaxHashDepth || left == 0;
  switch (value.kind()) {
    case Kind::Unset:
    case Kind::Nil: return mix(1, 1);
    case Kind::Bool: return mix(1, 2 + value.bits());
    case Kind::Int: return hash_int(value.bits());
    case Kind::Float: return hash_number(value.as_float());
    case Kind::String: return mix(4, value.as_string()->hash());
    case Kind::Bytes: return mix(5, text_hash(value.as_bytes()->view()));
    case Kind::List: {
      uint64_t seed = mix(8, value.as_list()->size);
      return deep ? seed : hash_items(seed, value.as_list()->values(), depth, left);
    }
    case Kind::Range: {
      uint64_t seed = mix(8, list_size(value));
      return deep ? seed : hash_range(seed, value.as_range(), depth, left);
    }
    case Kind::Dict:
    case Kind::Struct: return hash_dict(value.as_dict(), depth, left);
    case Kind::Set: return hash_set(value.as_set());
    case Kind::Enum: {
      uint64_t seed = mix(value.as_enum()->type->name->hash(), value.as_enum()->variant);
      return deep ? seed : hash_items(seed, value.as_enum()->values(), depth, left);
    }
    case Kind::Pair: {
      if (deep) return mix(9, 9);
      uint64_t first = hash_at(value.as_pair()->first, depth + 1, left);
      return mix(first, hash_at(value.as_pair()->second, depth + 1, left));
    }
    default: return mix(10, value.bits());
  }
}

}  // namespace

bool equal(const Value& a, const Value& b) {
  if (!a.is_heap() || !b.is_heap()) {
    if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
  } else if (a.is_string() && b.is_string()) {
    return same_text(a.as_string(), b.as_string());
  }
  return Comparison<Mode::Equal>().run(a, b);
}

bool same(const Value& a, const Value& b) {
  if (a.kind() == b.kind()) {
    if (a.is_int()) return a.as_int() == b.as_int();
    if (a.is_string()) return same_text(a.as_string(), b.as_string());
  } else if (!is_list_like(a)) {
    return false;
  }
  return Comparison<Mode::Same>().run(a, b);
}

uint64_t hash(const Value& value) {
  if (value.is_int()) return mix(2, value.bits());
  if (value.is_string()) return mix(4, value.as_string()->hash());
  size_t left = kHashedValues;
  return hash_at(value, 0, left);
}

}  // namespace harn::vm
