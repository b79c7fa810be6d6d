#include "format/lists.h"

namespace harn::formatter {

using namespace syntax;

void Printer::condition_expr(const Node* node, bool in_guard) {
  WithContext context(*this, condition());
  context_.in_guard = in_guard;
  expr(node);
}

void Printer::retry(const Retry& node, Position position) { head_and_block("retry ", node.count, node.body, position); }

void Printer::deadline(const Deadline& node, Position position) {
  head_and_block("deadline ", node.duration, node.body, position);
}

void Printer::mutex(const Mutex& node, Position position) { head_and_block("mutex ", nullptr, node.body, position); }

void Printer::head_and_block(std::string_view keyword, const Node* head, const Block* body, Position position) {
  text(keyword);
  if (head) {
    condition_expr(head);
    text(" ");
  }
  if (position == Position::Statement) block(body);
  else keyword_block("", body);
}

// As a statement always over several lines; as a value on one line when it fits.
void Printer::if_else(const If& first, Position position) {
  layout_.begin_group({.indent = 0, .breaks_on_hard = true});
  if (position == Position::Statement || !first.else_branch) layout_.force_break();
  const Node* branch = &first;
  while (branch && branch->is(NodeKind::If)) {
    const If& link = branch->as<If>();
    text("if ");
    condition_expr(link.condition);
    text(" ");
    block_in_group(link.then_block);
    branch = link.else_branch;
    if (branch) continuation("else ", link.then_block->span.end, branch->span.start);
  }
  if (branch) block_in_group(&branch->as<Block>());
  layout_.end_group();
}

void Printer::try_catch(const Try& attempt, Position position) {
  layout_.begin_group({.indent = 0, .breaks_on_hard = true});
  if (position == Position::Statement) layout_.force_break();
  text("try ");
  block_in_group(attempt.body);
  if (attempt.has_catch) {
    continuation("catch ", attempt.body->span.end, attempt.catch_block->span.start);
    if (!attempt.error_name.empty()) {
      text("(");
      text(attempt.error_name.text);
      if (attempt.error_type) {
        text(": ");
        type(attempt.error_type);
      }
      text(") ");
    }
    block_in_group(attempt.catch_block);
  }
  if (attempt.finally_block) {
    const Block* before = attempt.has_catch ? attempt.catch_block : attempt.body;
    continuation("finally ", before->span.end, attempt.finally_block->span.start);
    block_in_group(attempt.finally_block);
  }
  layout_.end_group();
}

void Printer::match(const Match& match) {
  text("match ");
  condition_expr(match.subject);
  text(" ");
  uint32_t begin = open_brace_after(match.subject->span.end, match.span.end);
  inner_comments(begin);
  braced_sequence(
      match.arms.size(), begin, match.span.end - 1, [&](size_t i) { return match.arms[i].span.start; },
      [&](size_t i) { return match.arms[i].span.end; }, [&](size_t i) { arm(match.arms[i]); });
}

void Printer::arm(const MatchArm& arm) {
  match_pattern(arm.pattern);
  if (arm.guard) {
    text(" if ");
    expr(arm.guard);
  }
  keyword_block(" -> ", arm.body);
}

// Whether a value pattern would read as a binding, a list, a dict or a variant without parentheses.
static bool reads_as_pattern(const Node* value) {
  auto is_upper = [](const Node* node) {
    if (!node->is(NodeKind::Identifier)) return false;
    char c = node->as<Identifier>().name[0];
    return c >= 'A' && c <= 'Z';
  };
  switch (value->kind) {
    case NodeKind::Identifier:
    case NodeKind::ListLiteral: return true;
    case NodeKind::DictLiteral: return !value->as<DictLiteral>().entries.empty();
    case NodeKind::Call: return is_upper(value->as<Call>().callee);
    case NodeKind::Member: return !value->as<Member>().optional && is_upper(value->as<Member>().object);
    case NodeKind::MethodCall: return !value->as<MethodCall>().optional && is_upper(value->as<MethodCall>().object);
    default: return false;
  }
}

void Printer::match_pattern(const MatchPattern* pattern) {
  inner_comments(pattern->span.start);
  auto start = [&](size_t i) { return pattern->items[i]->span.start; };
  auto item = [&](size_t i) { match_pattern(pattern->items[i]); };
  switch (pattern->kind) {
    case MatchPatternKind::Wildcard: text("_"); return;
    case MatchPatternKind::Bind: text(pattern->name.text); return;
    case MatchPatternKind::Value:
      if (reads_as_pattern(pattern->value)) in_parens(pattern->value);
      else expr(pattern->value);
      return;
    case MatchPatternKind::List:
    case MatchPatternKind::Dict: {
      bool is_dict = pattern->kind == MatchPatternKind::Dict;
      size_t count = pattern->items.size() + pattern->has_rest;
      comma_list(
          is_dict ? ListStyle{"{", "}"} : ListStyle{"[", "]"}, count, pattern->span.end - 1,
          [&](size_t i) {
            if (i == pattern->items.size()) return pattern->name.span.start;
            return is_dict ? pattern->keys[i].span.start : start(i);
          },
          [&](size_t i) {
            if (i < pattern->items.size()) {
              if (is_dict && pattern->keys[i].span != pattern->items[i]->span) {
                key(pattern->keys[i], true);
                text(": ");
              }
              return item(i);
            }
            text("...");
            text(pattern->name.text);
          });
      return;
    }
    case MatchPatternKind::Variant:
      if (pattern->value) {
        text(pattern->value->as<Identifier>().name);
        text(".");
      }
      text(pattern->name.text);
      if (pattern->has_payload) {
        comma_list({"(", ")"}, pattern->items.size(), pattern->span.end - 1, start, item);
      }
      return;
    case MatchPatternKind::Or:
      layout_.begin_group({.indent = 0});
      for (size_t i = 0; i < pattern->items.size(); ++i) {
        if (i > 0) {
          comments_before_link(start(i));
          layout_.line();
          text("| ");
        }
        item(i);
      }
      layout_.end_group();
      return;
  }
}

void Printer::select(const Select& select) {
  auto start = [&](size_t i) {
    const SelectCase& item = select.cases[i];
    if (!item.binding.empty()) return item.binding.span.start;
    return item.source ? item.source->span.start : item.body->span.start;
  };
  text("select ");
  uint32_t begin = open_brace_after(select.span.start, select.span.end);
  inner_comments(begin);
  braced_sequence(
      select.cases.size(), begin, select.span.end - 1, start, [&](size_t i) { return select.cases[i].body->span.end; },
      [&](size_t i) {
        const SelectCase& item = select.cases[i];
        switch (item.kind) {
          case SelectCaseKind::Receive:
            text(item.binding.text);
            text(" from ");
            condition_expr(item.source);
            break;
          case SelectCaseKind::Timeout:
            text("timeout ");
            condition_expr(item.source);
            break;
          case SelectCaseKind::Default: text("default"); break;
        }
        keyword_block(" ", item.body);
      });
}

void Printer::parallel(const Parallel& parallel) {
  switch (parallel.mode) {
    case ParallelMode::Count:
      text("parallel");
      in_parens(parallel.source);
      break;
    case ParallelMode::Each:
      text("parallel each ");
      condition_expr(parallel.source);
      break;
    case ParallelMode::Settle:
      text("parallel settle ");
      condition_expr(parallel.source);
      break;
  }
  if (parallel.max_concurrent) {
    text(" with { max_concurrent: ");
    WithContext context(*this, brackets());
    expr(parallel.max_concurrent);
    text(" }");
  }
  const Closure& body = *parallel.body;
  if (body.params.empty() && body.body->span.start == body.span.start) {
    keyword_block(" ", body.body);
  } else {
    text(" ");
    closure(body);
  }
  if (parallel.as_stream) text(" as stream");
}

void Printer::cost_route(const CostRoute& route) {
  text("cost_route ");
  uint32_t begin = open_brace_after(route.span.start, route.span.end);
  inner_comments(begin);
  size_t options = route.options.size();
  const auto& statements = route.body->statements;
  braced_sequence(
      options + statements.size(), begin, route.span.end - 1,
      [&](size_t i) { return i < options ? route.options[i].key.span.start : statements[i - options]->span.start; },
      [&](size_t i) { return i < options ? route.options[i].value->span.end : statements[i - options]->span.end; },
      [&](size_t i) {
        if (i < options) entry(route.options[i]);
        else statement(statements[i - options]);
      });
}

}  // namespace harn::formatter
