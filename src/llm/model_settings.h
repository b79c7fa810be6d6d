#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "effects/run.h"
#include "llm/resolve.h"
#include "vm/error.h"
#include "vm/vm.h"

// The catalogue as a running program has it: what comes with `harn`, the user's file, the root project's manifest, and what the
// program itself has installed, in this order. Files are read once, when first asked for. Any task may call these.
namespace harn::llm {

vm::Outcome<std::shared_ptr<const Catalog>> catalog(vm::Vm& vm, effects::Run& run);
// As they are now: a program may change its environment.
vm::Outcome<Variables> variables(effects::Run& run, const std::shared_ptr<const Catalog>& catalog);

// A catalogue of files that somebody has read, for those who run no program: the user's, and the manifest of a project. Empty
// paths stand for none. Fails with what is wrong with one of them.
struct ModelFiles {
  std::string user_path, user_text;
  std::string project_path, project_text;
};
std::expected<std::shared_ptr<const Catalog>, std::string> catalog_of(const ModelFiles& files);

// Ready for `encode`, in the running task.
vm::Outcome<std::shared_ptr<const Provider>> provider_for(effects::Run& run, std::string_view name,
                                                          std::string_view model);
// The key of a provider; empty where it needs none. Fails with a failure dict of category "auth" that names the variables. Not for
// anything but `encode`: what it answers is a secret. Part of another effect, whose policy holds for it.
vm::Outcome<std::string> key_of(effects::Run& run, const Provider& provider);

// ---- what the program installs ----

// Rules about capabilities as TOML, or why they are none.
vm::Outcome<void> install_capabilities(vm::Vm& vm, effects::Run& run, std::string toml);
void clear_capabilities(vm::Vm& vm);
vm::Outcome<void> register_provider(vm::Vm& vm, effects::Run& run, std::string name);

// For putting a program away: what it has installed. Setting it forgets what was made of it.
struct InstalledModels {
  std::vector<std::string> capabilities;  // TOML
  std::vector<std::string> providers;     // names
};
InstalledModels installed_models(vm::Vm& vm);
void set_installed_models(vm::Vm& vm, InstalledModels installed);

}  // namespace harn::llm
