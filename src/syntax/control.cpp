#include "syntax/parser.h"

namespace harn::syntax {

// `elif` is a name like any other; at the start of a line it must look like nothing else.
bool Parser::at_elif() const {
  if (!at_word("elif") || token(1).starts_line()) return false;
  if (!token().starts_line()) return starts_expression(kind(1));
  return kind(1) == TokenKind::Identifier || kind(1) == TokenKind::Not;
}

Node* Parser::parse_if() {
  ListBuilder<If*> links(ifs_, tree_.arena);
  // A long `else if` chain is a loop here, yet each link makes the tree one level deeper.
  for (;;) {
    auto* link = node<If>(NodeKind::If, start());
    advance();
    link->condition = parse_condition();
    link->then_block = parse_block("the condition");
    done(link);
    if (!links.empty()) links.back()->else_branch = link;
    links.add(link);
    if (failed_) break;
    if (at_elif()) {
      fail("`else if`").fix({"write `else if`", token().span(), "else if"});
      failed_ = gave_up_;
    } else if (!accept(TokenKind::KwElse)) {
      break;
    } else if (!at(TokenKind::KwIf)) {
      link->else_branch = parse_block("`else`");
      break;
    }
    if (links.size() + depth_ > kMaxDepth) {
      too_deep(kMaxDepth);
      break;
    }
  }
  for (size_t i = 0; i < links.size(); ++i) done(links[i]);
  return links[0];
}

Node* Parser::parse_match() {
  auto* match = node<Match>(NodeKind::Match, start());
  advance();
  match->subject = parse_condition();
  auto opener = static_cast<uint32_t>(at_);
  Deeper deeper(*this);
  expect(TokenKind::LeftBrace, "`{` after the value to match");
  if (failed_) return done(match);
  WithContext context(*this, block_context());
  size_t outer = extent_;
  extent_ = end_of(opener);
  ListBuilder<MatchArm> arms(arms_, tree_.arena);
  while (in_braces(opener)) {
    size_t first = at_;
    arms.add(parse_arm());
    while (accept(TokenKind::Comma) || accept(TokenKind::Semicolon)) {}
    if (failed_) recover(first, opener);
    if (at_ == first) advance();
  }
  extent_ = outer;
  match->arms = arms.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(match);
}

MatchArm Parser::parse_arm() {
  MatchArm arm{};
  uint32_t start = this->start();
  arm.pattern = parse_match_pattern();
  if (accept(TokenKind::KwIf)) arm.guard = parse_expression();
  if (!failed_ && at(TokenKind::Assign) && kind(1) == TokenKind::Greater) {
    Span span = cover(token().span(), token(1).span());
    fail_plainly("`->` after the pattern").fix({"write `->`", span, "->"});
  }
  if (!failed_ && at(TokenKind::Colon)) {
    fail_plainly("`->` after the pattern").fix({"write `->`", token().span(), " ->"});
  }
  expect(TokenKind::Arrow, arm.guard ? "`->` after the guard" : "`->` after the pattern");
  arm.body = parse_arm_body();
  arm.span = span_from(start);
  return arm;
}

Block* Parser::parse_arm_body() {
  if (at(TokenKind::LeftBrace) && !looks_like_dict() && !looks_like_closure(Place::Statement)) {
    return parse_block("`->`");
  }
  auto* body = node<Block>(NodeKind::Block, start());
  const Node* only = parse_statement();
  body->statements = tree_.arena.copy(std::span<const Node* const>(&only, 1));
  return done(body);
}

Node* Parser::parse_try() {
  auto* attempt = node<Try>(NodeKind::Try, start());
  advance();
  attempt->body = parse_block("`try`");
  if (accept(TokenKind::KwCatch)) {
    attempt->has_catch = true;
    if (accept(TokenKind::LeftParen)) {
      auto opener = static_cast<uint32_t>(at_ - 1);
      attempt->error_name = expect_name("a name for the error");
      if (accept(TokenKind::Colon)) attempt->error_type = parse_type();
      expect_close(TokenKind::RightParen, opener);
    } else if (!at(TokenKind::LeftBrace)) {
      attempt->error_name = expect_name("a name for the error or `{`");
    }
    attempt->catch_block = parse_block("`catch`");
  }
  if (accept(TokenKind::KwFinally)) attempt->finally_block = parse_block("`finally`");
  return done(attempt);
}

Node* Parser::parse_retry() {
  auto* retry = node<Retry>(NodeKind::Retry, start());
  advance();
  retry->count = parse_condition();
  retry->body = parse_block("the number of attempts");
  return done(retry);
}

Node* Parser::parse_parallel() {
  auto* parallel = node<Parallel>(NodeKind::Parallel, start());
  advance();
  parallel->mode = ParallelMode::Count;
  if (at_word("each") || at_word("settle")) {
    parallel->mode = at_word("each") ? ParallelMode::Each : ParallelMode::Settle;
    advance();
  }
  parallel->source = parse_condition();
  if (at_word("with") && !failed_) parallel->max_concurrent = parse_parallel_options();
  parallel->body = parse_task_body("`parallel`");
  if (at_word("as") && !token().starts_line() && !failed_) {
    advance();
    if (at_word("stream") && parallel->mode == ParallelMode::Each) {
      advance();
      parallel->as_stream = true;
    } else if (parallel->mode == ParallelMode::Each) {
      fail("`stream` after `parallel each ... as`");
    } else {
      --at_;
      fail("the end of the statement").help("only `parallel each` can be read `as stream`");
    }
  }
  return done(parallel);
}

// `with { max_concurrent: N }`
Node* Parser::parse_parallel_options() {
  advance();
  auto opener = static_cast<uint32_t>(at_);
  expect(TokenKind::LeftBrace);
  if (failed_) return nullptr;
  WithContext context(*this, bracket_context());
  Node* most = nullptr;
  while (!at_list_end(TokenKind::RightBrace)) {
    if (!at_word("max_concurrent")) {
      fail("`max_concurrent`").help("it is the only option of `parallel`");
      break;
    }
    advance();
    expect(TokenKind::Colon);
    most = parse_expression();
    if (!accept(TokenKind::Comma)) break;
  }
  expect_close(TokenKind::RightBrace, opener);
  return most;
}

// The body of a task: a closure whose parameters may be missing altogether.
Closure* Parser::parse_task_body(std::string_view after) {
  if (at(TokenKind::LeftBrace) && looks_like_closure(Place::Statement) && !failed_) {
    return parse_closure();
  }
  auto* closure = node<Closure>(NodeKind::Closure, start());
  closure->body = parse_block(after);
  return done(closure);
}

Node* Parser::parse_spawn() {
  auto* spawn = node<Spawn>(NodeKind::Spawn, start());
  advance();
  auto* closure = node<Closure>(NodeKind::Closure, start());
  closure->body = parse_block("`spawn`");
  spawn->body = done(closure);
  return done(spawn);
}

Node* Parser::parse_deadline() {
  auto* deadline = node<Deadline>(NodeKind::Deadline, start());
  advance();
  deadline->duration = parse_condition();
  deadline->body = parse_block("the duration");
  return done(deadline);
}

Node* Parser::parse_mutex() {
  auto* mutex = node<Mutex>(NodeKind::Mutex, start());
  advance();
  mutex->body = parse_block("`mutex`");
  return done(mutex);
}

Node* Parser::parse_select() {
  auto* select = node<Select>(NodeKind::Select, start());
  advance();
  auto opener = static_cast<uint32_t>(at_);
  Deeper deeper(*this);
  expect(TokenKind::LeftBrace);
  if (failed_) return done(select);
  WithContext context(*this, block_context());
  size_t outer = extent_;
  extent_ = end_of(opener);
  ListBuilder<SelectCase> cases(cases_, tree_.arena);
  Span timeout{}, fallback{};
  bool empty = at(TokenKind::RightBrace);
  while (in_braces(opener)) {
    size_t first = at_;
    Span word = token().span();
    cases.add(parse_select_case());
    if (cases.back().kind == SelectCaseKind::Timeout) timeout = word;
    if (cases.back().kind == SelectCaseKind::Default) fallback = word;
    while (accept(TokenKind::Comma) || accept(TokenKind::Semicolon)) {}
    if (failed_) recover(first, opener);
    if (at_ == first) advance();
  }
  extent_ = outer;
  if (empty) fail("at least one select case");
  if (timeout.end > 0 && fallback.end > 0) {
    report(diag::Code::SelectConflict, fallback).label(tree_.source, timeout, "`timeout` is here");
  }
  select->cases = cases.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(select);
}

SelectCase Parser::parse_select_case() {
  SelectCase found{.id = new_id()};
  found.kind = SelectCaseKind::Receive;
  if (at_word("timeout") && kind(1) != TokenKind::KwFrom) {
    advance();
    found.kind = SelectCaseKind::Timeout;
    found.source = parse_condition();
    found.body = parse_block("the timeout");
  } else if (at_word("default") && kind(1) != TokenKind::KwFrom) {
    advance();
    found.kind = SelectCaseKind::Default;
    found.body = parse_block("`default`");
  } else {
    found.binding = expect_name("a select case (`name from channel`, `timeout` or `default`)");
    expect(TokenKind::KwFrom, "`from` after the name");
    found.source = parse_condition();
    found.body = parse_block("the channel");
  }
  return found;
}

// Options come first, as `name: value` lines; the rest is an ordinary block.
Node* Parser::parse_cost_route() {
  auto* route = node<CostRoute>(NodeKind::CostRoute, start());
  advance();
  auto opener = static_cast<uint32_t>(at_);
  Deeper deeper(*this);
  advance();
  WithContext context(*this, block_context());
  ListBuilder<DictEntry> options(entries_, tree_.arena);
  for (;;) {
    while (accept(TokenKind::Semicolon) || accept(TokenKind::Comma)) {}
    bool key = is_word(kind()) || at(TokenKind::String);
    if (failed_ || !key || kind(1) != TokenKind::Colon) break;
    size_t first = at_;
    DictEntry option{};
    parse_dict_entry(option);
    options.add(option);
    if (!at(TokenKind::Comma)) end_statement("option");
    if (failed_) recover(first, opener);
  }
  route->options = options.finish();
  uint32_t start = previous_end();
  auto* body = node<Block>(NodeKind::Block, start);
  ListBuilder<const Node*> items(nodes_, tree_.arena);
  parse_statements(items, opener);
  body->statements = items.finish();
  body->span.end = this->start() < start ? start : this->start();
  route->body = body;
  expect_close(TokenKind::RightBrace, opener);
  return done(route);
}

static HumanCallKind human_call_kind(TokenKind kind) {
  switch (kind) {
    case TokenKind::KwRequestApproval: return HumanCallKind::RequestApproval;
    case TokenKind::KwDualControl: return HumanCallKind::DualControl;
    case TokenKind::KwEscalateTo: return HumanCallKind::EscalateTo;
    default: return HumanCallKind::AskUser;
  }
}

Node* Parser::parse_human_call() {
  uint32_t start = this->start();
  Token word = token();
  advance();
  bool typed = at(TokenKind::Less) && !token().after_space() && type_args_precede(TokenKind::LeftParen);
  if (!typed && (!at(TokenKind::LeftParen) || token().starts_line())) {
    auto* identifier = node<Identifier>(NodeKind::Identifier, start);
    identifier->name = text(word);
    return done(identifier);
  }
  auto* call = node<HumanCall>(NodeKind::HumanCall, start);
  call->which = human_call_kind(word.kind);
  if (typed) call->type_args = parse_type_args();
  call->args = parse_args();
  return done(call);
}

}  // namespace harn::syntax
