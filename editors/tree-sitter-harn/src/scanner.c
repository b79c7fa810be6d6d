// What a context-free grammar cannot tell: words, strings, nested comments, where a line ends a statement, and the
// signs that mean two things (`?`, `<`, `(`). Each decision is the one that src/syntax/lookahead.cpp and its
// neighbours take. Everything is decided by what the
// parser would take and the text that follows.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tree_sitter/parser.h"

enum TokenType {
  NEWLINE,
  IDENTIFIER,
  UPPER,
  KEYWORD_NAME,    // a reserved word where only a name can stand
  KEYWORD_KEY,     // a reserved word that `:` follows
  KEYWORD_SYMBOL,  // a reserved word as the value of an attribute
  CALL_OPEN,
  INDEX_OPEN,
  TYPE_ARGS_OPEN,     // `<` of `name<T>(...)`
  LITERAL_ARGS_OPEN,  // `<` of `Name<T> {...}`
  TERNARY_QUESTION,
  TERNARY_COLON,
  UNWRAP,
  BLOCK_COMMENT,
  RAW_STRING,
  STRING_CONTENT,
  MULTILINE_CONTENT,
  WORD_GEN,
  WORD_EACH,
  WORD_SETTLE,
  WORD_WITH,
  WORD_AS,
  WORD_STREAM,
  WORD_TIMEOUT,
  WORD_DEFAULT,
  WORD_DESCRIPTION,
  WORD_WHERE,
  WORD_OUT,
  WORD_NOT,
  WORD_COST_ROUTE,
  WORD_MAX_CONCURRENT,
  ERROR_SENTINEL,
};

// How far a question looks ahead, in tokens and brackets.
enum { kMostTokens = 512, kMostDepth = 200, kMostTypeDepth = 32, kLongestWord = 16 };

static const char *const kKeywords[] = {
    "pipeline", "extends",  "override", "let",       "const",            "var",          "if",       "else",
    "for",      "in",       "match",    "retry",     "parallel",         "defer",        "return",   "import",
    "true",     "false",    "nil",      "try",       "catch",            "throw",        "finally",  "fn",
    "emit",     "spawn",    "while",    "type",      "enum",             "eval_pack",    "struct",   "interface",
    "pub",      "from",     "to",       "tool",      "skill",            "exclusive",    "guard",    "require",
    "deadline", "yield",    "mutex",    "break",     "continue",         "select",       "impl",     "request_approval",
    "dual_control", "ask_user", "escalate_to",
};

// Reserved words that an expression may begin with.
static const char *const kExpressionWords[] = {
    "if",   "match", "retry",    "parallel", "true",   "false",            "nil",          "try",
    "fn",   "spawn", "deadline", "mutex",    "select", "request_approval", "dual_control", "ask_user",
    "escalate_to",
};

typedef struct {
  char text[kLongestWord + 2];  // longer words are cut: no reserved word is as long
  uint32_t length;
} Word;

static bool is(const Word *word, const char *text) { return strcmp(word->text, text) == 0; }

static bool is_one_of(const Word *word, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (is(word, list[i])) return true;
  }
  return false;
}

