#include "llm/provider.h"

#include <array>

namespace harn::llm {

static constexpr std::array<std::string_view, 7> kWireNames = {
    "anthropic", "openai_chat", "openai_responses", "ollama", "mock", "claude_code", "codex"};

std::string_view wire_name(Wire wire) { return kWireNames[static_cast<size_t>(wire)]; }

std::optional<Wire> find_wire(std::string_view name) {
  for (size_t i = 0; i < kWireNames.size(); ++i) {
    if (kWireNames[i] == name) return static_cast<Wire>(i);
  }
  return std::nullopt;
}

template <class T>
static const T* find_as(const Settings& settings, std::string_view name) {
  auto found = settings.find(name);
  return found == settings.end() ? nullptr : std::get_if<T>(&found->second);
}

bool flag_of(const Settings& settings, std::string_view name) {
  const bool* flag = find_as<bool>(settings, name);
  return flag && *flag;
}

std::string_view text_of(const Settings& settings, std::string_view name) {
  const std::string* found = find_as<std::string>(settings, name);
  return found ? std::string_view(*found) : std::string_view();
}

const std::vector<std::string>& texts_of(const Settings& settings, std::string_view name) {
  static const std::vector<std::string> none;
  const auto* found = find_as<std::vector<std::string>>(settings, name);
  return found ? *found : none;
}

}  // namespace harn::llm
