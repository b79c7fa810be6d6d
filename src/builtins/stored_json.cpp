#include "builtins/stored_json.h"

#include <cmath>

#include "base/result.h"
#include "builtins/json_refusals.h"
#include "data/json.h"

namespace harn::builtins {

using namespace vm;

namespace {

class PlainRule : public data::JsonRule {
 public:
  Verdict decide(std::string&, const Value& part, JsonRefusal& refusal) override {
    switch (part.kind()) {
      case Kind::Unset:
      case Kind::Nil:
      case Kind::Bool:
      case Kind::Int:
      case Kind::String:
      case Kind::Bytes:
      case Kind::List:
      case Kind::Range:
      case Kind::Set:
      case Kind::Dict:
      case Kind::Struct: return Verdict::Usual;
      case Kind::Float:
        return std::isfinite(part.as_float()) ? Verdict::Usual : refuse_number(refusal, part.as_float());
      case Kind::Enum:
      case Kind::Pair:
      case Kind::Iter:
      case Kind::Rng: return refuse(refusal, fmt::format("is of type `{}`, which JSON cannot hold", type_name(part)));
      default: return refuse(refusal, fmt::format("is a {}, which cannot be kept", type_name(part)));
    }
  }
};

}  // namespace

Outcome<std::string> stored_json(std::string_view by, const Value& value, std::string_view what) {
  std::string out;
  PlainRule rule;
  if (auto written = data::append_json(out, value, rule); !written) return refused(by, what, written.error());
  return out;
}

}  // namespace harn::builtins
