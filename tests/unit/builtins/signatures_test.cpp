// Signatures are types: every row's is read by the language's own parser, and written the way types are printed.
#include <gtest/gtest.h>

#include "builtins/registry.h"
#include "types/print.h"
#include "types/signature.h"

namespace harn::builtins {
namespace {

using types::Kind;
using types::Type;

// The functions that a signature stands for.
std::vector<const Type*> overloads(const Type* signature) {
  if (signature->kind == Kind::Function) return {signature};
  return {signature->items.begin(), signature->items.end()};
}

TEST(Signatures, AreTypesInTheirNormalForm) {
  types::TypeTable table;
  for (const vm::Builtin* row : builtins::table().rows()) {
    std::string problem;
    const Type* type = types::parse_signature(table, row->signature.text(), &problem);
    ASSERT_NE(type, nullptr) << row->name << row->signature.text() << ": " << problem;
    EXPECT_EQ(types::print_signature(type), row->signature.text()) << row->name;
  }
}

TEST(Signatures, TakeAsManyArgumentsAsTheirTypes) {
  types::TypeTable table;
  for (const vm::Builtin* row : builtins::table().rows()) {
    size_t least = SIZE_MAX, most = 0;
    for (const Type* one : overloads(types::parse_signature(table, row->signature.text()))) {
      size_t required = 0;
      for (const types::Parameter& param : one->params) required += !param.optional && !param.rest;
      bool has_rest = !one->params.empty() && one->params.back().rest;
      least = std::min(least, required);
      most = std::max<size_t>(most, has_rest ? UINT32_MAX : one->params.size());
    }
    EXPECT_EQ(row->signature.least(), least) << row->name;
    EXPECT_EQ(row->signature.most(), most) << row->name;
  }
}

// A type parameter that nothing can decide says nothing. Methods have those of their receiver.
TEST(Signatures, TypeParametersComeFromTheArguments) {
  types::TypeTable table;
  auto mentions = [](auto& mentions, const Type* type, const Type* wanted) -> bool {
    auto inside = [&](const Type* part) { return mentions(mentions, part, wanted); };
    return type == wanted || std::ranges::any_of(type->items, inside) ||
           std::ranges::any_of(type->fields, [&](const types::Field& field) { return inside(field.type); }) ||
           std::ranges::any_of(type->params, [&](const types::Parameter& param) { return inside(param.type); }) ||
           (type->result && inside(type->result));
  };
  for (const vm::Builtin* row : builtins::table().rows()) {
    for (const Type* one : overloads(types::parse_signature(table, row->signature.text()))) {
      for (const Type* generic : one->items) {
        static constexpr std::string_view kOfReceivers = "T V A B";
        bool is_decided = row->receiver && kOfReceivers.contains(generic->text);
        for (const types::Parameter& param : one->params) is_decided |= mentions(mentions, param.type, generic);
        EXPECT_TRUE(is_decided) << row->name << row->signature.text() << ": " << generic->text;
      }
    }
  }
}

}  // namespace
}  // namespace harn::builtins
