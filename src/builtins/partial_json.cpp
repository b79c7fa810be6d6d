// JSON of which only a part has come: what a model has written of its answer so far. For src/std/prelude/llm.harn.
#include <mutex>

#include "base/mutex.h"
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/regex_cache.h"
#include "builtins/schema_fit.h"
#include "data/loose_json.h"
#include "vm/handle.h"
#include "vm/ops.h"
#include "vm/pace.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// All values are frozen: the reader goes on with them, maybe on another worker.
struct PartialJson : HandleObject {
  Mutex lock;
  std::optional<data::LooseReader> reader;  // there always is one
  Value schema;                             // nil: any value
  bool is_wrapped = false;                  // the value is the `value` of an object
  schema::Certain last;
};

constinit const HandleType kPartialJsonType = {
    .name = "partial_json",
    .destroy = destroy_handle<PartialJson>,
    .display = [](std::string& out, const HandleObject*) { out += "<partial json>"; },
};

Outcome<Value> partial_json(Call& call) {
  auto handle = new_handle<PartialJson>(kPartialJsonType);
  handle->is_wrapped = call.has(1) && truthy(call.arg(1));
  handle->reader.emplace(handle->is_wrapped ? data::LooseReader::Wanted::Any : schema::wanted_brackets(call.arg(0)));
  handle->schema = HARN_TRY(transfer(call.arg(0)));
  return Value(std::move(handle));
}

// What was read so far; nil: nothing.
Outcome<Value> read_value(const PartialJson& partial) {
  Value value = partial.reader->value().value_or(Value());
  if (partial.is_wrapped && value.is_dict()) {
    const Value* inner = value.as_dict()->find("value");
    if (inner || value.as_dict()->size() == 0) value = inner ? Value(*inner) : Value();
  }
  return transfer(std::move(value));
}

Outcome<Value> add(Call& call) {
  auto* partial = as_handle<PartialJson>(call.arg(0), kPartialJsonType);
  if (!partial) return call.wrong_type(0, "a partial json");
  std::string_view piece = HARN_TRY(call.text(1));
  std::lock_guard guard(partial->lock);
  partial->reader->add(piece);
  Value part = HARN_TRY(read_value(*partial));
  if (part.is_nil() || partial->schema.is_nil()) return part;
  schema::Fitter fitter(partial->schema, RegexCache::of_thread());
  Value shown = fitter.certain(part, partial->last);
  Value frozen = HARN_TRY(transfer(shown.is(Kind::Unset) ? Value() : std::move(shown)));
  partial->last = {.part = std::move(part), .shown = frozen};
  return frozen;
}

Outcome<Value> end(Call& call) {
  auto* partial = as_handle<PartialJson>(call.arg(0), kPartialJsonType);
  if (!partial) return call.wrong_type(0, "a partial json");
  std::lock_guard guard(partial->lock);
  partial->reader->finish();
  return read_value(*partial);
}

constinit const Builtin kRows[] = {
    {.name = "__partial_json",
     .signature = "(schema?: dict?, is_wrapped?: bool) -> any",
     .doc = "A reader of JSON that comes in pieces: of a value for that schema, or of an object whose `value` it is.",
     .call = partial_json},
    {.name = "__partial_json_add",
     .signature = "(reader: any, piece: string) -> any",
     .doc = "What is certain of the value, and of what it will be when it is made to fit the schema, after one more "
            "piece; nil: nothing yet. "
            "It takes nothing back.",
     .example = R"(__partial_json_add(__partial_json(), "So: {\"a\": [1, 2") == {a: [1]})",
     .call = add},
    {.name = "__partial_json_end",
     .signature = "(reader: any) -> any",
     .doc = "The value as it was read, with all that was left open closed, when nothing more comes.",
     .call = end},
};

}  // namespace

std::span<const Builtin> partial_json_rows() { return kRows; }

}  // namespace harn::builtins
