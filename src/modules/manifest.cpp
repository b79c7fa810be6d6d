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

static ManifestWord word_at(const toml::node& node, std::string text) {
  auto at = node.source().begin;
  return {std::move(text), static_cast<uint32_t>(at.line), static_cast<uint32_t>(at.column)};
}

namespace {

// Reads the keys of `[lint]` one by one, and keeps what does not fit.
class LintReader {
 public:
  LintTable read(const toml::table* table) {
    if (!table) return {};
    for (auto& [name, value] : *table) read(name.str(), value, name);
    return std::move(out_);
  }

 private:
  void read(std::string_view name, const toml::node& value, const toml::key& key) {
    if (name == "disabled") texts(name, value, out_.disabled);
    else if (name == "persona_step_allowlist") texts(name, value, out_.persona_step_allowlist);
    else if (name == "require_file_header") flag(name, value, out_.require_file_header);
    else if (name == "require_docstrings") flag(name, value, out_.require_docstrings);
    else if (name == "complexity_threshold") number(name, value, out_.complexity_threshold);
    else if (name == "template_variant_branch_threshold") number(name, value, out_.template_variant_branch_threshold);
    else {
      auto at = key.source().begin;
      out_.unknown.push_back({std::string(name), static_cast<uint32_t>(at.line), static_cast<uint32_t>(at.column)});
    }
  }

  void refuse(std::string_view name, const toml::node& value, std::string_view expected) {
    out_.wrong.push_back(word_at(value, fmt::format("`{}` must be {}", name, expected)));
  }

  void texts(std::string_view name, const toml::node& value, std::vector<ManifestWord>& to) {
    const toml::array* list = value.as_array();
    if (!list) return refuse(name, value, "a list of texts");
    for (const toml::node& item : *list) {
      if (auto text = item.value<std::string>()) to.push_back(word_at(item, *text));
      else refuse(name, item, "a list of texts");
    }
  }

  void flag(std::string_view name, const toml::node& value, std::optional<bool>& to) {
    if (!value.is_boolean()) return refuse(name, value, "true or false");
    to = value.value<bool>();
  }

  void number(std::string_view name, const toml::node& value, std::optional<int64_t>& to) {
    auto given = value.is_integer() ? value.value<int64_t>() : std::nullopt;
    if (!given || *given < 1) return refuse(name, value, "a whole number of 1 or more");
    to = given;
  }

  LintTable out_;
};

// The same for `[check]`.
class CheckReader {
 public:
  CheckTable read(const toml::table* table) {
    if (!table) return {};
    for (auto& [name, value] : *table) read(name.str(), value, name);
    return std::move(out_);
  }

 private:
  void read(std::string_view name, const toml::node& value, const toml::key& key) {
    if (name == "strict") {
      if (value.is_boolean()) out_.strict = value.value_or(false);
      else refuse(name, value, "true or false");
    } else if (name == "strict_types") {
      if (value.is_boolean()) out_.strict_types = value.value_or(false);
      else refuse(name, value, "true or false");
    } else if (name == "max_cost") {
      auto most = value.is_number() ? value.value<double>() : std::nullopt;
      if (most && *most >= 0) out_.max_cost = most;
      else refuse(name, value, "a number of 0 or more, in US dollars");
    } else if (name == "preflight_severity") {
      auto word = value.value<std::string>();
      bool is_known = word && (*word == "error" || *word == "warning" || *word == "off");
      if (is_known) out_.preflight_severity = *word;
      else refuse(name, value, "\"error\", \"warning\" or \"off\"");
    } else if (name == "preflight_allow") {
      if (auto list = texts(value)) out_.preflight_allow = *list;
      else refuse(name, value, "a list of texts");
    } else if (name == "host_capabilities_path") {
      if (auto path = value.value<std::string>()) out_.host_capabilities_path = *path;
      else refuse(name, value, "the path of a file");
    } else if (name == "host_capabilities") {
      capabilities(value);
    } else {
      auto at = key.source().begin;
      out_.unknown.push_back({std::string(name), static_cast<uint32_t>(at.line), static_cast<uint32_t>(at.column)});
    }
  }

  void capabilities(const toml::node& value) {
    const toml::table* table = value.as_table();
    if (!table) return refuse("host_capabilities", value, "a table of lists");
    out_.host_capabilities.emplace();
    for (auto& [name, operations] : *table) {
      if (auto list = texts(operations)) (*out_.host_capabilities)[std::string(name.str())] = *list;
      else refuse(name.str(), operations, "a list of texts");
    }
  }

  static std::optional<std::vector<std::string>> texts(const toml::node& value) {
    const toml::array* list = value.as_array();
    if (!list) return std::nullopt;
    std::vector<std::string> out;
    for (const toml::node& item : *list) {
      auto text = item.value<std::string>();
      if (!text) return std::nullopt;
      out.push_back(*text);
    }
    return out;
  }

  void refuse(std::string_view name, const toml::node& value, std::string_view expected) {
    out_.wrong.push_back(word_at(value, fmt::format("`{}` must be {}", name, expected)));
  }

  CheckTable out_;
};

}  // namespace

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
  manifest.check = CheckReader().read(table["check"].as_table());
  if (const toml::array* pipelines = table["workspace"]["pipelines"].as_array()) {
    manifest.workspace_pipelines.emplace();
    for (const toml::node& one : *pipelines) {
      if (auto path = one.value<std::string>()) manifest.workspace_pipelines->push_back(*path);
    }
  }
  manifest.lint = LintReader().read(table["lint"].as_table());
  return manifest;
}

}  // namespace harn::modules
