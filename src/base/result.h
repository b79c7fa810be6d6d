#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/error_kind.h"

namespace harn {

// What went wrong, for our own code: branch on the kind, show the message. For failures of the world, files and
// networks; mistakes in a program are diagnostics (diag/diagnostic.h), errors that a program throws are values
// (vm/error.h), and bugs of ours are HARN_ASSERT.
//
//   Result<Manifest> load(const std::string& path) {
//     std::string text = HARN_TRY(read_file(path));   // or returns the error
//     return parse(text);
//   }
struct Error {
  ErrorKind kind = ErrorKind::Io;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message)});
}

}  // namespace harn

// Yields the value of a Result or returns its error from the enclosing function.
#define HARN_TRY(expression)                                      \
  ({                                                              \
    auto harn_try_result = (expression);                          \
    if (!harn_try_result.has_value()) [[unlikely]]                \
      return std::unexpected(std::move(harn_try_result).error()); \
    std::move(harn_try_result).value();                           \
  })

#define HARN_CHECK(expression)                                      \
  do {                                                              \
    auto harn_check_result = (expression);                          \
    if (!harn_check_result.has_value()) [[unlikely]]                \
      return std::unexpected(std::move(harn_check_result).error()); \
  } while (false)
