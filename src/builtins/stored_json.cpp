#include "builtins/stored_json.h"

#include "data/encoding.h"
#include "data/json.h"

namespace harn::builtins {

using namespace vm;

namespace {

// Structs and enums become plain JSON, whatever their type.
class AnyType : public data::TypeNames {
 public:
  std::optional<data::TypeName> name_of(const Value&) override { return data::TypeName{}; }
  Value find(const data::TypeName&) override { return {}; }
};

}  // namespace

Outcome<std::string> stored_json(Call& call, const Value& value, std::string_view what) {
  std::string bytes;
  AnyType types;
  if (auto is_data = data::encode(bytes, value, types); !is_data) {
    const data::NotData& wrong = is_data.error();
    return runtime_error(ErrorKind::Type, "{}: `{}{}` is a {}, which cannot be kept", call.row().name, what, wrong.path,
                         wrong.kind);
  }
  std::string out;
  if (auto written = data::append_json(out, value); !written) {
    return runtime_error(written.error().kind, "{}: {}", call.row().name, written.error().text());
  }
  return out;
}

}  // namespace harn::builtins
