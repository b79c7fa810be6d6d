#include "types/lower.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "diag/diagnostic.h"
#include "syntax/tree.h"
#include "types/print.h"

namespace harn::types {
namespace {

// The types of one file, by name. A name of one letter is a type parameter.
class File : public Scope {
 public:
  explicit File(std::string text) {
    diag::Sink sink;
    tree_ = syntax::parse(std::make_shared<SourceFile>("test.harn", std::move(text)), sink);
    EXPECT_FALSE(sink.has_errors());
    for (const syntax::Node* node : tree_->items) declarations_[node->as<syntax::Declaration>().name.text] = node;
  }

  Meaning find(const syntax::TypeNode& named) const override {
    auto found = declarations_.find(named.name.text);
    if (found != declarations_.end()) return {.declaration = found->second};
    return {.is_parameter = named.name.text.size() == 1};
  }
  void unknown(const syntax::TypeNode& named) override { unknown_names += named.name.text; }
  void too_many_arguments(const syntax::TypeNode& named) override { surplus += named.name.text; }

  // The type that an alias stands for.
  const Type* type(std::string_view alias) { return lowering.resolve(reference(alias)); }
  std::string text(std::string_view alias) { return print(type(alias)); }
  const Type* reference(std::string_view alias) {
    return table.declared(Kind::Alias, alias, *declarations_.at(alias), {});
  }

  TypeTable table;
  Lowering lowering{table, *this};
  std::string unknown_names, surplus;

 private:
  std::unique_ptr<const syntax::Tree> tree_;
  std::map<std::string_view, const syntax::Node*> declarations_;
};

std::string round_trip(const std::string& type) { return File("type X = " + type).text("X"); }

TEST(Lowering, PrintsWhatItReads) {
  for (std::string type : {"int",
                           "list<int>",
                           "dict<string, list<int>>",
                           "int?",
                           "int | string | nil",
                           "\"a\" | \"b\"",
                           "-1 | true",
                           "{name: string, age?: int}",
                           "{id: string, ...rest}",
                           "{}",
                           "fn(int, string) -> bool",
                           "fn() -> int | string",
                           "(fn() -> int) | string",
                           "(fn(int) -> int)?",
                           "A & B",
                           "A & B | C",
                           "(A | B) & C",
                           "Result<int, string>",
                           "owned<channel<int>>",
                           "Schema<{a: int}>",
                           "Pair<int, Iter<string>>",
                           "\"say \\\"hi\\\"\"",
                           "{\"a b\": int}",
                           "Other<int>",
                           "unknown",
                           "Stream<never>"}) {
    EXPECT_EQ(round_trip(type), type);
  }
}

TEST(Lowering, OneTypeHasOneNormalForm) {
  EXPECT_EQ(round_trip("[int]"), "list<int>");
  EXPECT_EQ(round_trip("int | nil"), "int?");
  EXPECT_EQ(round_trip("(int | string)?"), "int | string | nil");
  EXPECT_EQ(round_trip("never | string"), "string");
  EXPECT_EQ(round_trip("iter<int>"), "Iter<int>");
  EXPECT_EQ(round_trip("int | (string | int)"), "int | string");
}

TEST(Lowering, AliasesStandForTheirTypes) {
  File file("type Id = int\ntype Box<T> = {item: T}\ntype Ids = Box<Id>\ntype Both = Box<int | string>");
  EXPECT_EQ(file.text("Id"), "int");
  EXPECT_EQ(file.text("Ids"), "{item: Id}");
  EXPECT_EQ(file.text("Both"), "Box<int> | Box<string>");
  EXPECT_EQ(print(file.lowering.resolve(file.type("Both")->items[1])), "{item: string}");
}

TEST(Lowering, AliasesMayMentionThemselves) {
  File file(
      "type Tree = {left: Tree?, right: Tree?}\ntype Odd = Odd\ntype A = B | int\ntype B = A | string\n"
      "type Box<T> = {item: T}\ntype C = Box<C> | int\ntype D = Box<A>\ntype Deep<T> = Deep<list<T>>\n"
      "type E = Deep<int>");
  EXPECT_EQ(file.text("Tree"), "{left: Tree?, right: Tree?}");
  EXPECT_EQ(file.type("Tree")->fields[0].type->items[0], file.reference("Tree"));
  EXPECT_EQ(file.text("Odd"), "any");
  EXPECT_EQ(file.text("A"), "B | int");
  EXPECT_EQ(file.text("C"), "Box<C> | int");
  EXPECT_EQ(print(file.lowering.resolve(file.type("C")->items[0])), "{item: C}");
  EXPECT_EQ(file.text("D"), "{item: A}");
  EXPECT_EQ(file.text("E"), "any");
}

TEST(Lowering, StructsAndEnumsKnowWhatTheyHold) {
  File file(
      "struct Box<T> { item: T\n size?: int }\nenum Shape { Circle(radius: float), Empty }\n"
      "type X = Box<string>\ntype Y = Shape");
  auto fields = file.lowering.fields(file.type("X"));
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(print(fields[0].type), "string");
  EXPECT_TRUE(fields[1].optional);
  auto payloads = file.lowering.payloads(file.type("Y"));
  ASSERT_EQ(payloads.size(), 1u);
  EXPECT_EQ(payloads[0].name, "Circle");
  EXPECT_EQ(print(payloads[0].type), "float");
}

TEST(Lowering, SaysWhatItDoesNotKnow) {
  File file("type X = list<Missing>\ntype Y = int<string>");
  EXPECT_EQ(file.text("X"), "list<Missing>");
  EXPECT_EQ(file.text("Y"), "int");
  EXPECT_EQ(file.unknown_names, "Missing");
  EXPECT_EQ(file.surplus, "int");
}

}  // namespace
}  // namespace harn::types
