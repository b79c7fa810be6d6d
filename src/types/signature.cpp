#include "types/signature.h"

#include <algorithm>
#include <memory>

#include "base/fmt.h"
#include "diag/diagnostic.h"
#include "syntax/signature.h"
#include "types/lower.h"

namespace harn::types {

namespace {

// A signature knows its own type parameters and the types of types.def.
class SignatureScope : public Scope {
 public:
  explicit SignatureScope(syntax::List<syntax::GenericParam> generics) : generics_(generics) {}

  Meaning find(const syntax::TypeNode& named) const override {
    auto is_named = [&](const syntax::GenericParam& param) { return param.name.text == named.name.text; };
    return {.is_parameter = std::ranges::any_of(generics_, is_named)};
  }

  void unknown(const syntax::TypeNode& named) override {
    problem = fmt::format("there is no type `{}`", named.name.text);
  }

  void too_many_arguments(const syntax::TypeNode& named) override {
    problem = fmt::format("`{}` has fewer type arguments", named.name.text);
  }

  std::string problem;

 private:
  syntax::List<syntax::GenericParam> generics_;
};

}  // namespace

const Type* parse_signature(TypeTable& table, std::string_view text, std::string* problem) {
  if (const Type* known = table.find_signature(text)) return known;
  auto fail = [&](std::string why) {
    if (problem) *problem = std::move(why);
    return nullptr;
  };
  diag::Sink sink;
  syntax::SignatureTree tree(std::make_shared<SourceFile>("signature", std::string(text)), sink);
  if (sink.has_errors()) return fail(sink.diagnostics()[0].message);
  std::vector<const Type*> overloads;
  for (const syntax::Signature& one : tree.signatures()) {
    SignatureScope scope(one.generics);
    Lowering lowering(table, scope);
    std::vector<const Type*> generics;
    for (const syntax::GenericParam& param : one.generics) generics.push_back(table.parameter(param.name.text));
    std::vector<Parameter> params;
    for (const syntax::SignatureParam& param : one.params) {
      params.push_back({param.name.text, lowering.lower(*param.type), param.optional, param.rest});
    }
    overloads.push_back(table.function(params, lowering.lower(*one.result), generics));
    if (!scope.problem.empty()) return fail(scope.problem);
  }
  return table.remember_signature(text, table.intersect(overloads));
}

}  // namespace harn::types
