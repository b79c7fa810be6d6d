// Files that are watched, for std/fs.
#include "effects/file_watch.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::FileChange;
using effects::perform;

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

Outcome<Value> watch_open(Call& call) {
  effects::OpenWatch request{{"watch_path"}, std::string(HARN_TRY(call.text(0))), HARN_TRY(call.boolean(1))};
  return Value::integer(static_cast<int64_t>(HARN_TRY(perform(run_of(call), request))));
}

std::string_view kind_name(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::Created: return "created";
    case FileChange::Kind::Modified: return "modified";
    case FileChange::Kind::Deleted: return "deleted";
    case FileChange::Kind::Moved: return "moved";
    case FileChange::Kind::Overflow: return "overflow";
  }
  return "";
}

Value change_value(const FileChange& change) {
  DictBuilder dict;
  dict.add("kind", text_value(kind_name(change.kind))).add("path", text_value(text::to_valid_utf8(change.path)));
  if (change.kind == FileChange::Kind::Moved) dict.add("old_path", text_value(text::to_valid_utf8(change.old_path)));
  return dict.done();
}

Outcome<Value> watch_next(Call& call) {
  effects::NextChanges request{static_cast<uint64_t>(HARN_TRY(call.integer(0))), HARN_TRY(call.integer(1))};
  auto changes = HARN_TRY(perform(run_of(call), request));
  if (changes.empty()) return Value();
  auto list = new_list(changes.size());
  for (const FileChange& change : changes) {
    step();
    list->push(change_value(change));
  }
  return list;
}

Outcome<Value> watch_close(Call& call) {
  HARN_CHECK(perform(run_of(call), effects::CloseWatch{static_cast<uint64_t>(HARN_TRY(call.integer(0)))}));
  return Value();
}

constinit const Builtin kRows[] = {
    {.name = "__watch_close",
     .signature = "(watch: int) -> nil",
     .doc = "Ends a watch.",
     .wait = on_fiber<watch_close>},
    {.name = "__watch_next",
     .signature = "(watch: int, settle_ms: int) -> list<dict>?",
     .doc = "Waits for changes; nil when what was watched is gone.",
     .wait = on_fiber<watch_next>},
    {.name = "__watch_open",
     .signature = "(path: string, recursive: bool) -> int",
     .doc = "The number of a watch of a file or directory.",
     .wait = on_fiber<watch_open>},
};

void watches_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && effects::has_watches(vm)) archive.refuse("it is watching files");
}

}  // namespace

const park::PartRow kFileWatchesPart = {"file watches", watches_fields};

std::span<const Builtin> file_watch_rows() { return kRows; }

}  // namespace harn::builtins
