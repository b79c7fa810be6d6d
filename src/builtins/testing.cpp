#include <array>
#include <string>

#include "base/result.h"
#include "base/error_categories.h"
#include "builtins/families.h"
#include "vm/error_text.h"

// Assertions and error categories. JUnit reports are in junit.cpp.
namespace harn::builtins {
namespace {

using namespace vm;

// ---- assertions ----

// The message given by the program may be any value: it is what `catch` binds.
std::unexpected<Thrown> failed(Call& call, uint32_t message, std::string text) {
  if (!call.arg(message).is_nil()) return throw_value(call.take(message));
  return throw_text(ErrorKind::Assertion, "{}", text);
}

Outcome<Value> assert_true(Call& call) {
  if (truthy(call.arg(0))) return Value();
  return failed(call, 1, "Assertion failed");
}

Outcome<Value> assert_eq(Call& call) {
  if (equal(call.arg(0), call.arg(1))) return Value();
  return failed(call, 2,
                harn::format("Assertion failed: expected {}, got {}", display(call.arg(1)), display(call.arg(0))));
}

Outcome<Value> assert_ne(Call& call) {
  if (!equal(call.arg(0), call.arg(1))) return Value();
  return failed(call, 2, harn::format("Assertion failed: values should not be equal: {}", display(call.arg(0))));
}

// ---- error categories ----

// Words that tell what kind of failure a text is about; the first that occurs decides. Three digits
// must stand alone.
struct Hint {
  std::string_view word;
  std::string_view category;
};
constexpr Hint kHints[] = {{"429", "rate_limit"},
                           {"rate limit", "rate_limit"},
                           {"rate_limit", "rate_limit"},
                           {"too many requests", "rate_limit"},
                           {"529", "overloaded"},
                           {"overloaded", "overloaded"},
                           {"408", "timeout"},
                           {"504", "timeout"},
                           {"timed out", "timeout"},
                           {"timeout", "timeout"},
                           {"deadline exceeded", "timeout"},
                           {"401", "auth"},
                           {"403", "auth"},
                           {"unauthorized", "auth"},
                           {"forbidden", "auth"},
                           {"invalid api key", "auth"},
                           {"authentication", "auth"},
                           {"circuit open", "circuit_open"},
                           {"circuit breaker", "circuit_open"},
                           {"circuit_open", "circuit_open"},
                           {"budget exceeded", "budget_exceeded"},
                           {"budget_exceeded", "budget_exceeded"},
                           {"egress", "egress_blocked"},
                           {"404", "not_found"},
                           {"not found", "not_found"},
                           {"no such file", "not_found"},
                           {"500", "server_error"},
                           {"502", "server_error"},
                           {"503", "server_error"},
                           {"internal server error", "server_error"},
                           {"bad gateway", "server_error"},
                           {"service unavailable", "server_error"},
                           {"connection refused", "transient_network"},
                           {"connection reset", "transient_network"},
                           {"network", "transient_network"},
                           {"dns", "transient_network"},
                           {"broken pipe", "transient_network"},
                           {"schema", "schema_validation"},
                           {"tool rejected", "tool_rejected"},
                           {"not permitted", "tool_rejected"},
                           {"permission denied", "tool_rejected"},
                           {"cancelled", "cancelled"},
                           {"canceled", "cancelled"}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool mentions(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (!is_digit(word[0])) return true;
    size_t end = at + word.size();
    if ((at == 0 || !is_digit(text[at - 1])) && (end == text.size() || !is_digit(text[end]))) return true;
  }
  return false;
}

// Errors with a category are caught as "Error [CATEGORY]: TEXT".
std::string_view stated_category(std::string_view text) {
  constexpr std::string_view kStart = "Error [";
  if (!text.starts_with(kStart)) return {};
  std::string_view name = text.substr(kStart.size(), text.find(']') - kStart.size());
  return is_error_category(name) ? name : std::string_view();
}

std::string_view guess_category(std::string_view text) {
  if (auto stated = stated_category(text); !stated.empty()) return stated;
  std::string lower(text.substr(0, 4096));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const Hint& hint : kHints) {
    if (mentions(lower, hint.word)) return hint.category;
  }
  return "generic";
}

std::string_view category_of(const Value& error) {
  if (ErrorKind kind = kind_of_caught(error); kind != ErrorKind::None && error.is_string()) return row(kind).category;
  if (error.is_string()) return guess_category(error.as_string()->view());
  if (!error.is_dict() && !error.is(Kind::Struct)) return "generic";
  const Value* category = error.as_dict()->find("category");
  if (category && category->is_string() && is_error_category(category->as_string()->view())) {
    return category->as_string()->view();
  }
  const Value* message = error.as_dict()->find("message");
  return message && message->is_string() && !category ? guess_category(message->as_string()->view()) : "generic";
}

Outcome<Value> error_info(Call& call) { return vm::error_info(call.arg(0)); }

Outcome<Value> error_category(Call& call) { return text_value(category_of(call.arg(0))); }

Outcome<Value> throw_error(Call& call) {
  auto category = HARN_TRY(call.text_or(1, "generic"));
  if (!is_error_category(category)) category = "generic";
  return throw_value(DictBuilder().add("message", call.take(0)).add("category", text_value(category)).done());
}

Outcome<Value> is_timeout(Call& call) { return Value::boolean(category_of(call.arg(0)) == "timeout"); }
Outcome<Value> is_rate_limited(Call& call) { return Value::boolean(category_of(call.arg(0)) == "rate_limit"); }

constinit const Builtin kRows[] = {
    {.name = "assert",
     .signature = "(condition: any, message?: any) -> nil",
     .doc = "Throws the message when the condition does not hold.",
     .example = "assert(1 < 2) == nil",
     .call = assert_true},
    {.name = "assert_eq",
     .signature = "(actual: any, expected: any, message?: any) -> nil",
     .doc = "Throws when the two values differ.",
     .example = "assert_eq(1 + 1, 2) == nil",
     .call = assert_eq},
    {.name = "assert_ne",
     .signature = "(a: any, b: any, message?: any) -> nil",
     .doc = "Throws when the two values are equal.",
     .example = "assert_ne(1, 2) == nil",
     .call = assert_ne},
    {.name = "error_category",
     .signature = "(error: any) -> string",
     .doc = "Returns the category an error states, or the one its text suggests.",
     .example = R"(error_category("HTTP 429") == "rate_limit")",
     .call = error_category},
    {.name = "error_info",
     .signature = "(error: any) -> dict",
     .doc = "What is known of something caught: {kind, code, category, message, details, cause}.",
     .example = R"(error_info("boom").kind == "thrown")",
     .call = error_info},
    {.name = "is_rate_limited",
     .signature = "(error: any) -> bool",
     .doc = "Says whether an error is about a rate limit.",
     .example = R"(is_rate_limited({category: "rate_limit"}))",
     .call = is_rate_limited},
    {.name = "is_timeout",
     .signature = "(error: any) -> bool",
     .doc = "Says whether an error is about a time limit.",
     .example = R"(is_timeout("request timed out"))",
     .call = is_timeout},
    {.name = "throw_error",
     .signature = "(message: any, category?: string) -> never",
     .doc = "Throws a dict with a message and a category.",
     .example = R"(is_err(try { throw_error("slow", "timeout") }))",
     .call = throw_error},
};

}  // namespace

std::span<const vm::Builtin> testing_rows() { return kRows; }

}  // namespace harn::builtins
