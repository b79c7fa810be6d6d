#include "base/error_kind.h"

namespace harn {

namespace {

constexpr ErrorKindRow kRows[] = {
    {"", "Error", "generic", "any error of the runtime"},
#define HARN_ERROR_KIND(name, kind, type, category, doc) {kind, type, category, doc},
#include "base/error_kinds.def"
#undef HARN_ERROR_KIND
};

}  // namespace

const ErrorKindRow& row(ErrorKind kind) { return kRows[static_cast<uint8_t>(kind)]; }

std::optional<ErrorKind> error_kind_named(std::string_view kind) {
  for (uint8_t i = 1; i < std::size(kRows); ++i) {
    if (kRows[i].kind == kind) return static_cast<ErrorKind>(i);
  }
  return {};
}

std::optional<ErrorKind> error_kind_of_type(std::string_view type) {
  for (uint8_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].type == type) return static_cast<ErrorKind>(i);
  }
  return {};
}

std::vector<std::string_view> error_types() {
  std::vector<std::string_view> out;
  for (const ErrorKindRow& row : kRows) {
    if (!row.type.empty()) out.push_back(row.type);
  }
  return out;
}

}  // namespace harn
