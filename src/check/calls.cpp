// Calls: arguments against parameters, and what type parameters stand for.
#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "check/builtin_types.h"
#include "check/checker.h"
#include "check/kinds.h"
#include "check/inference.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

void Checker::infer_all(NodeList args) {
  for (const Node* arg : args) infer(*arg);
}

bool Checker::is_builtin_call(const Node& node, std::string_view name) const {
  if (!node.is(NodeKind::Call)) return false;
  const Node& callee = *node.as<Call>().callee;
  return callee.is(NodeKind::Identifier) && callee.as<Identifier>().name == name && !variable(callee);
}

// ---- what type parameters stand for ----

void Checker::bind_parameters(Inference& inference, const Type* wanted, const Type* actual, int depth) {
  if (!wanted->has_parameters || depth > 20) return;
  if (Inference::One* one = wanted->kind == Kind::Parameter ? inference.find(wanted) : nullptr) {
    const Type* type = known_.widened(actual);
    if (one->is_fixed || types::is_gradual(type)) {
      // That there is no value on one side, as in `unwrap_or(Err("x"), y)`, says nothing about the other.
      if (!one->type || one->type->kind == Kind::Never) one->type = type;
      return;
    }
    if (!one->type || types::is_gradual(one->type)) one->type = type;
    else if (fits(type, one->type)) return;
    else if (fits(one->type, type)) one->type = type;
    else if (inference.lenient) one->type = known_.table.unite({one->type, type});
    else if (!one->clash) one->clash = type;
    return;
  }
  const Type* to = known_.relation.plain(wanted);
  const Type* from = known_.relation.plain(actual);
  auto pairwise = [&] {
    for (size_t i = 0; i < to->items.size() && i < from->items.size(); ++i) {
      bind_parameters(inference, to->items[i], from->items[i], depth + 1);
    }
  };
  switch (to->kind) {
    case Kind::Union: {
      // What is not one of the other members is for the parameter.
      std::vector<const Type*> open, rest;
      for (const Type* item : to->items) {
        if (item->has_parameters) open.push_back(item);
      }
      for (const Type* member : known_.members(from)) {
        bool is_other = std::ranges::any_of(to->items, [&](const Type* item) {
          return !item->has_parameters && known_.relation.plain(item)->kind != Kind::Any && fits(member, item);
        });
        if (!is_other) rest.push_back(member);
      }
      if (rest.empty()) return;
      const Type* left = known_.table.unite(rest);
      for (const Type* item : open) {
        // `list<U> | U`: a list is the first, anything else the second.
        bool is_parameter = item->kind == Kind::Parameter;
        const Type* plain = known_.relation.plain(left);
        bool taken = is_parameter && std::ranges::any_of(open, [&](const Type* other) {
                       return other->kind != Kind::Parameter && known_.relation.plain(other)->kind == plain->kind;
                     });
        if (!taken) bind_parameters(inference, item, left, depth + 1);
      }
      return;
    }
    case Kind::Iterable:
      if (const Type* item = argument(to, 0)) {
        if (from->kind == Kind::String || from->kind == Kind::StringLiteral) {
          bind_parameters(inference, item, named(Kind::String), depth + 1);
        } else if (argument(from, 0) && from->kind != Kind::Dict && types::is_named_kind(from->kind)) {
          bind_parameters(inference, item, argument(from, 0), depth + 1);
        }
      }
      return;
    case Kind::Dict:
      if (from->kind == Kind::Dict) return pairwise();
      if (const Type* shape = from->kind == Kind::Shape ? known_.relation.as_shape(from) : nullptr;
          shape && argument(to, 1)) {
        std::vector<const Type*> values;
        for (const types::Field& field : shape->fields) values.push_back(known_.widened(field.type));
        if (!values.empty()) bind_parameters(inference, argument(to, 1), known_.table.unite(values), depth + 1);
      }
      return;
    case Kind::Shape: {
      const Type* shape = known_.relation.as_shape(from);
      if (!shape) return;
      std::vector<types::Field> rest;
      for (const types::Field& field : shape->fields) {
        auto own = std::ranges::find(to->fields, field.name, &types::Field::name);
        if (own == to->fields.end()) rest.push_back({field.name, known_.widened(field.type), field.optional});
        else bind_parameters(inference, own->type, field.type, depth + 1);
      }
      // A row variable is bound to the fields that are left over.
      for (const Type* tail : to->items) {
        Inference::One* one = inference.find(tail);
        if (one && !one->type) one->type = known_.table.shape(rest, shape->items);
      }
      return;
    }
    case Kind::Function:
      if (from->kind != Kind::Function) return;
      for (size_t i = 0; i < to->params.size() && i < from->params.size(); ++i) {
        bind_parameters(inference, to->params[i].type, from->params[i].type, depth + 1);
      }
      if (to->result) bind_parameters(inference, to->result, from->result, depth + 1);
      return;
    case Kind::Schema:
      if (from->kind == Kind::Schema) pairwise();
      return;
    case Kind::Channel: {
      if (from->kind != Kind::Channel) return;
      pairwise();
      // Whoever takes from it counts on what it was declared to carry: what is put in does not widen that.
      Inference::One* carried = to->items.empty() ? nullptr : inference.find(to->items[0]);
      if (carried && carried->type && argument(from, 0)) carried->is_fixed = true;
      return;
    }
    case Kind::Struct:
    case Kind::Enum:
      if (from->declaration == to->declaration) pairwise();
      return;
    default:
      if (from->kind == to->kind) pairwise();
      return;
  }
}

