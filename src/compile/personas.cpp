// `@persona` and `@step`: a run of a persona, and the steps that its body calls. What happens then is written in Harn
// (src/std/prelude/personas.harn). A function with `@step` itself is like any other: its calls elsewhere are plain calls.
#include "compile/attributes.h"
#include "compile/cleanup.h"
#include "compile/emitter.h"

namespace harn::compile {

using namespace bytecode;
using namespace syntax;

// What runs from here on, also in tasks that the body starts, runs for the persona.
void FunctionCompiler::persona_body(const Declaration& persona, const Block& body, Reg value) {
  const Attribute& attribute = *find_attribute(persona, "persona");
  const Attribute* budget = find_attribute(persona, "budget");
  Reg before = temps(3);
  literal_text(persona.name.text, before);
  attribute_arguments(attribute, before + 1);
  if (budget) attribute_arguments(*budget, before + 2);
  else emit(Op::LoadNil, before + 2);
  at(attribute.span);
  call_internal("__persona_enter", before, 3);
  with_cleanup([&] { block_statements(body, value); },
               [&] {
                 Reg left = temp();
                 emit(Op::Move, left, before);
                 call_internal("__persona_leave", left, 1);
               });
}

const Declaration* FunctionCompiler::step_of(const Node* callee) const {
  bool is_in_persona = false;
  for (const FunctionInfo* at = &info_; at && !is_in_persona; at = at->parent) is_in_persona = at->runs_persona();
  if (!is_in_persona || !callee->is(NodeKind::Identifier) || candidates(*callee)) return nullptr;
  const Variable* variable = variable_of(callee->as<Identifier>());
  if (!variable || variable->assigned || !variable->declaration || !variable->declaration->is(NodeKind::Function)) {
    return nullptr;
  }
  const auto& declaration = variable->declaration->as<Declaration>();
  return find_attribute(declaration, "step") ? &declaration : nullptr;
}

// __persona_step(name, metadata, function, arguments)
void FunctionCompiler::call_step(const Declaration& step, const Node* callee, NodeList list, Reg to, Span span) {
  Reg first = window(to, 4);
  literal_text(step.name.text, first);
  attribute_arguments(*find_attribute(step, "step"), first + 1);
  expression(callee, first + 2);
  spread_args(list, first + 3);
  at(span);
  call_internal("__persona_step", first, 4);
  place_result(first, to);
}

}  // namespace harn::compile
