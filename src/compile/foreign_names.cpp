#include "compile/foreign_names.h"

namespace harn::compile {

namespace {

struct ForeignName {
  std::string_view written, meant;
};

constexpr ForeignName kForeignNames[] = {
    {"null", "nil"},
    {"NULL", "nil"},
    {"None", "nil"},
    {"undefined", "nil"},
    {"nullptr", "nil"},
    {"True", "true"},
    {"False", "false"},
    {"this", "self"},
    {"printf", "println"},
    {"puts", "println"},
    {"echo", "println"},
    {"str", "to_string"},
    {"String", "to_string"},
    {"toString", "to_string"},
    {"int", "to_int"},
    {"parseInt", "to_int"},
    {"Number", "to_int"},
    {"float", "to_float"},
    {"parseFloat", "to_float"},
    {"typeof", "type_of"},
    {"type", "type_of"},
    {"length", "len"},
    {"size", "len"},
    {"count", "len"},
    {"input", "read_line"},
    {"isinstance", "is_a"},
};

}  // namespace

std::string_view meant_by(std::string_view name) {
  for (const ForeignName& row : kForeignNames) {
    if (row.written == name) return row.meant;
  }
  return {};
}

}  // namespace harn::compile
