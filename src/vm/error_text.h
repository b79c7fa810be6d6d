#pragma once

#include "vm/error.h"
#include "vm/objects.h"

// The text that a `catch` binds for an error of the runtime. It is a string like any other, and remembers the error:
// `e.kind`, `e.category`, `e.code`, `e.message`, `e.details`, `e.cause`, and `catch (e: NotFoundError)`. It is frozen, so
// that a string made from it (`e + "!"`) is a new one, which is only a string.
namespace harn::vm {

Value new_error_text(const ErrorObject& error, std::string_view text);

// None for every other string.
inline ErrorKind kind_of_text(const StringObject& text) {
  return text.is_error() ? static_cast<ErrorKind>(text.known_type) : ErrorKind::None;
}

// The kind of something that was caught: such a text, or a record that the program threw and that has a `kind` or
// `category` of ours.
ErrorKind kind_of_caught(const Value& caught);

// One of the properties above. False when it is another name, or the text is of no error.
bool error_property(const StringObject& text, std::string_view name, Value& to);

// What is known of anything that was caught: {kind, code, category, message, details, cause}.
Value error_info(const Value& caught);

// What a person is told of an error that nobody caught. Of a record with a `message` that is the message, and below it
// what else it holds; an error of the runtime that was caught and thrown again reads like the first time.
std::string told(const Value& thrown);

void destroy_error_facts(StringObject* text);

}  // namespace harn::vm
