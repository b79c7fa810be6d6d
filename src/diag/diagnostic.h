#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fmt.h"
#include "base/source.h"

// Problems in a user's program. A check reports a code with a place and values; the sentence comes
// from the code's row in codes.def.
namespace harn::diag {

enum class Severity : uint8_t { Error, Warning, Info };

enum class Code : uint16_t {
#define HARN_DIAG(code, name, severity, title, text) name,
#include "diag/codes.def"
#undef HARN_DIAG
};

struct CodeRow {
  Code code;
  std::string_view id;    // "HARN-PAR-001"
  std::string_view name;  // "UnexpectedToken"
  Severity severity;
  std::string_view title;  // one line, for the catalogue
  std::string_view text;   // the message, with {} places
};
const std::vector<CodeRow>& code_rows();
const CodeRow& row(Code code);
// Which check it comes from: "lexer", "parser", "type", "lint", "preflight" or "invariant".
std::string_view origin(Code code);
const CodeRow* find_code(std::string_view id);
// The long explanation (Markdown), empty when the code has none.
std::string_view explanation(std::string_view id);

struct Label {
  SourcePtr source;
  Span span;
  std::string text;
};

// An edit that would mend the program.
struct Fix {
  std::string title;
  Span span;  // what it replaces (empty span: insert)
  std::string replacement;
  bool safe = true;  // keeps behaviour
};

struct Diagnostic {
  Code code;
  Severity severity;
  std::string message;
  SourcePtr source;
  Span span;
  std::string label;          // under the carets; may be empty
  std::vector<Label> labels;  // other places that explain it
  std::vector<std::string> helps;
  std::vector<Fix> fixes;
};

// Returned by `report` to add to what was just reported:
//   sink.report(Code::UnknownVariable, source, span, name).help(fmt::format("did you mean `{}`?", other));
class Report {
 public:
  explicit Report(Diagnostic* diagnostic) : diagnostic_(diagnostic) {}

  Report& label(std::string text);
  Report& label(SourcePtr source, Span span, std::string text);
  Report& help(std::string text);
  Report& fix(Fix fix);

 private:
  Diagnostic* diagnostic_;  // null when the sink dropped it (limit reached)
};

// Collects diagnostics in the order they are found. Beyond the limit errors are counted and dropped. Belongs to whoever
// asked for the check; one thread at a time.
class Sink {
 public:
  static constexpr size_t kMost = 200;  // of one program
  static constexpr size_t kAll = SIZE_MAX;

  explicit Sink(size_t most = kMost) : most_(most) {}

  template <class... Args>
  Report report(Code code, const SourcePtr& source, Span span, const Args&... args) {
    if (!has_room(code)) return Report(nullptr);
    return add(code, source, span, fmt::vformat(row(code).text, fmt::make_format_args(args...)));
  }

  // What another sink has collected.
  void add(const Diagnostic& diagnostic);
  void add_all(const Sink& other) {
    for (const Diagnostic& one : other.diagnostics()) add(one);
  }

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  size_t error_count() const { return errors_; }
  size_t dropped() const { return dropped_; }
  bool has_errors() const { return errors_ > 0; }
  // Puts those from number `first` on in the order of their places; of one source all stay together.
  void sort_by_place(size_t first);
  void clear();

 private:
  bool has_room(Code code);
  Report add(Code code, const SourcePtr& source, Span span, std::string message);

  size_t most_;
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
  size_t dropped_ = 0;  // found after `most_`
};

// In the order of their places; of one source all stay together.
void sort_by_place(std::vector<const Diagnostic*>& diagnostics);

enum class Colour : uint8_t { No, Yes };
// The text block for a terminal (style section 8).
std::string render(const Diagnostic& diagnostic, Colour colour);
std::string render_all(const Sink& sink, Colour colour);
std::string render_all(std::vector<const Diagnostic*> diagnostics, Colour colour);
// One JSON object: {source, severity, code, message, span: {start, end}, line, column, path, help,
// fixes}.
std::string render_json(const Diagnostic& diagnostic);

}  // namespace harn::diag
