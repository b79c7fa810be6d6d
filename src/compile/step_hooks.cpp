#include "compile/step_hooks.h"

#include <algorithm>

#include "base/text.h"
#include "compile/attributes.h"

namespace harn::compile {

using diag::Code;

namespace {

// `*` is any text, `?` any character, as in the patterns of hooks.
bool fits(std::string_view pattern, std::string_view name) {
  size_t at = 0, star = std::string_view::npos, resume = 0, i = 0;
  while (i < name.size()) {
    if (at < pattern.size() && (pattern[at] == '?' || (pattern[at] == name[i] && pattern[at] != '*'))) {
      ++at, ++i;
    } else if (at < pattern.size() && pattern[at] == '*') {
      star = at++, resume = i;
    } else if (star != std::string_view::npos) {
      at = star + 1, i = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<ptrdiff_t>(at), pattern.end(), [](char c) { return c == '*'; });
}

}  // namespace

void check_step_hooks(const modules::Module& module, const Resolution& resolution, diag::Sink& sink) {
  for (const StepHookUse& use : resolution.step_hooks) {
    if (use.module != &module) continue;
    bool is_declared_here = false, has_step = false;
    std::vector<std::string_view> steps;
    for (const auto& [declaration, persona] : resolution.personas) {
      if (!fits(use.persona->value, name_by(*declaration, "persona"))) continue;
      is_declared_here = is_declared_here || persona.module == &module;
      has_step = has_step || persona.steps.contains(use.step->value);
      steps.insert(steps.end(), persona.steps.begin(), persona.steps.end());
    }
    if (!is_declared_here || has_step) continue;
    std::sort(steps.begin(), steps.end());
    auto report = sink.report(Code::UnknownStep, module.source, use.step->span, use.persona->value, use.step->value);
    auto close = text::close_names(use.step->value, steps, 1);
    if (!close.empty()) report.help(fmt::format("did you mean `{}`?", close[0]));
    else report.help("a step is a function with `@step` that the body of the persona calls by its name");
  }
}

}  // namespace harn::compile
