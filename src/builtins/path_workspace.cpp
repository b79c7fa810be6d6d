#include <string>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/path_text.h"
#include "effects/files.h"
#include "vm/vm.h"

// Paths inside a workspace. Models like to write `/src/main.harn` for the file in the workspace;
// when there is such a file inside the root and none at that place on the machine, the path is
// taken to mean the one in the workspace.
namespace harn::builtins {
namespace {

using namespace vm;

struct WorkspacePath {
  std::string_view kind;
  std::string normalized;
  Value workspace_path;
  Value host_path;
  bool recovered = false;
  std::string_view reason;
};

using effects::Run;

Outcome<bool> exists(Run& run, const std::string& path) {
  return effects::perform(run, effects::PathExists{{"path_workspace_info"}, path, true});
}

std::string under(const std::string& root, std::string_view path) {
  std::string out = root;
  if (!out.ends_with('/')) out += '/';
  return out.append(path);
}

WorkspacePath invalid(std::string_view reason) { return {.kind = "invalid", .reason = reason}; }

WorkspacePath inside(const std::string& root, std::string path) {
  Value host = text_value(path == "." ? root : under(root, path));
  Value relative = text_value(path);
  return {.kind = "workspace_relative",
          .normalized = std::move(path),
          .workspace_path = std::move(relative),
          .host_path = std::move(host)};
}

// Whether a path of the machine that is not there means one in the workspace that is.
Outcome<bool> has_drifted(Run& run, const std::string& root, const std::string& path, const std::string& drifted) {
  if (!path.starts_with('/') || drifted.empty() || HARN_TRY(exists(run, path))) return false;
  return exists(run, under(root, drifted));
}

Outcome<WorkspacePath> absolute(Run& run, const std::string& root, std::string path) {
  std::string way;
  bool within = relative_to(path, root, way) && way != ".." && !way.starts_with("../");
  std::string drifted(std::string_view(path).substr(root_of(path).size()));
  if (!within && HARN_TRY(has_drifted(run, root, path, drifted))) {
    auto result = inside(root, std::move(drifted));
    result.recovered = true;
    return result;
  }
  Value host = text_value(path);
  return WorkspacePath{.kind = "host_absolute",
                       .normalized = std::move(path),
                       .workspace_path = within ? text_value(way) : Value(),
                       .host_path = std::move(host)};
}

Outcome<WorkspacePath> classify(Run& run, std::string_view input, const std::string& root) {
  if (text::trim(input).empty()) return invalid("path is empty");
  if (input.contains('\0')) return invalid("path contains NUL bytes");
  std::string path = normalize(to_posix(text::trim(input)));
  if (is_absolute(path)) return absolute(run, root, std::move(path));
  if (path == ".." || path.starts_with("../")) {
    return invalid("workspace-relative path escapes the workspace root");
  }
  return inside(root, std::move(path));
}

Outcome<WorkspacePath> workspace_path(Call& call) {
  auto input = HARN_TRY(call.text(0));
  std::string root(HARN_TRY(call.text_or(1, "")));
  Run& run = Run::current(call.vm());
  if (root.empty()) root = HARN_TRY(effects::perform(run, effects::CurrentDirectory{}));
  return classify(run, input, normalize(to_posix(root)));
}

Outcome<Value> path_workspace_info(Call& call) {
  auto info = HARN_TRY(workspace_path(call));
  bool valid = info.reason.empty();
  return DictBuilder()
      .add("input", call.arg(0))
      .add("kind", text_value(info.kind))
      .add("normalized", valid ? text_value(info.normalized) : Value())
      .add("workspace_path", info.workspace_path)
      .add("host_path", info.host_path)
      .add("recovered_root_drift", Value::boolean(info.recovered))
      .add("reason", valid ? Value() : text_value(info.reason))
      .done();
}

Outcome<Value> path_workspace_normalize(Call& call) { return HARN_TRY(workspace_path(call)).workspace_path; }

constinit const Builtin kRows[] = {
    {.name = "path_workspace_info",
     .signature = "(path: string, root?: string) -> dict",
     .doc = "Says what a path means inside a workspace.",
     .example = R"(path_workspace_info("a/b").kind == "workspace_relative")",
     .needs = Capability::FileInfo,
     .call = path_workspace_info},
    {.name = "path_workspace_normalize",
     .signature = "(path: string, root?: string) -> string?",
     .doc = "Returns the path relative to the workspace root, or nil when it is outside.",
     .example = R"(path_workspace_normalize("a/../b") == "b")",
     .needs = Capability::FileInfo,
     .call = path_workspace_normalize},
};

}  // namespace

std::span<const vm::Builtin> path_workspace_rows() { return kRows; }

}  // namespace harn::builtins
