#include "check/checker.h"

#include "check/check.h"

namespace harn::check {

using namespace syntax;

namespace {

class TypeChecker : public compile::Analysis {
 public:
  explicit TypeChecker(const compile::ResolvedProgram& program) : knowledge_(program) {}

  void inspect(const compile::ResolvedProgram&, const modules::Module& module, diag::Sink& sink) override {
    Checker(knowledge_, module, sink).check_module();
  }

 private:
  Knowledge knowledge_;
};

}  // namespace

std::unique_ptr<compile::Analysis> make_type_checker(const compile::ResolvedProgram& program) {
  return std::make_unique<TypeChecker>(program);
}

Checker::Checker(Knowledge& knowledge, const modules::Module& module, diag::Sink& sink, ModuleTypes* record)
    : known_(knowledge),
      module_(module),
      bindings_(knowledge.program.bindings(module)),
      sink_(sink),
      record_(record),
      flow_(knowledge.paths) {}

void Checker::check_surface() {
  Frame frame;
  frame.is_module = true;
  frame_ = &frame;
  statements(module_.tree->items);
  flow_.reachable = true;
}

void Checker::check_module() {
  check_surface();
  Frame frame;
  frame.is_module = true;
  frame_ = &frame;
  check_functions();
}

}  // namespace harn::check
