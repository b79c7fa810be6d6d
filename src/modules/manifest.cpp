#include "modules/manifest.h"

#include "base/fmt.h"
#include "base/toml.h"

namespace harn::modules {

// Names and what they stand for; entries that are no text are left out.
static std::map<std::string, std::string> texts_of(const toml::table* table) {
  std::map<std::string, std::string> out;
  if (!table) return out;
  for (auto& [name, value] : *table) {
    if (auto text = value.value<std::string>()) out[std::string(name.str())] = *text;
  }
  return out;
}

Result<Manifest> parse_manifest(std::string_view text, const std::string& path) {
  toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorKind::Invalid, fmt::format("{}:{}:{}: {}", path, error.source().begin.line,
                                                error.source().begin.column, error.description()));
  }
  const toml::table& table = parsed.table();
  Manifest manifest;
  manifest.exports = texts_of(table["exports"].as_table());
  manifest.asset_roots = texts_of(table["asset_roots"].as_table());
  manifest.while_limit = table["runtime"]["while_limit"].value_or(-1LL);
  manifest.line_width = table["fmt"]["line_width"].value_or(-1LL);
  return manifest;
}

}  // namespace harn::modules
