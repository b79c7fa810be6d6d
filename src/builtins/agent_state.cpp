// What std/agent_state is made of: files in a folder that the program has named. The module checks keys and handles.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "effects/state_files.h"
#include "vm/fiber.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::Run;

Run& run_of(Call& call) { return Run::current(call.vm()); }

Outcome<effects::StatePath> place_of(Call& call) {
  return effects::StatePath{std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(call.text(1)))};
}

// A text, or bytes where that is none.
Outcome<Value> read(Call& call) {
  auto file = HARN_TRY(effects::perform(run_of(call), effects::ReadStateFile{HARN_TRY(place_of(call))}));
  if (!file.exists) return Value();
  return text::is_valid_utf8(file.text) ? text_value(file.text) : Value(new_bytes(file.text));
}

Outcome<Value> write(Call& call) {
  effects::ReplaceStateFile request{HARN_TRY(place_of(call)), ""};
  request.text = call.arg(2).is(Kind::Bytes) ? call.arg(2).as_bytes()->view() : HARN_TRY(call.text(2));
  HARN_CHECK(effects::perform(run_of(call), request));
  return Value();
}

Outcome<Value> remove(Call& call) {
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), effects::RemoveStateFile{HARN_TRY(place_of(call))})));
}

Outcome<Value> list(Call& call) {
  auto found = HARN_TRY(effects::perform(run_of(call), effects::ListStateFiles{std::string(HARN_TRY(call.text(0)))}));
  if (!found.exists) return Value();
  auto out = new_list(found.files.size());
  for (const std::string& file : found.files) out->push(text_value(file));
  return Value(std::move(out));
}

Outcome<Value> make(Call& call) {
  HARN_CHECK(effects::perform(run_of(call), effects::MakeStateFolder{std::string(HARN_TRY(call.text(0)))}));
  return Value();
}

constinit const Builtin kRows[] = {
    {.name = "__state_list",
     .signature = "(folder: string) -> list<string>?",
     .doc = "The files below a folder, sorted; nil when there is no such folder.",
     .example = "__state_list(\"/none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<list>},
    {.name = "__state_make",
     .signature = "(folder: string) -> nil",
     .doc = "Makes a folder and those above it.",
     .example = "__state_make(\"/tmp\") == nil",
     .needs = Capability::StateWrite,
     .wait = on_fiber<make>},
    {.name = "__state_read",
     .signature = "(folder: string, file: string) -> string | bytes | nil",
     .doc = "What a file of a folder holds; nil when there is none.",
     .example = "__state_read(\"/none\", \"none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<read>},
    {.name = "__state_remove",
     .signature = "(folder: string, file: string) -> bool",
     .doc = "Removes a file of a folder; false when there is none.",
     .example = "!__state_remove(\"/none\", \"none\")",
     .needs = Capability::StateWrite,
     .wait = on_fiber<remove>},
    {.name = "__state_write",
     .signature = "(folder: string, file: string, content: string | bytes) -> nil",
     .doc = "Makes or replaces a file of a folder.",
     .example = R"(unwrap_err(try { __state_write("/dev/null", "a", "b") }).starts_with("Runtime error: /dev/null/a"))",
     .needs = Capability::StateWrite,
     .wait = on_fiber<write>},
};

}  // namespace

std::span<const vm::Builtin> agent_state_rows() { return kRows; }

}  // namespace harn::builtins
