#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/encoding.h"
#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"

// The types of a program that bytes may speak of.
class FuzzTypes : public harn::data::TypeNames {
 public:
  FuzzTypes() {
    using namespace harn::vm;
    StringObject* fields[] = {intern("x"), intern("y")};
    const EnumVariantInfo variants[] = {{intern("A"), 0, false}, {intern("B"), 2, true}};
    point_ = new_struct_type("P", fields);
    choice_ = new_enum_type("E", variants);
  }
  std::optional<harn::data::TypeName> name_of(const harn::vm::Value& type) override {
    return harn::data::TypeName{"", type.object() == point_.object() ? "P" : "E"};
  }
  harn::vm::Value find(const harn::data::TypeName& name) override {
    return name.name == "P" ? point_ : name.name == "E" ? choice_ : harn::vm::Value();
  }

 private:
  harn::vm::Value point_;
  harn::vm::Value choice_;
};

// Whatever the bytes are, they are an error or a value; and a value survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  using namespace harn;
  static FuzzTypes types;
  auto value = data::decode({reinterpret_cast<const char*>(input), size}, types);
  if (!value) return 0;
  std::string bytes;
  HARN_ASSERT(data::encode(bytes, *value, types), "a value that was read could not be written");
  auto again = data::decode(bytes, types);
  HARN_ASSERT(again, "a value that was written could not be read");
  std::string once_more;
  HARN_ASSERT(data::encode(once_more, *again, types), "a value could not be written a second time");
  // Strings that are held by several may be written as one or as many: the third must be like the second.
  auto last = data::decode(once_more, types);
  HARN_ASSERT(last, "a value that was written twice could not be read");
  return 0;
}
