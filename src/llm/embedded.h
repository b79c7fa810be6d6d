#pragma once

#include <string_view>

// providers.toml, models.toml and capabilities.toml, as the build found them.
namespace harn::llm {

extern const std::string_view kProvidersToml;
extern const std::string_view kModelsToml;
extern const std::string_view kCapabilitiesToml;

}  // namespace harn::llm
