// What is known of the folders of a project. Written in Harn: src/std/prelude/project.harn.
#include "builtins/families.h"

namespace harn::builtins {

using namespace vm;

namespace {

constinit const Builtin kRows[] = {
    {.name = "__project_catalog",
     .signature = "() -> dict",
     .doc = "The files that tell what a folder is made of.",
     .prelude = "project:catalog"},
    {.name = "__project_evidence",
     .signature = "(folder: string) -> dict",
     .doc = "What the files of a folder tell.",
     .prelude = "project:evidence"},
    {.name = "compute_content_hash",
     .signature = "(dir: string) -> string",
     .doc = "Returns a hash of all files below a folder, but for what tools put there.",
     .example = R"x(to_string(unwrap_err(try { compute_content_hash("nowhere") })).contains("no folder"))x",
     .needs = Capability::FileInfo,
     .prelude = "project:compute_content_hash"},
    {.name = "invalidate_facts",
     .signature = "(dir: string) -> nil",
     .doc = "Forgets what is kept in the namespace `facts` of a folder and of those below it.",
     .example = R"(invalidate_facts("src") == nil)",
     .needs = Capability::FileInfo,
     .prelude = "project:invalidate_facts"},
    {.name = "metadata_entries",
     .signature = "(namespace?: string?) -> list<dict>",
     .doc = "Returns what is kept about folders: {dir, local, resolved} each.",
     .example = R"(metadata_entries("nothing") == [])",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_entries"},
    {.name = "metadata_get",
     .signature = "(dir: string, namespace?: string?) -> dict?",
     .doc = "Returns what is kept about a folder and its parents, or nil.",
     .example = R"(metadata_get("src", "nothing") == nil)",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_get"},
    {.name = "metadata_refresh_hashes",
     .signature = "() -> int",
     .doc = "Takes the folders as they are now for what their metadata is about; returns how many.",
     .example = "metadata_refresh_hashes() == 0",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_refresh_hashes"},
    {.name = "metadata_resolve",
     .signature = "(dir: string, namespace?: string?) -> dict",
     .doc = "Returns what is kept about a folder and its parents: of one namespace, or of each by its name.",
     .example = R"(metadata_resolve("src", "nothing") == {})",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_resolve"},
    {.name = "metadata_save",
     .signature = "() -> string",
     .doc = "Writes what is kept about folders to the state root; returns the file.",
     .example = R"(metadata_save().ends_with("entries.json"))",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_save"},
    {.name = "metadata_set",
     .signature = "(dir: string, namespace: string, data: dict?) -> nil",
     .doc = "Adds to what is kept about a folder; nil takes the namespace away. metadata_save writes it down.",
     .example = R"(metadata_set("nowhere", "n", {a: 1}) == nil && metadata_get("nowhere/below", "n").a == 1)",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_set"},
    {.name = "metadata_stale",
     .signature = "(project?: string?) -> {any_stale: bool, tier1: list<string>, tier2: list<string>}",
     .doc =
         "Returns the folders that have changed since: tier1 where files came or went, tier2 where only contents did.",
     .example = "!metadata_stale().any_stale",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_stale"},
    {.name = "metadata_status",
     .signature = "(namespace?: string?) -> dict",
     .doc = "Returns {directory_count, entry_count, namespaces, missing_structure_hash, missing_content_hash, stale}.",
     .example = R"(metadata_status("nothing").entry_count == 0)",
     .needs = Capability::FileInfo,
     .prelude = "project:metadata_status"},
    {.name = "project_fingerprint",
     .signature = "(path?: string?) -> dict",
     .doc = "Returns what a folder is made of: {primary_language, languages, frameworks, package_manager, "
            "test_runner, build_tool, vcs, ci, has_tests, has_ci, lockfile_paths, ...}.",
     .example = R"(project_fingerprint("nowhere").languages == [])",
     .needs = Capability::FileInfo,
     .prelude = "project:project_fingerprint"},
    {.name = "scan_directory",
     .signature = "(path?: string?, pattern_or_options?: string | dict | nil, options?: dict?) -> list<dict>",
     .doc = "Returns {path, is_dir, size, modified} of what is below a folder. Options: pattern, max_depth, "
            "include_hidden, include_dirs, include_files.",
     .example = R"(type_of(scan_directory(".", "*.nothing")) == "list")",
     .needs = Capability::FileRead,
     .prelude = "project:scan_directory"},
};

}  // namespace

std::span<const Builtin> project_rows() { return kRows; }

}  // namespace harn::builtins
