#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Natural blocks as text: what a block says without its sentinel, its indent and its front matter, and the prompts that a model is given with
// it. Used when a block runs, when it is checked, and when an editor shows it. Any thread; nothing is kept.
//
//   NaturalProgram program = read_natural_program("natural\n---\ndeny: [raise]\n---\nSet <:label>.");
//   program.text == "Set <:label>."; program.deny == {"raise"}
namespace harn::builtins {

// All outcomes that blocks may have.
inline constexpr std::string_view kOutcomes[] = {"pass", "return", "break", "continue", "raise"};
inline bool needs_loop(std::string_view outcome) { return outcome == "break" || outcome == "continue"; }

struct NaturalProgram {
  std::string text;
  std::vector<std::string> deny;
  std::string problem;  // what is wrong with the front matter, to follow its name: "has no end: ..."; empty: nothing
  size_t line = 0;      // where, from the line of the sentinel as 1
};

// Of the value of a block's literal. The sentinel may be missing.
NaturalProgram read_natural_program(std::string_view literal);

// What the program may say in the end; empty: everything is denied.
std::vector<std::string_view> allowed_outcomes(bool in_loop, std::span<const std::string> deny);
// The part of the prompt that explains them. `errors`: the names that a raised error may have.
std::string outcomes_text(std::span<const std::string_view> allowed, std::span<const std::string> errors);

// The names of the built-in types of errors, which every block may raise.
std::span<const std::string_view> natural_error_kinds();

// The default templates of prompts, with `{{ program }}`, `{{ locals }}` and `{{ outcomes }}`.
extern const std::string_view kStepSystemPrompt;
extern const std::string_view kStepUserPrompt;

}  // namespace harn::builtins
