#include <unistd.h>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/source_text.h"
#include "diag/diagnostic.h"
#include "syntax/lexer.h"

namespace harn::cli {

using syntax::Token;
using syntax::TokenKind;

// A token with a fixed text is called by it; the others by what they are.
static std::string_view kind_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::Eof: return "eof";
    case TokenKind::Identifier: return "identifier";
    case TokenKind::Int: return "int";
    case TokenKind::Float: return "float";
    case TokenKind::Duration: return "duration";
    case TokenKind::String: return "string";
    case TokenKind::RawString: return "raw_string";
    case TokenKind::MultilineString: return "multiline_string";
    case TokenKind::StringOpen: return "string_open";
    case TokenKind::MultilineOpen: return "multiline_open";
    case TokenKind::StringText: return "string_text";
    case TokenKind::InterpOpen: return "interpolation_open";
    case TokenKind::InterpClose: return "interpolation_close";
    case TokenKind::StringClose: return "string_close";
    case TokenKind::BrokenString: return "broken_string";
    default: return syntax::spelling(kind);
  }
}

// Positions of offsets that only grow. SourceFile::position counts from the start of the line each
// time, which takes forever on a file of one long line.
class Places {
 public:
  explicit Places(const SourceFile& source) : text_(source.text()) {}

  Position at(uint32_t offset) {
    while (at_ < offset) {
      bool ends_line = text_[at_] == '\n';
      at_ += text::char_size(text_, at_);
      if (ends_line) place_ = {place_.line + 1, 1};
      else ++place_.column;
    }
    return place_;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  Position place_;
};

static std::string as_text(const SourceFile& source, const std::vector<Token>& tokens) {
  std::string out;
  Places places(source);
  for (const Token& token : tokens) {
    Position at = places.at(token.start);
    std::string place = fmt::format("{}:{}", at.line, at.column);
    std::string lexeme = JsonWriter().text(source.text(token.span())).take();
    out += fmt::format("{:<8} {:<20} {}\n", place, kind_name(token.kind), lexeme);
  }
  return out;
}

static std::string as_json(const SourceFile& source, const std::vector<Token>& tokens) {
  JsonWriter json;
  json.object().key("tokens").list();
  Places places(source);
  for (const Token& token : tokens) {
    Position at = places.at(token.start);
    json.object().field("kind", kind_name(token.kind)).field("lexeme", source.text(token.span()));
    json.field("start", token.start).field("end", token.end);
    json.field("line", at.line).field("column", at.column).end();
  }
  return json.end().end().take();
}

static int tokens(const Arguments& arguments) {
  auto source = read_source(arguments.operands()[0]);
  if (!source) return report_failure(arguments, "source_not_found", source.error().message);
  diag::Sink sink;
  auto list = syntax::lex(*source, sink);
  bool json = arguments.has("--json");
  Problem problem;
  if (sink.has_errors()) problem = {"lexer_failed", sink.diagnostics()[0].message};
  if (json) print_envelope(1, as_json(**source, list.tokens), problem);
  else write_out(as_text(**source, list.tokens));
  if (!json && !sink.diagnostics().empty()) {
    write_error(diag::render_all(sink, colour_of(STDERR_FILENO)));
  }
  return sink.has_errors() ? kFailure : kSuccess;
}

static constexpr Option kOptions[] = {{.name = "--json", .help = "print a JSON envelope"}};

constinit const Command kTokens = {.name = "tokens",
                                   .summary = "Show the tokens of a file",
                                   .operands = {.shown = "FILE", .least = 1, .most = 1},
                                   .options = kOptions,
                                   .notes = "FILE may be `-` for standard input.",
                                   .run = tokens};

}  // namespace harn::cli
