// What people type who come from another language: `a++`, `x => x`, `elseif`. The parser stumbles
// over such a thing at a certain token; the tokens around that one tell what was meant, and the
// report gets a sentence about it besides "expected X, found Y".
#include <algorithm>

#include "syntax/parser.h"

namespace harn::syntax {

namespace {

constexpr std::string_view kClosure = "a closure is written `{ x -> x + 1 }`";
constexpr std::string_view kList = "a list is written `[a, b]`; `pair(a, b)` makes a pair";
constexpr std::string_view kRange = "a range is `a to b`, or `a to b exclusive` without its end";
constexpr std::string_view kAssign = "an assignment has no value; write one statement for each";
constexpr std::string_view kTernary = "a choice is `c ? a : b`, or `if c { a } else { b }`";
constexpr std::string_view kBits = "there are no operators for bits";
constexpr std::string_view kPub = "write `pub`; what has none is private to its file";

// Tokens by their text, as they stand: the one before, the one that was not expected, the one
// behind it. An empty text stands for any token.
struct Habit {
  std::string_view before, here, after;
  std::string_view help;
  // The token that `replacement` would replace, if a replacement is all that is needed.
  enum class Edit : uint8_t { None, Before, Here } edit = Edit::None;
  std::string_view replacement = {};
};
using Edit = Habit::Edit;

// Two signs that would be one in another language: no space between them.
constexpr Habit kSigns[] = {
    {"", "=", ">", "there is no `=>`; a closure is `{ x -> x + 1 }`, a function `fn f(x) { x + 1 }`"},
    {"=", ">", "", "there is no `=>`; a closure is `{ x -> x + 1 }`, a match arm `pattern -> { ... }`"},
    {"==", "=", "", "`==` compares values of all kinds; there is no `===`", Edit::Here, ""},
    {"!=", "=", "", "`!=` compares values of all kinds; there is no `!==`", Edit::Here, ""},
    {"<", ">", "", "unequal is written `!=`"},
    {"<", "<", "", "there is no `<<`; text of several lines is written between `\"\"\"`"},
    {">", ">", "", kBits},
    {"+", "+", "", "there is no `++`; write `+= 1`"},
    {"-", "-", "", "there is no `--`; write `-= 1`"},
    {"&&", "=", "", "there is no `&&=`; write `x = x && y`"},
    {"||", "=", "", "there is no `||=`; write `x = x || y`"},
    {"??", "=", "", "there is no `?\?=`; write `x = x ?? y`"},
    {"**", "=", "", "there is no `**=`; write `x = x ** y`"},
    {":", "=", "", "there is no `:=`; write `let x = 1` or `var x = 1`", Edit::Before, ""},
    {"", ":", "=", "there is no `:=`; write `let x = 1` or `var x = 1`"},
    {"?.", "[", "", "write `?[`", Edit::Before, "?"},
    {".", ".", "", kRange},
};

constexpr Habit kWords[] = {
    {"", "and", "", "write `&&`", Edit::Here, "&&"},
    {"", "or", "", "write `||`", Edit::Here, "||"},
    {"not", "", "", "write `!`", Edit::Before, "!"},
    {"", "is", "", "values are compared with `==`", Edit::Here, "=="},
    {"", "&", "", "did you mean `&&`?", Edit::Here, "&&"},
    {"", "|", "", "did you mean `||`?", Edit::Here, "||"},
    {"def", "", "", "did you mean `fn`?", Edit::Before, "fn"},
    {"func", "", "", "did you mean `fn`?", Edit::Before, "fn"},
    {"fun", "", "", "did you mean `fn`?", Edit::Before, "fn"},
    {"function", "", "", "did you mean `fn`?", Edit::Before, "fn"},
    {"switch", "", "", "did you mean `match`?", Edit::Before, "match"},
    {"class", "", "", "did you mean `struct`? Its methods are in an `impl` block", Edit::Before, "struct"},
    {"elif", "", "", "did you mean `else if`?", Edit::Before, "else if"},
    {"", "elseif", "", "write `else if`", Edit::Here, "else if"},
    {"", "elsif", "", "write `else if`", Edit::Here, "else if"},
    {"", "then", "", "a condition is followed by a block: `if c { a } else { b }`"},
    {"", "do", "", "a condition is followed by a block: `while c { ... }`"},
    {"do", "", "", "there is no `do`; `while true { ... }` with a `break` at its end tests last"},
    {"loop", "{", "", "did you mean `while true`?", Edit::Before, "while true"},
    {"unless", "", "", "write `if !(...)`"},
    {"until", "", "", "write `while !(...)`"},
    {"foreach", "", "", "did you mean `for`?", Edit::Before, "for"},
    {"", "of", "", "did you mean `in`?", Edit::Here, "in"},
    {"lambda", "", "", kClosure},
    {"async", "", "", "leave it out: every function can wait; `spawn { ... }` runs one beside others"},
    {"await", "", "", "`await` is a function: `await(task)`"},
    {"new", "", "", "a struct is made with its name and fields: `Point { x: 1 }`"},
    {"export", "", "", kPub, Edit::Before, "pub"},
    {"public", "", "", kPub, Edit::Before, "pub"},
    {"private", "", "", "leave it out: what is not `pub` is private to its file"},
    {"static", "", "", "leave it out: a function outside of `impl` needs no object"},
    {"mut", "", "", "a variable that changes is declared with `var`"},
    {"raise", "", "", "did you mean `throw`?", Edit::Before, "throw"},
    {"", "except", "", "did you mean `catch`?", Edit::Here, "catch"},
    {"case", "", "", "leave it out: an arm begins with its pattern"},
    {"with", "", "", "`defer { ... }` closes what was opened when the block ends"},
    {"", "if", "", kTernary},
    {"import", "*", "", "`import \"path\"` brings all that the module exports, `import { a } from \"path\"` a part"},
};

constexpr std::string_view kTypes[] = {"int",  "string", "float", "bool",   "list",
                                       "dict", "auto",   "char",  "double", "void"};

bool is_type_word(std::string_view word) {
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

bool is_literal(TokenKind kind) {
  return kind == TokenKind::String || kind == TokenKind::StringOpen || kind == TokenKind::Int ||
         kind == TokenKind::Float;
}

}  // namespace

// Whether the token before the current one is on its line.
bool Parser::continues_same_line() const { return at_ > 0 && !token().starts_line(); }

bool Parser::is_habit(std::string_view before, std::string_view here, std::string_view after) const {
  return (before.empty() || (continues_same_line() && text(tokens_[at_ - 1]) == before)) &&
         (here.empty() || text(token()) == here) && (after.empty() || text(token(1)) == after);
}

// At the second `-` of `a--` at the end of a line, which would swallow the next one.
bool Parser::at_decrement() const {
  return at(TokenKind::Minus) && at_ > 0 && tokens_[at_ - 1].kind == TokenKind::Minus && !token().after_space() &&
         token(1).starts_line();
}

// Whether the current token belongs to a `word` on its line, with no brace between them unless
// `braces` says that the construct has some of its own.
bool Parser::follows_on_line(TokenKind word, bool braces) const {
  constexpr size_t kFar = 16;
  for (size_t i = at_; i-- > 0 && at_ - i <= kFar;) {
    if (tokens_[i + 1].starts_line()) return false;
    if (tokens_[i].kind == word) return true;
    if (tokens_[i].kind == TokenKind::LeftBrace && !braces) return false;
  }
  return false;
}

// An assignment further on in the line: `a, b = b, a`.
bool Parser::assigns_on_this_line() const {
  for (size_t i = at_; i + 1 < count_ && (i == at_ || !tokens_[i].starts_line()); ++i) {
    if (tokens_[i].kind == TokenKind::Assign) return true;
  }
  return false;
}

// Inside the parentheses of `(a, b) => a + b`.
bool Parser::arrow_follows_parenthesis() const {
  size_t i = at_;
  while (i + 2 < count_ && tokens_[i].kind != TokenKind::RightParen) ++i;
  if (i + 2 >= count_) return false;
  return tokens_[i + 1].kind == TokenKind::Arrow ||
         (tokens_[i + 1].kind == TokenKind::Assign && tokens_[i + 2].kind == TokenKind::Greater);
}

std::string_view Parser::habit_of_place(std::string_view expected) const {
  using enum TokenKind;
  TokenKind before = at_ > 0 ? tokens_[at_ - 1].kind : Eof;
  TokenKind outer = at_ > 1 ? tokens_[at_ - 2].kind : Eof;
  bool ends = expected.find("separator") != expected.npos;  // a statement should have ended
  bool binds = before == KwLet || before == KwVar || (at(Comma) && (outer == KwLet || outer == KwVar));
  bool counts = at(Assign) || at(Semicolon) || at(KwLet) || at(KwVar) || at(KwConst);
  if (counts && follows_on_line(KwFor, false)) return "a loop goes over values: `for i in 0 to 9 { ... }`";
  if (before == Minus && outer == Minus && ends_statement()) return "there is no `--`; write `-= 1`";
  if (binds && (at(Comma) || at(LeftParen))) return "a pattern binds several names: `let [a, b] = list`";
  if (ends && at(Comma) && assigns_on_this_line())
    return "an assignment has one target; to swap, keep one value: `let old = a`";
  if (ends && at(Assign)) return kAssign;
  if (at(Comma) && expected == "`)`") return arrow_follows_parenthesis() ? kClosure : kList;
  if (at(Arrow)) return token().after_space() ? kClosure : "the fields of a value are read with `.`";
  if (at(KwFor)) return "there are no comprehensions; use `.map` and `.filter`";
  if (at(Bar) && expected.starts_with("an expression")) return kClosure;
  if (at(Dot) && kind(1) == Int) return "a number begins with a digit: `0.5`";
  if (before == Dot && outer == Int) return "a number ends with a digit: `5.0`";
  if (at(Colon) && expected.ends_with("the parameters"))
    return "the type of a result follows `->`: `fn f(x: int) -> int { ... }`";
  if (at(LeftBracket) && before == Identifier && is_type_word(text(tokens_[at_ - 1])))
    return "the type of a list is `list<T>`";
  if (follows_on_line(KwImport, true) && at_word("as"))
    return "an import keeps its names; `let other = name` gives a second one";
  if (at(KwFrom)) return "names are imported with `import { a, b } from \"path\"`";
  return {};
}

// Two things side by side: most likely a call without parentheses.
std::string Parser::habit_of_neighbours() const {
  if (!continues_same_line() || tokens_[at_ - 1].kind != TokenKind::Identifier) return {};
  std::string_view word = text(tokens_[at_ - 1]);
  if (is_type_word(word) && at(TokenKind::Identifier)) {
    return format("a type follows its name: `{}: {}`", text(token()), word);
  }
  if (word == "f" && is_literal(kind()) && !token().after_space()) {
    return "every string can hold `${...}`; leave the `f` out";
  }
  if (!is_literal(kind()) || !token().after_space()) return {};
  return format("a call has parentheses: `{}(...)`", word);
}

// Adds what the tokens tell about the mistake; false when they tell nothing.
bool Parser::explain_habit(diag::Report& report, std::string_view expected) const {
  auto offer = [&](const Habit& habit) {
    if (habit.edit == Edit::None) return void(report.help(std::string(habit.help)));
    const Token& t = habit.edit == Edit::Here ? token() : tokens_[at_ - 1];
    report.fix({std::string(habit.help), t.span(), std::string(habit.replacement)});
  };
  for (const Habit& habit : kSigns) {
    const Token& second = habit.after.empty() ? token() : token(1);
    if (second.after_space() || !is_habit(habit.before, habit.here, habit.after)) continue;
    offer(habit);
    return true;
  }
  std::string help(habit_of_place(expected));
  for (const Habit& habit : kWords) {
    if (!help.empty() || !is_habit(habit.before, habit.here, habit.after)) continue;
    offer(habit);
    return true;
  }
  if (help.empty()) help = habit_of_neighbours();
  if (help.empty()) return false;
  report.help(std::move(help));
  return true;
}

}  // namespace harn::syntax
