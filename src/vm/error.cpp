#include "vm/error.h"

#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::vm {

Thrown new_error(ErrorClass error_class, Value value) {
  auto* error = allocate_object<ErrorObject>(Kind::Error);
  error->error_class = error_class;
  new (&error->value) Value(std::move(value));
  error->trace = nullptr;
  error->hint = nullptr;
  return Thrown::adopt(error);
}

std::unexpected<Thrown> make_error_text(ErrorClass error_class, std::string_view text) {
  return std::unexpected(new_error(error_class, text_value(text)));
}

std::unexpected<Thrown> throw_value(Value value) {
  return std::unexpected(new_error(ErrorClass::Thrown, std::move(value)));
}

Value caught_value(const ErrorObject& error) {
  switch (error.error_class) {
    case ErrorClass::Runtime: return text_value("Runtime error: " + display(error.value));
    case ErrorClass::Type: return text_value("Type error: " + display(error.value));
    case ErrorClass::Thrown:
    case ErrorClass::Plain:
    case ErrorClass::Cancelled:
    case ErrorClass::Closed:
    case ErrorClass::Exit: return error.value;
  }
  return Value();
}

std::string describe(const ErrorObject& error) { return display(error.value); }

}  // namespace harn::vm
