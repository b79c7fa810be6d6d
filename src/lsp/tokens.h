#pragma once

#include <span>
#include <string_view>

namespace harn::lsp {

// The kinds of tokens that the server colours, in the order of their numbers.
std::span<const std::string_view> token_types();

}  // namespace harn::lsp
