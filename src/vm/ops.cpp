#include <optional>

#include "base/result.h"
#include "vm/long_text.h"
#include "vm/ops.h"
#include "vm/print.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "vm/claim.h"
#include "vm/dict.h"
#include "vm/known_type.h"
#include "vm/objects.h"
#include "vm/pace.h"

// Arithmetic, ordering, membership, indexing and slicing on operands of any kind. Equality and
// hashes are in compare.cpp, print forms in print.cpp.
namespace harn::vm {

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::Unset:
    case Kind::Nil: return false;
    case Kind::Bool: return value.as_bool();
    case Kind::Int: return value.as_int() != 0;
    case Kind::Float: return value.as_float() != 0;
    case Kind::String: return value.as_string()->size != 0;
    case Kind::Bytes: return value.as_bytes()->size != 0;
    case Kind::List: return value.as_list()->size != 0;
    case Kind::Range: return value.as_range()->size() != 0;
    case Kind::Dict: return value.as_dict()->size() != 0;
    case Kind::Set: return value.as_set()->size != 0;
    default: return true;
  }
}

// ---- ordering ----

namespace {

// Deep pairs of pairs are compared down to here.
constexpr int kMaxPairDepth = 200;

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_numbers(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return order(a.as_int(), b.as_int());
  return order(a.as_number(), b.as_number());
}

int compare_at(const Value& a, const Value& b, int depth) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (a.is_string() && b.is_string()) return order_text(a.as_string()->view(), b.as_string()->view());
  if (a.is(Kind::Pair) && b.is(Kind::Pair) && depth < kMaxPairDepth) {
    int first = compare_at(a.as_pair()->first, b.as_pair()->first, depth + 1);
    return first ? first : compare_at(a.as_pair()->second, b.as_pair()->second, depth + 1);
  }
  return 0;
}

bool is_nan(const Value& value) { return value.is_float() && std::isnan(value.as_float()); }

}  // namespace

int compare(const Value& a, const Value& b) { return compare_at(a, b, 0); }

bool less(const Value& a, const Value& b) { return compare(a, b) < 0; }

bool less_equal(const Value& a, const Value& b) {
  if ((is_nan(a) && b.is_number()) || (is_nan(b) && a.is_number())) return false;
  return compare(a, b) <= 0;
}

// ---- arithmetic ----

