#include "compile/foreign_names.h"

#include <algorithm>
#include <span>

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

constexpr ForeignName kForeignTypes[] = {
    {"integer", "int"},      {"Integer", "int"},      {"Int", "int"},         {"i64", "int"},
    {"long", "int"},         {"double", "float"},     {"Float", "float"},     {"f64", "float"},
    {"Number", "number"},    {"num", "number"},       {"str", "string"},      {"String", "string"},
    {"text", "string"},      {"boolean", "bool"},     {"Boolean", "bool"},    {"Bool", "bool"},
    {"array", "list"},       {"Array", "list"},       {"List", "list"},       {"map", "dict"},
    {"Map", "dict"},         {"object", "dict"},      {"Dict", "dict"},       {"Record", "dict"},
    {"Set", "set"},          {"null", "nil"},         {"None", "nil"},        {"void", "nil"},
    {"undefined", "nil"},    {"Any", "any"},          {"Exception", "Error"}, {"function", "closure"},
    {"Function", "closure"}, {"Callable", "closure"},
};

constexpr std::string_view kHandedIn[] = {"Harness",    "HarnessStdio",  "HarnessTerm", "HarnessClock",  "HarnessFs",
                                          "HarnessEnv", "HarnessRandom", "HarnessNet",  "HarnessSystem", "HandlerCtx"};

std::string_view find(std::span<const ForeignName> rows, std::string_view name) {
  for (const ForeignName& row : rows) {
    if (row.written == name) return row.meant;
  }
  return {};
}

}  // namespace

std::string_view meant_by(std::string_view name) { return find(kForeignNames, name); }
std::string_view type_meant_by(std::string_view name) { return find(kForeignTypes, name); }
bool is_handed_in(std::string_view type) { return std::ranges::find(kHandedIn, type) != std::end(kHandedIn); }

}  // namespace harn::compile
