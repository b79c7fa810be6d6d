#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// What kinds of errors there are (error_kinds.def). Programs match on them by a typed `catch` and read them from the
// error, hosts and our own code branch on them. Nobody has to look at a message.
namespace harn {

enum class ErrorKind : uint8_t {
  None,  // the program's own: it threw a value
#define HARN_ERROR_KIND(name, kind, type, category, doc) name,
#include "base/error_kinds.def"
#undef HARN_ERROR_KIND
};

struct ErrorKindRow {
  std::string_view kind;      // "not_found"
  std::string_view type;      // "NotFoundError"
  std::string_view category;  // as `error_category` gives it
  std::string_view doc;
};
const ErrorKindRow& row(ErrorKind kind);

// By the name that programs see (`e.kind`).
std::optional<ErrorKind> error_kind_named(std::string_view kind);
// By the type of a typed `catch`. `Error`, the type of all of them, is None.
std::optional<ErrorKind> error_kind_of_type(std::string_view type);
// The types for a typed `catch`.
std::vector<std::string_view> error_types();

}  // namespace harn
