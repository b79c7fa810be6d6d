#include "syntax/parser.h"

#include <algorithm>

#include "base/text.h"

// The parser's entry, how it reads tokens, reports and recovers.
namespace harn::syntax {

namespace {

bool is_opener(TokenKind kind) {
  using enum TokenKind;
  return kind == LeftParen || kind == LeftBracket || kind == LeftBrace || kind == StringOpen || kind == MultilineOpen ||
         kind == InterpOpen;
}

std::string quoted(std::string_view code) { return format("`{}`", code); }

}  // namespace

Parser::Parser(Tree& tree, TokenList& list, diag::Sink& sink)
    : tree_(tree),
      list_(list),
      tokens_(list.tokens.data()),
      count_(list.tokens.size()),
      text_(tree.source->text()),
      sink_(sink),
      extent_(list.tokens.size() - 1) {}

void Parser::parse_file() {
  ListBuilder<const Node*> items(nodes_, tree_.arena);
  parse_statements(items, kNoOpener);
  tree_.items = items.finish();
  note_unclosed();
}

// Behind a brace that is not closed it is not clear what belongs to what.
void Parser::note_unclosed() {
  auto text_end = static_cast<uint32_t>(text_.size());
  if (list_.open_at_end) note_broken(tree_.items.empty() ? 0 : tree_.items.back()->span.start, text_end);
  auto unclosed = std::find_if(list_.unclosed.begin(), list_.unclosed.end(),
                               [&](uint32_t opener) { return tokens_[opener].kind == TokenKind::LeftBrace; });
  if (unclosed == list_.unclosed.end()) return;
  uint32_t brace = tokens_[*unclosed].start;
  for (const Node* item : tree_.items) {
    if (item->span.end > brace) return note_broken(item->span.start, text_end);
  }
  note_broken(brace, text_end);
}

bool Parser::expect(TokenKind k) {
  if (at(k) && !failed_) {
    advance();
    return true;
  }
  if (!failed_) fail(quoted(spelling(k)));
  return false;
}

bool Parser::expect(TokenKind k, std::string_view what) {
  if (at(k) && !failed_) {
    advance();
    return true;
  }
  fail(what);
  return false;
}

bool Parser::expect_close(TokenKind k, uint32_t opener) {
  if (at(k) && !failed_) {
    advance();
    return true;
  }
  if (failed_) return false;
  Token open = tokens_[at_end() ? likely_unclosed(opener) : opener];
  bool is_closed = open.partner != 0 && !(open.flags & Token::kUnpaired);
  bool lacks_comma = k != TokenKind::RightBrace && is_closed && starts_expression(kind());
  if (lacks_comma) {
    auto report = fail(format("`,` or `{}`", spelling(k)));
    if (!explained_) report.fix(comma_fix());
    return false;
  }
  auto report = fail(quoted(spelling(k)));
  if (!is_closed || at_end()) {
    report.label(tree_.source, open.span(), format("this `{}` is not closed", text(open)));
  }
  return false;
}

// A comma behind the last token read.
diag::Fix Parser::comma_fix() const { return {"add a comma", {previous_end(), previous_end()}, ","}; }

// `>` of type arguments; `>=` counts as `>` followed by `=`.
bool Parser::accept_close_angle() {
  if (failed_) return false;
  if (at(TokenKind::GreaterEqual)) {
    tokens_[at_].kind = TokenKind::Assign;
    ++tokens_[at_].start;
    return true;
  }
  return expect(TokenKind::Greater);
}

Name Parser::expect_name(std::string_view what) {
  if (failed_) return {};
  if (at(TokenKind::Identifier)) return take_name();
  if (is_keyword(kind())) {
    auto report = fail_at(token(), what, format("`{}` (reserved keyword)", text(token())));
    if (explain_habit(report, what)) return {};
    report.help(format("choose another name, such as `{}_`", text(token())));
  } else {
    fail(what);
  }
  return {};
}

Name Parser::expect_declared(std::string_view what) {
  Name name = expect_name(what);
  tree_.lacks_name |= name.empty();
  return name;
}

Name Parser::expect_word(std::string_view what) {
  if (failed_) return {};
  if (is_word(kind())) return take_name();
  fail(what);
  return {};
}

std::string Parser::describe(const Token& t) const {
  constexpr size_t kLongest = 40;
  switch (t.kind) {
    case TokenKind::Eof: return "end of file";
    case TokenKind::StringOpen:
    case TokenKind::MultilineOpen:
    case TokenKind::MultilineString:
    case TokenKind::BrokenString:
    case TokenKind::StringText: return "a string";
    case TokenKind::StringClose: return "the end of the string";
    default: break;
  }
  std::string_view word = text(t);
  if (word.size() <= kLongest) return quoted(word);
  return format("`{}...`", word.substr(0, text::char_offset(word, kLongest)));
}

diag::Report Parser::fail(std::string_view expected) {
  if (failed_) return diag::Report(nullptr);
  auto report = fail_plainly(expected);
  explained_ = explain_habit(report, expected);
  return report;
}

diag::Report Parser::fail_plainly(std::string_view expected) { return fail_at(token(), expected, describe(token())); }

diag::Report Parser::fail_at(const Token& t, std::string_view expected, std::string_view found) {
  if (failed_) return diag::Report(nullptr);
  failed_ = true;
  if (t.kind == TokenKind::BrokenString) return diag::Report(nullptr);
  if (t.kind != TokenKind::Eof) {
    return sink_.report(diag::Code::UnexpectedToken, tree_.source, t.span(), expected, found);
  }
  // A mistake further up that has been told may have cost the closing brace, too.
  if (reported_end_ || list_.open_at_end || !tree_.broken.empty()) return diag::Report(nullptr);
  reported_end_ = true;
  uint32_t end = count_ > 1 ? tokens_[count_ - 2].end : t.start;
  return sink_.report(diag::Code::UnexpectedEnd, tree_.source, Span{end, end}, expected).label("file ends here");
}

diag::Report Parser::report(diag::Code code, Span span, std::string_view value) {
  if (failed_) return diag::Report(nullptr);
  return sink_.report(code, tree_.source, span, value);
}

Node* Parser::error_node(uint32_t start) { return done(node<Broken>(NodeKind::Broken, start)); }

void Parser::too_deep(uint32_t limit) {
  if (gave_up_) return;
  if (!failed_) {
    sink_.report(diag::Code::TooDeep, tree_.source, token().span(), limit)
        .help("give parts of it names with `let`, or move them to functions");
  }
  failed_ = gave_up_ = true;
  at_ = count_ - 1;
}

size_t Parser::end_of(uint32_t opener) const {
  if (opener == kNoOpener || tokens_[opener].partner == 0) return count_ - 1;
  return tokens_[opener].partner;
}

// The brace that the writer most likely forgot to close, when the file ends inside `opener`: the
// first one inside it that is closed by a brace further to the left than its own line.
uint32_t Parser::likely_unclosed(uint32_t opener) const {
  auto indent_at = [&](uint32_t offset) {
    size_t line = text_.rfind('\n', offset);
    size_t begin = line == std::string_view::npos ? 0 : line + 1;
    size_t at = begin;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    return at - begin;
  };
  if (tokens_[opener].kind != TokenKind::LeftBrace) return opener;
  constexpr uint32_t kMostBraces = 20'000;
  uint32_t braces = 0;
  for (uint32_t i = opener + 1; i + 1 < count_ && braces < kMostBraces; ++i) {
    const Token& open = tokens_[i];
    if (open.kind != TokenKind::LeftBrace || open.partner == 0) continue;
    ++braces;
    const Token& close = tokens_[open.partner];
    if (close.starts_line() && indent_at(close.start) < indent_at(open.start)) return i;
  }
  return opener;
}

void Parser::recover(size_t first, uint32_t opener) {
  failed_ = false;
  if (gave_up_) {
    failed_ = true;
    note_broken(tokens_[first].start, tokens_[count_ - 1].start);
    return;
  }
  size_t end = end_of(opener);
  // A bracket that was opened by this item and is closed further on: go past it as a whole.
  for (size_t i = first; i < at_;) {
    const Token& t = tokens_[i];
    bool paired = is_opener(t.kind) && t.partner != 0 && !(t.flags & Token::kUnpaired);
    if (paired && t.partner >= at_) {
      at_ = t.partner + 1;
      break;
    }
    i = paired ? t.partner + 1 : i + 1;
  }
  while (at_ < end) {
    const Token& t = token();
    if (at_ > first && t.kind == TokenKind::Semicolon) break;
    if (at_ > first && t.starts_line() && !continues_line(t)) break;
    at_ = is_opener(t.kind) ? skip_bracket(at_) : at_ + 1;
  }
  note_broken(tokens_[first].start, tokens_[at_].start);
}

void Parser::note_broken(uint32_t from, uint32_t to) {
  // What is inside something broken has been noted before it.
  while (!tree_.broken.empty() && tree_.broken.back().end > from) {
    from = std::min(from, tree_.broken.back().start);
    to = std::max(to, tree_.broken.back().end);
    tree_.broken.pop_back();
  }
  tree_.broken.push_back({from, to});
}

// At a closing brace that closes nothing. Either a mistake further up has cost its opener, which has been told, or one
// too many closed the declaration before it, and what follows that was meant to be inside. The rest of the line goes
// with it: `} else {`, `} catch (e) {`.
void Parser::skip_stray_brace(ListBuilder<const Node*>& before) {
  if (tree_.broken.empty()) fail("a statement").help("nothing is open here; remove this brace");
  failed_ = gave_up_;
  size_t last = before.size();
  auto is_braced = [&](const Node* item) { return tree_.source->text(item->span).ends_with('}'); };
  uint32_t known = tree_.broken.empty() ? 0 : tree_.broken.back().end;
  while (last > 0 && before[last - 1]->span.start >= known && !is_braced(before[last - 1])) --last;
  uint32_t from = last == 0 ? known : std::max(known, before[last - 1]->span.start);
  do {
    at_ = is_opener(kind()) ? skip_bracket(static_cast<uint32_t>(at_)) : at_ + 1;
  } while (!at_end() && !token().starts_line());
  note_broken(from, previous_end());
}

// After a token that fits nowhere the rest of its line mostly does not fit either, and lexer and parser both stumble
// over the same quote.
static void report_once_a_line(diag::Sink& found, diag::Sink& sink) {
  found.sort_by_place(0);
  uint32_t last = 0;
  for (const diag::Diagnostic& one : found.diagnostics()) {
    using enum diag::Code;
    bool is_stumble = one.code == UnexpectedToken || one.code == UnexpectedEnd || one.code == UnexpectedCharacter ||
                      one.code == UnterminatedString;
    uint32_t line = is_stumble ? one.source->positions().line_of(one.span.start) : 0;
    if (!is_stumble || line != last) sink.add(one);
    if (is_stumble) last = line;
  }
}

std::unique_ptr<const Tree> parse(SourcePtr source, diag::Sink& sink, NodeId after) {
  auto tree = std::make_unique<Tree>();
  tree->source = std::move(source);
  tree->last_id = after;
  diag::Sink found(diag::Sink::kAll);
  TokenList list = lex(tree->source, found);
  Parser(*tree, list, found).parse_file();
  tree->comments = std::move(list.comments);
  tree->has_errors = found.has_errors();
  report_once_a_line(found, sink);
  return tree;
}

}  // namespace harn::syntax