// ---- functions ----

static const types::Parameter* parameter_at(const Type* function, size_t number) {
  if (number < function->params.size()) return &function->params[number];
  return !function->params.empty() && function->params.back().rest ? &function->params.back() : nullptr;
}

static std::string argument_context(const types::Parameter& param, size_t number) {
  return param.name.empty() ? fmt::format("argument {}", number + 1)
                            : fmt::format("argument {} `{}`", number + 1, param.name);
}

bool Checker::check_count(const Callee& callee, std::span<const Type* const> functions, size_t given, Span where) {
  size_t least = SIZE_MAX, most = 0;
  bool fits_one = false;
  for (const Type* function : functions) {
    if (function->kind != Kind::Function) return true;
    size_t low = 0;
    bool more = false;
    for (const types::Parameter& param : function->params) {
      if (param.rest) more = true;
      else if (!param.optional) ++low;
    }
    size_t high = more ? SIZE_MAX : function->params.size();
    fits_one = fits_one || (given >= low && given <= high);
    least = std::min(least, low);
    most = std::max(most, high);
  }
  if (callee.is_counted || fits_one) return true;
  Code code = callee.lenient ? Code::BuiltinArgumentCount : Code::WrongArgumentCount;
  auto told = report(code, where, callee.name, text::argument_count(least, most), given);
  std::vector<std::string> shapes;
  for (const Type* function : functions) shapes.push_back(shown(function));
  told.help(fmt::format("it is {}", fmt::join(shapes, " or ")));
  return false;
}

// Which parameter an argument is for is known in front of the first spread; what the spread gives there is the next.
const Type* Checker::apply_spread(const Callee& callee, const Type* function, NodeList args) {
  std::vector<types::Binding> open;
  for (const Type* generic : function->items) open.push_back({generic, any()});
  size_t number = callee.piped ? 1 : 0;
  bool is_known = true;
  for (const Node* arg : args) {
    bool is_spread = arg->is(NodeKind::Spread);
    const Node& value = is_spread ? *arg->as<Spread>().operand : *arg;
    is_known = is_known && !arg->is(NodeKind::NamedArgument);
    const types::Parameter* param = is_known ? parameter_at(function, number) : nullptr;
    const Type* wanted = param ? known_.table.substitute(param->type, open) : nullptr;
    if (wanted && param->optional) wanted = known_.table.optional(wanted);
    const Type* given = infer(value, is_spread ? nullptr : wanted);
    if (is_spread) given = item_type(given, value);
    bool fine = !wanted || (callee.lenient ? known_.relation.fits_read(given, wanted) : fits(given, wanted));
    if (!fine) mismatch(value, given, wanted, Code::ArgumentMismatch, argument_context(*param, number));
    if (is_spread) is_known = false;
    ++number;
  }
  return known_.table.substitute(function->result, open);
}

