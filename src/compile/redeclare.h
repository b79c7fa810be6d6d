#pragma once

#include "diag/diagnostic.h"
#include "syntax/ast.h"

// Names that are given twice where only one of the two could ever be reached.
namespace harn::compile {

// The statements of one block, or the items of a file. A second `let` binds the name anew and is
// a warning; a second declaration of any other kind is an error.
void check_redeclared(syntax::NodeList statements, const SourcePtr& source, diag::Sink& sink);

// Fields, variants, methods and type parameters of one declaration.
void check_members(const syntax::Node& declaration, const SourcePtr& source, diag::Sink& sink);

void check_struct_fields(const syntax::StructLiteral& literal, const SourcePtr& source, diag::Sink& sink);
void check_dict_keys(const syntax::DictLiteral& literal, const SourcePtr& source, diag::Sink& sink);

}  // namespace harn::compile
