#pragma once

#include <string_view>

#include "syntax/ast.h"

namespace harn::syntax {

// What the dump calls the values of the enums in nodes.def. Empty: the values that nothing need be said about.
std::string_view word_for(UnaryOp op);
std::string_view word_for(BinaryOp op);
std::string_view word_for(AssignOp op);
std::string_view word_for(TypeKind kind);
std::string_view word_for(Variance variance);
std::string_view word_for(PatternKind kind);
std::string_view word_for(MatchPatternKind kind);
std::string_view word_for(KeyForm form);
std::string_view word_for(ParallelMode mode);
std::string_view word_for(SelectCaseKind kind);
std::string_view word_for(HumanCallKind kind);
std::string_view word_for(AttributeValueKind kind);

}  // namespace harn::syntax
