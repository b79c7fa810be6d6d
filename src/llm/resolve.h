#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "llm/catalog.h"

// Which provider and model a call means, by the catalogue and the environment. Pure: variables are handed in.
namespace harn::llm {

// Variables of the environment that are set. Those that hold keys have "set" instead of the key.
using Variables = std::map<std::string, std::string, std::less<>>;

struct WantedVariables {
  std::vector<std::string> names;
  std::vector<std::string> keys;
};
// All that resolving may ask for.
WantedVariables wanted_variables(const Catalog& catalog);
// All that `provider_for` may ask for.
WantedVariables wanted_variables(const ProviderRow& row);

struct Asked {
  std::string provider;  // empty: any; "auto": by the model
  std::string model;     // an id, an alias or empty
  std::string tier;
};

struct Choice {
  std::string provider;
  std::string model;
  std::string alias;  // that the model was asked by; empty: by none
};

// By the order that docs/providers.md tells. Fails with what to do where nothing says which model.
std::expected<Choice, std::string> resolve(const Catalog& catalog, const Variables& variables, const Asked& asked);
// The same where the model may be left open.
std::expected<Choice, std::string> resolve_provider(const Catalog& catalog, const Variables& variables,
                                                    const Asked& asked);
// "alias", "model" or "provider:model".
std::expected<Choice, std::string> resolve_selector(const Catalog& catalog, const Variables& variables,
                                                    std::string_view selector);

// Empty: it has none, or the variable that names it is not set.
std::string default_model(const ProviderRow& row, const Variables& variables);
// Whether it can be asked at all: it needs no key, or one of its variables is set.
bool has_auth(const ProviderRow& row, const Variables& variables);
// And whether somebody has said so: for those that need no key, that their address is set.
bool is_set_up(const ProviderRow& row, const Variables& variables);
// The first of its variables that is set; empty: none.
std::string key_variable(const ProviderRow& row, const Variables& variables);

// Ready for `encode`. Fails where the name is unknown, or a variable that its address needs is not set.
std::expected<Provider, std::string> provider_for(const Catalog& catalog, const Variables& variables,
                                                  std::string_view name, std::string_view model);

// `${A|B:-otherwise}` in a text by what the variables are. Fails with the names where none is set.
std::expected<std::string, std::string> expanded(std::string_view text, const Variables& variables);

}  // namespace harn::llm
