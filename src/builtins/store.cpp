// The persistent store: store.json in the state root.
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/key_file.h"
#include "vm/fiber.h"

namespace harn::builtins {
namespace {

using namespace vm;

KeyFile store(Call& call) { return KeyFile(call, "store.json"); }

Outcome<Value> store_get(Call& call) { return store(call).get(HARN_TRY(call.text(0))); }

Outcome<Value> store_set(Call& call) {
  HARN_CHECK(store(call).set(HARN_TRY(call.text(0)), call.arg(1)));
  return Value();
}

Outcome<Value> store_delete(Call& call) {
  HARN_CHECK(store(call).remove(HARN_TRY(call.text(0))));
  return Value();
}

Outcome<Value> store_list(Call& call) { return store(call).keys(); }

// Every change is on the disk when its builtin returns. What is left to do is to write again what somebody has edited.
Outcome<Value> store_save(Call& call) {
  HARN_CHECK(store(call).change([](Value& entries) { return entries.as_dict()->size() > 0; }));
  return Value();
}

Outcome<Value> store_clear(Call& call) {
  HARN_CHECK(store(call).clear());
  return Value();
}

constinit const Builtin kRows[] = {
    {.name = "store_clear",
     .signature = "() -> nil",
     .doc = "Removes all keys of the persistent store.",
     .example = "store_clear() == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<store_clear>},
    {.name = "store_delete",
     .signature = "(key: string) -> nil",
     .doc = "Removes a key of the persistent store; nothing happens when it is not there.",
     .example = "store_delete(\"none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<store_delete>},
    {.name = "store_get",
     .signature = "(key: string) -> unknown",
     .doc = "Returns the value of a key of the persistent store, or nil.",
     .example = "store_get(\"none\") == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<store_get>},
    {.name = "store_list",
     .signature = "() -> list<string>",
     .doc = "Returns the keys of the persistent store, sorted.",
     .example = "store_list() == []",
     .needs = Capability::StateRead,
     .wait = on_fiber<store_list>},
    {.name = "store_save",
     .signature = "() -> nil",
     .doc = "Writes the persistent store; every change has been written already.",
     .example = "store_save() == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<store_save>},
    {.name = "store_set",
     .signature = "(key: string, value: any) -> nil",
     .doc = "Keeps a value under a key of the persistent store, in a JSON file that is on the disk afterwards.",
     .example = "store_set(\"a\", 1) == nil",
     .needs = Capability::StateRead,
     .wait = on_fiber<store_set>},
};

}  // namespace

std::span<const vm::Builtin> store_rows() { return kRows; }

}  // namespace harn::builtins
