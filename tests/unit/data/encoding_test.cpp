#include "data/encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "../vm/make_values.h"
#include "data/encoding_kinds.h"
#include "vm/builtin.h"

namespace harn::data {
namespace {

using namespace vm;

// Types by name, as a program has them.
class NamedTypes : public BuiltInTypes {
 public:
  std::map<std::string, Value> types;

  std::optional<TypeName> name_of(const Value& type) override {
    for (auto& [name, known] : types) {
      if (known.object() == type.object()) return TypeName{"m", name};
    }
    return BuiltInTypes::name_of(type);
  }
  Value find(const TypeName& name) override {
    auto found = types.find(name.name);
    return found != types.end() && name.module == "m" ? found->second : BuiltInTypes::find(name);
  }
};

std::string bytes_of(const Value& value, TypeNames& types) {
  std::string bytes;
  auto done = encode(bytes, value, types);
  EXPECT_TRUE(done) << done.error().text();
  return bytes;
}
std::string bytes_of(const Value& value) {
  BuiltInTypes types;
  return bytes_of(value, types);
}

Value again(const Value& value) {
  BuiltInTypes types;
  auto read = decode(bytes_of(value), types);
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : S("not read");
}

std::string error_of(std::string_view bytes) {
  BuiltInTypes types;
  auto read = decode(bytes, types);
  return read ? "" : read.error().text();
}

// ---- kinds ----

TEST(Encoding, ScalarsKeepTheirBits) {
  for (int64_t number : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{127}, int64_t{128}, int64_t{-64},
                         std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    Value read = again(I(number));
    EXPECT_TRUE(read.is_int());
    EXPECT_EQ(read.as_int(), number);
  }
  double payload = std::bit_cast<double>(uint64_t{0x7FF8'1234'5678'9ABC});
  for (double number : {0.0, -0.0, 1.0, 0.1, -double(INFINITY), double(NAN), payload, 5e-324}) {
    Value read = again(F(number));
    EXPECT_TRUE(read.is_float());
    EXPECT_EQ(read.bits(), std::bit_cast<uint64_t>(number));
  }
  EXPECT_TRUE(again(Value()).is_nil());
  EXPECT_TRUE(again(B(true)).as_bool());
  EXPECT_FALSE(again(B(false)).as_bool());
}

TEST(Encoding, TextsAndBytes) {
  std::string octets;
  for (int i = 0; i < 256; ++i) octets += static_cast<char>(i);
  EXPECT_EQ(again(S(octets)).as_string()->view(), octets);
  EXPECT_EQ(again(new_bytes(octets)).as_bytes()->view(), octets);
  EXPECT_TRUE(again(new_bytes("")).is(Kind::Bytes));
  std::string large(300'000, 'x');
  EXPECT_EQ(again(S(large)).as_string()->view(), large);
}

TEST(Encoding, CollectionsKeepKindAndOrder) {
  Value set = set_of({I(3), F(3), S("a"), L({I(1)}), Value()});
  set_erase(set, S("a"));
  EXPECT_EQ(display(again(set)), display(set));
  EXPECT_EQ(again(set).kind(), Kind::Set);
  Value range = new_range(-5, 1'000'000'000'000);
  EXPECT_EQ(again(range).as_range()->count, 1'000'000'000'000);
  EXPECT_TRUE(again(new_range(INT64_MAX, 1)).is(Kind::Range));
  EXPECT_TRUE(again(new_range(INT64_MIN, INT64_MAX)).is(Kind::Range));
  Value pair = new_pair(S("k"), L({I(1)}));
  EXPECT_TRUE(equal(again(pair), pair));
  EXPECT_TRUE(equal(again(new_err(S("why"))), new_err(S("why"))));
  EXPECT_TRUE(equal(again(L({})), L({})));
  EXPECT_TRUE(equal(again(D({})), D({})));
}

TEST(Encoding, DictsSmallAndLarge) {
  Value large = new_dict();
  for (int i = 0; i < 500; ++i) dict_set(large, "key " + std::to_string(i), I(i));
  Value small = D({{"b", I(1)}, {"a", L({D({{"a", Value()}, {"b", S("x")}})})}});
  EXPECT_TRUE(equal(again(large), large));
  EXPECT_TRUE(equal(again(small), small));
  EXPECT_NE(again(small).as_dict()->shape, nullptr);
  // Keys are written once.
  auto rows = new_list();
  for (int i = 0; i < 1000; ++i) rows->push(D({{"identifier", I(i % 100)}, {"description", B(true)}}));
  EXPECT_LT(bytes_of(rows).size(), 1000 * 4u + 100);
  EXPECT_TRUE(equal(again(rows), rows));
}

TEST(Encoding, StructsAndEnums) {
  StringObject* fields[] = {intern("y"), intern("x")};
  const EnumVariantInfo variants[] = {{intern("Dot"), 0, false}, {intern("Line"), 2, true}};
  NamedTypes there;
  there.types["Point"] = new_struct_type("Point", fields);
  there.types["Shape"] = new_enum_type("Shape", variants);
  auto* shapes = there.types["Shape"].as<EnumTypeObject>();
  Value point = new_struct(there.types["Point"].as<StructTypeObject>());
  dict_set(point, "x", I(1));
  dict_set(point, "y", I(2));
  dict_set(point, "more", I(3));
  Value ends[] = {point, Value()};
  Value all = L({new_enum(shapes, 1, ends), shapes->plain[0], point, there.types["Point"]});
  std::string bytes = bytes_of(all, there);

  // The program that reads has types of its own, and the variants in another order.
  const EnumVariantInfo reordered[] = {{intern("Line"), 2, true}, {intern("Dot"), 0, false}};
  NamedTypes here;
  here.types["Point"] = new_struct_type("Point", fields);
  here.types["Shape"] = new_enum_type("Shape", reordered);
  auto read = decode(bytes, here);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(display(*read), display(all));
  const Value* items = read->as_list()->items;
  EXPECT_EQ(struct_type(items[2].as_dict()), here.types["Point"].object());
  EXPECT_EQ(items[0].as_enum()->fields()[0].object(), items[2].object());
  EXPECT_EQ(items[1].object(), here.types["Shape"].as<EnumTypeObject>()->plain[1].object());
  EXPECT_EQ(items[3].object(), here.types["Point"].object());

  NamedTypes changed = here;
  StringObject* others[] = {intern("x"), intern("z")};
  changed.types["Point"] = new_struct_type("Point", others);
  EXPECT_TRUE(decode(bytes, changed).error().text().starts_with("the struct `Point` has other fields now at byte "));
  const EnumVariantInfo fewer[] = {{intern("Line"), 1, true}};
  changed = here;
  changed.types["Shape"] = new_enum_type("Shape", fewer);
  EXPECT_TRUE(decode(bytes, changed)
                  .error()
                  .text()
                  .starts_with("the enum `Shape` has no variant `Line` like the written one at byte "));
  EXPECT_TRUE(error_of(bytes).starts_with("this program has no enum `Shape` in `m` at the top level at byte "));
}

TEST(Encoding, IteratorsGoOnWhereTheyWere) {
  Value set = set_of({I(1), I(2), I(3), I(4), I(5), I(6)});
  set_erase(set, I(2));
  Value iter = new_iter(set);
  iter.as_iter()->position = 3;  // behind 1, the hole and 3
  Value read = again(L({iter, iter}));
  const Value* items = read.as_list()->items;
  EXPECT_EQ(items[0].object(), items[1].object());
  EXPECT_EQ(items[0].as_iter()->position, 2);
  Value over = new_iter(Value());
  over.as_iter()->exhausted = true;
  over.as_iter()->position = 17;
  EXPECT_TRUE(again(over).as_iter()->exhausted);
  Value rng = new_rng(7);
  EXPECT_EQ(again(rng).as<RngObject>()->state[3], rng.as<RngObject>()->state[3]);
}

// ---- sharing and depth ----

TEST(Encoding, WhatIsSharedIsWrittenOnceAndSharedAgain) {
  Value dag = S("a text that several hold");
  for (int i = 0; i < 40; ++i) dag = L({dag, dag});
  std::string bytes = bytes_of(dag);
  EXPECT_LT(bytes.size(), 400u);
  Value read = again(dag);
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(read.as_list()->items[0].object(), read.as_list()->items[1].object());
    Value inner = read.as_list()->items[0];
    read = std::move(inner);
  }
  EXPECT_EQ(display(read), "a text that several hold");
}

TEST(Encoding, DeepValues) {
  Value deep = nested_list(1'000'000);
  Value read = again(deep);
  size_t depth = 0;
  for (const Value* at = &read; at->as_list()->size > 0; at = at->as_list()->items) ++depth;
  EXPECT_EQ(depth, 1'000'000u);
}

// ---- what is no data ----

TEST(Encoding, WhatIsNoDataIsRefusedByItsPath) {
  BuiltInTypes types;
  constinit static const Builtin kRow = {.name = "f", .signature = "() -> nil"};
  Value function = Value::builtin(&kRow);
  std::string out = "before";
  auto refused = [&](const Value& value) {
    auto done = encode(out, value, types);
    EXPECT_FALSE(done);
    EXPECT_EQ(out, "before");
    return done ? "" : done.error().text();
  };
  EXPECT_EQ(refused(function), "the value is of type `builtin`, which is not data");
  EXPECT_EQ(refused(D({{"items", L({I(1), I(2), I(3), D({{"f", function}})})}})),
            "`.items[3].f` is of type `builtin`, which is not data");
  EXPECT_EQ(refused(D({{"odd key", new_pair(I(1), new_ok(function))}})),
            "`[\"odd key\"].second.Ok(0)` is of type `builtin`, which is not data");
  StringObject* fields[] = {intern("x")};
  Value local = new_struct(new_struct_type("Local", fields).get());
  EXPECT_EQ(refused(L({local})),
            "`[0]` is of type `Local`, which is not declared at the top level and could not be found again");
}

// ---- bytes that are not what was written ----

TEST(Encoding, HeaderAndEnd) {
  EXPECT_EQ(error_of(""), "this is no encoded value at byte 0");
  EXPECT_EQ(error_of("JSON1"), "this is no encoded value at byte 1");
  EXPECT_EQ(error_of("HARN"), "the bytes end too early, or a length is wrong at byte 4");
  EXPECT_EQ(error_of("HARN\x02\x80"), "version 2 of the encoding is not known here, only 1 at byte 5");
  EXPECT_EQ(error_of(bytes_of(I(1)) + "x"), "bytes follow the value at byte 6");
  EXPECT_EQ(error_of(std::string("HARN\x01\x7F", 6)), "no kind of value begins with 127 at byte 6");
}

TEST(Encoding, LengthsAndReferencesThatLie) {
  auto made = [](std::initializer_list<int> bytes) {
    std::string out(kMagic);
    out += static_cast<char>(kVersion);
    for (int byte : bytes) out += static_cast<char>(byte);
    return out;
  };
  constexpr int kList = 7, kString = 5, kSet = 10, kDict = 9, kRange = 8, kShared = 17, kAgain = 18, kIter = 14;
  EXPECT_NE(error_of(made({kList, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F})), "");
  EXPECT_NE(error_of(made({kString, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F})), "");
  EXPECT_NE(error_of(made({3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F})), "");
  EXPECT_NE(error_of(made({kSet, 2, 0x81, 0x81})), "");
  EXPECT_NE(error_of(made({kAgain, 0})), "");
  // A list that holds itself.
  EXPECT_NE(error_of(made({kShared, kList, 1, kAgain, 0})), "");
  EXPECT_NE(error_of(made({kDict, 2})), "");
  EXPECT_NE(error_of(made({kDict, 1, 2, 0, 1, 'b', 0, 1, 'a', 0x80, 0x80})), "");
  EXPECT_NE(error_of(made({kDict, 0, 2, 0, 1, 'a', 0x80, 0, 1, 'a', 0x80})), "");
  EXPECT_NE(error_of(made({kRange, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F})), "");
  EXPECT_NE(error_of(made({kIter, 0, 9, kList, 1, 0x80})), "");
  EXPECT_NE(error_of(made({kIter, 0, 1, kString, 2, 0xC3, 0xA9})), "");
  EXPECT_NE(error_of(made({kIter, 0, 0, 0x80})), "");
}

// Lists in lists, each of which says that it has as many items as there are bytes: making room for them at once would
// take more memory than there is.
TEST(Encoding, ManyLengthsTogetherAreBounded) {
  std::string bytes(kMagic);
  bytes += static_cast<char>(kVersion);
  WireWriter out(bytes);
  for (int i = 0; i < 100'000; ++i) {
    out.byte(static_cast<uint8_t>(Tag::List));
    out.number(200'000);
  }
  bytes += std::string(200'000, '\0');
  EXPECT_EQ(error_of(bytes).substr(0, 46), "a value has more parts than there are bytes at");
}

// ---- at random ----

class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  Value make(int depth = 0) {
    if (!made_.empty() && random_() % 8 == 0) return made_[random_() % made_.size()];
    Value value = fresh(depth);
    made_.push_back(value);
    return value;
  }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

 private:
  std::string text() {
    std::string text;
    for (unsigned i = below(12); i > 0; --i) text += static_cast<char>(below(256));
    return text;
  }

  Value fresh(int depth) {
    switch (below(depth > 5 ? 7 : 14)) {
      case 0: return Value();
      case 1: return B(below(2));
      case 2: return I(static_cast<int64_t>(random_() >> below(64)) * (below(2) ? 1 : -1));
      case 3: return F(std::bit_cast<double>(random_()));
      case 4: return S(text());
      case 5: return new_bytes(text());
      case 6: return new_range(static_cast<int64_t>(random_() >> 8), below(1000));
      case 7:
      case 8: {
        auto list = new_list();
        for (unsigned i = below(6); i > 0; --i) list->push(make(depth + 1));
        return list;
      }
      case 9:
      case 10: {
        Value dict = new_dict();
        for (unsigned i = below(below(10) ? 6 : 100); i > 0; --i)
          dict_set(dict, "k" + std::to_string(below(120)), make(depth + 1));
        return dict;
      }
      case 11: {
        auto set = new_set();
        for (unsigned i = below(6); i > 0; --i) set->insert(make(depth + 1));
        return set;
      }
      case 12: return new_pair(make(depth + 1), make(depth + 1));
      default: return below(2) ? new_ok(make(depth + 1)) : new_err(make(depth + 1));
    }
  }

  std::mt19937_64 random_;
  std::vector<Value> made_;
};

TEST(Encoding, RandomValuesComeBack) {
  RandomValues values(11);
  for (int i = 0; i < 3000; ++i) {
    Value value = values.make();
    std::string bytes = bytes_of(value);
    BuiltInTypes types;
    auto read = decode(bytes, types);
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_TRUE(same(*read, value)) << display(value);
    ASSERT_TRUE(same(again(*read), value)) << display(value);
  }
}

TEST(Encoding, ChangedAndCutBytesAreAnErrorOrAValue) {
  RandomValues values(12);
  for (int i = 0; i < 1500; ++i) {
    std::string bytes = bytes_of(values.make());
    BuiltInTypes types;
    size_t kept = values.below(static_cast<unsigned>(bytes.size()));
    EXPECT_FALSE(decode(std::string_view(bytes).substr(0, kept), types));
    for (unsigned changes = 1 + values.below(4); changes > 0; --changes)
      bytes[values.below(static_cast<unsigned>(bytes.size()))] = static_cast<char>(values.below(256));
    if (auto read = decode(bytes, types)) bytes_of(*read);
  }
}

}  // namespace
}  // namespace harn::data
