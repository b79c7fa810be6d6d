// Values as bytes that lose nothing.
#include "data/encoding.h"

#include "base/result.h"
#include "builtins/families.h"
#include "data/program_types.h"

namespace harn::builtins {
namespace {

using namespace vm;

Outcome<Value> value_encode(Call& call) {
  data::ProgramTypes types(call.vm());
  std::string bytes;
  auto encoded = data::encode(bytes, call.arg(0), types);
  if (!encoded) return type_error("value_encode: {}", encoded.error().text());
  return new_bytes(bytes);
}

Outcome<Value> value_decode(Call& call) {
  auto bytes = HARN_TRY(call.bytes(0));
  data::ProgramTypes types(call.vm());
  auto decoded = data::decode(bytes, types);
  if (!decoded) return runtime_error(ErrorKind::Invalid, "value_decode: {}", decoded.error().text());
  return std::move(*decoded);
}

constinit const Builtin kRows[] = {
    {.name = "value_decode",
     .signature = "(bytes: bytes) -> any",
     .doc = "Returns the value that `value_encode` made the bytes from.",
     .example = R"(value_decode(value_encode({a: [1, 2.0, nil]})) == {a: [1, 2.0, nil]})",
     .call = value_decode},
    {.name = "value_encode",
     .signature = "(value: any) -> bytes",
     .doc = "Returns any value that is data as bytes that lose nothing: sets, structs, enums, shared parts.",
     .example = R"(value_decode(value_encode(set(3, 1, 2))) == set(3, 1, 2))",
     .call = value_encode},
};

}  // namespace

std::span<const Builtin> encoding_rows() { return kRows; }

}  // namespace harn::builtins
