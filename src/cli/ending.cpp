#include "cli/ending.h"

#include <algorithm>

#include "bytecode/code.h"
#include "cli/options.h"
#include "diag/snippet.h"
#include "vm/error_text.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/trace.h"

namespace harn::cli {

// The source line where the error arose.
static std::string place_text(const vm::ErrorObject& error, const diag::Paint& paint) {
  if (!error.trace) return {};
  // The first that is a place in code: a task may have failed before it began.
  auto place = std::find_if(error.trace->begin(), error.trace->end(), [](const auto& one) { return one.code; });
  if (place == error.trace->end()) return {};
  uint32_t offset = place->code->source_offset(place->word);
  return diag::Snippet(*place->code->source, {{{offset, offset + 1}, "", true}}).render(paint, diag::Style::Error);
}

std::string error_text(const vm::ErrorObject& error, Snippet snippet, diag::Colour colour) {
  diag::Paint paint(colour);
  std::string out = paint("Error", diag::Style::Error);
  out += fmt::format(": {}\n{}", vm::told(error.value), vm::trace_text(error));
  if (snippet == Snippet::Yes) out += place_text(error, paint);
  if (error.hint) out += fmt::format("{}: {}\n", paint("help", diag::Style::Help), error.hint);
  return out;
}

static int as_exit_code(const vm::Value& value) {
  return static_cast<int>(std::clamp<int64_t>(value.as_int(), 0, 255));
}

static Ending ending_of_value(const vm::Value& value) {
  Ending ending;
  if (value.is_int()) {
    ending.exit_code = as_exit_code(value);
  } else if (vm::is_err(value)) {
    ending.kind = Ending::Kind::Failed;
    ending.exit_code = kFailure;
    auto fields = value.as_enum()->values();
    ending.message = (fields.empty() ? "Result.Err" : vm::told(fields[0])) + "\n";
  }
  return ending;
}

Ending ending_of(const vm::Outcome<vm::Value>& outcome, Answers answers, Snippet snippet, diag::Colour colour) {
  if (outcome) {
    // An Err ends the run as a failure however it got out: by `return`, by `?` or as the last
    // value.
    bool counts = answers == Answers::Yes || vm::is_err(*outcome);
    return counts ? ending_of_value(*outcome) : Ending{};
  }
  const vm::ErrorObject& error = *outcome.error();
  switch (error.error_class) {
    case vm::ErrorClass::Exit: return {Ending::Kind::Exited, error.value.is_int() ? as_exit_code(error.value) : 0, ""};
    case vm::ErrorClass::Closed:  // ends with its generator
    case vm::ErrorClass::Cancelled: return {Ending::Kind::Stopped, kInterrupted, ""};
    case vm::ErrorClass::Thrown:
    case vm::ErrorClass::Runtime:
    case vm::ErrorClass::Type:
    case vm::ErrorClass::Plain: break;
  }
  return {Ending::Kind::Failed, kFailure, error_text(error, snippet, colour)};
}

}  // namespace harn::cli
