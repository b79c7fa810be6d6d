#include "llm/model_settings.h"

#include <algorithm>
#include <mutex>

#include "base/fmt.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/text.h"
#include "data/toml.h"
#include "effects/environment.h"
#include "effects/model_settings.h"
#include "effects/state.h"
#include "llm/aws_signature.h"
#include "llm/fields.h"
#include "llm/wire.h"
#include "vm/pace.h"

namespace harn::llm {

namespace {

using vm::Outcome;
using Shared = std::shared_ptr<const Catalog>;

// A provider and all that it was made of.
struct MadeProvider {
  Shared catalog;
  Variables variables;
  std::shared_ptr<const Provider> provider;
  bool is_of(const Shared& known, const Variables& set, std::string_view name, std::string_view model) const {
    return catalog == known && provider->name == name && provider->model == model && variables == set;
  }
};
constexpr size_t kKeptProviders = 8;

// Of a VM.
struct ModelSettings {
  Mutex lock;
  Shared files;  // null: not read yet
  Shared whole;  // with what is installed; null: not made yet
  InstalledModels installed;
  // The variables that `asked_of` may ask for: every call of a model wants to know.
  Shared asked_of;
  std::shared_ptr<const effects::ReadModelVariables> asked;
  // Of the last calls, the one to be forgotten next first. Turns of an agent ask for the same again and again.
  std::vector<MadeProvider> providers;
};

ModelSettings& settings_of(vm::Vm& vm) { return vm.local<ModelSettings>(); }

std::unexpected<vm::Thrown> wrong(std::string_view where, std::string_view what) {
  return vm::throw_text(ErrorKind::Invalid, "{}: {}", where, what);
}

Outcome<Value> parsed(std::string_view where, std::string_view text) {
  auto toml = data::parse_toml(vm::text_value(text));
  if (!toml) return wrong(where, toml.error().text());
  return *std::move(toml);
}

Outcome<void> add_capabilities(Catalog& catalog, std::string_view where, const Value& config) {
  if (auto added = catalog.add_capabilities(config); !added) return wrong(where, added.error());
  return {};
}

// The user's file is like providers.toml, with [capabilities] beside; a manifest has the same below [llm].
Outcome<void> add_file(Catalog& catalog, const std::string& path, const std::string& text, bool is_manifest) {
  if (path.empty()) return {};
  Value config = HARN_TRY(parsed(path, text));
  const Value& own = is_manifest ? field(config, "llm") : config;
  if (!own.is_nil()) {
    if (auto added = catalog.add(own); !added) return wrong(path, added.error());
  }
  return add_capabilities(catalog, path, field(config, "capabilities"));
}

Outcome<Shared> made_of(const ModelFiles& files) {
  if (files.user_path.empty() && files.project_path.empty()) return builtin_catalog();
  auto catalog = std::make_shared<Catalog>(*builtin_catalog());
  HARN_CHECK(add_file(*catalog, files.user_path, files.user_text, false));
  HARN_CHECK(add_file(*catalog, files.project_path, files.project_text, true));
  return catalog;
}

Outcome<Shared> read_files(vm::Vm& vm, effects::Run& run) {
  const effects::StateHome& home = effects::state_home(vm);
  effects::ReadModelConfig request;
  if (home.kind == effects::StateHome::Kind::Project) request.project = home.folder;
  auto files = HARN_TRY(effects::perform(run, request));
  return made_of({files.user_path, files.user_text, files.project_path, files.project_text});
}

// Either the rules themselves, or as a manifest has them.
Outcome<void> add_installed(Catalog& catalog, const std::string& toml) {
  constexpr std::string_view kWhere = "provider_capabilities_install";
  Value config = HARN_TRY(parsed(kWhere, toml));
  return add_capabilities(catalog, kWhere, has_field(config, "capabilities") ? field(config, "capabilities") : config);
}

Outcome<Shared> with_installed(const Shared& files, const InstalledModels& installed) {
  if (installed.capabilities.empty() && installed.providers.empty()) return files;
  auto whole = std::make_shared<Catalog>(*files);
  for (const std::string& toml : installed.capabilities) HARN_CHECK(add_installed(*whole, toml));
  for (const std::string& name : installed.providers) whole->add_provider(name);
  return whole;
}

// What is installed, changed by `change`; it stays as it was when that makes no sense.
template <class Change>
Outcome<void> install(vm::Vm& vm, effects::Run& run, Change change) {
  HARN_CHECK(catalog(vm, run));
  ModelSettings& settings = settings_of(vm);
  std::lock_guard guard(settings.lock);
  InstalledModels changed = settings.installed;
  change(changed);
  settings.whole = HARN_TRY(with_installed(settings.files, changed));
  settings.installed = std::move(changed);
  return {};
}

}  // namespace

std::expected<Shared, std::string> catalog_of(const ModelFiles& files) {
  auto made = made_of(files);
  if (!made) return std::unexpected(vm::describe(*made.error()));
  return *std::move(made);
}

Outcome<Shared> catalog(vm::Vm& vm, effects::Run& run) {
  ModelSettings& settings = settings_of(vm);
  {
    std::lock_guard guard(settings.lock);
    if (settings.whole) return settings.whole;
  }
  // Without the lock: the effect may be recorded, or asked about. Two tasks that come at once read the same.
  Shared files = HARN_TRY(read_files(vm, run));
  std::lock_guard guard(settings.lock);
  if (!settings.files) settings.files = std::move(files);
  if (!settings.whole) settings.whole = HARN_TRY(with_installed(settings.files, settings.installed));
  return settings.whole;
}

static std::shared_ptr<const effects::ReadModelVariables> asked_variables(const Shared& catalog) {
  ModelSettings& settings = settings_of(effects::current_vm());
  std::lock_guard guard(settings.lock);
  if (settings.asked_of != catalog) {
    WantedVariables wanted = wanted_variables(*catalog);
    settings.asked =
        std::make_shared<const effects::ReadModelVariables>(std::move(wanted.names), std::move(wanted.keys));
    settings.asked_of = catalog;
  }
  return settings.asked;
}

static Variables by_name(const effects::ReadModelVariables::Answer& found) {
  Variables out;
  for (size_t i = 0; i < found.names.size() && i < found.values.size(); ++i)
    out.emplace(found.names[i], found.values[i]);
  return out;
}

Outcome<Variables> variables(effects::Run& run, const Shared& catalog) {
  return by_name(HARN_TRY(effects::perform(run, *asked_variables(catalog))));
}

Outcome<std::shared_ptr<const Provider>> provider_for(effects::Run& run, std::string_view name,
                                                      std::string_view model) {
  Shared known = HARN_TRY(catalog(effects::current_vm(), run));
  Variables set;
  if (const ProviderRow* row = known->find_provider(name)) {
    WantedVariables wanted = wanted_variables(*row);
    // Part of the call of a model: a recording has its answer.
    effects::ReadModelVariables asked{std::move(wanted.names), std::move(wanted.keys)};
    set = by_name(HARN_TRY(effects::answer_of(run, asked)));
  }
  ModelSettings& settings = settings_of(effects::current_vm());
  std::lock_guard guard(settings.lock);
  for (const MadeProvider& made : settings.providers) {
    if (made.is_of(known, set, name, model)) return made.provider;
  }
  auto provider = provider_for(*known, set, name, model);
  if (!provider) return vm::throw_text(ErrorKind::Invalid, "{}", provider.error());
  auto shared = std::make_shared<const Provider>(*std::move(provider));
  if (settings.providers.size() == kKeptProviders) settings.providers.erase(settings.providers.begin());
  settings.providers.push_back({std::move(known), std::move(set), shared});
  return shared;
}

// The rest of the credentials of AWS whose id this is.
static Outcome<std::string> signed_key(effects::Run& run, const Provider& provider, std::string id) {
  AwsCredentials credentials{.id = std::move(id), .secret = {}, .session_token = {}};
  for (auto [name, to] : {std::pair("AWS_SECRET_ACCESS_KEY", &credentials.secret),
                          std::pair("AWS_SESSION_TOKEN", &credentials.session_token)}) {
    auto found = HARN_TRY(effects::carry_out(run, effects::ReadVariable{.name = name, .is_secret = true}));
    *to = text::trim(found.value);
  }
  if (!credentials.secret.empty()) return aws_key(credentials);
  return vm::throw_value(
      failure(provider.name, provider.model, "auth",
              fmt::format("{}: there is no key: set AWS_SECRET_ACCESS_KEY beside AWS_ACCESS_KEY_ID in the environment",
                          provider.name)));
}

Outcome<std::string> key_of(effects::Run& run, const Provider& provider) {
  std::string names;
  for (const std::string& name : provider.auth_envs) {
    auto found = HARN_TRY(effects::carry_out(run, effects::ReadVariable{.name = name, .is_secret = true}));
    std::string key(text::trim(found.value));
    bool is_one_line = std::ranges::none_of(key, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (!key.empty() && !is_one_line) {
      return vm::throw_value(failure(
          provider.name, provider.model, "auth",
          fmt::format("{}: the key in {} has a line break or another control character in it", provider.name, name)));
    }
    if (found.is_set && !key.empty())
      return provider.auth_style == "aws" ? signed_key(run, provider, std::move(key)) : key;
    names += (names.empty() ? "" : " or ") + name;
  }
  if (provider.auth_style == "none" || provider.is_key_optional) return std::string();
  return vm::throw_value(failure(provider.name, provider.model, "auth",
                                 fmt::format("{}: there is no key: set {} in the environment", provider.name, names)));
}

Outcome<void> install_capabilities(vm::Vm& vm, effects::Run& run, std::string toml) {
  return install(vm, run, [&](InstalledModels& all) { all.capabilities.push_back(std::move(toml)); });
}

Outcome<void> register_provider(vm::Vm& vm, effects::Run& run, std::string name) {
  return install(vm, run, [&](InstalledModels& all) { all.providers.push_back(std::move(name)); });
}

void clear_capabilities(vm::Vm& vm) {
  ModelSettings& settings = settings_of(vm);
  std::lock_guard guard(settings.lock);
  settings.installed.capabilities.clear();
  settings.whole = nullptr;
}

InstalledModels installed_models(vm::Vm& vm) {
  ModelSettings& settings = settings_of(vm);
  std::lock_guard guard(settings.lock);
  return settings.installed;
}

void set_installed_models(vm::Vm& vm, InstalledModels installed) {
  ModelSettings& settings = settings_of(vm);
  std::lock_guard guard(settings.lock);
  settings.installed = std::move(installed);
  settings.whole = nullptr;
}

}  // namespace harn::llm
