#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"

// Edits that diagnostics suggest, made.
namespace harn::lint {

enum class Fixes : unsigned char { Safe, All };

struct Fixed {
  std::string text;
  size_t count = 0;  // edits that were made
};

// The text with the first fix of each diagnostic that has one of the wanted kind. Of fixes that touch each other the first in
// the text is made; the others get their turn when the new text is looked at. The diagnostics are about this text.
Fixed apply(std::string_view text, std::span<const diag::Diagnostic* const> problems, Fixes fixes);

// The fix that `apply` would take; null: none.
const diag::Fix* fix_of(const diag::Diagnostic& diagnostic, Fixes fixes);

}  // namespace harn::lint
