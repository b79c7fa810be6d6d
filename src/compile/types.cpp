// Types at run time: parameter checks and the schemas that type aliases stand for.
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

void FunctionCompiler::check_param(const Param& param, Reg reg) {
  auto type = context_.types.param_check(*param.type);
  if (type->kind == TypeCheck::Kind::Any) return;
  code_->checks.push_back({std::string(param.name.text), param.rest, std::move(type)});
  at(param.name.span);
  emit_bx(Op::CheckParam, reg, static_cast<uint32_t>(code_->checks.size() - 1));
}

const TypeAlias* FunctionCompiler::find_alias(const Node* node) const {
  if (!node->is(NodeKind::Identifier)) return nullptr;
  const Variable* variable = variable_of(*node);
  if (!variable || !variable->declaration || !variable->declaration->is(NodeKind::TypeAlias)) return nullptr;
  return &variable->declaration->as<TypeAlias>();
}

// A type alias in value position is its schema.
bool FunctionCompiler::schema(const Node* node, Reg to) {
  const TypeAlias* alias = find_alias(node);
  if (!alias) return false;
  auto [at, fresh] = schemas_.try_emplace(alias, 0);
  if (fresh) at->second = constant(context_.types.schema(*alias));
  emit_bx(Op::LoadConst, to, at->second);
  return true;
}

}  // namespace harn::compile
