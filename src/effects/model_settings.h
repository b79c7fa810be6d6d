#pragma once

#include "effects/perform.h"

// What users and projects say about the providers of models: settings of the runtime, as the state root is. They are read whatever
// a program may do itself; keys are not among them.
namespace harn::effects {

// The files: the user's (HARN_PROVIDERS_CONFIG, or .config/harn/providers.toml at home) and the manifest of the root project.
struct ReadModelConfig {
  struct Answer {
    std::string user_path, user_text;        // empty: there is none
    std::string project_path, project_text;  // empty: there is none
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(user_path), visit(user_text), visit(project_path), visit(project_text);
    }
  };
  static constexpr EffectRow row{.name = "llm.config", .capability = vm::Capability::None};

  std::string project;  // its folder; empty: there is none

  std::string shown() const { return project; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(project);
  }
};
vm::Outcome<ReadModelConfig::Answer> carry_out(Run& run, const ReadModelConfig& request);

// Variables that choose providers and models.
struct ReadModelVariables {
  struct Answer {
    std::vector<std::string> names;  // those that are set
    std::vector<std::string> values;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(names), visit(values);
    }
  };
  static constexpr EffectRow row{.name = "llm.variables", .capability = vm::Capability::None};

  std::vector<std::string> names;
  std::vector<std::string> keys;  // only whether these are set: their value is "set"

  std::string shown() const { return ""; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(names), visit(keys);
  }
};
vm::Outcome<ReadModelVariables::Answer> carry_out(Run& run, const ReadModelVariables& request);

}  // namespace harn::effects
