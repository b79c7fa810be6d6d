// Natural blocks: what has to be exact or bounded. What happens is written in Harn: src/std/prelude/natural.harn.
#include <algorithm>

#include "base/error_kind.h"
#include "base/fmt.h"
#include "base/result.h"
#include "builtins/expressions.h"
#include "builtins/families.h"
#include "builtins/natural_program.h"
#include "data/bounded_json.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/scheduler.h"
#include "vm/step_limits.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

Value texts_value(const auto& texts) {
  Value list = new_list();
  for (std::string_view text : texts) writable_list(list)->push(text_value(text));
  return list;
}

Outcome<std::vector<std::string>> texts_of(Call& call, size_t arg) {
  Ref<ListObject> list = HARN_TRY(call.list(arg));
  std::vector<std::string> out;
  for (const Value& one : list->values()) {
    if (one.is_string()) out.emplace_back(one.as_string()->view());
  }
  return out;
}

// (text, in_loop): {text, allowed, problem?}
Outcome<Value> natural_program(Call& call) {
  NaturalProgram program = read_natural_program(HARN_TRY(call.text(0)));
  DictBuilder out;
  out.add("text", text_value(program.text));
  if (!program.problem.empty()) out.add("problem", text_value(program.problem));
  return out.add("allowed", texts_value(allowed_outcomes(HARN_TRY(call.boolean(1)), program.deny))).done();
}

// (allowed, errors)
Outcome<Value> natural_outcomes(Call& call) {
  std::vector<std::string> allowed = HARN_TRY(texts_of(call, 0));
  std::vector<std::string> errors = HARN_TRY(texts_of(call, 1));
  return text_value(outcomes_text(std::vector<std::string_view>(allowed.begin(), allowed.end()), errors));
}

Outcome<Value> natural_prompts(Call&) {
  return DictBuilder()
      .add("step_system_prompt_template", text_value(kStepSystemPrompt))
      .add("step_user_prompt_template", text_value(kStepUserPrompt))
      .done();
}

// What a block has written to the variable; unset when it has left it alone.
Outcome<Value> natural_value(Call& call) {
  const DictObject* result = HARN_TRY(call.dict(0));
  std::string_view name = HARN_TRY(call.text(1));
  const Value* values = result->find(intern("values"));
  const Value* found = values && values->is(Kind::Dict) ? values->as_dict()->find(intern(name)) : nullptr;
  return found ? *found : Value::unset();
}

// (all, part): all of both.
Outcome<Value> natural_join(Call& call) {
  const DictObject* part = HARN_TRY(call.dict(1));
  HARN_TRY(call.dict(0));
  Value all = call.take(0);
  for (size_t i = 0; i < part->size(); ++i) dict_set(all, part->entry(i).key, *part->entry(i).value);
  return all;
}

// ---- errors of the program's own types ----

Outcome<Value> struct_error(StructTypeObject* type, std::string_view message) {
  Value error(new_struct(type));
  dict_set(error, intern("message"), text_value(message));
  return error;
}

// A value of an error type: a struct with `message`, or `Enum.Variant` with the message as its payload, or with none.
Outcome<Value> natural_error(Call& call) {
  std::string_view variant = HARN_TRY(call.text_or(1, ""));
  std::string_view message = HARN_TRY(call.text(2));
  const Value& type = call.arg(0);
  if (type.is(Kind::StructType)) return struct_error(static_cast<StructTypeObject*>(type.object()), message);
  if (!type.is(Kind::EnumType)) return call.wrong_type(0, "a struct or an enum");
  auto* choices = static_cast<EnumTypeObject*>(type.object());
  int which = choices->find(intern(variant));
  if (which < 0) return throw_text(ErrorKind::Invalid, "there is no variant {}", variant);
  const EnumVariantInfo& info = choices->variants[which];
  if (!info.has_payload) return choices->plain[which];
  Value payload[1] = {text_value(message)};
  return Value(new_enum(choices, static_cast<uint32_t>(which), payload));
}

// (type, variant, carried): a value of an enum.
Outcome<Value> natural_variant(Call& call) {
  if (!call.arg(0).is(Kind::EnumType)) return call.wrong_type(0, "an enum");
  auto* choices = call.arg(0).as<EnumTypeObject>();
  std::string_view name = HARN_TRY(call.text(1));
  Ref<ListObject> carried = HARN_TRY(call.list(2));
  int which = choices->find(intern(name));
  if (which < 0 || choices->variants[which].arity != carried->values().size())
    return throw_text(ErrorKind::Invalid, "{} has no variant {} that carries {} values", choices->name->view(), name,
                      carried->values().size());
  if (!choices->variants[which].has_payload) return choices->plain[which];
  std::vector<Value> fields(carried->values().begin(), carried->values().end());
  return Value(new_enum(choices, static_cast<uint32_t>(which), fields));
}

