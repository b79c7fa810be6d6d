// `harn check --strict-types`: values that come from outside (parsed text, answers of hosts and servers) must be looked at
// before they are taken apart. `any` and `dict` switch the usual checks off for them; here that counts only where somebody
// has written it.
#include "base/fmt.h"
#include "check/boundaries.h"
#include "check/check.h"
#include "check/checker.h"

namespace harn::check {

using diag::Code;
using namespace syntax;

std::string_view Checker::outside_call(const Node& value) const {
  const Node* call = &value;
  if (call->is(NodeKind::TryUnwrap)) call = call->as<TryUnwrap>().operand;
  if (!call->is(NodeKind::Call) || !call->as<Call>().callee->is(NodeKind::Identifier)) return {};
  auto& callee = call->as<Call>().callee->as<Identifier>();
  if (variable(callee)) return {};
  return is_boundary(callee.name) ? callee.name : std::string_view();
}

void Checker::note_outside(const compile::Variable* variable, const Node& value) {
  std::string_view name = outside_call(value);
  if (variable && !name.empty() && !variable->assigned && variable->declarations.size() <= 1) outside_[variable] = name;
}

void Checker::check_outside(const Node& object, const std::string& subject) {
  std::string_view name = outside_call(object);
  if (name.empty() && object.is(NodeKind::Identifier)) {
    auto found = outside_.find(variable(object));
    // Whatever has narrowed it has looked at it.
    if (found != outside_.end() && !flow_.find(path_of(object))) name = found->second;
  }
  if (name.empty()) return;
  report(Code::Unvalidated, object.span, subject, name)
      .label("comes from outside")
      .help("validate it with `schema_expect` or `schema_is`, or annotate its shape");
  assume(object, any());
}

namespace {

class StrictTypes : public compile::Analysis {
 public:
  StrictTypes(const compile::ResolvedProgram& program, std::function<bool(const modules::Module&)> is_meant)
      : knowledge_(program), is_meant_(std::move(is_meant)) {}

  void inspect(const compile::ResolvedProgram&, const modules::Module& module, diag::Sink& sink) override {
    if (!is_meant_(module)) return;
    diag::Sink all(diag::Sink::kAll);
    Checker checker(knowledge_, module, all);
    checker.be_strict();
    checker.check_module();
    // The usual check has told the rest.
    for (const diag::Diagnostic& one : all.diagnostics()) {
      if (one.code == Code::Unvalidated) sink.add(one);
    }
  }

 private:
  Knowledge knowledge_;
  std::function<bool(const modules::Module&)> is_meant_;
};

}  // namespace

compile::MakeAnalysis check_strictly(std::function<bool(const modules::Module&)> is_meant) {
  return
      [is_meant](const compile::ResolvedProgram& program) { return std::make_unique<StrictTypes>(program, is_meant); };
}

}  // namespace harn::check
