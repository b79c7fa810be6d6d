// The colours of a text: words by what they mean, the rest by what they are.
#include "lsp/tokens.h"

#include <algorithm>

#include "lsp/server.h"
#include "syntax/lexer.h"

namespace harn::lsp {

using namespace syntax;

namespace {

enum Type : uint8_t {
  Keyword,
  FunctionName,
  ParameterName,
  VariableName,
  Text,
  Number,
  Operator,
  CommentText,
  TypeName,
  EnumMember,
  Namespace,
  Property,
  MethodName
};
constexpr std::string_view kTypes[] = {"keyword",   "function", "parameter", "variable", "string",
                                       "number",    "operator", "comment",   "type",     "enumMember",
                                       "namespace", "property", "method"};

struct Coloured {
  Span span;
  Type type;
  uint32_t modifiers = 0;  // 1: declaration, 2: readonly
};

Type type_of(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::Variable:
    case Symbol::Kind::Constant:
    case Symbol::Kind::Skill: return VariableName;
    case Symbol::Kind::Parameter: return ParameterName;
    case Symbol::Kind::Function:
    case Symbol::Kind::Pipeline:
    case Symbol::Kind::Tool: return FunctionName;
    case Symbol::Kind::Method: return MethodName;
    case Symbol::Kind::Struct:
    case Symbol::Kind::Enum:
    case Symbol::Kind::Interface:
    case Symbol::Kind::Alias: return TypeName;
    case Symbol::Kind::Variant: return EnumMember;
    case Symbol::Kind::Field: return Property;
  }
  return VariableName;
}

bool is_text(TokenKind kind) { return kind >= TokenKind::String && kind <= TokenKind::BrokenString; }

}  // namespace

std::span<const std::string_view> token_types() { return kTypes; }

std::string Server::semantic_tokens(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  diag::Sink ignored;
  TokenList list = lex(at->document->module->source, ignored);
  std::vector<Coloured> all;
  for (const Comment& comment : list.comments) all.push_back({comment.span, CommentText});
  auto next = at->index->occurrences.begin();
  for (const Token& token : list.tokens) {
    if (token.kind == TokenKind::Eof) break;
    if (token.kind == TokenKind::InterpOpen || token.kind == TokenKind::InterpClose) continue;
    while (next != at->index->occurrences.end() && next->span.start < token.span().start) ++next;
    if (next != at->index->occurrences.end() && next->span == token.span()) {
      bool is_constant = next->symbol->kind == Symbol::Kind::Constant;
      all.push_back(
          {token.span(), type_of(next->symbol->kind), (next->is_declaration ? 1u : 0u) | (is_constant ? 2u : 0u)});
    } else if (is_keyword(token.kind)) {
      all.push_back({token.span(), Keyword});
    } else if (is_text(token.kind)) {
      all.push_back({token.span(), Text});
    } else if (token.kind == TokenKind::Int || token.kind == TokenKind::Float || token.kind == TokenKind::Duration) {
      all.push_back({token.span(), Number});
    } else if (token.kind == TokenKind::Identifier) {
      std::string_view name = at->document->module->source->text(token.span());
      if (workspace_.index().knowledge().program.catalog.find(name)) all.push_back({token.span(), FunctionName});
    }
  }
  std::ranges::stable_sort(all, {}, [](const Coloured& one) { return one.span.start; });
  JsonWriter json;
  json.object().key("data").list();
  Position last{1, 1};
  auto put = [&](uint32_t start, uint32_t end, const Coloured& one) {
    Position from = at->positions->position(start, Columns::Utf16), to = at->positions->position(end, Columns::Utf16);
    if (to.column <= from.column) return;
    json.number(from.line - last.line).number(from.line == last.line ? from.column - last.column : from.column - 1);
    json.number(to.column - from.column).number(one.type).number(one.modifiers);
    last = from;
  };
  for (const Coloured& one : all) {
    // Tokens may not go over the end of a line.
    uint32_t first = at->positions->line_of(one.span.start), final = at->positions->line_of(one.span.end);
    for (uint32_t line = first; line <= final; ++line) {
      uint32_t begin = at->positions->line_start(line);
      uint32_t end = begin + static_cast<uint32_t>(at->positions->line(line).size());
      put(std::max(begin, one.span.start), std::min(end, one.span.end), one);
    }
  }
  return json.end().end().take();
}

}  // namespace harn::lsp
