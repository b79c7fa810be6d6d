#include "vm/error.h"

#include "vm/dict.h"
#include "vm/error_text.h"
#include "vm/memory.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::vm {

Thrown new_error(ErrorClass error_class, Value value) {
  auto* error = allocate_object<ErrorObject>(Kind::Error);
  error->error_class = error_class;
  error->error_kind = ErrorKind::None;
  error->facts = nullptr;
  new (&error->value) Value(std::move(value));
  error->trace = nullptr;
  error->hint = nullptr;
  return Thrown::adopt(error);
}

std::unexpected<Thrown> make_error_text(ErrorClass error_class, ErrorKind kind, std::string_view text) {
  Thrown error = new_error(error_class, text_value(text));
  error->error_kind = kind;
  return std::unexpected(std::move(error));
}

static ErrorFacts& facts_of(ErrorObject& error) {
  if (!error.facts) error.facts = new ErrorFacts;
  return *error.facts;
}

std::unexpected<Thrown> with_facts(std::unexpected<Thrown> error, std::string_view code, ErrorDetails details) {
  ErrorFacts& facts = facts_of(*error.error());
  facts.code = code;
  if (details.empty()) return error;
  DictBuilder made;
  for (auto& [name, value] : details) made.add(name, std::move(value));
  facts.details = made.done();
  return error;
}

std::unexpected<Thrown> caused_by(std::unexpected<Thrown> error, const Value& cause) {
  facts_of(*error.error()).cause = cause;
  return error;
}

std::unexpected<Thrown> throw_value(Value value) {
  return std::unexpected(new_error(ErrorClass::Thrown, std::move(value)));
}

Value caught_value(const ErrorObject& error) {
  if (error.error_kind == ErrorKind::None) return error.value;
  std::string_view prefix;
  if (error.error_class == ErrorClass::Runtime) prefix = "Runtime error: ";
  if (error.error_class == ErrorClass::Type) prefix = "Type error: ";
  return new_error_text(error, fmt::format("{}{}", prefix, display(error.value)));
}

std::string describe(const ErrorObject& error) { return display(error.value); }

}  // namespace harn::vm
