#include "effects/fields.h"

#include "base/assert.h"
#include "data/encoding.h"
#include "effects/tape.h"
#include "vm/pace.h"

namespace harn::effects {

std::string hidden(SharedSecrets& secrets, const std::string& text) { return secrets.hidden(text); }

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
