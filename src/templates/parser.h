#pragma once

#include <expected>
#include <string_view>

#include "templates/template.h"

namespace harn::templates {

// Blocks may be nested so deep; a template that goes further was not written by hand.
constexpr size_t kMostNesting = 1000;

// The tree of a template's text. `path` is for messages.
std::expected<Template, Mistake> parse(std::string_view text, std::string path);

// ---- for the parser: what is inside a directive (expression.cpp) ----

// Reads expressions into a template. Messages come without a place: a directive has one for all that is in it.
using Problem = std::string;
std::expected<ExprId, Problem> parse_expression(Template& to, std::string_view text);
// `"path" with { name: value, ... }`
std::expected<Include, Problem> parse_include(Template& to, std::string_view text);
// The header `key, item in items` of a loop; the bodies are for the caller to add.
std::expected<For, Problem> parse_loop(Template& to, std::string_view text);

}  // namespace harn::templates
