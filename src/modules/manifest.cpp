#include "modules/manifest.h"

#include "base/fmt.h"
#include "base/toml.h"

namespace harn::modules {

Result<Manifest> parse_manifest(std::string_view text, const std::string& path) {
  toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorKind::Invalid, fmt::format("{}:{}:{}: {}", path, error.source().begin.line,
                                                error.source().begin.column, error.description()));
  }
  const toml::table& table = parsed.table();
  Manifest manifest;
  if (auto* exports = table["exports"].as_table()) {
    for (auto& [name, value] : *exports) {
      if (auto file = value.value<std::string>()) manifest.exports[std::string(name.str())] = *file;
    }
  }
  manifest.while_limit = table["runtime"]["while_limit"].value_or(-1LL);
  manifest.line_width = table["fmt"]["line_width"].value_or(-1LL);
  return manifest;
}

}  // namespace harn::modules