namespace {

std::unexpected<Thrown> string_too_large() { return runtime_error(ErrorKind::Limit, "string too large"); }
std::unexpected<Thrown> list_too_large() { return runtime_error(ErrorKind::Limit, "list too large"); }
std::unexpected<Thrown> division_by_zero() { return plain_error(ErrorKind::Invalid, "division by zero"); }

bool are_numbers(const Value& a, const Value& b) { return a.is_number() && b.is_number(); }
bool are_ints(const Value& a, const Value& b) { return a.is_int() && b.is_int(); }

// Two's complement wrap-around, without the undefined behaviour of signed overflow.
int64_t wrap(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t bits(const Value& value) { return static_cast<uint64_t>(value.as_int()); }

// Whether `a` is a value of the caller's own, which others may hold for nothing.
enum class Left { Kept, Taken };

// There is room for them.
void append_items(ListObject& list, const Value& from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    step();
    Value item = list_item(from, i);
    keep_type(&list, item);
    new (list.items + list.size++) Value(std::move(item));
  }
}

// The same in place. If it is stopped on the way, those that it has added are gone again.
void append_in_place(ListObject& list, const Value& from, size_t count) {
  struct Undo {
    ListObject& list;
    const uint32_t size;
    bool is_done = false;
    ~Undo() {
      while (!is_done && list.size > size) list.items[--list.size].~Value();
    }
  } undo{list, list.size};
  append_items(list, from, count);
  undo.is_done = true;
}

// Room comes before the claim, and the others do not see it: growing may fail.
void make_room(Value& a, size_t more) {
  ListObject* shared = a.as_list();
  if (shared->size + more > shared->capacity) shared->grow(shared->size + more);
}

// Many items: it may be stopped on the way.
void add_long_list(Value& a, const Value& other, size_t more, bool may_claim) {
  std::optional<Claimed> claimed;
  if (may_claim) {
    make_room(a, more);
    claimed.emplace(a);
  }
  if (a.is_list() && !a.is_unique()) {
    // Room for all at once: moving a large list takes a while.
    const ListObject* source = a.as_list();
    note_copy(source->size);
    auto whole = new_list(size_t{source->size} + more + source->size / 8);
    append_items(*whole, a, source->size);
    set_known_type(whole.get(), known_type(source));
    append_items(*whole, other, more);
    a = Value(std::move(whole));
    return;
  }
  ListObject* list = own_list(a);
  if (list->size + more > list->capacity) list->grow(list->size + more);
  append_in_place(*list, other, more);
}

Outcome<void> add_lists(Value& a, const Value& b, Left left) {
  constexpr size_t kFew = 4096;
  size_t more = list_size(b);
  if (list_size(a) + more > kMaxListSize) return list_too_large();
  if (more == 0 && a.is_list()) return {};
  // `b` may be the very list that is about to change.
  Value other = b;
  bool may_claim = left == Left::Taken && a.is_list() && refs_of(a.object()) > 1;
  if (more > kFew) {
    add_long_list(a, other, more, may_claim);
    return {};
  }
  step(more);  // not on the way: nobody may see half of it
  if (may_claim) {
    make_room(a, more);
    claim(a);
  }
  ListObject* list = own_list(a);
  if (list->size + more > list->capacity) list->grow(list->size + more);
  for (size_t i = 0; i < more; ++i) {
    Value item = list_item(other, i);
    keep_type(list, item);
    new (list->items + list->size++) Value(std::move(item));
  }
  return {};
}

Outcome<void> add_strings(Value& a, const Value& b, Left left) {
  std::string_view more = b.as_string()->view();
  if (a.as_string()->size + more.size() > kMaxStringSize) return string_too_large();
  step_bytes(more.size());
  if (left == Left::Taken) {
    claim_room(a, more.size());
    append(a, more);
    return {};
  }
  if (a.is_unique()) {
    append(a, more);
    return {};
  }
  std::string_view start = a.as_string()->view();
  if (start.empty()) {
    a = b;
    return {};
  }
  auto text = new_string(start.size() + more.size());
  copy_text(text->data(), start);
  copy_text(text->data() + start.size(), more);
  a = std::move(text);
  return {};
}

Outcome<Value> repeat(std::string_view text, int64_t times) {
  if (times <= 0 || text.empty()) return text_value("");
  if (static_cast<uint64_t>(times) > kMaxStringSize / text.size()) return string_too_large();
  auto result = new_string(text.size() * static_cast<size_t>(times));
  fill_text(result->data(), result->size, text);
  return result;
}

int64_t int_power(int64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (auto factor = static_cast<uint64_t>(base); exponent; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return wrap(result);
}

}  // namespace

static std::unexpected<Thrown> cannot_add(const Value& a, const Value& b) {
  auto error = type_error("Cannot add {} and {}", type_name(a), type_name(b));
  if (a.is_string() || b.is_string()) {
    error.error()->hint = "write values into text with `\"${value}\"`, or make text of them with `to_string(value)`";
  }
  return error;
}

static Outcome<void> add_to(Value& a, const Value& b, Left left) {
  if (a.is_string() && b.is_string()) return add_strings(a, b, left);
  if (is_list_like(a) && is_list_like(b)) return add_lists(a, b, left);
  if (a.is_dict() && b.is_dict()) {
    bool may_claim = left == Left::Taken && a.as_dict() != b.as_dict();
    std::optional<Claimed> claimed;
    if (may_claim && is_small_part(a, b.as_dict())) claimed.emplace(a);
    dict_merge(a, b.as_dict());
  } else if (are_ints(a, b)) a.set_int(wrap(bits(a) + bits(b)));
  else if (are_numbers(a, b)) a.set_float(a.as_number() + b.as_number());
  else return cannot_add(a, b);
  return {};
}

Outcome<void> add_to(Value& a, const Value& b) { return add_to(a, b, Left::Taken); }

Outcome<Value> add(Value a, const Value& b) {
  HARN_CHECK(add_to(a, b, Left::Kept));
  return a;
}

Outcome<Value> subtract(const Value& a, const Value& b) {
  if (are_ints(a, b)) return Value::integer(wrap(bits(a) - bits(b)));
  if (are_numbers(a, b)) return Value::number(a.as_number() - b.as_number());
  return type_error("Cannot subtract {} from {}", type_name(b), type_name(a));
}

Outcome<Value> multiply(const Value& a, const Value& b) {
  if (are_ints(a, b)) return Value::integer(wrap(bits(a) * bits(b)));
  if (are_numbers(a, b)) return Value::number(a.as_number() * b.as_number());
  if (a.is_string() && b.is_int()) return repeat(a.as_string()->view(), b.as_int());
  if (a.is_int() && b.is_string()) return repeat(b.as_string()->view(), a.as_int());
  return type_error("Cannot multiply {} and {}", type_name(a), type_name(b));
}

Outcome<Value> divide(const Value& a, const Value& b) {
  if (are_ints(a, b)) {
    if (b.as_int() == 0) return division_by_zero();
    if (b.as_int() == -1) return Value::integer(wrap(0 - bits(a)));  // the smallest int wraps
    return Value::integer(a.as_int() / b.as_int());
  }
  if (are_numbers(a, b)) return Value::number(a.as_number() / b.as_number());
  return type_error("Cannot divide {} by {}", type_name(a), type_name(b));
}

Outcome<Value> modulo(const Value& a, const Value& b) {
  if (!are_numbers(a, b)) return type_error("Cannot modulo {} by {}", type_name(a), type_name(b));
  if (b.as_number() == 0) return division_by_zero();
  if (!are_ints(a, b)) return Value::number(std::fmod(a.as_number(), b.as_number()));
  if (b.as_int() == -1) return Value::integer(0);
  return Value::integer(a.as_int() % b.as_int());
}

Outcome<Value> power(const Value& a, const Value& b) {
  if (are_ints(a, b) && b.as_int() >= 0 && b.as_int() <= int64_t{UINT32_MAX}) {
    return Value::integer(int_power(a.as_int(), static_cast<uint64_t>(b.as_int())));
  }
  if (are_numbers(a, b)) return Value::number(std::pow(a.as_number(), b.as_number()));
  return type_error("Cannot exponentiate {} by {}", type_name(a), type_name(b));
}

Outcome<Value> negate(const Value& a) {
  if (a.is_int()) return Value::integer(wrap(0 - bits(a)));
  if (a.is_float()) return Value::number(-a.as_float());
  return runtime_error(ErrorKind::Type, "Cannot negate value of type {}", type_name(a));
}

// ---- ranges and membership ----

Outcome<Value> range_between(const Value& start, const Value& end, bool inclusive) {
  if (!start.is_int() || !end.is_int()) {
    return type_error("`to` needs two ints, got {}", type_name(start.is_int() ? end : start));
  }
  __int128 count = static_cast<__int128>(end.as_int()) - start.as_int() + inclusive;
  if (count > INT64_MAX) {
    return runtime_error(ErrorKind::Limit, "this range is too long: {} to {} has more than {} items", start.as_int(),
                         end.as_int(), INT64_MAX);
  }
  return new_range(start.as_int(), static_cast<int64_t>(std::max<__int128>(0, count)));
}

int64_t place_in_range(const RangeObject* range, const Value& item) {
  if (item.is_int()) {
    int64_t number = item.as_int();
    if (range->size() == 0 || number < range->start || number > range->item(range->size() - 1)) return -1;
    return number - range->start;
  }
  if (!item.is_float()) return -1;
  // Beyond 2^53 several ints equal one float, so the first of them is looked for.
  int64_t low = 0, high = range->size();
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (static_cast<double>(range->item(middle)) < item.as_float()) low = middle + 1;
    else high = middle;
  }
  return low < range->size() && static_cast<double>(range->item(low)) == item.as_float() ? low : -1;
}