Outcome<Value> is_variant(Call& call) {
  const Value& value = call.arg(0);
  const Value& type = call.arg(1);
  return Value::boolean(value.is(Kind::Enum) && type.is(Kind::EnumType) &&
                        value.as_enum()->type->declaration == type.as<EnumTypeObject>()->declaration);
}

// The names under which a block may raise errors of a type.
Outcome<Value> natural_error_names(Call& call) {
  const Value& type = call.arg(0);
  Value names = new_list();
  if (type.is(Kind::StructType)) {
    auto* record = static_cast<StructTypeObject*>(type.object());
    if (record->shape->find(intern("message")) >= 0) writable_list(names)->push(text_value(record->name->view()));
  } else if (type.is(Kind::EnumType)) {
    auto* choices = static_cast<EnumTypeObject*>(type.object());
    for (uint32_t i = 0; i < choices->count; ++i) {
      if (choices->variants[i].arity > 1) continue;
      writable_list(names)->push(
          text_value(fmt::format("{}.{}", choices->name->view(), choices->variants[i].name->view())));
    }
  }
  return names;
}

// Raises an error of a built-in kind, by the name of its type: "TimeoutError".
Outcome<Value> natural_raise(Call& call) {
  std::string_view type = HARN_TRY(call.text(0));
  std::string_view message = HARN_TRY(call.text(1));
  auto kind = error_kind_of_type(type);
  return throw_text(kind.value_or(ErrorKind::Runtime), "{}", message);
}

Outcome<Value> natural_kinds(Call&) { return texts_value(natural_error_kinds()); }

// ---- values as a model sees them ----

// (value, most): {text, cut}
Outcome<Value> natural_json(Call& call) {
  int64_t most = HARN_TRY(call.integer(1));
  data::BoundedJson json = data::bounded_json(call.arg(0), static_cast<size_t>(std::clamp<int64_t>(most, 16, 1 << 20)));
  return DictBuilder().add("text", text_value(json.text)).add("cut", Value::boolean(json.was_cut)).done();
}

// ---- expressions ----

// (expression, names): {function, names} or {error}: a function of those of the names that the expression mentions.
Outcome<Value> natural_expression(Call& call) {
  std::string_view text = HARN_TRY(call.text(0));
  Ref<ListObject> names = HARN_TRY(call.list(1));
  std::vector<std::string_view> known;
  for (const Value& name : names->values()) {
    if (name.is_string()) known.push_back(name.as_string()->view());
  }
  Expression made = compile_expression(call.vm(), text, known);
  if (!made.problem.empty()) return DictBuilder().add("error", text_value(made.problem)).done();
  if (made.function.is(Kind::Unset)) return DictBuilder().add("value", std::move(made.values[0])).done();
  Value used = new_list(), values = new_list();
  for (const std::string& name : made.names) writable_list(used)->push(text_value(name));
  for (Value& value : made.values) writable_list(values)->push(std::move(value));
  return DictBuilder()
      .add("function", std::move(made.function))
      .add("names", std::move(used))
      .add("values", std::move(values))
      .done();
}

// (steps?): the steps that the running task may still take; what it had left before, or nil for no limit.
Outcome<Value> limit_steps(Call& call) {
  std::optional<int64_t> steps;
  if (!call.arg(0).is_nil()) steps = HARN_TRY(call.integer(0));
  auto before = call.vm().local<StepLimits>().set(&Scheduler::current(), steps);
  return before ? Value::integer(*before) : Value();
}

// What a builtin of that name does; nil when there is none.
Outcome<Value> natural_help(Call& call) {
  std::string_view name = HARN_TRY(call.text(0));
  const Builtin* row = name.starts_with("__") ? nullptr : call.vm().builtins().find(name);
  if (!row) return Value();
  return text_value(fmt::format("{}{}: {}", row->name, row->signature.text(), row->doc));
}

