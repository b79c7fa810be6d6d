// Directories, and files as entries of them.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "effects/file_tree.h"
#include "effects/file_walk.h"
#include "effects/files.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::perform;

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

// Names of files are bytes; to a program they are text.
Value name_value(std::string_view name) { return text_value(text::to_valid_utf8(name)); }

Value names_value(const std::vector<std::string>& names) {
  auto list = new_list(names.size());
  for (const std::string& name : names) list->push(name_value(name));
  return list;
}

bool is_given(const Call& call, uint32_t i) {
  return call.has(i) && !call.arg(i).is_nil() && !display(call.arg(i)).empty();
}

// ---- one at a time ----

Outcome<Value> list_dir(Call& call) {
  effects::ListDirectory request{{call.row().name}, std::string(HARN_TRY(call.text_or(0, ".")))};
  return names_value(HARN_TRY(perform(run_of(call), request)));
}

Outcome<Value> mkdir(Call& call) {
  effects::MakeDirectory request{{call.row().name}, std::string(HARN_TRY(call.text(0)))};
  HARN_CHECK(perform(run_of(call), request));
  return Value();
}

Outcome<Value> delete_file(Call& call) {
  effects::DeleteFile request{{call.row().name}, std::string(HARN_TRY(call.text(0)))};
  HARN_CHECK(perform(run_of(call), request));
  return Value();
}

Outcome<Value> copy(Call& call, bool moves) {
  effects::CopyFile request{
      {call.row().name}, std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(call.text(1))), moves};
  HARN_CHECK(perform(run_of(call), request));
  return Value();
}

Outcome<Value> copy_file(Call& call) { return copy(call, false); }

Outcome<Value> move_file(Call& call) {
  if (!is_given(call, 0) || !is_given(call, 1))
    return throw_text(ErrorKind::Type, "move_file: src and dst are required");
  return copy(call, true);
}

// ---- whole trees ----

// Absent and nil are the same.
const Value* option(const Value& options, std::string_view name) {
  const Value* value = options.is_dict() ? options.as_dict()->find(name) : nullptr;
  return value && !value->is_nil() ? value : nullptr;
}

Outcome<bool> flag(std::string_view by, const Value& options, std::string_view name) {
  const Value* value = option(options, name);
  if (!value) return false;
  if (value->is_bool()) return value->as_bool();
  return type_error("{}: option `{}` is {}, expected a bool", by, name, display(*value));
}

Outcome<int64_t> depth_option(const Value& options) {
  const Value* value = option(options, "max_depth");
  if (!value) return INT64_MAX;
  if (value->is_int() && value->as_int() >= 0) return value->as_int();
  return type_error("walk_dir: option `max_depth` is {}, expected an int, 0 or more", display(*value));
}

Outcome<Value> walk_dir(Call& call) {
  if (!is_given(call, 0)) return throw_text(ErrorKind::Type, "walk_dir: root path is required");
  const Value& options = call.arg(1);
  HARN_CHECK(options_of(call, 1));
  effects::WalkDirectory request{{"walk_dir"},
                                 std::string(HARN_TRY(call.text(0))),
                                 HARN_TRY(depth_option(options)),
                                 HARN_TRY(flag("walk_dir", options, "follow_symlinks")),
                                 HARN_TRY(flag("walk_dir", options, "stats"))};
  auto entries = HARN_TRY(perform(run_of(call), request));
  auto list = new_list(entries.size());
  for (const auto& entry : entries) {
    step();
    DictBuilder item;
    item.add("path", name_value(entry.path))
        .add("is_dir", Value::boolean(entry.is_directory))
        .add("is_file", Value::boolean(entry.is_file))
        .add("depth", Value::integer(entry.depth));
    if (entry.size >= 0)
      item.add("size", Value::integer(entry.size))
          .add("modified", Value::number(static_cast<double>(entry.modified_ns) / 1e9));
    list->push(item.done());
  }
  return list;
}

// glob(pattern), glob(pattern, base), glob(pattern, options), glob(pattern, base, options).
Outcome<Value> glob(Call& call) {
  if (!is_given(call, 0)) return throw_text(ErrorKind::Type, "glob: pattern is required");
  bool has_base = call.arg(1).is_string();
  const Value& options = call.arg(has_base ? 2 : 1);
  HARN_CHECK(options_of(call, has_base ? 2 : 1));
  std::string pattern(HARN_TRY(call.text(0)));
  std::string base(has_base ? HARN_TRY(call.text(1)) : std::string_view());
  if (const Value* value = option(options, "base")) base = display(*value);
  if (base.empty() && pattern.starts_with('/')) {
    // It begins where the pattern does: a program may be allowed no more.
    size_t slash = pattern.rfind('/', pattern.find_first_of("*?[{\\"));
    base = pattern.substr(0, std::max<size_t>(slash, 1));
    pattern.erase(0, slash + 1);
  }
  if (base.empty()) base = HARN_TRY(perform(run_of(call), effects::CurrentDirectory{}));
  while (pattern.starts_with("./")) pattern.erase(0, 2);
  effects::MatchPaths request{{"glob"}, std::move(pattern), std::move(base), HARN_TRY(flag("glob", options, "hidden"))};
  return names_value(HARN_TRY(perform(run_of(call), request)));
}

