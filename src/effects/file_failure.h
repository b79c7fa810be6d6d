#pragma once

#include <expected>
#include <string>

#include "base/error_kind.h"
#include "vm/error.h"

// Why something could not be done to a file: plain data, made on any thread, and turned into the error of a program by the
// task that asked.
namespace harn::effects {

struct FileFailure {
  ErrorKind kind = ErrorKind::Io;
  std::string code;       // "ENOENT"; "sandbox"
  std::string reason;     // "no such file or directory"
  bool is_whole = false;  // `reason` is the whole message
};

template <class T>
using FileResult = std::expected<T, FileFailure>;

// Of an error number of the system.
FileFailure failure_of(int error_number);
inline std::unexpected<FileFailure> file_failed(int error_number) { return std::unexpected(failure_of(error_number)); }

// "no such file or directory": the system's text, as it reads inside a sentence.
std::string reason_of(int error_number);

// "WHAT PATH: REASON", with the path in the error's details.
std::unexpected<vm::Thrown> file_error(std::string_view what, std::string_view path, const FileFailure& failure);

}  // namespace harn::effects
