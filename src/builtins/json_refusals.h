#pragma once

#include <string>

#include "base/fmt.h"
#include "data/json.h"
#include "vm/error.h"
#include "vm/print.h"

// Why a value is not kept as JSON, for the rules of stored_json.cpp and exact_json.cpp.
namespace harn::builtins {

using data::JsonRefusal;
using Verdict = data::JsonRule::Verdict;

inline Verdict refuse(JsonRefusal& refusal, std::string why, std::string path = "") {
  refusal = {std::move(path), std::move(why), harn::ErrorKind::Type};
  return Verdict::Refused;
}

inline Verdict refuse_number(JsonRefusal& refusal, double number) {
  std::string shown;
  vm::append_float(shown, number);
  return refuse(refusal, fmt::format("is {}, which JSON has no number for", shown));
}

inline std::unexpected<vm::Ref<vm::ErrorObject>> refused(std::string_view by, std::string_view what,
                                                         const JsonRefusal& refusal) {
  return vm::runtime_error(refusal.kind, "{}: `{}{}` {}", by, what, refusal.path, refusal.why);
}

}  // namespace harn::builtins