const Type* Checker::apply(const Callee& callee, NodeList args, Span where, const Type* expected) {
  const Type* type = known_.relation.plain(callee.type);
  bool is_plain = std::ranges::none_of(
      args, [](const Node* arg) { return arg->is(NodeKind::Spread) || arg->is(NodeKind::NamedArgument); });
  if (type->kind == Kind::Function) {
    if (is_plain) {
      size_t count = args.size() + (callee.piped ? 1 : 0);
      check_count(callee, std::span(&type, 1), count, where);
      // Which of too many is the one too much nobody knows.
      if (count > type->params.size() && !parameter_at(type, count - 1)) {
        infer_all(args);
        return open_type(type->result);
      }
      return apply_one(callee, type, args, where, expected);
    }
    return apply_spread(callee, type, args);
  }
  if (type->kind != Kind::Intersection || !is_plain) {
    infer_all(args);
    return any();
  }
  // Overloads: the first that takes so many arguments, of such types.
  size_t count = args.size() + (callee.piped ? 1 : 0);
  std::vector<const Type*> fitting;
  for (const Type* one : type->items) {
    size_t least = 0;
    bool more = false;
    for (const types::Parameter& param : one->params) {
      if (param.rest) more = true;
      else if (!param.optional) ++least;
    }
    if (one->kind == Kind::Function && count >= least && (more || count <= one->params.size())) fitting.push_back(one);
  }
  if (fitting.empty()) {
    check_count(callee, type->items, count, where);
    infer_all(args);
    return any();
  }
  // What an argument is does not depend on the overload, unless it is a closure.
  std::vector<const Type*> given(args.size(), nullptr);
  size_t offset = callee.piped ? 1 : 0;
  for (size_t i = 0; i < args.size() && fitting.size() > 1; ++i) {
    if (args[i]->is(NodeKind::Closure)) continue;
    given[i] = infer(*args[i]);
    auto refuses = [&](const Type* one) {
      return i + offset < one->params.size() && !fits(given[i], open_type(one->params[i + offset].type));
    };
    // When none takes it, the last is the one to complain.
    if (std::ranges::all_of(fitting, refuses)) fitting.erase(fitting.begin(), fitting.end() - 1);
    else std::erase_if(fitting, refuses);
  }
  return apply_one(callee, fitting[0], args, where, expected, std::move(given));
}

// A type with `any` for all type parameters in it.
const Type* Checker::open_type(const Type* type) {
  if (!type->has_parameters) return type;
  std::vector<types::Binding> open;
  std::vector<const Type*> look = {type};
  while (!look.empty()) {
    const Type* next = look.back();
    look.pop_back();
    if (!next->has_parameters) continue;
    if (next->kind == Kind::Parameter) open.push_back({next, any()});
    look.insert(look.end(), next->items.begin(), next->items.end());
    for (const types::Field& field : next->fields) look.push_back(field.type);
    for (const types::Parameter& param : next->params) look.push_back(param.type);
    if (next->result) look.push_back(next->result);
  }
  return known_.table.substitute(type, open);
}

