// The checkpoints of a pipeline: checkpoints/PIPELINE.json in the state root.
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/key_file.h"
#include "effects/state.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;

KeyFile checkpoints(Call& call) {
  return KeyFile(call, fmt::format("checkpoints/{}.json", effects::state_home(call.vm()).pipeline));
}

Outcome<Value> checkpoint(Call& call) {
  HARN_CHECK(checkpoints(call).set(HARN_TRY(call.text(0)), call.arg(1)));
  return Value();
}

Outcome<Value> checkpoint_get(Call& call) { return checkpoints(call).get(HARN_TRY(call.text(0))); }

Outcome<Value> checkpoint_exists(Call& call) {
  Value entries = HARN_TRY(checkpoints(call).read());
  return Value::boolean(entries.as_dict()->find(HARN_TRY(call.text(0))) != nullptr);
}

Outcome<Value> checkpoint_delete(Call& call) {
  HARN_CHECK(checkpoints(call).remove(HARN_TRY(call.text(0))));
  return Value();
}

Outcome<Value> checkpoint_clear(Call& call) {
  HARN_CHECK(checkpoints(call).clear());
  return Value();
}

Outcome<Value> checkpoint_list(Call& call) { return checkpoints(call).keys(); }

constinit const Builtin kRows[] = {
    {.name = "checkpoint",
     .signature = "(key: string, value: any) -> nil",
     .doc = "Keeps a value under a key of the pipeline's checkpoints, in a JSON file that is on the disk afterwards.",
     .example = "checkpoint(\"a\", 1) == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<checkpoint>},
    {.name = "checkpoint_clear",
     .signature = "() -> nil",
     .doc = "Removes all checkpoints of the pipeline.",
     .example = "checkpoint_clear() == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<checkpoint_clear>},
    {.name = "checkpoint_delete",
     .signature = "(key: string) -> nil",
     .doc = "Removes a checkpoint; nothing happens when it is not there.",
     .example = "checkpoint_delete(\"none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<checkpoint_delete>},
    {.name = "checkpoint_exists",
     .signature = "(key: string) -> bool",
     .doc = "True when there is a checkpoint of that key, even if its value is nil.",
     .example = "!checkpoint_exists(\"none\")",
     .needs = Capability::StateRead,
     .wait = on_fiber<checkpoint_exists>},
    {.name = "checkpoint_get",
     .signature = "(key: string) -> unknown",
     .doc = "Returns the value of a checkpoint, or nil.",
     .example = "checkpoint_get(\"none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<checkpoint_get>},
    {.name = "checkpoint_list",
     .signature = "() -> list<string>",
     .doc = "Returns the keys of the pipeline's checkpoints, sorted.",
     .example = "checkpoint_list() == []",
     .needs = Capability::StateRead,
     .wait = on_fiber<checkpoint_list>},
};

}  // namespace

std::span<const vm::Builtin> checkpoint_rows() { return kRows; }

}  // namespace harn::builtins
