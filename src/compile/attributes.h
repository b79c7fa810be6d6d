#pragma once

#include <span>
#include <string_view>

#include "base/source.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace harn::compile {

// The first attribute of that name; null: it has none.
const syntax::Attribute* find_attribute(const syntax::Declaration& declaration, std::string_view name);

// What a declaration with this attribute is called: its argument `name`, else the declared name.
std::string_view name_by(const syntax::Declaration& declaration, std::string_view attribute);

// The names of attributes that mean something.
std::span<const std::string_view> known_attributes();

// Reports attributes that do not exist or cannot stand on this declaration, and arguments that they do not take.
void check_attributes(const syntax::Node& node, const SourcePtr& source, diag::Sink& sink);

}  // namespace harn::compile