const Type* Checker::apply_one(const Callee& callee, const Type* function, NodeList args, Span where,
                               const Type* expected, std::vector<const Type*> given) {
  Inference inference;
  inference.lenient = callee.lenient;
  for (const Type* generic : function->items) inference.all.push_back({generic});
  for (const types::Binding& bound : callee.bound) {
    Inference::One* one = inference.find(bound.parameter);
    if (!one) continue;
    one->type = bound.type;
    one->is_fixed = types::is_gradual(bound.type);
  }
  if (!callee.type_args.empty()) {
    if (function->items.empty()) {
      report(Code::NotGeneric, where, callee.name);
    } else if (function->items.size() != callee.type_args.size()) {
      report(Code::TypeArgumentCount, where, callee.name, function->items.size(), callee.type_args.size());
    } else {
      for (size_t i = 0; i < callee.type_args.size(); ++i) {
        inference.all[i].type = known_.lowering.lower(*callee.type_args[i]);
        inference.all[i].is_fixed = true;
      }
    }
  }
  auto param_of = [&](size_t number) { return parameter_at(function, number); };
  size_t offset = callee.piped ? 1 : 0;
  given.resize(args.size(), nullptr);
  if (callee.piped && param_of(0)) bind_parameters(inference, param_of(0)->type, callee.piped, 0);
  // What closures take is known when the other arguments are.
  for (bool closures : {false, true}) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i]->is(NodeKind::Closure) != closures) continue;
      const types::Parameter* param = param_of(i + offset);
      const Type* hint = nullptr;
      if (param) hint = known_.table.substitute(param->type, inference.bindings(any()));
      if (!given[i]) given[i] = infer(*args[i], hint);
      if (param) bind_parameters(inference, param->type, given[i], 0);
    }
  }
  // What is expected of the result tells what nothing else has told.
  if (expected && function->result->has_parameters) {
    Inference hoped;
    for (const Inference::One& one : inference.all) hoped.all.push_back({one.parameter});
    bind_parameters(hoped, function->result, expected, 0);
    for (size_t i = 0; i < hoped.all.size(); ++i) {
      if (!inference.all[i].type) inference.all[i].type = hoped.all[i].type;
    }
  }
  for (const Inference::One& one : inference.all) {
    if (one.clash) {
      report(Code::TypeParameterClash, where, one.parameter->text, shown(one.type), shown(one.clash));
      return any();
    }
    for (const Type* bound : one.parameter->items) {
      if (!one.type || types::is_gradual(known_.relation.plain(one.type))) continue;
      std::string why = known_.unsatisfied(one.type, bound);
      if (why.empty()) continue;
      report(Code::BoundUnmet, where, shown(one.type), bound->text, why, one.parameter->text, bound->text);
      return any();
    }
  }
  std::vector<types::Binding> bindings = inference.bindings(any());
  auto check = [&](const Node& arg, const Type* actual, size_t number) {
    const types::Parameter* param = param_of(number);
    if (!param) return;
    const Type* wanted = known_.table.substitute(param->type, bindings);
    // A parameter that may be left out may be nil.
    if (param->optional) wanted = known_.table.optional(wanted);
    if (!check_options(*param, wanted, arg, number + 1)) return;
    if (callee.lenient ? known_.relation.fits_read(actual, wanted) : fits(actual, wanted)) return;
    mismatch(arg, actual, wanted, Code::ArgumentMismatch, argument_context(*param, number));
  };
  if (callee.piped) check(*callee.piped_node, callee.piped, 0);
  for (size_t i = 0; i < args.size(); ++i) check(*args[i], given[i], i + offset);
  const Type* result = known_.table.substitute(function->result, bindings);
  if (known_.relation.plain(result)->kind == Kind::Never) {
    check_coverage(fmt::format("{}()", callee.name), where);
    leave();
  }
  return result;
}

// A slip in the name of an option would be ignored silently.
bool Checker::check_options(const types::Parameter& param, const Type* wanted, const Node& arg, size_t number) {
  if (!arg.is(NodeKind::DictLiteral)) return true;
  auto ends_with = [](std::string_view name) { return name.ends_with("Options") || name.ends_with("Config"); };
  const Type* bag = known_.without_nil(wanted);
  std::string_view name = param.name;
  while (name.starts_with('_')) name.remove_prefix(1);
  bool is_bag =
      name == "opts" || name == "options" || name == "config" || (bag->kind == Kind::Alias && ends_with(bag->text));
  const Type* shape = is_bag && known_.members(bag).size() == 1 ? known_.relation.as_shape(bag) : nullptr;
  if (!shape || !shape->items.empty()) return true;
  std::vector<std::string_view> names;
  for (const types::Field& field : shape->fields) names.push_back(field.name);
  bool fine = true;
  for (const DictEntry& entry : arg.as<DictLiteral>().entries) {
    if (entry.form == KeyForm::Spread || entry.computed) continue;
    if (std::ranges::find(names, entry.key.text) != names.end()) continue;
    fine = false;
    auto told = report(Code::UnknownOption, entry.key.span, number, param.name, entry.key.text,
                       fmt::format("`{}`", fmt::join(names, "`, `")));
    auto close = text::close_names(entry.key.text, names);
    if (close.empty()) continue;
    told.help(fmt::format("did you mean `{}`?", close[0]));
    told.fix({fmt::format("use `{}`", close[0]), entry.key.span, std::string(close[0]), false});
  }
  return fine;
}

// ---- who is called ----

// Tells of a declaration that is called and is nothing that can be called.
bool Checker::no_function(const Node& declaration, const Identifier& name) {
  switch (declaration.kind) {
    case NodeKind::Enum:
      report(Code::NotCallable, name.span, name.name, "an enum").label("write the variant behind a dot");
      return true;
    case NodeKind::Tool:
      report(Code::NotCallable, name.span, name.name, "the registry of a tool")
          .label("models call tools")
          .help("put what the program calls, too, into a `fn`");
      return true;
    case NodeKind::Interface: identifier(name); return true;
    default: return false;
  }
}

