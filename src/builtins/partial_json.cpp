// JSON of which only a part has come: what a model has written of its answer so far. For src/std/prelude/llm.harn.
#include <mutex>

#include "base/mutex.h"
#include "base/result.h"
#include "builtins/families.h"
#include "data/loose_json.h"
#include "vm/handle.h"
#include "vm/pace.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

struct PartialJson : HandleObject {
  Mutex lock;
  data::LooseReader reader;
};

constinit const HandleType kPartialJsonType = {
    .name = "partial_json",
    .destroy = destroy_handle<PartialJson>,
    .display = [](std::string& out, const HandleObject*) { out += "<partial json>"; },
};

Outcome<Value> partial_json(Call&) { return Value(new_handle<PartialJson>(kPartialJsonType)); }

// What it gives is frozen: the reader goes on with it, maybe on another worker.
Outcome<Value> add(Call& call) {
  auto* partial = as_handle<PartialJson>(call.arg(0), kPartialJsonType);
  if (!partial) return call.wrong_type(0, "a partial json");
  std::string_view piece = HARN_TRY(call.text(1));
  std::lock_guard guard(partial->lock);
  partial->reader.add(piece);
  auto value = partial->reader.value();
  return value ? transfer(*std::move(value)) : Outcome<Value>(Value());
}

constinit const Builtin kRows[] = {
    {.name = "__partial_json",
     .signature = "() -> any",
     .doc = "A reader of JSON that comes in pieces.",
     .call = partial_json},
    {.name = "__partial_json_add",
     .signature = "(reader: any, piece: string) -> any",
     .doc = "What is certain of the value after one more piece; nil: nothing yet. It takes nothing back.",
     .example = R"(__partial_json_add(__partial_json(), "So: {\"a\": [1, 2") == {a: [1]})",
     .call = add},
};

}  // namespace

std::span<const Builtin> partial_json_rows() { return kRows; }

}  // namespace harn::builtins
