#pragma once

#include <string_view>

// What the REPL asks about text that is still being typed.
namespace harn::syntax {

enum class InputState {
  Whole,       // it can be run, or is wrong whatever follows
  Open,        // a bracket, a `"""` string or a block comment is open, or it ends in a backslash
  Unfinished,  // it ends where something must follow: an operator, `let x =`
  MayGoOn,     // it can be run, but the next line may belong to it: `else`, `catch`, `finally`
};
InputState input_state(std::string_view text);

// Whether a line that begins like this belongs to what stands before it.
bool continues_block(std::string_view line);

}  // namespace harn::syntax
