// Functions: what their bodies may assume, and whether they keep what their declaration says.
#include "base/fmt.h"
#include "check/checker.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

void Checker::later(const Node& declaration) {
  Later function{&declaration, {}};
  if (!frame_->is_module) {
    flow_.each([&](PathId path, const Fact& fact) {
      if (!known_.paths.is_mutable(path)) function.facts.emplace_back(path, fact);
    });
  }
  functions_.push_back(std::move(function));
}

// Behind the code around them: they run later, when what is declared there is known. Functions inside of functions come
// last.
void Checker::check_functions() {
  for (size_t i = 0; i < functions_.size(); ++i) {
    const Node& node = *functions_[i].declaration;
    size_t mark = flow_.mark();
    flow_.watch_none();
    flow_.set_all(Facts(std::move(functions_[i].facts)));
    switch (node.kind) {
      case NodeKind::Function: function(node.as<Function>(), nullptr); break;
      case NodeKind::Impl: impl(node.as<Impl>()); break;
      case NodeKind::Pipeline: {
        auto& pipeline = node.as<Pipeline>();
        body_of(pipeline.params, *module_.pipelines.body_of(pipeline), pipeline.return_type, false);
        break;
      }
      case NodeKind::Override: body_of(node.as<Override>().params, *node.as<Override>().body, nullptr, false); break;
      case NodeKind::Tool: body_of(node.as<Tool>().params, *node.as<Tool>().body, node.as<Tool>().return_type, false);
      default: break;
    }
    flow_.take(mark);
  }
}

void Checker::impl(const Impl& node) {
  const compile::Variable* owner = variable(node);
  const Node* declaration = owner ? owner->declaration : nullptr;
  if (!declaration || !declaration->is(NodeKind::Struct)) {
    for (const Function* method : node.methods) function(*method, any());
    return;
  }
  auto& structure = declaration->as<Struct>();
  types::Lowering::Inside inside(known_.lowering, structure, structure.generics);
  for (const Function* method : node.methods) function(*method, known_.lowering.self_type(structure));
}

void Checker::check_bound(const WhereBound& bound, List<GenericParam> generics) {
  auto is_meant = [&](const GenericParam& param) { return param.name.text == bound.type.text; };
  if (std::ranges::none_of(generics, is_meant)) {
    report(Code::BadBound, bound.type.span, fmt::format("`{}` is no type parameter of this function", bound.type.text));
    return;
  }
  if (known_.lowering.bound(bound)) return;
  // A name that nothing declares is told by the resolver.
  bool is_declared = known_.is_declared(bound) || types::find_named_kind(bound.interface.text);
  if (!is_declared) return;
  report(Code::BadBound, bound.interface.span, fmt::format("`{}` is not an interface", bound.interface.text))
      .help("only interfaces say which methods a type has; a parameter of that type needs no `where`");
}

void Checker::function(const Function& node, const Type* self) {
  if (!node.body) return;
  types::Lowering::Inside inside(known_.lowering, node, node.generics, node.where);
  for (const WhereBound& bound : node.where) check_bound(bound, node.generics);
  variance(node);
  body_of(node.params, *node.body, node.return_type, node.is_gen, self);
}

// Whether each way through the chain has a branch.
static bool has_else(const If& node) {
  const If* at = &node;
  while (at->else_branch && at->else_branch->is(NodeKind::If)) at = &at->else_branch->as<If>();
  return at->else_branch != nullptr;
}

void Checker::body_of(List<Param> params, const Block& body, const TypeNode* result, bool is_gen, const Type* self) {
  Frame frame;
  Frame* outer = std::exchange(frame_, &frame);
  size_t mark = flow_.mark();
  const Type* declared = result ? known_.lowering.lower(*result) : nullptr;
  const Type* plain = declared ? known_.relation.plain(declared) : nullptr;
  bool yields = plain && (plain->kind == Kind::Stream || plain->kind == Kind::Generator);
  if (is_gen && plain && plain->kind != Kind::Stream && !types::is_gradual(plain)) {
    report(Code::BadStreamType, result->span, shown(declared));
  }
  if (yields) frame.yielded = argument(plain, 0);
  else if (!is_gen) frame.result = declared;
  for (const Param& param : params) {
    const Type* type = param.type ? known_.lowering.lower(*param.type) : nullptr;
    if (param.default_value) {
      if (type)
        expect(*param.default_value, type, Code::ArgumentMismatch, fmt::format("parameter `{}`", param.name.text));
      else infer(*param.default_value);
    }
    if (param.rest) type = type ? known_.table.named(Kind::List, {type}) : named(Kind::List);
    else if (!type && self && param.name.text == "self") type = self;
    declare(variable(param), type, type != nullptr);
  }
  const Type* last = block(body, frame.result);
  bool ends = flow_.reachable;
  const Node* final = body.statements.empty() ? nullptr : body.statements.back();
  // The value of the last expression is what a body gives that does not return.
  if (ends && frame.result && !frame.yielded) {
    // An `if` without `else` is not there for its value.
    bool is_value = final && final->kind < NodeKind::Let && !(final->is(NodeKind::If) && !has_else(final->as<If>()));
    const Type* given = is_value ? last : known_.nil();
    bool wants_nothing = fits(known_.nil(), frame.result);
    if (!wants_nothing && !fits(given, frame.result)) {
      if (is_value) mismatch(*final, given, frame.result, Code::ReturnMismatch, "return type doesn't match");
      else {
        report(Code::ReturnMismatch, result->span, "return type doesn't match", shown(frame.result), "nil", "")
            .label("the end of the body may be reached without a `return`");
      }
    }
  }
  flow_.take(mark, true);
  frame_ = outer;
}

