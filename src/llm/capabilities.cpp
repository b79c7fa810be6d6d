// Rules about what models can do.
#include "base/fmt.h"
#include "base/text.h"
#include "llm/capability_rows.h"
#include "llm/catalog.h"
#include "llm/fields.h"
#include "vm/ops.h"

namespace harn::llm {

std::pair<int, int> version_of(std::string_view model) {
  auto number_at = [&](size_t at, size_t& end) {
    int number = 0;
    for (end = at; end < model.size() && text::is_digit(model[end]); ++end) {
      if (end - at < 6) number = number * 10 + (model[end] - '0');
    }
    return number;
  };
  for (size_t at = 0; at < model.size(); ++at) {
    if (!text::is_digit(model[at])) continue;
    size_t end = 0;
    int major = number_at(at, end);
    bool is_date = end - at > 2;
    if (is_date) {
      at = end;
      continue;
    }
    bool goes_on = end + 1 < model.size() && (model[end] == '.' || model[end] == '-') && text::is_digit(model[end + 1]);
    if (!goes_on) return {major, 0};
    size_t minor_end = 0;
    int minor = number_at(end + 1, minor_end);
    bool is_minor =
        minor_end - (end + 1) <= 2 && (minor_end == model.size() || !text::is_identifier_start(model[minor_end]));
    return {major, is_minor ? minor : 0};
  }
  return {0, 0};
}

bool CapabilityRule::fits(std::string_view model) const {
  if (!text::matches_stars(model_match, model)) return false;
  if (!except.empty() && text::matches_stars(except, model)) return false;
  if (!version_min && !version_max) return true;
  auto version = version_of(model);
  return (!version_min || version >= *version_min) && (!version_max || version <= *version_max);
}

namespace {

using Added = Catalog::Added;

const CapabilityRow* find_row(std::string_view name) {
  for (const CapabilityRow& row : kCapabilityRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::unexpected<std::string> wrong(std::string_view provider, std::string_view what) {
  return std::unexpected(fmt::format("[[provider.{}]]: {}", provider, what));
}

bool read_version(const Value& value, std::optional<std::pair<int, int>>& to) {
  auto parts = items(value);
  if (parts.empty() || parts.size() > 2) return false;
  for (const Value& part : parts) {
    if (!part.is_int() || part.as_int() < 0 || part.as_int() > 1000) return false;
  }
  to = {static_cast<int>(parts[0].as_int()), parts.size() > 1 ? static_cast<int>(parts[1].as_int()) : 0};
  return true;
}

// One key of a rule.
Added read_key(CapabilityRule& rule, std::string_view key, const Value& value) {
  if (key == "model_match" || key == "except") {
    if (!value.is_string()) return wrong(rule.provider, fmt::format("`{}` is no string", key));
    (key == "except" ? rule.except : rule.model_match) = text::ascii_lower(text_of(value));
    return {};
  }
  if (key == "version_min" || key == "version_max") {
    bool is_read = read_version(value, key == "version_min" ? rule.version_min : rule.version_max);
    if (!is_read) return wrong(rule.provider, fmt::format("`{}` is no version such as [4, 5]", key));
    return {};
  }
  // Short for a mode or none.
  if (key == "thinking" && value.is_bool()) {
    rule.says.emplace("thinking_modes",
                      value.as_bool() ? std::vector<std::string>{"enabled"} : std::vector<std::string>());
    return {};
  }
  const CapabilityRow* row = find_row(key == "vision" ? "vision_supported" : key);
  if (!row) {
    std::vector<std::string_view> names;
    for (const CapabilityRow& one : kCapabilityRows) names.push_back(one.name);
    auto close = text::close_names(key, names);
    return wrong(rule.provider, fmt::format("there is no capability `{}`{}", key,
                                            close.empty() ? "" : fmt::format("; did you mean `{}`?", close[0])));
  }
  auto setting = setting_of(value);
  if (!setting || setting->index() != row->otherwise.index())
    return wrong(rule.provider, fmt::format("`{}` is {}, which is of the wrong kind", key, vm::shown(value)));
  rule.says.insert_or_assign(std::string(row->name), *std::move(setting));
  return {};
}

// What a router calls `vendor/model` is a model of its own family's names.
std::string_view without_vendor(std::string_view model) {
  size_t slash = model.rfind('/');
  return slash == model.npos ? model : model.substr(slash + 1);
}

}  // namespace

Added Catalog::add_capabilities(const Value& config) {
  const Value& family = field(config, "provider_family");
  if (auto added = add_texts(family, "provider_family", families_); !added) return added;
  const Value& providers = field(config, "provider");
  if (providers.is_nil()) return {};
  if (!providers.is_dict()) return std::unexpected("`provider` is no table: write [[provider.NAME]]");
  std::vector<CapabilityRule> rules;
  for (auto [name, list] : providers.as_dict()->entries()) {
    if (!list->is_list()) return wrong(name->view(), "it is no list of rules: write [[...]]");
    for (const Value& row : items(*list)) {
      if (!row.is_dict()) return wrong(name->view(), "a rule is no table");
      CapabilityRule rule{.provider = std::string(name->view())};
      for (auto [key, value] : row.as_dict()->entries()) {
        if (auto read = read_key(rule, key->view(), *value); !read) return read;
      }
      rules.push_back(std::move(rule));
    }
  }
  capability_rules_.insert(capability_rules_.begin(), std::make_move_iterator(rules.begin()),
                           std::make_move_iterator(rules.end()));
  return {};
}

Settings Catalog::capabilities(std::string_view provider, std::string_view model) const {
  Settings found;
  std::string name = text::ascii_lower(model);
  auto apply = [&](std::string_view whose, std::string_view called) {
    for (const CapabilityRule& rule : capability_rules_) {
      if (rule.provider == whose && rule.fits(called)) found.insert(rule.says.begin(), rule.says.end());
    }
  };
  apply(provider, name);
  auto family = families_.find(std::string(provider));
  if (family != families_.end()) apply(family->second, without_vendor(name));
  // A provider that only a project knows: whoever it serves, it does so as the others do.
  bool is_own = family == families_.end() &&
                std::none_of(capability_rules_.begin(), capability_rules_.end(),
                             [&](auto& rule) { return rule.provider == provider && rule.model_match == "*"; });
  if (is_own) apply("models", without_vendor(name));
  for (const CapabilityRow& row : kCapabilityRows) {
    if (!row.is_optional) found.try_emplace(std::string(row.name), row.otherwise);
  }
  found["thinking"] = !texts_of(found, "thinking_modes").empty();
  found["tools"] = flag_of(found, "native_tools") || flag_of(found, "text_tool_wire_format_supported");
  return found;
}

}  // namespace harn::llm
