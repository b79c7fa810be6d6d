#include "syntax/words.h"

namespace harn::syntax {

std::string_view word_for(UnaryOp op) { return op == UnaryOp::Not ? "!" : "neg"; }

std::string_view word_for(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return "||";
    case BinaryOp::And: return "&&";
    case BinaryOp::Equal: return "==";
    case BinaryOp::NotEqual: return "!=";
    case BinaryOp::Less: return "<";
    case BinaryOp::Greater: return ">";
    case BinaryOp::LessEqual: return "<=";
    case BinaryOp::GreaterEqual: return ">=";
    case BinaryOp::In: return "in";
    case BinaryOp::NotIn: return "not-in";
    case BinaryOp::Add: return "+";
    case BinaryOp::Subtract: return "-";
    case BinaryOp::Coalesce: return "??";
    case BinaryOp::Multiply: return "*";
    case BinaryOp::Divide: return "/";
    case BinaryOp::Modulo: return "%";
    case BinaryOp::Power: return "**";
  }
  return {};
}

std::string_view word_for(AssignOp op) {
  switch (op) {
    case AssignOp::Set: return "=";
    case AssignOp::Add: return "+=";
    case AssignOp::Subtract: return "-=";
    case AssignOp::Multiply: return "*=";
    case AssignOp::Divide: return "/=";
    case AssignOp::Modulo: return "%=";
  }
  return {};
}

std::string_view word_for(TypeKind kind) {
  switch (kind) {
    case TypeKind::Named: return "";
    case TypeKind::List: return "list-of";
    case TypeKind::Function: return "fn";
    case TypeKind::Shape: return "shape";
    case TypeKind::Union: return "|";
    case TypeKind::Intersection: return "&";
    case TypeKind::Optional: return "optional";
    case TypeKind::StringLiteral: return "text";
    case TypeKind::IntLiteral: return "int";
    case TypeKind::BoolLiteral: return "bool";
    case TypeKind::Error: return "error";
  }
  return {};
}

std::string_view word_for(Variance variance) {
  switch (variance) {
    case Variance::Invariant: return "";
    case Variance::In: return "in";
    case Variance::Out: return "out";
  }
  return {};
}

std::string_view word_for(PatternKind kind) {
  switch (kind) {
    case PatternKind::Name: return "";
    case PatternKind::Dict: return "dict-pattern";
    case PatternKind::List: return "list-pattern";
    case PatternKind::Pair: return "pair";
  }
  return {};
}

std::string_view word_for(MatchPatternKind kind) {
  switch (kind) {
    case MatchPatternKind::Wildcard: return "_";
    case MatchPatternKind::Bind: return "bind";
    case MatchPatternKind::Value: return "";
    case MatchPatternKind::List: return "list-pattern";
    case MatchPatternKind::Dict: return "dict-pattern";
    case MatchPatternKind::Variant: return "variant";
    case MatchPatternKind::Or: return "or";
  }
  return {};
}

std::string_view word_for(KeyForm form) { return form == KeyForm::Spread ? "..." : ""; }

std::string_view word_for(ParallelMode mode) {
  switch (mode) {
    case ParallelMode::Count: return "";
    case ParallelMode::Each: return "each";
    case ParallelMode::Settle: return "settle";
  }
  return {};
}

std::string_view word_for(SelectCaseKind kind) {
  switch (kind) {
    case SelectCaseKind::Receive: return "receive";
    case SelectCaseKind::Timeout: return "timeout";
    case SelectCaseKind::Default: return "default";
  }
  return {};
}

std::string_view word_for(HumanCallKind kind) {
  switch (kind) {
    case HumanCallKind::AskUser: return "ask_user";
    case HumanCallKind::RequestApproval: return "request_approval";
    case HumanCallKind::DualControl: return "dual_control";
    case HumanCallKind::EscalateTo: return "escalate_to";
  }
  return {};
}

std::string_view word_for(AttributeValueKind kind) {
  switch (kind) {
    case AttributeValueKind::String: return "text";
    case AttributeValueKind::Int: return "int";
    case AttributeValueKind::Float: return "float";
    case AttributeValueKind::Bool: return "bool";
    case AttributeValueKind::Nil: return "nil";
    case AttributeValueKind::Symbol: return "symbol";
    case AttributeValueKind::List: return "list";
    case AttributeValueKind::Dict: return "dict";
    case AttributeValueKind::Call: return "call";
  }
  return {};
}

}  // namespace harn::syntax