const Type* Checker::closure(const Closure& node, const Type* expected) {
  const Type* wanted = nullptr;  // the function that is asked for
  if (expected) {
    for (const Type* member : known_.members(expected)) {
      const Type* plain = known_.relation.plain(member);
      if (plain->kind == Kind::Function) wanted = plain;
    }
  }
  Frame frame;
  frame.is_closure = true;
  frame.what = "closure result";
  Frame* outer = std::exchange(frame_, &frame);
  size_t mark = flow_.mark();
  bool was_reachable = flow_.reachable;
  flow_.reachable = true;
  // It may run later: what is known about variables that change is only true now.
  forget_assigned(node);
  std::vector<PathId> changing;
  flow_.each([&](PathId path, const Fact&) { changing.push_back(path); });
  for (PathId path : changing) {
    if (known_.paths.is_mutable(path)) flow_.forget(path);
  }
  const Type* declared = node.return_type ? known_.lowering.lower(*node.return_type) : nullptr;
  frame.result = declared;
  std::vector<types::Parameter> params;
  for (size_t i = 0; i < node.params.size(); ++i) {
    const Param& param = node.params[i];
    const Type* type = param.type ? known_.lowering.lower(*param.type) : nullptr;
    bool annotated = type != nullptr;
    if (!type && wanted && i < wanted->params.size() && !wanted->params[i].rest) type = wanted->params[i].type;
    if (param.default_value) {
      const Type* value = infer(*param.default_value, type);
      if (type && !fits(value, type)) {
        mismatch(*param.default_value, value, type, Code::ArgumentMismatch,
                 fmt::format("parameter `{}`", param.name.text));
      }
    }
    const Type* inside = type;
    if (param.rest) inside = type ? known_.table.named(Kind::List, {type}) : named(Kind::List);
    declare(variable(param), inside && (annotated || inside->kind != Kind::Any) ? inside : nullptr, inside != nullptr);
    params.push_back({param.name.text, type ? type : any(), param.default_value != nullptr, param.rest});
  }
  const Type* hoped = declared ? declared : wanted && !wanted->result->has_parameters ? wanted->result : nullptr;
  const Type* last = block(*node.body, hoped);
  const Type* result = declared;
  if (!declared) {
    if (flow_.reachable || frame.returned.empty()) frame.returned.push_back(last);
    result = known_.widened(known_.table.unite(frame.returned));
  } else if (flow_.reachable && !node.body->statements.empty()) {
    const Node& final = *node.body->statements.back();
    bool is_value = final.kind < NodeKind::Let;
    const Type* given = is_value ? last : known_.nil();
    if (!fits(given, declared)) mismatch(final, given, declared, Code::ClosureMismatch, "closure result");
  }
  if (const compile::FunctionInfo* info = bindings_.function(node); info && info->has_yield) {
    result = named(Kind::Generator);
  }
  flow_.take(mark, was_reachable);
  frame_ = outer;
  return known_.table.function(params, result);
}

// ---- variance ----

