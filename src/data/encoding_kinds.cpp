#include "data/encoding_kinds.h"

#include <array>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "vm/error_text.h"
#include "vm/long_text.h"
#include "vm/pace.h"

namespace harn::data {

using namespace vm;

namespace {

bool always(const Value&) { return true; }
void add_item(Decoder&, Opened& opened, Value part) { opened.value.as_list()->push(std::move(part)); }

// ---- texts ----

// Shorter ones take less room than a number to find them by.
constexpr size_t kShortText = 3;

void write_string(Encoder& out, const Value& value) { out.long_text(value.as_string()->view()); }
bool is_long_string(const Value& value) { return value.as_string()->size > kShortText; }
void read_string(Decoder& in, Opened& opened) {
  std::string_view text = in.text();
  if (text.size() > kMaxStringSize) return void(in.fail("a string is too long"));
  auto made = new_string(text.size());
  copy_text(made->data(), text);
  opened.value = std::move(made);
}

// A string that knows which error it is the text of (vm/error_text.h). Its parts are the error's details and cause.
void write_error_text(Encoder& out, const Value& value) {
  const StringObject* text = value.as_string();
  const ErrorFacts* facts = *text->facts_slot();
  out.long_text(text->view());
  out.text(harn::row(kind_of_text(*text)).type);
  out.byte(facts != nullptr);
  if (facts) out.text(facts->code);
}
const Value* error_part(const Value& whole, size_t& cursor) {
  const ErrorFacts* facts = *whole.as_string()->facts_slot();
  size_t number = facts ? cursor++ : 2;
  return number == 0 ? &facts->details : number == 1 ? &facts->cause : nullptr;
}
void append_fact(std::string& path, const Value&, size_t number) { path += number == 0 ? ".details" : ".cause"; }
// What is known of it, as a list, until all of it is there.
void read_error_text(Decoder& in, Opened& opened) {
  auto known = new_list();
  known->push(text_value(in.text()));
  known->push(text_value(in.text()));
  bool has_facts = in.byte() != 0;
  if (has_facts) known->push(text_value(in.text()));
  opened.value = std::move(known);
  in.owe_parts(opened, has_facts ? 2 : 0);
}
void finish_error_text(Decoder& in, Opened& opened) {
  const Value* known = opened.value.as_list()->items;
  auto kind = error_kind_of_type(known[1].as_string()->view());
  if (!kind || *kind == ErrorKind::None) return void(in.fail("no such kind of error"));
  Thrown error = new_error(ErrorClass::Plain, known[0]);
  error->error_kind = *kind;
  if (opened.parts > 0) error->facts = new ErrorFacts{std::string(known[2].as_string()->view()), known[3], known[4]};
  opened.value = new_error_text(*error, known[0].as_string()->view());
}

void write_bytes(Encoder& out, const Value& value) { out.long_text(value.as_bytes()->view()); }
bool is_long_bytes(const Value& value) { return value.as_bytes()->size > kShortText; }
void read_bytes(Decoder& in, Opened& opened) {
  std::string_view octets = in.text();
  step_bytes(octets.size());
  opened.value = new_bytes(octets);
}

// ---- lists, ranges, sets, pairs ----

void append_number(std::string& path, const Value&, size_t number) { path += fmt::format("[{}]", number); }

void write_list(Encoder& out, const Value& value) { out.number(value.as_list()->size); }
const Value* list_part(const Value& whole, size_t& cursor) {
  const ListObject* list = whole.as_list();
  return cursor < list->size ? list->items + cursor++ : nullptr;
}
bool has_items(const Value& value) { return value.as_list()->size > 0; }
void read_list(Decoder& in, Opened& opened) {
  uint64_t size = in.number();
  if (size > kMaxListSize) return void(in.fail("a list is too long"));
  if (in.owe_parts(opened, size)) opened.value = new_list(opened.parts);
}

void write_range(Encoder& out, const Value& value) {
  out.signed_number(value.as_range()->start);
  out.number(static_cast<uint64_t>(value.as_range()->count));
}
void read_range(Decoder& in, Opened& opened) {
  int64_t start = in.signed_number();
  uint64_t count = in.number();
  // Its last item is an int.
  uint64_t room = static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(start);
  bool fits = count <= INT64_MAX && (count == 0 || count - 1 <= room);
  if (!fits) return void(in.fail("a range ends beyond the largest int"));
  opened.value = new_range(start, static_cast<int64_t>(count));
}

void write_set(Encoder& out, const Value& value) { out.number(value.as_set()->size); }
const Value* set_part(const Value& whole, size_t& cursor) {
  const SetObject* set = whole.as_set();
  size_t place = set->next_place(cursor);
  cursor = place + 1;
  return place < set->used ? set->items + place : nullptr;
}
bool has_members(const Value& value) { return value.as_set()->size > 0; }
void read_set(Decoder& in, Opened& opened) {
  uint64_t size = in.number();
  if (size > kMaxListSize) return void(in.fail("a set is too large"));
  if (!in.owe_parts(opened, size)) return;
  auto set = new_set();
  set->reserve(opened.parts);
  opened.value = std::move(set);
}
void add_member(Decoder& in, Opened& opened, Value part) {
  if (!opened.value.as_set()->insert(std::move(part))) in.fail("an item is in a set twice");
}

// Loops over a set count its places, so those of a program that is put away must stay where they are.
void write_holed_set(Encoder& out, const Value& value) { out.number(value.as_set()->used); }
const Value* place_part(const Value& whole, size_t& cursor) {
  const SetObject* set = whole.as_set();
  return cursor < set->used ? set->items + cursor++ : nullptr;
}
void read_holed_set(Decoder& in, Opened& opened) {
  uint64_t places = in.number();
  if (places > kMaxListSize) return void(in.fail("a set is too large"));
  if (places > 0 && in.owe_parts(opened, places)) opened.value = new_set_of_places(opened.parts);
  else opened.value = new_set();
}
void add_place(Decoder& in, Opened& opened, Value part) {
  if (part.is(Kind::Unset)) opened.value.as_set()->leave_hole();
  else add_member(in, opened, std::move(part));
}

void write_nothing(Encoder&, const Value&) {}
const Value* pair_part(const Value& whole, size_t& cursor) {
  const PairObject* pair = whole.as_pair();
  size_t number = cursor++;
  return number == 0 ? &pair->first : number == 1 ? &pair->second : nullptr;
}
void append_side(std::string& path, const Value&, size_t number) { path += number == 0 ? ".first" : ".second"; }
void read_pair(Decoder& in, Opened& opened) {
  if (in.owe_parts(opened, 2)) opened.value = new_pair(Value(), Value());
}
void add_side(Decoder&, Opened& opened, Value part) {
  PairObject* pair = opened.value.as_pair();
  (opened.number == 0 ? pair->first : pair->second) = std::move(part);
}

// ---- dicts, structs ----

void write_dict(Encoder& out, const Value& value) { out.keys(value.as_dict()); }
void write_key(Encoder& out, const Value& whole, size_t number) {
  const DictObject* dict = whole.as_dict();
  if (!dict->shape) out.name(dict->entry(number).key);
}
const Value* dict_part(const Value& whole, size_t& cursor) {
  const DictObject* dict = whole.as_dict();
  return cursor < dict->size() ? dict->entry(cursor++).value : nullptr;
}
bool has_keys(const Value& value) { return value.as_dict()->size() > 0; }
void append_key(std::string& path, const Value& whole, size_t number) {
  append_key_path(path, whole.as_dict()->entry(number).key->view());
}

void read_dict(Decoder& in, Opened& opened) {
  in.keys(opened);
  if (!in.is_good()) return;
  Shape* shape = opened.keys == SIZE_MAX ? nullptr : in.key_list(opened.keys).shape;
  opened.value = shape ? new_dict(shape) : new_dict(opened.parts);
}
void read_key(Decoder& in, Opened& opened) {
  if (opened.keys != SIZE_MAX) return;
  auto key = in.name();
  bool is_behind = !opened.key || opened.key->view() < key->view();
  if (in.is_good() && !is_behind) in.fail("keys are not in order");
  opened.key = std::move(key);
}
void add_entry(Decoder& in, Opened& opened, Value part) {
  const StringObject* key =
      opened.keys == SIZE_MAX ? opened.key.get() : in.key_list(opened.keys).keys[opened.number].get();
  dict_set(opened.value, key, std::move(part));
}
void add_value(Decoder& in, Opened& opened, Value part) {
  DictObject* dict = opened.value.as_dict();
  // Keys of a list are in order, and so are the slots of its shape.
  bool is_shaped = opened.keys != SIZE_MAX && in.key_list(opened.keys).shape;
  if (is_shaped) dict->slots()[opened.number] = std::move(part);
  else add_entry(in, opened, std::move(part));
}

const Object* type_of_struct(const Value& value) { return struct_type(value.as_dict()); }
void write_struct(Encoder& out, const Value& value) {
  out.type(type_of_struct(value));
  out.keys(value.as_dict());
}
void read_struct(Decoder& in, Opened& opened) {
  const KnownType* known = in.type();
  if (!known) return;
  if (!known->type.is(Kind::StructType)) return void(in.fail("a struct's type is none"));
  opened.value = new_struct(known->type.as<StructTypeObject>());
  in.keys(opened);
}

// ---- enums, types ----

const Object* type_of_enum(const Value& value) { return value.as_enum()->type; }
void write_enum(Encoder& out, const Value& value) {
  out.type(type_of_enum(value));
  out.number(value.as_enum()->variant);
}
const Value* enum_part(const Value& whole, size_t& cursor) {
  auto fields = whole.as_enum()->values();
  return cursor < fields.size() ? &fields[cursor++] : nullptr;
}
bool has_payload(const Value& value) { return value.as_enum()->count > 0; }
void append_payload(std::string& path, const Value& whole, size_t number) {
  path += fmt::format(".{}({})", whole.as_enum()->info().name->view(), number);
}
void read_enum(Decoder& in, Opened& opened) {
  const KnownType* known = in.type();
  uint64_t number = in.number();
  if (!known) return;
  if (!known->type.is(Kind::EnumType)) return void(in.fail("an enum's type is none"));
  if (number >= known->variants.size()) return void(in.fail("an enum has no such variant"));
  auto* type = known->type.as<EnumTypeObject>();
  const KnownType::Variant& there = known->variants[number];
  int here = type->find(there.name.get());
  const EnumVariantInfo* info = here < 0 ? nullptr : &type->variants[here];
  if (!info || (info->has_payload ? info->arity + 1u : 0u) != there.arity_plus_one) {
    return void(in.fail(
        fmt::format("the enum `{}` has no variant `{}` like the written one", type->name->view(), there.name->view())));
  }
  auto variant = static_cast<uint32_t>(here);
  if (!in.owe_parts(opened, info->has_payload ? info->arity : 0)) return;
  std::vector<Value> fields(opened.parts);
  opened.value = info->has_payload ? Value(new_enum(type, variant, fields)) : type->plain[variant];
}
void add_field(Decoder&, Opened& opened, Value part) {
  opened.value.as_enum()->fields()[opened.number] = std::move(part);
}

const Object* type_itself(const Value& value) { return value.object(); }
void write_type(Encoder& out, const Value& value) { out.type(value.object()); }
void read_type(Decoder& in, Opened& opened) {
  if (const KnownType* known = in.type()) opened.value = known->type;
}

// ---- iterators, random numbers ----

// An iterator over a set counts places, holes included; one that is read has none.
int64_t items_before(const IterObject* iter) {
  if (!iter->source.is(Kind::Set)) return iter->position;
  int64_t items = 0;
  const SetObject* set = iter->source.as_set();
  for (size_t place = 0; place < set->used && static_cast<int64_t>(place) < iter->position; ++place) {
    step();
    if (place >= set->first && !set->is_hole(place)) ++items;
  }
  return items;
}
void write_iter(Encoder& out, const Value& value) {
  const IterObject* iter = value.as_iter();
  out.byte(iter->exhausted);
  out.number(static_cast<uint64_t>(items_before(iter)));
}
const Value* iter_part(const Value& whole, size_t& cursor) {
  return cursor++ == 0 ? &whole.as_iter()->source : nullptr;
}
void append_source(std::string& path, const Value&, size_t) { path += ".source"; }
void read_iter(Decoder& in, Opened& opened) {
  opened.is_exhausted = in.byte() != 0;
  uint64_t position = in.number();
  if (position > INT64_MAX) return void(in.fail("an iterator is behind its end"));
  opened.position = static_cast<int64_t>(position);
  if (in.owe_parts(opened, 1)) opened.value = new_iter(Value());
}
void add_source(Decoder&, Opened& opened, Value part) { opened.value.as_iter()->source = std::move(part); }

bool is_place_in(const Value& source, size_t position) {
  switch (source.kind()) {
    case Kind::List:
    case Kind::Range: return position <= list_size(source);
    case Kind::Dict: return position <= source.as_dict()->size();
    case Kind::Set: return position <= source.as_set()->size;
    case Kind::String: {
      std::string_view text = source.as_string()->view();
      return position <= text.size() && (position == text.size() || (text[position] & 0xC0) != 0x80);
    }
    default: return false;
  }
}
void finish_iter(Decoder& in, Opened& opened) {
  IterObject* iter = opened.value.as_iter();
  bool is_over = opened.is_exhausted && iter->source.is_nil();
  if (!is_over && (opened.is_exhausted || !is_place_in(iter->source, static_cast<size_t>(opened.position)))) {
    return void(in.fail("an iterator is behind its end"));
  }
  iter->position = opened.position;
  iter->exhausted = opened.is_exhausted;
}

void write_rng(Encoder& out, const Value& value) {
  for (uint64_t word : value.as<RngObject>()->state) out.word(word);
}
void read_rng(Decoder& in, Opened& opened) {
  auto rng = new_rng(0);
  for (uint64_t& word : rng->state) word = in.word();
  opened.value = std::move(rng);
}

// ---- the rows ----

constexpr KindRow kRows[] = {
    // Before that of other strings, which is the one that is found by the kind.
    {.kind = Kind::String,
     .tag = Tag::ErrorText,
     .write = write_error_text,
     .part = error_part,
     .is_shareable = always,
     .append_path = append_fact,
     .read = read_error_text,
     .add = add_item,
     .finish = finish_error_text},
    {.kind = Kind::String,
     .tag = Tag::String,
     .write = write_string,
     .is_shareable = is_long_string,
     .read = read_string},
    {.kind = Kind::Bytes, .tag = Tag::Bytes, .write = write_bytes, .is_shareable = is_long_bytes, .read = read_bytes},
    {.kind = Kind::List,
     .tag = Tag::List,
     .write = write_list,
     .part = list_part,
     .is_shareable = has_items,
     .append_path = append_number,
     .read = read_list,
     .add = add_item},
    {.kind = Kind::Range, .tag = Tag::Range, .write = write_range, .read = read_range},
    {.kind = Kind::Dict,
     .tag = Tag::Dict,
     .write = write_dict,
     .part = dict_part,
     .write_before = write_key,
     .is_shareable = has_keys,
     .append_path = append_key,
     .read = read_dict,
     .read_before = read_key,
     .add = add_value},
    {.kind = Kind::Set,
     .tag = Tag::HoledSet,
     .write = write_holed_set,
     .part = place_part,
     .is_shareable = always,
     .append_path = append_number,
     .read = read_holed_set,
     .add = add_place},
    {.kind = Kind::Set,
     .tag = Tag::Set,
     .write = write_set,
     .part = set_part,
     .is_shareable = has_members,
     .append_path = append_number,
     .read = read_set,
     .add = add_member},
    {.kind = Kind::Struct,
     .tag = Tag::Struct,
     .write = write_struct,
     .part = dict_part,
     .write_before = write_key,
     .is_shareable = has_keys,
     .type = type_of_struct,
     .append_path = append_key,
     .read = read_struct,
     .read_before = read_key,
     .add = add_entry},
    {.kind = Kind::Enum,
     .tag = Tag::Enum,
     .write = write_enum,
     .part = enum_part,
     .is_shareable = has_payload,
     .type = type_of_enum,
     .append_path = append_payload,
     .read = read_enum,
     .add = add_field},
    {.kind = Kind::Pair,
     .tag = Tag::Pair,
     .write = write_nothing,
     .part = pair_part,
     .is_shareable = always,
     .append_path = append_side,
     .read = read_pair,
     .add = add_side},
    {.kind = Kind::Iter,
     .tag = Tag::Iter,
     .write = write_iter,
     .part = iter_part,
     .is_shareable = always,
     .append_path = append_source,
     .read = read_iter,
     .add = add_source,
     .finish = finish_iter},
    {.kind = Kind::Rng, .tag = Tag::Rng, .write = write_rng, .is_shareable = always, .read = read_rng},
    {.kind = Kind::StructType, .tag = Tag::Type, .write = write_type, .type = type_itself, .read = read_type},
    {.kind = Kind::EnumType, .tag = Tag::Type, .write = write_type, .type = type_itself, .read = read_type},
};

template <size_t Size, class Key>
constexpr auto rows_by(Key key) {
  std::array<const KindRow*, Size> rows{};
  for (const KindRow& row : kRows) rows[static_cast<size_t>(key(row))] = &row;
  return rows;
}

}  // namespace

const KindRow* row_of(const Value& value) {
  if (value.is_string() && value.as_string()->is_error()) return row_of(Tag::ErrorText);
  static constexpr auto rows = rows_by<static_cast<size_t>(Kind::Count)>([](const KindRow& row) { return row.kind; });
  return rows[static_cast<size_t>(value.kind())];
}

const KindRow* row_among_objects(const Value& value) {
  switch (value.kind()) {
    case Kind::Closure:
    case Kind::Iter:
    case Kind::Generator:
    case Kind::Rng:
    case Kind::Cell:
    case Kind::StructType:
    case Kind::EnumType:
    case Kind::Error:
    case Kind::Handle: return nullptr;
    case Kind::Set: return row_of(value.as_set()->size == value.as_set()->used ? Tag::Set : Tag::HoledSet);
    default: return row_of(value);
  }
}

const KindRow* row_of(Tag tag) {
  static constexpr auto rows = rows_by<256>([](const KindRow& row) { return row.tag; });
  return rows[static_cast<size_t>(tag)];
}

}  // namespace harn::data