constinit const Builtin kRows[] = {
    {.name = "__glob",
     .signature =
         "(pattern?: any, base_or_options?: string | {base?: any, hidden?: any, long_running?: any, background?: any}, "
         "options?: {base?: any, hidden?: any, long_running?: any, background?: any}) -> list<string>",
     .doc = "What glob does, at once.",
     .example = R"(__glob("nul[lm]", "/dev") == ["/dev/null"])",
     .needs = Capability::FileRead,
     .wait = on_fiber<glob>},
    {.name = "__walk_dir",
     .signature = "(path?: any, options?: {max_depth?: any, follow_symlinks?: any, stats?: any, long_running?: any, "
                  "background?: any}) -> list<dict>",
     .doc = "What walk_dir does, at once.",
     .example = R"(__walk_dir("/dev", {max_depth: 0}) == [{path: "/dev", is_dir: true, is_file: false, depth: 0}])",
     .needs = Capability::FileRead,
     .wait = on_fiber<walk_dir>},
    {.name = "copy_file",
     .signature = "(src: string, dst: string) -> nil",
     .doc = "Copies a file with its mode; `dst` is replaced as a whole.",
     .example = R"(unwrap_err(try { copy_file("/no/such", "/dev/null") }).starts_with("Failed to copy /no/such to"))",
     .needs = Capability::FileWrite,
     .wait = on_fiber<copy_file>},
    {.name = "delete_file",
     .signature = "(path: string) -> nil",
     .doc = "Removes a file, or a directory with everything in it.",
     .example = R"(unwrap_err(try { delete_file("/no/such") }).starts_with("Failed to delete file /no/such"))",
     .needs = Capability::FileWrite,
     .wait = on_fiber<delete_file>},
    {.name = "glob",
     .signature = "(pattern?: string, base_or_options?: string | {base?: string, hidden?: bool, long_running?: false, "
                  "background?: false}, "
                  "options?: "
                  "{base?: string, hidden?: bool, long_running?: false, background?: false}) -> list<string>; "
                  "(pattern?: string, base_or_options?: string | dict, options?: dict) -> any",
     .doc =
         "Returns the paths below `base` that match: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any directories; sorted. "
         "With `long_running: true` it goes on in the background: see walk_dir.",
     .example = R"(glob("nul[lm]", "/dev") == ["/dev/null"])",
     .needs = Capability::FileRead,
     .prelude = "file_walks:glob"},
    {.name = "list_dir",
     .signature = "(path?: string) -> list<string>",
     .doc = "Returns the names in a directory, sorted.",
     .example = R"("null" in list_dir("/dev"))",
     .needs = Capability::FileRead,
     .wait = on_fiber<list_dir>},
    {.name = "mkdir",
     .signature = "(path: string) -> nil",
     .doc = "Makes a directory, and those that lead to it; one that is there is fine.",
     .example = R"(mkdir("/") == nil)",
     .needs = Capability::FileWrite,
     .wait = on_fiber<mkdir>},
    {.name = "move_file",
     .signature = "(src?: string, dst?: string) -> nil",
     .doc = "Gives a file or directory another path; what is at `dst` is replaced.",
     .example = R"(unwrap_err(try { move_file("/no/such", "/tmp/x") }).starts_with("Failed to move /no/such to"))",
     .needs = Capability::FileWrite,
     .wait = on_fiber<move_file>},
    {.name = "walk_dir",
     .signature = "(path?: string, options?: {max_depth?: int, follow_symlinks?: bool, stats?: bool, long_running?: "
                  "false, background?: false}) -> list<dict>; "
                  "(path?: string, options?: dict) -> any",
     .doc = "Returns {path, is_dir, is_file, depth} of a directory and all that is below it, up to `max_depth`; with "
            "`stats: "
            "true` also the `size` of files and when they were `modified`. With `long_running: true` it gives a handle "
            "at once, and the agent is told the result.",
     .example = R"(walk_dir("/dev", {max_depth: 0}) == [{path: "/dev", is_dir: true, is_file: false, depth: 0}])",
     .needs = Capability::FileRead,
     .prelude = "file_walks:walk_dir"},
};

}  // namespace

std::span<const Builtin> file_tree_rows() { return kRows; }

}  // namespace harn::builtins