void Checker::variance(const Node& node) {
  auto is_marked = [](List<GenericParam> generics) {
    for (const GenericParam& param : generics) {
      if (param.variance != Variance::Invariant) return true;
    }
    return false;
  };
  auto out = types::Variance::Out;
  auto in = types::Variance::In;
  switch (node.kind) {
    case NodeKind::TypeAlias: {
      auto& alias = node.as<TypeAlias>();
      if (is_marked(alias.generics)) {
        check_variance(*alias.type, out, alias.generics, fmt::format("type alias '{}'", alias.name.text));
      }
      break;
    }
    case NodeKind::Struct: {
      auto& structure = node.as<Struct>();
      if (!is_marked(structure.generics)) break;
      for (const StructField& field : structure.fields) {
        if (field.type)
          check_variance(*field.type, out, structure.generics, fmt::format("struct '{}'", structure.name.text));
      }
      break;
    }
    case NodeKind::Enum: {
      auto& enumeration = node.as<Enum>();
      if (!is_marked(enumeration.generics)) break;
      for (const EnumVariant& variant : enumeration.variants) {
        for (const Param& field : variant.fields) {
          if (field.type)
            check_variance(*field.type, out, enumeration.generics, fmt::format("enum '{}'", enumeration.name.text));
        }
      }
      break;
    }
    case NodeKind::Interface: {
      auto& interface = node.as<Interface>();
      if (!is_marked(interface.generics)) break;
      std::string owner = fmt::format("interface '{}'", interface.name.text);
      for (const Function* method : interface.methods) {
        for (const Param& param : method->params) {
          if (param.type) check_variance(*param.type, in, interface.generics, owner);
        }
        if (method->return_type) check_variance(*method->return_type, out, interface.generics, owner);
      }
      break;
    }
    case NodeKind::Function: {
      auto& function = node.as<Function>();
      if (!is_marked(function.generics)) break;
      std::string owner = fmt::format("function '{}'", function.name.text);
      for (const Param& param : function.params) {
        if (param.type) check_variance(*param.type, in, function.generics, owner);
      }
      if (function.return_type) check_variance(*function.return_type, out, function.generics, owner);
      break;
    }
    default: break;
  }
}

static types::Variance flipped(types::Variance at) {
  if (at == types::Variance::In) return types::Variance::Out;
  return at == types::Variance::Out ? types::Variance::In : at;
}

// How a named type uses one of its arguments.
types::Variance Checker::argument_variance(const TypeNode& type, size_t index) const {
  if (const Node* declaration = known_.program.names.resolution.types.declaration(type)) {
    auto generics = types::generics_of(*declaration);
    if (index >= generics.size()) return types::Variance::Invariant;
    constexpr types::Variance kSame[] = {types::Variance::Invariant, types::Variance::In, types::Variance::Out};
    return kSame[static_cast<size_t>(generics[index].variance)];
  }
  const types::NamedKind* known = types::find_named_kind(type.name.text);
  bool is_covariant = known && index < known->variances.size() && known->variances[index] == '+';
  return is_covariant ? types::Variance::Out : types::Variance::Invariant;
}

void Checker::check_variance(const TypeNode& type, types::Variance at, List<GenericParam> generics,
                             std::string_view owner) {
  constexpr std::string_view kPositions[] = {"an invariant", "a contravariant", "a covariant"};
  switch (type.kind) {
    case TypeKind::Named: {
      for (const GenericParam& param : generics) {
        if (param.name.text != type.name.text || param.variance == Variance::Invariant) continue;
        bool is_out = param.variance == Variance::Out;
        if (at == (is_out ? types::Variance::Out : types::Variance::In)) continue;
        report(Code::BadVariance, type.span, param.name.text, is_out ? "out" : "in",
               is_out ? "covariant" : "contravariant", kPositions[static_cast<size_t>(at)], owner)
            .label(module_.source, param.name.span, "declared here");
      }
      for (size_t i = 0; i < type.items.size(); ++i) {
        switch (argument_variance(type, i)) {
          case types::Variance::Out: check_variance(*type.items[i], at, generics, owner); break;
          case types::Variance::In: check_variance(*type.items[i], flipped(at), generics, owner); break;
          case types::Variance::Invariant:
            check_variance(*type.items[i], types::Variance::Invariant, generics, owner);
            break;
        }
      }
      break;
    }
    case TypeKind::List: check_variance(*type.items[0], types::Variance::Invariant, generics, owner); break;
    case TypeKind::Function:
      for (const TypeNode* param : type.items) check_variance(*param, flipped(at), generics, owner);
      if (type.result) check_variance(*type.result, at, generics, owner);
      break;
    case TypeKind::Shape:
      for (const ShapeField& field : type.fields) check_variance(*field.type, at, generics, owner);
      break;
    case TypeKind::Union:
    case TypeKind::Intersection:
    case TypeKind::Optional:
      for (const TypeNode* item : type.items) check_variance(*item, at, generics, owner);
      break;
    case TypeKind::StringLiteral:
    case TypeKind::IntLiteral:
    case TypeKind::BoolLiteral:
    case TypeKind::Error: break;
  }
}

}  // namespace harn::check
