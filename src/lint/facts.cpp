#include "lint/facts.h"

#include <algorithm>

#include "base/text.h"
#include "compile/attributes.h"

namespace harn::lint {

using namespace syntax;

bool is_literal(const Node& node) { return node.kind <= NodeKind::StringLiteral; }

bool is_nil(const Node& node) { return node.is(NodeKind::NilLiteral); }

bool is_bool_literal(const Node& node, bool value) {
  return node.is(NodeKind::BoolLiteral) && node.as<BoolLiteral>().value == value;
}

bool is_plainly_bool(const Node& node) {
  if (node.is(NodeKind::BoolLiteral)) return true;
  if (node.is(NodeKind::Unary)) return node.as<Unary>().op == UnaryOp::Not;
  return node.is(NodeKind::Binary) && node.as<Binary>().op <= BinaryOp::NotIn;
}

// Chains of operators lean left and may be thousands long; rules ask about short ones only.
constexpr int kDeepest = 16;

enum class Fields : bool { No, Yes };

static bool is_quiet(const Node& node, Fields fields, int depth) {
  if (depth > kDeepest) return false;
  auto inner = [&](const Node* part) { return is_quiet(*part, fields, depth + 1); };
  switch (node.kind) {
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::Identifier: return true;
    case NodeKind::Unary:
      return (fields == Fields::Yes || node.as<Unary>().op == UnaryOp::Not) && inner(node.as<Unary>().operand);
    case NodeKind::Member: return fields == Fields::Yes && inner(node.as<Member>().object);
    case NodeKind::Binary: {
      auto& binary = node.as<Binary>();
      bool compares = binary.op <= BinaryOp::GreaterEqual;
      return compares && inner(binary.left) && inner(binary.right);
    }
    default: return false;
  }
}

bool is_quiet(const Node& node) { return is_quiet(node, Fields::Yes, 0); }

bool cannot_fail(const Node& node) { return is_quiet(node, Fields::No, 0); }

static bool is_same(const Node& a, const Node& b, int depth) {
  if (a.kind != b.kind || depth > kDeepest) return false;
  auto same = [&](const Node* one, const Node* other) { return is_same(*one, *other, depth + 1); };
  switch (a.kind) {
    case NodeKind::NilLiteral: return true;
    case NodeKind::BoolLiteral: return a.as<BoolLiteral>().value == b.as<BoolLiteral>().value;
    case NodeKind::IntLiteral: return a.as<IntLiteral>().value == b.as<IntLiteral>().value;
    case NodeKind::DurationLiteral: return a.as<DurationLiteral>().milliseconds == b.as<DurationLiteral>().milliseconds;
    case NodeKind::FloatLiteral: return a.as<FloatLiteral>().value == b.as<FloatLiteral>().value;
    case NodeKind::StringLiteral: return a.as<StringLiteral>().value == b.as<StringLiteral>().value;
    case NodeKind::Identifier: return a.as<Identifier>().name == b.as<Identifier>().name;
    case NodeKind::Member: {
      auto& one = a.as<Member>();
      auto& other = b.as<Member>();
      return one.name.text == other.name.text && one.optional == other.optional && same(one.object, other.object);
    }
    case NodeKind::Index: {
      auto& one = a.as<Index>();
      auto& other = b.as<Index>();
      return one.optional == other.optional && same(one.object, other.object) && same(one.index, other.index);
    }
    case NodeKind::Unary: {
      auto& one = a.as<Unary>();
      auto& other = b.as<Unary>();
      return one.op == other.op && same(one.operand, other.operand);
    }
    default: return false;
  }
}

bool is_same(const Node& a, const Node& b) { return is_same(a, b, 0); }

bool needs_parentheses(const Node& node) {
  switch (node.kind) {
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::Identifier:
    case NodeKind::ListLiteral:
    case NodeKind::DictLiteral:
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Member:
    case NodeKind::Index:
    case NodeKind::Slice: return false;
    default: return true;
  }
}

bool has_attribute(const Node& node, std::string_view name) {
  if (node.kind < NodeKind::Function || node.is(NodeKind::Broken)) return false;
  return compile::find_attribute(node.as<Declaration>(), name) != nullptr;
}

bool is_test(const Pipeline& pipeline) {
  return pipeline.name.text.starts_with("test_") || has_attribute(pipeline, "test");
}

bool is_function(const Node& node) {
  switch (node.kind) {
    case NodeKind::Function:
    case NodeKind::Closure:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool: return true;
    default: return false;
  }
}

const Block* body_of(const Node& function) {
  switch (function.kind) {
    case NodeKind::Function: return function.as<Function>().body;
    case NodeKind::Closure: return function.as<Closure>().body;
    case NodeKind::Pipeline: return function.as<Pipeline>().body;
    case NodeKind::Override: return function.as<Override>().body;
    case NodeKind::Tool: return function.as<Tool>().body;
    default: return nullptr;
  }
}

List<Param> params_of(const Node& function) {
  switch (function.kind) {
    case NodeKind::Function: return function.as<Function>().params;
    case NodeKind::Closure: return function.as<Closure>().params;
    case NodeKind::Pipeline: return function.as<Pipeline>().params;
    case NodeKind::Override: return function.as<Override>().params;
    case NodeKind::Tool: return function.as<Tool>().params;
    default: return {};
  }
}

// ---- names ----

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool is_snake_case(std::string_view name) { return std::none_of(name.begin(), name.end(), is_upper); }

bool is_pascal_case(std::string_view name) {
  size_t first = name.find_first_not_of('_');
  return first != name.npos && is_upper(name[first]) && name.find('_', first) == name.npos;
}

std::string snake_case(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    bool starts_word = is_upper(name[i]) && i > 0 && name[i - 1] != '_' &&
                       (!is_upper(name[i - 1]) || (i + 1 < name.size() && !is_upper(name[i + 1])));
    if (starts_word) out += '_';
    out += text::ascii_lower(name[i]);
  }
  return out;
}

std::string pascal_case(std::string_view name) {
  std::string out;
  bool starts_word = true;
  for (char c : name) {
    if (c == '_' && !out.empty()) {
      starts_word = true;
      continue;
    }
    bool raises = starts_word && c >= 'a' && c <= 'z';
    out += raises ? static_cast<char>(c - 'a' + 'A') : c;
    starts_word = c == '_';
  }
  return out;
}

const DictEntry* find_entry(const Node& dict, std::string_view key) {
  if (!dict.is(NodeKind::DictLiteral)) return nullptr;
  for (const DictEntry& entry : dict.as<DictLiteral>().entries) {
    bool is_written = entry.form == KeyForm::Bare || entry.form == KeyForm::Quoted;
    if (is_written && entry.key.text == key) return &entry;
  }
  return nullptr;
}

}  // namespace harn::lint
