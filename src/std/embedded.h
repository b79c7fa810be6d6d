#pragma once

#include <span>
#include <string_view>

// The modules written in Harn that are part of the binary: src/std/**.harn, embedded by the build.
namespace harn::stdlib {

struct EmbeddedModule {
  std::string_view path;  // as imported: "std/prelude"
  std::string_view text;
};
std::span<const EmbeddedModule> embedded_modules();

// The prompts beside them: src/std/**.harn.prompt.
struct EmbeddedPrompt {
  std::string_view path;  // as templates name it: `std/` and its place in the folder
  std::string_view text;
};
std::span<const EmbeddedPrompt> embedded_prompts();
// Null: there is none of that name.
const EmbeddedPrompt* embedded_prompt(std::string_view path);

// prelude.harn and the files in prelude/: library functions that programs cannot import.
inline bool is_prelude(const EmbeddedModule& module) {
  return module.path == "std/prelude" || module.path.starts_with("std/prelude/");
}

}  // namespace harn::stdlib
