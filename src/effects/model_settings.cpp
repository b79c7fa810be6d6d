#include "effects/model_settings.h"

#include <fstream>
#include <sstream>

#include "effects/environment.h"

namespace harn::effects {

namespace {

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

vm::Outcome<ReadModelConfig::Answer> carry_out(Run& run, const ReadModelConfig& request) {
  ReadModelConfig::Answer answer;
  std::string named = variable_text(run, "HARN_PROVIDERS_CONFIG");
  std::string home = variable_text(run, "HOME");
  std::string path = named.empty() && !home.empty() ? home + "/.config/harn/providers.toml" : named;
  if (!path.empty()) {
    auto text = read_text(path);
    if (!text && !named.empty())
      return vm::throw_text(ErrorKind::NotFound, "HARN_PROVIDERS_CONFIG names `{}`, which cannot be read", named);
    if (text) answer.user_path = path, answer.user_text = *std::move(text);
  }
  if (request.project.empty()) return answer;
  std::string manifest = request.project + "/harn.toml";
  if (auto text = read_text(manifest)) answer.project_path = manifest, answer.project_text = *std::move(text);
  return answer;
}

vm::Outcome<ReadModelVariables::Answer> carry_out(Run& run, const ReadModelVariables& request) {
  ReadModelVariables::Answer answer;
  auto add = [&](const std::vector<std::string>& names, bool is_key) {
    std::vector<std::string> values = variable_texts(run, names);
    for (size_t i = 0; i < names.size(); ++i) {
      if (values[i].empty()) continue;
      answer.names.push_back(names[i]);
      answer.values.push_back(is_key ? "set" : std::move(values[i]));
    }
  };
  add(request.names, false);
  add(request.keys, true);
  return answer;
}

}  // namespace harn::effects