const Type* Checker::call(const Call& node, const Type* expected) {
  if (!node.callee->is(NodeKind::Identifier)) {
    const Type* type = callable(infer(*node.callee), *node.callee);
    if (type) return apply({.name = "closure", .type = type}, node.args, node.span, expected);
    infer_all(node.args);
    return any();
  }
  auto& name = node.callee->as<Identifier>();
  const compile::Variable* meant = variable(name);
  if (!meant) {
    if (name.name == "unreachable" && node.args.size() == 1) return unreachable(node);
    const Type* builtin = known_.builtin(name.name);
    if (builtin) {
      Callee callee = {
          .name = name.name, .type = builtin, .lenient = true, .type_args = node.type_args, .is_counted = true};
      const Type* result = apply(callee, node.args, node.span, expected);
      note_validated(node);
      return result;
    }
    infer_all(node.args);
    return any();
  }
  prompt_section(node);
  const Node* declaration = meant->assigned ? nullptr : meant->declaration;
  if (declaration && declaration->is(NodeKind::Struct)) {
    if (node.args.size() == 1 && node.args[0]->is(NodeKind::DictLiteral)) {
      return construct(declaration->as<Struct>(), {}, node.args[0]->as<DictLiteral>().entries, name.span, expected);
    }
    bool is_one = node.args.size() == 1 && !node.args[0]->is(NodeKind::Spread);
    const Type* fields = is_one ? known_.relation.plain(infer(*node.args[0])) : nullptr;
    if (!is_one) infer_all(node.args);
    bool is_built = is_one ? says_nothing(fields->kind) || has_use(fields->kind, kDictSpread) : node.args.size() == 1;
    if (!is_built)
      report(Code::BadStructLiteral, node.span,
             fmt::format("`{0}` is built from one dict of its fields: `{0} {{...}}`", name.name));
    return class_type(name);
  }
  if (declaration && no_function(*declaration, name)) {
    infer_all(node.args);
    return any();
  }
  const Type* type = callable(current(name).type, name);
  bool is_counted = declaration && declaration->is(NodeKind::Function);
  if (type) {
    return apply({.name = name.name, .type = type, .type_args = node.type_args, .is_counted = is_counted}, node.args,
                 node.span, expected);
  }
  infer_all(node.args);
  return any();
}

const Type* Checker::callable(const Type* type, const Node& callee) {
  if (is_loose(callee)) type = known_.without_nil(type);
  const Type* found = called(type, callee.span, module_.source->text(callee.span));
  if (!found) assume(callee, any());
  return found && types::is_gradual(found) ? nullptr : found;
}

const Type* Checker::called(const Type* type, Span where, std::string_view name) {
  const Type* found = any();
  auto& members = known_.members(type);
  for (const Type* member : members) {
    const Type* plain = known_.relation.plain(member);
    bool is_one = plain->kind == Kind::Function || plain->kind == Kind::Intersection;
    if (is_one && members.size() == 1) found = plain;
    if (has_use(plain->kind, kCalled)) continue;
    auto told = report(Code::NotCallable, where, name, shown(type));
    if (plain->kind == Kind::Nil && members.size() > 1) told.label("may be nil").help("check `!= nil` first");
    else told.label("this is not a function");
    return nullptr;
  }
  return found;
}

// `unreachable(x)`: the writer says that nothing is left for x to be.
const Type* Checker::unreachable(const Call& node) {
  const Node& arg = *node.args[0];
  const Type* type = infer(arg);
  const Type* plain = known_.relation.plain(type);
  if (path_of(arg) && plain->kind != Kind::Never && plain->kind != Kind::Unknown && !types::is_gradual(plain) &&
      flow_.reachable) {
    report(Code::NotAllHandled, node.span, shown(type)).label("this can be reached");
  }
  check_coverage("unreachable()", node.span);
  leave();
  return named(Kind::Never);
}

