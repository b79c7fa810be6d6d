#include "builtins/set_algebra.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "vm/claim.h"
#include "vm/pace.h"

namespace harn::builtins {

using namespace vm;

// The number of the other kind that is `==` to this one; nil when there is none. Beyond 2^53 several ints share one
// float, so a search by hash does not find it.
static Value numeric_twin(const Value& number) {
  if (number.is_int()) return Value::number(number.as_number());
  if (!number.is_float()) return Value();
  double value = number.as_float();
  if (!(value >= -0x1p63 && value < 0x1p63)) return Value();
  auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? Value::integer(whole) : Value();
}

static bool holds_twin(const SetObject& set, const Value& item, Match match) {
  if (match == Match::Structure || !item.is_number()) return false;
  Value twin = numeric_twin(item);
  return !twin.is_nil() && set.contains(twin);
}

bool holds(const SetObject& set, const Value& item, Match match) {
  return set.contains(item, match) || holds_twin(set, item, match);
}

// The same of an item of another set, which knows its hash.
static bool holds(const SetObject& set, SetObject::Iterator item, Match match) {
  return set.contains(*item, item.hash(), match) || holds_twin(set, *item, match);
}

bool holds_all(const SetObject& set, const SetObject& items, Match match) {
  auto values = items.values();
  for (auto item = values.begin(); item != values.end(); ++item) {
    step();
    if (!holds(set, item, match)) return false;
  }
  return true;
}

bool holds_any(const SetObject& set, const SetObject& items, Match match) {
  if (items.size > set.size) return holds_any(items, set, match);
  auto values = items.values();
  for (auto item = values.begin(); item != values.end(); ++item) {
    step();
    if (holds(set, item, match)) return true;
  }
  return false;
}

// Adds the items of `from` whose presence in `other` is as wanted.
static void add_where(SetObject& to, const SetObject& from, const SetObject& other, bool wanted, Match match) {
  auto values = from.values();
  for (auto item = values.begin(); item != values.end(); ++item) {
    step();
    if (holds(other, item, match) == wanted) to.insert(*item, item.hash());
  }
}

// The items of `a` that are not in `b`.
static Ref<SetObject> items_without(const SetObject& a, const SetObject& b, Match match) {
  auto out = new_set();
  add_where(*out, a, b, false, match);
  return out;
}

static void add_all(Value& to, const SetObject& items) {
  bool in_one_go = items.size <= kInOneGo;
  std::optional<Claimed> claimed;
  if (in_one_go) claimed.emplace(to);
  SetObject* set = writable_set(to);
  set->make_room(items.size);
  auto values = items.values();
  for (auto item = values.begin(); item != values.end(); ++item) {
    if (!in_one_go) step();
    set->insert(*item, item.hash());
  }
}

Value set_union(Value a, const SetObject& b, Match match) {
  // What is new is found before the first of it is added: 1 and 1.0 do not keep each other out.
  auto added = items_without(b, *a.as_set(), match);
  if (added->size) add_all(a, *added);
  return a;
}

static void add_place(std::vector<size_t>& places, const SetObject& set, const Value& item, Match match) {
  size_t place = set.place(item, match);
  if (place < set.used) places.push_back(place);
}

// The places in `a` of the items that are also in the smaller set `b`.
static std::vector<size_t> common_places(const SetObject& a, const SetObject& b, Match match) {
  std::vector<size_t> places;
  for (const Value& item : b.values()) {
    step();
    Value twin = match == Match::Equality ? numeric_twin(item) : Value();
    add_place(places, a, item, twin.is_nil() ? match : Match::Structure);
    if (!twin.is_nil()) add_place(places, a, twin, Match::Structure);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

Value intersection(Value a, const SetObject& b, Match match) {
  auto out = new_set();
  const SetObject& set = *a.as_set();
  if (set.size <= b.size) {
    add_where(*out, set, b, true, match);
  } else {
    for (size_t place : common_places(set, b, match)) {
      out->insert(set.items[place], set.hashes()[place]);
    }
  }
  return out;
}

bool erase_all(Value& set, const Value& item, Match match) {
  bool any = false;
  while (set_erase(set, item, match)) any = true;
  Value twin = match == Match::Equality ? numeric_twin(item) : Value();
  return (!twin.is_nil() && set_erase(set, twin)) || any;
}

Value difference(Value a, const SetObject& b, Match match) {
  bool in_one_go = b.size <= kInOneGo;
  std::optional<Claimed> claimed;
  if (in_one_go && a.as_set()->size > b.size) claimed.emplace(a);
  if (!a.is_unique() || a.as_set()->size <= b.size) return items_without(*a.as_set(), b, match);
  for (const Value& item : b.values()) {
    if (!in_one_go) step();
    erase_all(a, item, match);
  }
  return a;
}

Value symmetric_difference(Value a, const SetObject& b, Match match) {
  auto added = items_without(b, *a.as_set(), match);
  a = difference(std::move(a), b, match);
  if (added->size) add_all(a, *added);
  return a;
}

}  // namespace harn::builtins