namespace {

bool text_contains(std::string_view text, const Value& item) {
  if (item.is_string()) return find_text(text, item.as_string()->view()) != std::string_view::npos;
  return find_text(text, display(item)) != std::string_view::npos;
}

}  // namespace

bool contains(const Value& collection, const Value& item) {
  switch (collection.kind()) {
    case Kind::List: {
      auto values = collection.as_list()->values();
      return std::any_of(values.begin(), values.end(), [&](const Value& value) {
        step();
        return equal(value, item);
      });
    }
    case Kind::Range: return place_in_range(collection.as_range(), item) >= 0;
    case Kind::Set: return collection.as_set()->contains(item);
    case Kind::Dict: return with_key(item, [&](auto key) { return collection.as_dict()->find(key) != nullptr; });
    case Kind::String: return text_contains(collection.as_string()->view(), item);
    default: return false;
  }
}

// ---- indexing and slicing ----

namespace {

std::unexpected<Thrown> bad_index(const Value& object, const Value& key) {
  return type_error("cannot index into {} with {}", type_name(object), type_name(key));
}

// The position a (possibly negative) index means, or -1 when it is outside.
int64_t resolve_index(int64_t index, size_t size) {
  auto count = static_cast<int64_t>(size);
  if (index < 0) index += count;
  return index >= 0 && index < count ? index : -1;
}

Value char_at(const StringObject* text, int64_t index) {
  int64_t at = resolve_index(index, text->chars());
  if (at < 0) return Value();
  if (text->is_ascii()) return char_string({text->data() + at, 1});
  size_t offset = text->char_offset(static_cast<size_t>(at));
  return char_string(text->view().substr(offset, text::char_size(text->view(), offset)));
}

// Clamps a slice bound into 0..size.
size_t resolve_bound(const Value& bound, size_t size, size_t otherwise) {
  if (bound.is_nil()) return otherwise;
  auto count = static_cast<int64_t>(size);
  int64_t at = bound.as_int();
  if (at < 0) at = at < -count ? 0 : at + count;
  return static_cast<size_t>(std::clamp<int64_t>(at, 0, count));
}

}  // namespace