static bool is_keyword(const Word *word) {
  return is_one_of(word, kKeywords, sizeof(kKeywords) / sizeof(kKeywords[0]));
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static bool is_word_start(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word_part(int32_t c) { return is_word_start(c) || is_digit(c); }

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }
static void skip(TSLexer *lexer) { lexer->advance(lexer, true); }

static void read_word(TSLexer *lexer, Word *word) {
  word->length = 0;
  while (is_word_part(lexer->lookahead)) {
    if (word->length <= kLongestWord) word->text[word->length++] = (char)lexer->lookahead;
    advance(lexer);
  }
  word->text[word->length] = 0;
}

// ---- blanks and comments ----

// At `*` behind `/`; reads through the end of the comment, with comments inside it.
static bool read_block_comment(TSLexer *lexer) {
  uint32_t depth = 1;
  advance(lexer);
  while (!lexer->eof(lexer)) {
    int32_t c = lexer->lookahead;
    advance(lexer);
    if (c == '/' && lexer->lookahead == '*') {
      ++depth;
      advance(lexer);
    } else if (c == '*' && lexer->lookahead == '/') {
      advance(lexer);
      if (--depth == 0) return true;
    }
  }
  return false;
}

typedef struct {
  bool space;    // blanks or a comment came before the next token
  bool newline;  // the next token starts a line
  bool slash;    // the next token is a `/` that has been read already
} Gap;

// Goes to the next token. A line end inside a comment does not count, one behind it does.
static Gap read_gap(TSLexer *lexer) {
  Gap gap = {false, false, false};
  for (;;) {
    int32_t c = lexer->lookahead;
    if (c == '\n') {
      gap.newline = gap.space = true;
      advance(lexer);
    } else if (c == ' ' || c == '\t' || c == '\r') {
      gap.space = true;
      advance(lexer);
    } else if (c == '\\') {
      advance(lexer);
      if (lexer->lookahead == '\r') advance(lexer);
      if (lexer->lookahead != '\n') return gap;
      gap.space = true;
      advance(lexer);
    } else if (c == '/') {
      advance(lexer);
      if (lexer->lookahead == '/') {
        while (!lexer->eof(lexer) && lexer->lookahead != '\n') advance(lexer);
      } else if (lexer->lookahead == '*') {
        read_block_comment(lexer);
      } else {
        gap.slash = true;
        return gap;
      }
      gap.space = true;
    } else {
      return gap;
    }
  }
}

// ---- looking ahead ----

static void skip_quoted(TSLexer *lexer, uint32_t depth);

// At the quote of a raw string, behind `r` and its hashes.
static bool read_raw_string(TSLexer *lexer, uint32_t hashes) {
  advance(lexer);
  while (!lexer->eof(lexer) && lexer->lookahead != '\n') {
    int32_t c = lexer->lookahead;
    advance(lexer);
    if (c != '"') continue;
    uint32_t found = 0;
    while (found < hashes && lexer->lookahead == '#') {
      ++found;
      advance(lexer);
    }
    if (found == hashes) return true;
  }
  return false;
}

// Behind the opening bracket (or `${`); reads through the closing one.
static void skip_bracket(TSLexer *lexer, uint32_t depth) {
  if (depth > kMostDepth) return;
  while (!lexer->eof(lexer)) {
    Gap gap = read_gap(lexer);
    if (gap.slash) continue;
    int32_t c = lexer->lookahead;
    if (is_word_start(c)) {
      Word word;
      read_word(lexer, &word);
      if (!is(&word, "r")) continue;
      uint32_t hashes = 0;
      while (lexer->lookahead == '#') {
        ++hashes;
        advance(lexer);
      }
      if (lexer->lookahead == '"') read_raw_string(lexer, hashes);
      continue;
    }
    if (c == '"') {
      skip_quoted(lexer, depth + 1);
      continue;
    }
    if (lexer->eof(lexer)) return;
    advance(lexer);
    if (c == '(' || c == '[' || c == '{') skip_bracket(lexer, depth + 1);
    else if (c == ')' || c == ']' || c == '}') return;
  }
}

// At the opening quote.
static void skip_quoted(TSLexer *lexer, uint32_t depth) {
  bool multiline = false;
  advance(lexer);
  if (lexer->lookahead == '"') {
    advance(lexer);
    if (lexer->lookahead != '"') return;
    multiline = true;
    advance(lexer);
  }
  while (!lexer->eof(lexer)) {
    int32_t c = lexer->lookahead;
    if (c == '\n' && !multiline) return;
    advance(lexer);
    if (c == '\\') {
      if (lexer->lookahead != '\n') advance(lexer);
    } else if (c == '$' && lexer->lookahead == '{') {
      advance(lexer);
      skip_bracket(lexer, depth + 1);
    } else if (c == '"') {
      if (!multiline) return;
      if (lexer->lookahead != '"') continue;
      advance(lexer);
      if (lexer->lookahead != '"') continue;
      advance(lexer);
      return;
    }
  }
}

// These read a type and say whether there was one. A gap before it has been read.
static bool scan_type(TSLexer *lexer, uint32_t depth, Gap *after);

// Behind `<`; reads through `>`.
static bool scan_type_args(TSLexer *lexer, uint32_t depth) {
  for (;;) {
    Gap after;
    if (read_gap(lexer).slash || !scan_type(lexer, depth, &after) || after.slash) return false;
    int32_t c = lexer->lookahead;
    advance(lexer);
    if (c == '>') return lexer->lookahead != '=';
    if (c != ',') return false;
  }
}

static bool scan_type_primary(TSLexer *lexer, uint32_t depth, Gap *after) {
  int32_t c = lexer->lookahead;
  if (c == '(' || c == '[' || c == '{') {
    advance(lexer);
    skip_bracket(lexer, 0);
  } else if (c == '"') {
    skip_quoted(lexer, 0);
  } else if (c == '-' || is_digit(c)) {
    if (c == '-') advance(lexer);
    if (!is_digit(lexer->lookahead)) return false;
    while (is_digit(lexer->lookahead)) advance(lexer);
    if (is_word_part(lexer->lookahead) || lexer->lookahead == '.') return false;
  } else if (is_word_start(c)) {
    Word word;
    read_word(lexer, &word);
    if (is(&word, "fn")) {
      if (read_gap(lexer).slash || lexer->lookahead != '(') return false;
      advance(lexer);
      skip_bracket(lexer, 0);
      if (read_gap(lexer).slash || lexer->lookahead != '-') return false;
      advance(lexer);
      if (lexer->lookahead != '>') return false;
      advance(lexer);
      if (read_gap(lexer).slash) return false;
      return scan_type(lexer, depth + 1, after);
    }
    bool is_literal = is(&word, "nil") || is(&word, "true") || is(&word, "false");
    if (!is_literal && is_keyword(&word)) return false;
    *after = read_gap(lexer);
    if (is_literal || after->slash || lexer->lookahead != '<') return true;
    advance(lexer);
    if (!scan_type_args(lexer, depth + 1)) return false;
  } else {
    return false;
  }
  *after = read_gap(lexer);
  return true;
}

static bool scan_type(TSLexer *lexer, uint32_t depth, Gap *after) {
  if (depth > kMostTypeDepth) return false;
  for (;;) {
    if (!scan_type_primary(lexer, depth, after)) return false;
    while (!after->slash && lexer->lookahead == '?') {
      advance(lexer);
      *after = read_gap(lexer);
    }
    int32_t c = lexer->lookahead;
    if (after->slash || (c != '|' && c != '&')) return true;
    advance(lexer);
    if (lexer->lookahead == c || lexer->lookahead == '>') return false;  // `||`, `&&`, `|>`
    if (read_gap(lexer).slash) return false;
  }
}

static bool starts_expression(int32_t c) {
  return is_digit(c) || c == '"' || c == '(' || c == '[' || c == '{' || is_word_start(c) || c == '-' || c == '!';
}

// Whether the `:` of a ternary comes before anything that ends it. `newlines_end`: a line end may end the expression.
static bool finds_ternary_colon(TSLexer *lexer, bool newlines_end) {
  uint32_t inner = 0;  // further `?` that need a `:` of their own
  bool after_brace = false;
  for (uint32_t steps = 0; steps < kMostTokens && !lexer->eof(lexer); ++steps) {
    Gap gap = read_gap(lexer);
    bool was_brace = after_brace;
    after_brace = false;
    if (gap.slash) continue;
    int32_t c = lexer->lookahead;
    bool line_ends = gap.newline && newlines_end && steps > 0;
    if (is_word_start(c)) {
      Word word;
      read_word(lexer, &word);
      if (is(&word, "else")) {
        if (!was_brace) return false;
        continue;
      }
      if (is(&word, "catch") || is(&word, "finally")) continue;
      if (line_ends) return false;
      if (is(&word, "fn")) {
        read_gap(lexer);
        if (lexer->lookahead != '(') continue;
        advance(lexer);
        skip_bracket(lexer, 0);
        read_gap(lexer);
        if (lexer->lookahead != '-') continue;
        advance(lexer);
        if (lexer->lookahead != '>') continue;
        advance(lexer);
        Gap after;
        read_gap(lexer);
        if (!scan_type(lexer, 0, &after)) return false;
      } else if (is(&word, "r") && (lexer->lookahead == '"' || lexer->lookahead == '#')) {
        uint32_t hashes = 0;
        for (; lexer->lookahead == '#'; ++hashes) advance(lexer);
        if (lexer->lookahead == '"') read_raw_string(lexer, hashes);
      }
      continue;
    }
    bool continues = c == '.' || c == '?' || c == ':' || c == '|' || c == '&' || c == '=' || c == '<' || c == '>' ||
                     c == '+' || c == '*' || c == '%' || c == '!';
    if (line_ends && !continues) return false;
    if (c == '"') {
      skip_quoted(lexer, 0);
      continue;
    }
    if (lexer->eof(lexer)) return false;
    advance(lexer);
    switch (c) {
      case ',':
      case ';':
      case ')':
      case ']':
      case '}': return false;
      case '(':
      case '[':
      case '{':
        skip_bracket(lexer, 0);
        after_brace = c == '{';
        break;
      case '-':
        if (lexer->lookahead == '>') return false;
        break;
      case '=':
        if (lexer->lookahead != '=') return false;
        advance(lexer);
        break;
      case '<':
      case '>':
      case '!':
        if (lexer->lookahead == '=') advance(lexer);
        else if (line_ends && c == '!') return false;
        break;
      case ':':
        if (lexer->lookahead == ':') {
          advance(lexer);
          break;
        }
        if (inner == 0) return true;
        --inner;
        break;
      case '?':
        if (lexer->lookahead == '?' || lexer->lookahead == '.') {
          advance(lexer);
          break;
        }
        if (gap.space) {
          Gap next = read_gap(lexer);
          if (!next.slash && starts_expression(lexer->lookahead)) ++inner;
        }
        break;
      default: break;
    }
  }
  return false;
}

// Behind `?`: whether it begins a ternary. `tight`: nothing stands before it.
static bool is_ternary(TSLexer *lexer, bool tight, bool newlines_end, bool pending) {
  Gap gap = read_gap(lexer);
  if (gap.slash || (gap.newline && newlines_end)) return false;
  int32_t c = lexer->lookahead;
  if (c == '[') {
    if (tight && !gap.space && pending) return false;
    return finds_ternary_colon(lexer, newlines_end);
  }
  if (c == '(' || c == '{') {
    if (tight && pending) return false;
    return finds_ternary_colon(lexer, newlines_end);
  }
  if (c == '-') {
    if (tight && pending) return false;
    advance(lexer);
    if (lexer->lookahead == '>' || lexer->lookahead == '=') return false;
    return finds_ternary_colon(lexer, newlines_end);
  }
  if (c == '!') {
    advance(lexer);
    return lexer->lookahead != '=';
  }
  if (!is_word_start(c)) return is_digit(c) || c == '"';
  Word word;
  read_word(lexer, &word);
  if (is(&word, "if")) return finds_ternary_colon(lexer, newlines_end);
  if (is(&word, "not") || is(&word, "with")) {
    bool is_not = is(&word, "not");
    if (read_gap(lexer).slash) return true;
    if (!is_not) return lexer->lookahead != '{';
    read_word(lexer, &word);
    return !is(&word, "in");
  }
  return !is_keyword(&word) ||
         is_one_of(&word, kExpressionWords, sizeof(kExpressionWords) / sizeof(kExpressionWords[0]));
}

// At the first token of a line: whether it goes on with the statement before it.
static bool continues_statement(TSLexer *lexer) {
  int32_t c = lexer->lookahead;
  if (lexer->eof(lexer)) return true;
  switch (c) {
    case '}':
    case ')':
    case ']':
    case ',':
    case ';':
    case '.':
    case '?':
    case ':':
    case '=':
    case '<':
    case '>':
    case '+':
    case '*':
    case '%':
    case '&':
    case '|': return true;
    case '!':
      advance(lexer);
      return lexer->lookahead == '=';
    case '-':
      advance(lexer);
      return lexer->lookahead == '>' || lexer->lookahead == '=';
    default: break;
  }
  if (!is_word_start(c)) return false;
  Word word;
  read_word(lexer, &word);
  return is(&word, "else") || is(&word, "catch") || is(&word, "finally") || is(&word, "exclusive");
}

// ---- tokens ----

static bool take(TSLexer *lexer, enum TokenType type) {
  lexer->result_symbol = type;
  return true;
}

static bool scan_string_content(TSLexer *lexer, bool multiline) {
  bool has_content = false;
  for (;; has_content = true) {
    lexer->mark_end(lexer);
    int32_t c = lexer->lookahead;
    if (lexer->eof(lexer) || c == '\\' || (c == '\n' && !multiline) || (c == '"' && !multiline)) break;
    advance(lexer);
    if (c == '$' && lexer->lookahead == '{') break;
    if (c == '"' && lexer->lookahead == '"') {
      advance(lexer);
      if (lexer->lookahead == '"') break;
    }
  }
  return has_content && take(lexer, multiline ? MULTILINE_CONTENT : STRING_CONTENT);
}

typedef struct {
  const char *text;
  enum TokenType type;
} Contextual;

static const Contextual kContextual[] = {
    {"gen", WORD_GEN},         {"each", WORD_EACH},       {"settle", WORD_SETTLE},
    {"with", WORD_WITH},       {"as", WORD_AS},           {"stream", WORD_STREAM},
    {"timeout", WORD_TIMEOUT}, {"default", WORD_DEFAULT}, {"description", WORD_DESCRIPTION},
    {"where", WORD_WHERE},     {"out", WORD_OUT},         {"not", WORD_NOT},
    {"cost_route", WORD_COST_ROUTE},
    {"max_concurrent", WORD_MAX_CONCURRENT},
};

// Behind a word that means something only in some places: whether what follows makes it mean that here.
static bool means_it(TSLexer *lexer, enum TokenType type) {
  Word next;
  Gap gap;
  switch (type) {
    case WORD_GEN:
      gap = read_gap(lexer);
      read_word(lexer, &next);
      return !gap.newline && is(&next, "fn");
    case WORD_NOT:
      read_gap(lexer);
      read_word(lexer, &next);
      return is(&next, "in");
    case WORD_TIMEOUT:
    case WORD_DEFAULT:
      read_gap(lexer);
      read_word(lexer, &next);
      return !is(&next, "from");
    case WORD_OUT:
      read_gap(lexer);
      read_word(lexer, &next);
      return next.length > 0 && !is_keyword(&next);
    case WORD_DESCRIPTION:
      gap = read_gap(lexer);
      if (gap.newline) return false;
      if (lexer->lookahead == 'r') {
        advance(lexer);
        while (lexer->lookahead == '#') advance(lexer);
      }
      return lexer->lookahead == '"';
    case WORD_COST_ROUTE:
      gap = read_gap(lexer);
      return !gap.newline && !gap.slash && lexer->lookahead == '{';
    default: return true;
  }
}

static bool colon_follows(TSLexer *lexer) {
  if (read_gap(lexer).slash) return false;
  if (lexer->lookahead == '?') {  // an optional field
    advance(lexer);
    if (read_gap(lexer).slash) return false;
  }
  if (lexer->lookahead != ':') return false;
  advance(lexer);
  return lexer->lookahead != ':';
}

static bool scan_word(TSLexer *lexer, const bool *valid) {
  bool is_upper = lexer->lookahead >= 'A' && lexer->lookahead <= 'Z';
  Word word;
  read_word(lexer, &word);
  if (is(&word, "r") && (lexer->lookahead == '"' || lexer->lookahead == '#')) {
    lexer->mark_end(lexer);
    uint32_t hashes = 0;
    for (; lexer->lookahead == '#'; ++hashes) advance(lexer);
    if (lexer->lookahead == '"') {
      if (!read_raw_string(lexer, hashes)) return false;
      lexer->mark_end(lexer);
      return take(lexer, RAW_STRING);
    }
    return take(lexer, IDENTIFIER);
  }
  lexer->mark_end(lexer);
  if (is_keyword(&word)) {
    bool is_literal = is(&word, "true") || is(&word, "false") || is(&word, "nil");
    if (valid[KEYWORD_NAME] && !valid[ERROR_SENTINEL]) return take(lexer, KEYWORD_NAME);
    if (valid[KEYWORD_KEY] && colon_follows(lexer)) return take(lexer, KEYWORD_KEY);
    if (valid[KEYWORD_SYMBOL] && !is_literal && !valid[ERROR_SENTINEL]) return take(lexer, KEYWORD_SYMBOL);
    return false;
  }
  for (size_t i = 0; i < sizeof(kContextual) / sizeof(kContextual[0]); ++i) {
    const Contextual *one = &kContextual[i];
    if (!is(&word, one->text)) continue;
    if (valid[one->type] && !valid[ERROR_SENTINEL] && means_it(lexer, one->type)) return take(lexer, one->type);
    break;
  }
  return take(lexer, is_upper ? UPPER : IDENTIFIER);
}

// `<` directly behind a name: type arguments if they are followed by what takes them.
static bool scan_angle(TSLexer *lexer, const bool *valid) {
  advance(lexer);
  lexer->mark_end(lexer);
  if (!scan_type_args(lexer, 0)) return false;
  Gap gap = read_gap(lexer);
  if (gap.newline || gap.slash) return false;
  if (lexer->lookahead == '(' && valid[TYPE_ARGS_OPEN]) return take(lexer, TYPE_ARGS_OPEN);
  if (lexer->lookahead == '{' && valid[LITERAL_ARGS_OPEN]) return take(lexer, LITERAL_ARGS_OPEN);
  return false;
}

static bool scan_question(TSLexer *lexer, const bool *valid, bool tight, bool newline) {
  bool newlines_end = valid[NEWLINE];
  advance(lexer);
  lexer->mark_end(lexer);
  if (lexer->lookahead == '?' || lexer->lookahead == '.') return false;
  if (valid[TERNARY_QUESTION] && is_ternary(lexer, tight, newlines_end, valid[TERNARY_COLON])) {
    return take(lexer, TERNARY_QUESTION);
  }
  if (newline && newlines_end) return false;
  return valid[UNWRAP] && take(lexer, UNWRAP);
}

// The only state: whether a line has ended before the block comment that was the last token.
typedef struct {
  bool newline;
} Scanner;

static bool scan_comment(TSLexer *lexer, Scanner *scanner, bool newline) {
  advance(lexer);
  if (lexer->lookahead != '*' || !read_block_comment(lexer)) return false;
  lexer->mark_end(lexer);
  scanner->newline = newline;
  return take(lexer, BLOCK_COMMENT);
}

static bool scan_sign(TSLexer *lexer, const bool *valid, bool space, bool newline) {
  int32_t c = lexer->lookahead;
  if (c == '<' && !space && (valid[TYPE_ARGS_OPEN] || valid[LITERAL_ARGS_OPEN])) return scan_angle(lexer, valid);
  if (c == '?' && (valid[TERNARY_QUESTION] || valid[UNWRAP])) return scan_question(lexer, valid, !space, newline);
  bool is_open = !newline && ((c == '(' && valid[CALL_OPEN]) || (c == '[' && valid[INDEX_OPEN]));
  bool is_colon = c == ':' && valid[TERNARY_COLON];
  if (!is_open && !is_colon) return false;
  advance(lexer);
  lexer->mark_end(lexer);
  if (is_colon) return lexer->lookahead != ':' && take(lexer, TERNARY_COLON);
  return take(lexer, c == '(' ? CALL_OPEN : INDEX_OPEN);
}

bool tree_sitter_harn_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  bool recovers = valid[ERROR_SENTINEL];
  if (!recovers && valid[STRING_CONTENT]) return scan_string_content(lexer, false);
  if (!recovers && valid[MULTILINE_CONTENT]) return scan_string_content(lexer, true);

  bool newline = scanner->newline, space = newline;
  scanner->newline = false;
  lexer->mark_end(lexer);
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r' || lexer->lookahead == '\n') {
    space = true;
    newline |= lexer->lookahead == '\n';
    skip(lexer);
  }
  if (lexer->lookahead == '/') return scan_comment(lexer, scanner, newline);
  if (newline && valid[NEWLINE] && !recovers) {
    bool is_sign = !is_word_start(lexer->lookahead);
    if (!continues_statement(lexer)) return take(lexer, NEWLINE);
    if (!is_sign) return false;
  }
  if (is_word_start(lexer->lookahead)) return scan_word(lexer, valid);
  return !recovers && scan_sign(lexer, valid, space, newline);
}

void *tree_sitter_harn_external_scanner_create(void) { return calloc(1, sizeof(Scanner)); }

void tree_sitter_harn_external_scanner_destroy(void *payload) { free(payload); }

unsigned tree_sitter_harn_external_scanner_serialize(void *payload, char *buffer) {
  buffer[0] = ((Scanner *)payload)->newline;
  return 1;
}

void tree_sitter_harn_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  ((Scanner *)payload)->newline = length > 0 && buffer[0];
}
