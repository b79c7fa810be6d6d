#pragma once

#include <string>
#include <string_view>

#include "syntax/ast.h"

// Small questions about nodes that several rules ask. They look at the tree alone: no names, no types.
namespace harn::lint {

bool is_literal(const syntax::Node& node);
bool is_nil(const syntax::Node& node);
bool is_bool_literal(const syntax::Node& node, bool value);
// Gives true or false whatever its parts are: comparisons, `!`, `&&`, `||`, `in`, literals.
bool is_plainly_bool(const syntax::Node& node);
// Evaluating it twice or not at all makes no difference: literals, names, fields of such, and operators without calls.
bool is_quiet(const syntax::Node& node);
// The same, and it cannot fail: no fields, which nil does not have.
bool cannot_fail(const syntax::Node& node);
// The same expression, as it is written: names, fields, indexes and literals. Calls are never the same.
bool is_same(const syntax::Node& a, const syntax::Node& b);
// Must stand in parentheses as a part of an operator or in front of a dot.
bool needs_parentheses(const syntax::Node& node);
// What a `pipeline` is when `harn test` runs it.
bool is_test(const syntax::Pipeline& pipeline);
bool is_function(const syntax::Node& node);  // fn, closure, tool, pipeline, override
const syntax::Block* body_of(const syntax::Node& function);
syntax::List<syntax::Param> params_of(const syntax::Node& function);
bool has_attribute(const syntax::Node& node, std::string_view name);

bool is_snake_case(std::string_view name);
bool is_pascal_case(std::string_view name);
std::string snake_case(std::string_view name);
std::string pascal_case(std::string_view name);

// The entry of a dict with this key; null: there is none. Only keys that are written out.
const syntax::DictEntry* find_entry(const syntax::Node& dict, std::string_view key);

}  // namespace harn::lint