const Type* Checker::method_call(const MethodCall& node, const Type* expected) {
  std::string_view name = node.name.text;
  if (node.object->is(NodeKind::Identifier)) {
    auto& object = node.object->as<Identifier>();
    const compile::Variable* meant = variable(object);
    const Node* declaration = meant ? meant->declaration : nullptr;
    if (declaration && declaration->is(NodeKind::Enum)) {
      return variant_call(declaration->as<Enum>(), node.name, node.args, expected);
    }
    bool is_result = meant && meant == known_.program.names.predefined[compile::kGlobalResult];
    std::string builtin = is_result ? std::string(name) : fmt::format("{}.{}", object.name, name);
    if (is_result || !meant) {
      const Type* type = known_.builtin(builtin);
      if (type) return apply({.name = name, .type = type, .lenient = true}, node.args, node.span, expected);
      infer_all(node.args);
      return any();
    }
    if (declaration && declaration->kind >= NodeKind::Function) {
      infer_all(node.args);
      return any();
    }
  }
  const Type* type = infer(*node.object);
  const Type* inside =
      receiver(*node.object, type, node.optional, fmt::format("method `{}`", name), fmt::format("?.{}(...)", name));
  if (!inside) {
    infer_all(node.args);
    return nothing_inside(type, node.optional);
  }
  const Type* result = method_of(node, known_.widened(inside), expected);
  return node.optional && known_.has_nil(type) ? known_.table.optional(result) : result;
}

// What a method gives whatever it is called with. The arguments are not looked at for each alternative of a union: in them
// there may be calls of the same kind.
const Type* Checker::method_result(const Type* type, std::string_view name) {
  const Type* plain = known_.relation.plain(type);
  Method found = find_method(plain, name);
  if (!found.type) return any();
  std::vector<const Type*> results;
  bool is_overloaded = found.type->kind == Kind::Intersection;
  for (const Type* one : is_overloaded ? found.type->items : types::TypeList(&found.type, 1)) {
    if (one->kind != Kind::Function) return any();
    std::vector<types::Binding> open;
    for (const Type* generic : one->items) open.push_back({generic, any()});
    const Type* result = found.lenient ? with_receiver(known_, one->result, plain) : one->result;
    results.push_back(known_.table.substitute(result, open));
  }
  return known_.table.unite(results);
}

// `o.f(x)` calls the function in a field when that is what `f` is: the type of the field, or null.
const Type* Checker::field_called(const MethodCall& node, const Type* plain) {
  std::string_view name = node.name.text;
  const Type* shape = known_.relation.as_shape(plain);
  if (!shape || std::ranges::find(shape->fields, name, &types::Field::name) == shape->fields.end()) return nullptr;
  bool is_struct = plain->kind == Kind::Struct;
  if (is_struct ? known_.method(plain, name) != nullptr : known_.builtin_method("dict", name) != nullptr)
    return nullptr;
  PathId base = path_of(*node.object);
  const Fact* fact = base ? flow_.find(known_.paths.child(base, name)) : nullptr;
  return fact ? fact->type : field_of(plain, name);
}

const Type* Checker::method_of(const MethodCall& node, const Type* type, const Type* expected) {
  std::string_view name = node.name.text;
  auto& members = known_.members(type);
  if (members.size() > 1) {
    // Each must have it; which one it is only the run knows.
    for (const Type* member : members) {
      if (find_method(member, name).known) continue;
      unknown_method(node, member);
      infer_all(node.args);
      return any();
    }
    infer_all(node.args);
    std::vector<const Type*> results;
    for (const Type* member : members) results.push_back(method_result(member, name));
    return known_.table.unite(results);
  }
  const Type* plain = known_.relation.plain(type);
  if (const Type* field = field_called(node, plain)) {
    if (is_loose(*node.object)) field = known_.without_nil(field);
    const Type* function = called(field, node.name.span, name);
    if (function && !types::is_gradual(function)) {
      return apply({.name = name, .type = function}, node.args, node.span, expected);
    }
    infer_all(node.args);
    return any();
  }
  Method found = find_method(plain, name);
  if (!found.known) {
    unknown_method(node, type);
    infer_all(node.args);
    return any();
  }
  if (!found.type) {
    if (plain->kind == Kind::Parameter && !plain->items.empty()) unbound_method(node, plain);
    infer_all(node.args);
    return any();
  }
  if (name == "merge" && node.args.size() == 1 && plain->kind == Kind::Shape) {
    const Type* merged = added(plain, known_.relation.plain(infer(*node.args[0])));
    return merged ? merged : named(Kind::Dict);
  }
  auto bound = receiver_bindings(known_, plain);
  return apply({.name = name, .type = found.type, .lenient = found.lenient, .bound = bound}, node.args, node.span,
               expected);
}

