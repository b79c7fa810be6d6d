#include "embed/errors.h"

#include "base/error_kind.h"
#include "base/text.h"
#include "embed/values.h"
#include "vm/dict.h"
#include "vm/error_text.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/trace.h"

namespace harn::embed {

namespace {

// Plain data, or how it prints: an error is told in any case.
Value data_or_text(const vm::Value& value) {
  auto data = to_host(value);
  return data ? std::move(*data) : Value(vm::display(value));
}

std::string text_of(const vm::Value& info, std::string_view field) {
  const vm::Value* found = info.as_dict()->find(field);
  return found && found->is_string() ? std::string(found->as_string()->view()) : std::string();
}

// Of anything that a `catch` may have got. Causes have causes, which are few.
Error of_caught(const vm::Value& caught, int depth) {
  constexpr int kMostCauses = 20;
  vm::Value info = vm::error_info(caught);
  Error error;
  error.kind = text_of(info, "kind");
  error.message = text_of(info, "message");
  error.category = text_of(info, "category");
  error.code = text_of(info, "code");
  if (error.code == error.kind) error.code.clear();
  bool is_of_runtime = caught.is_string() && caught.as_string()->is_error();
  error.value = is_of_runtime ? data_or_text(*info.as_dict()->find("details")) : data_or_text(caught);
  const vm::Value& cause = *info.as_dict()->find("cause");
  if (!cause.is_nil() && depth < kMostCauses) error.cause = std::make_shared<Error>(of_caught(cause, depth + 1));
  return error;
}

std::vector<std::string> trace_of(const vm::ErrorObject& error) {
  std::vector<std::string> out;
  std::string lines = vm::trace_text(error);
  for (std::string_view line : text::split(lines, "\n")) {
    if (line = text::trim(line); !line.empty()) out.emplace_back(line);
  }
  return out;
}

}  // namespace

Error own_error(ErrorKind kind, std::string message) {
  const ErrorKindRow& known = row(kind);
  return {.kind = std::string(known.kind), .message = std::move(message), .category = std::string(known.category)};
}

Error to_host(const vm::ErrorObject& error) {
  Error out = vm::catchable(error) ? of_caught(vm::caught_value(error), 0)
                                   : own_error(ErrorKind::Cancelled, "the program was stopped");
  out.trace = trace_of(error);
  return out;
}

std::unexpected<vm::Thrown> to_program(const Error& error) {
  if (error.kind == "thrown") {
    auto value = to_program(error.value);
    return value ? vm::throw_value(std::move(*value)) : std::unexpected(std::move(value).error());
  }
  ErrorKind kind = error_kind_named(error.kind).value_or(ErrorKind::Runtime);
  auto made = vm::throw_text(kind, "{}", text::to_valid_utf8(error.message));
  vm::ErrorDetails details;
  if (error.value.is_dict()) {
    for (const auto& [name, field] : error.value.fields()) {
      if (auto value = to_program(field)) details.emplace_back(name, std::move(*value));
    }
  }
  if (!error.code.empty() || !details.empty()) made = vm::with_facts(std::move(made), error.code, std::move(details));
  if (!error.cause) return made;
  return vm::caused_by(std::move(made), vm::caught_value(*to_program(*error.cause).error()));
}

std::unexpected<Error> fail(std::string kind, std::string message, std::string code) {
  auto known = error_kind_named(kind);
  Error error = own_error(known.value_or(ErrorKind::Runtime), std::move(message));
  error.code = std::move(code);
  return std::unexpected(std::move(error));
}

std::vector<Diagnostic> to_host(const std::vector<diag::Diagnostic>& diagnostics) {
  std::vector<Diagnostic> out;
  for (const diag::Diagnostic& one : diagnostics) {
    Diagnostic& made = out.emplace_back();
    made.severity = static_cast<Diagnostic::Severity>(one.severity);
    made.code = diag::row(one.code).id;
    made.message = one.message;
    if (one.source) {
      Position at = one.source->position(one.span.start);
      made.file = one.source->path();
      made.line = at.line;
      made.column = at.column;
    }
    for (const std::string& help : one.helps) made.help += (made.help.empty() ? "" : "\n") + help;
  }
  return out;
}

}  // namespace harn::embed
