// Types that every program knows, by the names that encoded values have for them.
#include "data/encoding.h"
#include "vm/objects.h"

namespace harn::data {

using namespace vm;

namespace {
constexpr std::string_view kBuiltIn = "std";
}  // namespace

std::optional<TypeName> BuiltInTypes::name_of(const Value& type) {
  if (type.object() != result_type()) return std::nullopt;
  return TypeName{std::string(kBuiltIn), std::string(result_type()->name->view())};
}

Value BuiltInTypes::find(const TypeName& name) {
  bool is_known = name.module == kBuiltIn && name.name == result_type()->name->view();
  return is_known ? Value::share(result_type()) : Value();
}

}  // namespace harn::data
