#pragma once

#include <expected>
#include <memory>

#include "builtins/registry.h"
#include "cli/options.h"
#include "cli/project.h"
#include "effects/sandbox.h"
#include "engine/machine.h"

// What a program is held to: `harn run --no-sandbox --read-only-root --allow --deny --ask`.
namespace harn::cli {

inline constexpr Option kNoSandbox = {.name = "--no-sandbox",
                                      .help = "let the program use all files and the network, not only its project"};
inline constexpr Option kReadOnlyRoot = {.name = "--read-only-root",
                                         .value = "DIR",
                                         .kind = ValueKind::Path,
                                         .help = "let the program read files in DIR, too; may be given several times"};
inline constexpr Option kAllow = {.name = "--allow",
                                  .value = "NAME,...",
                                  .help = "let the program call only these builtins, and a few that are always there"};
inline constexpr Option kDeny = {
    .name = "--deny", .value = "NAME,...", .help = "let the program not call these builtins"};

inline constexpr Option kAsk = {
    .name = "--ask",
    .value = "NAME,...",
    .help = "ask on the terminal before the program does this: capabilities such as `process.exec`, or builtins"};

std::expected<effects::Sandbox, UsageError> sandbox_of(const Arguments& arguments, const Project& project);
// For standard error, before the program runs; may be empty.
std::string sandbox_warning(const effects::Sandbox& sandbox);

// The builtins as the sandbox has them; null: all. It must outlive the program.
std::unique_ptr<builtins::Library> library_of(const effects::Sandbox& sandbox);
const compile::Catalog& catalog_of(const builtins::Library* library);
void apply(const effects::Sandbox& sandbox, const builtins::Library* library, engine::Settings& settings);

}  // namespace harn::cli