Checker::Method Checker::find_method(const Type* type, std::string_view name) {
  const Type* plain = known_.relation.plain(type);
  switch (plain->kind) {
    case Kind::Struct:
      if (const Type* method = known_.method(plain, name)) return {true, method};
      break;
    case Kind::Enum:
      if (const Type* method = known_.method(plain, name)) return {true, method};
      break;
    case Kind::Interface: {
      const Type* method = known_.interface_method(plain, name);
      return {method != nullptr, method};
    }
    case Kind::Parameter:
      for (const Type* bound : plain->items) {
        if (const Type* method = known_.interface_method(bound, name)) return {true, method};
      }
      return {true};
    case Kind::Intersection: return {true};
    default: break;
  }
  bool is_open = false;
  // The methods of dicts come before the fields of one.
  bool is_method = plain->kind != Kind::Struct && known_.builtin_method("dict", name);
  if (const Type* shape = is_method ? nullptr : known_.relation.as_shape(plain)) {
    for (const types::Field& field : shape->fields) {
      if (field.name != name) continue;
      const Type* value = known_.relation.plain(known_.without_nil(field.type));
      return {true, value->kind == Kind::Function ? value : nullptr};
    }
    is_open = !shape->items.empty();
  }
  // Any key of a dict may hold a function.
  if (plain->kind == Kind::Dict) {
    const compile::MethodInfo* method = known_.builtin_method("dict", name);
    if (method) return {true, builtin_signature(known_, *method), true};
    const Type* value = argument(plain, 1);
    auto may_be_called = [&](const Type* one) { return has_use(known_.relation.plain(one)->kind, kCalled); };
    return {!value || std::ranges::any_of(known_.members(value), may_be_called)};
  }
  std::string_view receiver = plain->kind == Kind::Struct ? "struct" : receiver_name(plain->kind);
  if (receiver.empty()) return {true};
  const compile::MethodInfo* method = known_.builtin_method(receiver, name);
  // A range is a list that is not written out: it has the methods of iterators too.
  if (!method && plain->kind == Kind::List) method = known_.builtin_method("iter", name);
  if (!method) return {is_open};
  return {true, builtin_signature(known_, *method), true};
}

// The bounds of a type parameter are what its methods are known by.
void Checker::unbound_method(const MethodCall& node, const Type* parameter) {
  std::vector<std::string_view> bounds, methods;
  for (const Type* bound : parameter->items) {
    const Type* plain = known_.relation.plain(bound);
    if (plain->kind != Kind::Interface) return;
    bounds.push_back(plain->text);
    for (auto* method : plain->declaration->as<Interface>().methods) methods.push_back(method->name.text);
  }
  auto told = report(Code::UnboundMethod, node.name.span, node.name.text, fmt::join(bounds, "', '"), parameter->text);
  auto close = text::close_names(node.name.text, methods);
  if (close.empty()) return;
  told.help(fmt::format("did you mean `{}`?", close[0]));
  told.fix({fmt::format("use `{}`", close[0]), node.name.span, std::string(close[0]), false});
}

void Checker::unknown_method(const MethodCall& node, const Type* type) {
  auto told = report(Code::UnknownMethod, node.name.span, node.name.text, shown(type));
  auto names = field_names(type);
  auto close = text::close_names(node.name.text, names);
  if (close.empty()) return;
  told.help(fmt::format("did you mean `{}`?", close[0]));
  told.fix({fmt::format("use `{}`", close[0]), node.name.span, std::string(close[0]), false});
}

const Type* Checker::pipe(const Pipe& node) {
  const Type* left = infer(*node.left);
  if (node.has_placeholder) {
    declare(variable(node), left, false);
    if (!node.right->is(NodeKind::Closure)) return infer(*node.right);
  }
  if (node.right->is(NodeKind::Closure)) {
    types::Parameter param{"", known_.widened(left)};
    const Type* wanted = known_.table.function(std::span(&param, 1), any());
    const Type* type = closure(node.right->as<Closure>(), wanted);
    return apply({.name = "closure", .type = type, .piped = left, .piped_node = node.left}, {}, node.span, nullptr);
  }
  const Type* type = nullptr;
  bool is_builtin = false;
  std::string_view name = "function";
  if (node.right->is(NodeKind::Identifier)) {
    name = node.right->as<Identifier>().name;
    is_builtin = !variable(*node.right);
    type = is_builtin ? known_.builtin(name) : current(*node.right).type;
  } else {
    type = infer(*node.right);
  }
  if (!type) return any();
  const Type* plain = callable(type, *node.right);
  if (!plain) return any();
  return apply({.name = name, .type = plain, .lenient = is_builtin, .piped = left, .piped_node = node.left}, {},
               node.span, nullptr);
}

}  // namespace harn::check
