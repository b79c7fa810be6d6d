#include "effects/fields.h"

#include "base/assert.h"
#include "data/encoding.h"
#include "effects/tape.h"
#include "vm/dict.h"
#include "vm/pace.h"

namespace harn::effects {

std::string hidden(SharedSecrets& secrets, const std::string& text) { return secrets.hidden(text); }

vm::Value hidden(SharedSecrets& secrets, const vm::Value& value) {
  switch (value.kind()) {
    case vm::Kind::String: return vm::text_value(secrets.hidden(value.as_string()->view()));
    case vm::Kind::Bytes: return vm::new_bytes(secrets.hidden(value.as_bytes()->view()));
    case vm::Kind::List: {
      auto list = vm::new_list(value.as_list()->size);
      for (const vm::Value& item : value.as_list()->values()) list->push(hidden(secrets, item));
      return list;
    }
    case vm::Kind::Dict: {
      vm::Value dict = vm::new_dict();
      for (auto [key, field] : value.as_dict()->entries()) {
        vm::dict_set(dict, secrets.hidden(key->view()), hidden(secrets, *field));
      }
      return dict;
    }
    default: return value;
  }
}

// What has happened is recorded, also when the task that asked for it is being stopped.
std::string encoded(const vm::Value& fields) {
  vm::Undisturbed undisturbed;
  data::BuiltInTypes types;
  std::string bytes;
  bool is_data = data::encode(bytes, fields, types).has_value();
  HARN_ASSERT(is_data, "a field of a request or an answer is no data");
  return bytes;
}

vm::Value decoded(std::string_view bytes) {
  data::BuiltInTypes types;
  auto fields = data::decode(bytes, types);
  return fields ? std::move(*fields) : vm::Value::unset();
}

}  // namespace harn::effects
