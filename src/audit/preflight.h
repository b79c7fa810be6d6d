#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/analysis.h"

// What has to be there when a program runs, as far as the program names it in so many words: operations of the host, and
// directories that commands run in. (Templates are the front end's: compile::TemplateUse.)
namespace harn::audit {

struct PreflightOptions {
  // The operations of the host by capability; nothing: nobody has said which there are.
  using Capabilities = std::map<std::string, std::vector<std::string>>;
  std::function<const std::optional<Capabilities>*(const modules::Module&)> capabilities = {};
  // `capability.operation`, `capability.*`, `capability` and `*`: what is not asked about.
  std::function<const std::vector<std::string>*(const modules::Module&)> allowed = {};
  std::function<bool(const modules::Module&, const std::string& path)> is_directory = {};
};

compile::MakeAnalysis check_preflight(PreflightOptions options);

}  // namespace harn::audit
