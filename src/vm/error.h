#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_kind.h"
#include "base/fmt.h"
#include "vm/value.h"

// Errors of a running Harn program: values on their way to a `catch`, not C++ exceptions.
//
//   return runtime_error("list too large");
//   return throw_text(ErrorKind::Invalid, "csv_parse: delimiter must be a single byte");
//   return with_facts(throw_text(ErrorKind::NotFound, "no file {}", path), "ENOENT", {{"path", text_value(path)}});
//
// A `catch` binds the value that the program threw, or the text of an error of the runtime, which remembers what it is
// of (error_text.h).
namespace harn::bytecode {
struct Code;
}

namespace harn::vm {

enum class ErrorClass : uint8_t {
  Thrown,     // `throw v`, and builtins that throw a plain value
  Runtime,    // caught as "Runtime error: " + text
  Type,       // caught as "Type error: " + text
  Plain,      // caught as the text alone
  Cancelled,  // Ctrl-C, time limit: runs defers and finally, no catch sees it
  Closed,     // a generator was dropped: runs its defers and finally, no catch sees it
  Exit,       // exit(n): runs defers and finally, no catch sees it
};

// One line of a stack trace, still as a place in code (see trace.h for the text).
struct TraceFrame {
  enum class Mark : uint8_t {
    Call,       // `code` was at `word`
    Task,       // the error left the task `number` here
    TailCalls,  // frames that are gone: each called the next one as the last thing it did
    LeftOut,    // `number` calls of a trace too long to keep
  };

  const bytecode::Code* code;  // null unless a Call
  uint32_t word;
  Mark mark = Mark::Call;
  uint64_t number = 0;
};

// What else is known about an error of the runtime.
struct ErrorFacts {
  std::string code;  // finer than the kind, and the same in every version: "ENOENT", "fs.read"
  Value details;     // a dict of plain values, or nil
  Value cause;       // the error that this one comes from, as a `catch` would have bound it, or nil
};

struct ErrorObject : Object {
  ErrorClass error_class;
  ErrorKind error_kind;            // None: what was thrown is the program's own
  ErrorFacts* facts;               // owned; mostly null
  Value value;                     // Thrown: what was thrown; Exit: the code; else the text
  std::vector<TraceFrame>* trace;  // innermost first; grows while frames are left
  const char* hint;  // what to write instead, for whoever is shown the error; the program does not see it. May be null
};
using Thrown = Ref<ErrorObject>;

// Whether a `catch` may see it. What tells the task to stop, or closes a generator, only runs clean-up code.
inline bool catchable(const ErrorObject& error) {
  return error.error_class != ErrorClass::Cancelled && error.error_class != ErrorClass::Exit &&
         error.error_class != ErrorClass::Closed;
}

Thrown new_error(ErrorClass error_class, Value value);

template <class T>
using Outcome = std::expected<T, Thrown>;

std::unexpected<Thrown> make_error_text(ErrorClass error_class, ErrorKind kind, std::string_view text);

// return type_error("expected {}, got {}", ...)
template <class... Args>
std::unexpected<Thrown> type_error(fmt::format_string<Args...> text, Args&&... args) {
  return make_error_text(ErrorClass::Type, ErrorKind::Type, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
std::unexpected<Thrown> runtime_error(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  return make_error_text(ErrorClass::Runtime, kind, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
std::unexpected<Thrown> runtime_error(fmt::format_string<Args...> text, Args&&... args) {
  return runtime_error(ErrorKind::Runtime, text, std::forward<Args>(args)...);
}
// Caught as the text alone, without a word before it.
template <class... Args>
std::unexpected<Thrown> plain_error(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  return make_error_text(ErrorClass::Plain, kind, fmt::format(text, std::forward<Args>(args)...));
}
// The same of builtins, which the document calls a thrown text.
template <class... Args>
std::unexpected<Thrown> throw_text(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  return make_error_text(ErrorClass::Thrown, kind, fmt::format(text, std::forward<Args>(args)...));
}
std::unexpected<Thrown> throw_value(Value value);

using ErrorDetails = std::vector<std::pair<std::string_view, Value>>;
std::unexpected<Thrown> with_facts(std::unexpected<Thrown> error, std::string_view code, ErrorDetails details = {});
std::unexpected<Thrown> caused_by(std::unexpected<Thrown> error, const Value& cause);

// What `catch (e)` binds.
Value caught_value(const ErrorObject& error);
// What an uncaught error prints after `Error: `.
std::string describe(const ErrorObject& error);

}  // namespace harn::vm