Outcome<Value> index(const Value& object, const Value& key) {
  switch (object.kind()) {
    case Kind::List: {
      if (!key.is_int()) return bad_index(object, key);
      int64_t at = resolve_index(key.as_int(), object.as_list()->size);
      return at < 0 ? Value() : object.as_list()->items[at];
    }
    case Kind::Range: {
      if (!key.is_int()) return bad_index(object, key);
      int64_t at = resolve_index(key.as_int(), list_size(object));
      return at < 0 ? Value() : Value::integer(object.as_range()->item(at));
    }
    case Kind::String:
      if (!key.is_int()) return bad_index(object, key);
      return char_at(object.as_string(), key.as_int());
    case Kind::Bytes: {
      if (!key.is_int()) return bad_index(object, key);
      int64_t at = resolve_index(key.as_int(), object.as_bytes()->size);
      return at < 0 ? Value() : Value::integer(object.as_bytes()->data()[at]);
    }
    case Kind::Dict:
    case Kind::Struct: {
      const DictObject* dict = object.as_dict();
      const Value* found = with_key(key, [&](auto name) { return dict->find(name); });
      return found ? *found : Value();
    }
    default: return bad_index(object, key);
  }
}

Value part_of_list(Value list, size_t from, size_t to) {
  constexpr size_t kFew = 8;  // a copy of so few costs less than looking
  if (list.is(Kind::Range)) return part_of_range(list.as_range(), from, to);
  if (to - from > kFew) claim(list);
  if (!list.is_unique()) {
    note_copy(to - from);
    return new_list(list.as_list()->values().subspan(from, to - from));
  }
  list.as_list()->keep(from, to);
  return list;
}

Outcome<Value> slice(Value object, const Value& start, const Value& end) {
  size_t size = 0;
  switch (object.kind()) {
    case Kind::List:
    case Kind::Range: size = list_size(object); break;
    case Kind::String: size = object.as_string()->chars(); break;
    case Kind::Bytes: size = object.as_bytes()->size; break;
    default: return type_error("cannot slice {}", type_name(object));
  }
  if (!start.is_int() && !start.is_nil()) {
    return type_error("slice start must be an integer, got {}", type_name(start));
  }
  if (!end.is_int() && !end.is_nil()) {
    return type_error("slice end must be an integer, got {}", type_name(end));
  }
  size_t from = resolve_bound(start, size, 0);
  size_t to = std::max(from, resolve_bound(end, size, size));
  if (from == 0 && to == size) return object;
  if (object.is_list()) return part_of_list(std::move(object), from, to);
  if (object.is_string()) return part_of_text(std::move(object), from, to);
  if (object.is(Kind::Bytes)) return new_bytes(object.as_bytes()->view().substr(from, to - from));
  return part_of_range(object.as_range(), from, to);
}

}  // namespace harn::vm