constinit const Builtin kRows[] = {
    {.name = "__is_variant",
     .signature = "(value: any, type: any) -> bool",
     .doc = "Whether a value is one of an enum's variants.",
     .example = R"x(!__is_variant("Ok", nil))x",
     .call = is_variant},
    {.name = "__limit_steps",
     .signature = "(steps: int?) -> int?",
     .doc = "Lets the task take no more than so many steps; nil: as many as it likes. Gives what it had left before.",
     .example = R"x(__limit_steps(__limit_steps(nil)) == nil)x",
     .call = limit_steps},
    {.name = "__natural_block",
     .signature = "(facts: dict, text: string, locals: dict, types: dict) -> dict",
     .doc = "Has a Natural block carried out: {kind, values, value}.",
     .prelude = "natural:natural_block"},
    {.name = "__natural_environment",
     .signature = "() -> dict",
     .doc = "The environment in which Natural blocks run here.",
     .example = R"x(is_err(try { __natural_environment() }))x",
     .prelude = "natural:shown_environment"},
    {.name = "__natural_error",
     .signature = "(type: any, variant: string?, message: string) -> any",
     .doc = "An error of a type of the program, with a message.",
     .call = natural_error},
    {.name = "__natural_error_names",
     .signature = "(type: any) -> list<string>",
     .doc = "The names under which a Natural block may raise errors of a type.",
     .example = R"x(__natural_error_names(1) == [])x",
     .call = natural_error_names},
    {.name = "__natural_expression",
     .signature = "(text: string, names: list<string>) -> dict",
     .doc = "A function of the names that an expression mentions and of the plain data in it: {function, names, "
            "values}; {value} of "
            "data alone; or what is wrong with it: {error}.",
     .example = R"x(__natural_expression("a + 1", ["a"]).function(2, 1) == 3)x",
     .call = natural_expression},
    {.name = "__natural_help",
     .signature = "(name: string) -> string?",
     .doc = "What a builtin does.",
     .example = R"x(__natural_help("len").starts_with("len("))x",
     .call = natural_help},
    {.name = "__natural_join",
     .signature = "(all: dict, part: dict) -> dict",
     .doc = "What is in either; the part wins.",
     .example = R"x(__natural_join({a: 1}, {b: 2}) == {a: 1, b: 2})x",
     .call = natural_join},
    {.name = "__natural_json",
     .signature = "(value: any, most: int) -> dict",
     .doc = "JSON of at most so many bytes: {text, cut}.",
     .example = R"x(__natural_json([1, "a"], 100).text == "[1, \"a\"]")x",
     .call = natural_json},
    {.name = "__natural_kinds",
     .signature = "() -> list<string>",
     .doc = "The names of the built-in types of errors.",
     .example = R"x("TimeoutError" in __natural_kinds())x",
     .call = natural_kinds},
    {.name = "__natural_outcomes",
     .signature = "(allowed: list<string>, errors: list<string>) -> string",
     .doc = "The part of a prompt that explains how a Natural block may end.",
     .example = R"x(__natural_outcomes(["pass"], []).starts_with("- "))x",
     .call = natural_outcomes},
    {.name = "__natural_program",
     .signature = "(text: string, in_loop: bool) -> dict",
     .doc = "What a Natural block says, and how it may end: {text, allowed, problem?}.",
     .example =
         R"x(__natural_program("natural\n  a\n    b", false) == {text: "a\n  b", allowed: ["pass", "return", "raise"]})x",
     .call = natural_program},
    {.name = "__natural_prompts",
     .signature = "() -> dict",
     .doc = "The default templates of the prompts of Natural blocks.",
     .example = R"x(__natural_prompts().count == 2)x",
     .call = natural_prompts},
    {.name = "__natural_raise",
     .signature = "(type: string, message: string) -> never",
     .doc = "Raises an error of a built-in kind, by the name of its type.",
     .example = R"x(is_err(try { __natural_raise("TypeError", "no") }))x",
     .call = natural_raise},
    {.name = "__natural_run",
     .signature = "(environment: dict, body: any, make_error: any) -> any",
     .doc = "Calls `body` with an environment for Natural blocks.",
     .prelude = "natural:natural_run"},
    {.name = "__natural_scope",
     .signature = "(overrides: dict, body: any) -> any",
     .doc = "Calls `body` with parts of the environment replaced.",
     .prelude = "natural:natural_scope"},
    {.name = "__natural_value",
     .signature = "(result: dict, name: string) -> any",
     .doc = "What a Natural block has written to a variable; unset when it has left it alone.",
     .example = R"x(__natural_value({values: {a: 1}}, "a") == 1)x",
     .call = natural_value},
    {.name = "__natural_variant",
     .signature = "(type: any, variant: string, carried: list) -> any",
     .doc = "A value of an enum: a variant with what it carries.",
     .call = natural_variant},
};

}  // namespace

std::span<const Builtin> natural_rows() { return kRows; }

}  // namespace harn::builtins
