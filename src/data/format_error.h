#pragma once

#include <cstddef>
#include <expected>
#include <string>

#include "base/error_kind.h"

// What readers and writers of text formats answer with when they cannot go on.
namespace harn::data {

struct FormatError {
  std::string detail;  // what was wrong, without a full stop
  size_t line = 0;     // from 1; 0: no position
  size_t column = 0;   // in characters, from 1
  ErrorKind kind = ErrorKind::Invalid;

  // "DETAIL at line L column C"
  std::string text() const;
};

template <class T>
using Parsed = std::expected<T, FormatError>;
using Written = std::expected<void, FormatError>;

inline std::unexpected<FormatError> format_error(std::string detail, size_t line = 0, size_t column = 0) {
  return std::unexpected(FormatError{std::move(detail), line, column});
}
inline std::unexpected<FormatError> format_error(ErrorKind kind, std::string detail) {
  return std::unexpected(FormatError{std::move(detail), 0, 0, kind});
}

}  // namespace harn::data
