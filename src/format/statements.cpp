#include "format/lists.h"

namespace harn::formatter {

using namespace syntax;

void Printer::statement(const Node* node) {
  switch (node->kind) {
    case NodeKind::Block: block(&node->as<Block>()); return;
    case NodeKind::If: if_else(node->as<If>(), Position::Statement); return;
    case NodeKind::Match: match(node->as<Match>()); return;
    case NodeKind::Try: try_catch(node->as<Try>(), Position::Statement); return;
    case NodeKind::Retry: retry(node->as<Retry>(), Position::Statement); return;
    case NodeKind::Deadline: deadline(node->as<Deadline>(), Position::Statement); return;
    case NodeKind::Mutex: mutex(node->as<Mutex>(), Position::Statement); return;
    case NodeKind::Select: select(node->as<Select>()); return;
    case NodeKind::CostRoute: cost_route(node->as<CostRoute>()); return;
    case NodeKind::Let: let(node->as<Let>()); return;
    case NodeKind::Const: {
      const auto& constant = node->as<Const>();
      if (constant.is_pub) text("pub ");
      text("const ");
      text(constant.name.text);
      if (constant.type) {
        text(": ");
        type(constant.type);
      }
      text(" = ");
      expr(constant.value);
      return;
    }
    case NodeKind::Assign: {
      const auto& assign = node->as<Assign>();
      expr(assign.target);
      static constexpr std::string_view kOps[] = {" = ", " += ", " -= ", " *= ", " /= ", " %= "};
      text(kOps[static_cast<size_t>(assign.op)]);
      expr(assign.value);
      return;
    }
    case NodeKind::For: {
      const auto& loop = node->as<For>();
      text("for ");
      pattern(loop.pattern);
      text(" in ");
      condition_expr(loop.iterable);
      text(" ");
      block(loop.body);
      return;
    }
    case NodeKind::While:
      text("while ");
      condition_expr(node->as<While>().condition);
      text(" ");
      block(node->as<While>().body);
      return;
    case NodeKind::Return: keyword_value("return", node->as<Return>().value); return;
    case NodeKind::Throw: keyword_value("throw", node->as<Throw>().value); return;
    case NodeKind::Yield: keyword_value("yield", node->as<Yield>().value); return;
    case NodeKind::Emit: keyword_value("emit", node->as<Emit>().value); return;
    case NodeKind::Natural: expr(node->as<Natural>().program); return;
    case NodeKind::Break: text("break"); return;
    case NodeKind::Continue: text("continue"); return;
    case NodeKind::Defer: keyword_block("defer ", node->as<Defer>().body); return;
    case NodeKind::Guard:
      text("guard ");
      condition_expr(node->as<Guard>().condition, true);
      keyword_block(" else ", node->as<Guard>().else_block);
      return;
    case NodeKind::Require: {
      const auto& require = node->as<Require>();
      text("require ");
      expr(require.condition);
      if (require.message) {
        text(", ");
        expr(require.message);
      }
      return;
    }
    case NodeKind::Function: declaration(node->as<Function>()); return;
    case NodeKind::Pipeline: declaration(node->as<Pipeline>()); return;
    case NodeKind::Override: declaration(node->as<Override>()); return;
    case NodeKind::Tool: declaration(node->as<Tool>()); return;
    case NodeKind::Skill: declaration(node->as<Skill>()); return;
    case NodeKind::EvalPack: declaration(node->as<EvalPack>()); return;
    case NodeKind::TypeAlias: declaration(node->as<TypeAlias>()); return;
    case NodeKind::Enum: declaration(node->as<Enum>()); return;
    case NodeKind::Struct: declaration(node->as<Struct>()); return;
    case NodeKind::Impl: declaration(node->as<Impl>()); return;
    case NodeKind::Interface: declaration(node->as<Interface>()); return;
    case NodeKind::Import: declaration(node->as<Import>()); return;
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::Identifier:
    case NodeKind::ListLiteral:
    case NodeKind::DictLiteral:
    case NodeKind::StructLiteral:
    case NodeKind::Closure:
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Range:
    case NodeKind::Ternary:
    case NodeKind::Pipe:
    case NodeKind::Spread:
    case NodeKind::NamedArgument:
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Member:
    case NodeKind::Index:
    case NodeKind::Slice:
    case NodeKind::TryUnwrap:
    case NodeKind::TryStar:
    case NodeKind::Parallel:
    case NodeKind::Spawn:
    case NodeKind::HumanCall:
    case NodeKind::Broken: expr(node); return;
  }
}

void Printer::keyword_value(std::string_view keyword, const Node* value) {
  text(keyword);
  if (!value) return;
  text(" ");
  expr(value);
}

// A block that may stay on the line of its keyword.
void Printer::keyword_block(std::string_view keyword, const Block* body) {
  text(keyword);
  layout_.begin_group({.indent = 0, .breaks_on_hard = true});
  block_in_group(body);
  layout_.end_group();
}

void Printer::let(const Let& let) {
  if (let.is_pub) text("pub ");
  text(let.is_var ? "var " : "let ");
  pattern(let.pattern);
  if (let.type) {
    text(": ");
    type(let.type);
  }
  text(" = ");
  expr(let.value);
}

void Printer::pattern(const Pattern* pattern) {
  auto field = [&](const PatternField& field) {
    if (field.rest) text("...");
    if (!field.key.empty() && field.key.text != field.binding.text) {
      key(field.key, true);
      text(": ");
    } else if (!field.key.empty() && field.key.span != field.binding.span) {
      key(field.key, true);
      text(": ");
    }
    text(field.binding.text);
    if (field.default_value) {
      text(" = ");
      expr(field.default_value);
    }
  };
  auto start = [&](size_t i) {
    const PatternField& field = pattern->fields[i];
    return field.key.empty() ? field.binding.span.start : field.key.span.start;
  };
  auto emit = [&](size_t i) { field(pattern->fields[i]); };
  uint32_t close_at = pattern->span.end - 1;
  size_t count = pattern->fields.size();
  switch (pattern->kind) {
    case PatternKind::Name: field(pattern->fields[0]); return;
    case PatternKind::Dict: comma_list({"{", "}"}, count, close_at, start, emit); return;
    case PatternKind::List: comma_list({"[", "]"}, count, close_at, start, emit); return;
    case PatternKind::Pair: comma_list({"(", ")"}, count, close_at, start, emit); return;
  }
}

void Printer::block(const Block* block) { block_lines(block, block->span.start + 1, block->span.end - 1); }

// `{`, one statement a line, `}`. The span is what lies between the braces.
void Printer::block_lines(const Block* block, uint32_t begin, uint32_t end) {
  inner_comments(begin);
  braced_sequence(
      block->statements.size(), begin, end, [&](size_t i) { return block->statements[i]->span.start; },
      [&](size_t i) { return block->statements[i]->span.end; }, [&](size_t i) { statement(block->statements[i]); });
}

static bool is_simple(const Node* node) {
  switch (node->kind) {
    case NodeKind::Block:
    case NodeKind::If:
    case NodeKind::Match:
    case NodeKind::Try:
    case NodeKind::Retry:
    case NodeKind::Deadline:
    case NodeKind::Mutex:
    case NodeKind::Select:
    case NodeKind::CostRoute:
    case NodeKind::Let:
    case NodeKind::Const:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::Defer:
    case NodeKind::Guard:
    case NodeKind::Require: return false;
    default: return node->kind < NodeKind::Function;
  }
}

bool Printer::may_be_inline(const Block* block) const {
  if (next_comment(block->span.end)) {
    // Only comments inside matter, and only those still to come are asked for.
    for (size_t i = comment_; i < comment_count_; ++i) {
      if (comments_[i].span.start >= block->span.end) break;
      if (comments_[i].span.start >= block->span.start) return false;
    }
  }
  if (block->statements.empty()) return true;
  return block->statements.size() == 1 && is_simple(block->statements[0]);
}

void Printer::block_in_group(const Block* body) {
  if (!may_be_inline(body)) {
    layout_.force_break();
    inner_comments(body->span.start + 1);
    text("{");
    layout_.indent();
    WithContext context(*this, statements());
    sequence(
        body->statements.size(), body->span.start + 1, body->span.end - 1, false,
        [&](size_t i) { return body->statements[i]->span.start; },
        [&](size_t i) { return body->statements[i]->span.end; }, [&](size_t i) { statement(body->statements[i]); });
    layout_.dedent();
    layout_.close_hard_line();
    text("}");
    return;
  }
  inner_comments(body->span.start);
  if (body->statements.empty()) {
    text("{}");
    return;
  }
  WithContext context(*this, statements());
  text("{");
  layout_.indent();
  layout_.line();
  statement(body->statements[0]);
  layout_.dedent();
  layout_.close_line();
  text("}");
}

}  // namespace harn::formatter
