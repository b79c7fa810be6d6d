#include <algorithm>

#include "base/text.h"
#include "format/lists.h"
#include "syntax/children.h"
#include "syntax/token.h"

namespace harn::formatter {

using namespace syntax;

Precedence precedence_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return kOr;
    case BinaryOp::And: return kAnd;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: return kEquality;
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
    case BinaryOp::In:
    case BinaryOp::NotIn: return kComparison;
    case BinaryOp::Add:
    case BinaryOp::Subtract: return kAdditive;
    case BinaryOp::Coalesce: return kCoalesce;
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Modulo: return kMultiplicative;
    case BinaryOp::Power: return kPower;
  }
  return kAny;
}

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return "|| ";
    case BinaryOp::And: return "&& ";
    case BinaryOp::Equal: return "== ";
    case BinaryOp::NotEqual: return "!= ";
    case BinaryOp::Less: return "< ";
    case BinaryOp::Greater: return "> ";
    case BinaryOp::LessEqual: return "<= ";
    case BinaryOp::GreaterEqual: return ">= ";
    case BinaryOp::In: return "in ";
    case BinaryOp::NotIn: return "not in ";
    case BinaryOp::Add: return "+ ";
    case BinaryOp::Subtract: return "- ";
    case BinaryOp::Coalesce: return "?? ";
    case BinaryOp::Multiply: return "* ";
    case BinaryOp::Divide: return "/ ";
    case BinaryOp::Modulo: return "% ";
    case BinaryOp::Power: return "** ";
  }
  return {};
}

Precedence precedence_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::Pipe: return kPipe;
    case NodeKind::Range: return kRange;
    case NodeKind::Ternary: return kTernary;
    case NodeKind::Binary: return precedence_of(node.as<Binary>().op);
    case NodeKind::Unary:
    case NodeKind::TryStar: return kUnary;
    case NodeKind::IntLiteral:  // the smallest integer is written with a minus
      return node.as<IntLiteral>().value < 0 ? kUnary : kPrimary;
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Member:
    case NodeKind::Index:
    case NodeKind::Slice:
    case NodeKind::TryUnwrap: return kPostfix;
    default: return kPrimary;
  }
}

void Printer::expr(const Node* node, int lowest) {
  bool hides_block = context_.in_condition && (node->is(NodeKind::StructLiteral) || node->is(NodeKind::CostRoute));
  hides_block |= context_.in_guard && node->is(NodeKind::If);
  if (precedence_of(*node) < lowest || hides_block) in_parens(node);
  else bare_expr(node);
}

void Printer::in_parens(const Node* node) {
  WithContext context(*this, brackets());
  text("(");
  bare_expr(node);
  text(")");
}

void Printer::bare_expr(const Node* node) {
  switch (node->kind) {
    case NodeKind::Binary: binary(node->as<Binary>()); return;
    case NodeKind::Pipe: pipe(node->as<Pipe>()); return;
    case NodeKind::Ternary: ternary(node->as<Ternary>()); return;
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Member:
    case NodeKind::Index:
    case NodeKind::Slice:
    case NodeKind::TryUnwrap: chain(node); return;
    default: break;
  }
  inner_comments(node->span.start);
  switch (node->kind) {
    case NodeKind::Unary: unary(node->as<Unary>()); return;
    case NodeKind::TryStar:
      text("try* ");
      expr(node->as<TryStar>().operand, kUnary);
      return;
    case NodeKind::Range: {
      const auto& range = node->as<Range>();
      layout_.begin_group();
      expr(range.start, kTernary);
      if (context_.in_brackets) layout_.line();
      else layout_.backslash_line();
      text("to ");
      expr(range.end, kTernary);
      if (range.exclusive) text(" exclusive");
      layout_.end_group();
      return;
    }
    case NodeKind::ListLiteral: list(node->as<ListLiteral>()); return;
    case NodeKind::DictLiteral: entries(node->as<DictLiteral>().entries, Padded::No, node->span.end - 1); return;
    case NodeKind::StructLiteral: {
      const auto& literal = node->as<StructLiteral>();
      text(literal.name.text);
      types("<", literal.type_args, ">");
      text(" ");
      entries(literal.fields, Padded::Yes, node->span.end - 1);
      return;
    }
    case NodeKind::Closure: closure(node->as<Closure>()); return;
    case NodeKind::HumanCall: {
      const auto& call = node->as<HumanCall>();
      static constexpr std::string_view kNames[] = {"ask_user", "request_approval", "dual_control", "escalate_to"};
      text(kNames[static_cast<size_t>(call.which)]);
      types("<", call.type_args, ">");
      args(call.args, node->span.end - 1);
      return;
    }
    case NodeKind::Block: block(&node->as<Block>()); return;
    case NodeKind::If: if_else(node->as<If>(), Position::Value); return;
    case NodeKind::Match: match(node->as<Match>()); return;
    case NodeKind::Try: try_catch(node->as<Try>(), Position::Value); return;
    case NodeKind::Retry: retry(node->as<Retry>(), Position::Value); return;
    case NodeKind::Deadline: deadline(node->as<Deadline>(), Position::Value); return;
    case NodeKind::Mutex: mutex(node->as<Mutex>(), Position::Value); return;
    case NodeKind::Select: select(node->as<Select>()); return;
    case NodeKind::CostRoute: cost_route(node->as<CostRoute>()); return;
    case NodeKind::Parallel: parallel(node->as<Parallel>()); return;
    case NodeKind::Spawn: keyword_block("spawn ", node->as<Spawn>().body->body); return;
    case NodeKind::Spread:
    case NodeKind::NamedArgument: argument(node); return;
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::Identifier:
    case NodeKind::Broken: literal(node); return;
    // See above.
    case NodeKind::Binary:
    case NodeKind::Pipe:
    case NodeKind::Ternary:
    case NodeKind::Call:
    case NodeKind::MethodCall:
    case NodeKind::Member:
    case NodeKind::Index:
    case NodeKind::Slice:
    case NodeKind::TryUnwrap: return;
    // Statements are written by `statement`.
    case NodeKind::Let:
    case NodeKind::Const:
    case NodeKind::Assign:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::Return:
    case NodeKind::Throw:
    case NodeKind::Break:
    case NodeKind::Continue:
    case NodeKind::Defer:
    case NodeKind::Guard:
    case NodeKind::Require:
    case NodeKind::Yield:
    case NodeKind::Emit:
    case NodeKind::Natural:
    case NodeKind::Function:
    case NodeKind::Pipeline:
    case NodeKind::Override:
    case NodeKind::Tool:
    case NodeKind::Skill:
    case NodeKind::EvalPack:
    case NodeKind::TypeAlias:
    case NodeKind::Enum:
    case NodeKind::Struct:
    case NodeKind::Impl:
    case NodeKind::Interface:
    case NodeKind::Import: return;
  }
}

// Literals and names, as they were written.
void Printer::literal(const Node* node) {
  if (node->is(NodeKind::Identifier)) {
    text(node->as<Identifier>().name);
  } else if (node->is(NodeKind::IntLiteral) && node->as<IntLiteral>().value < 0) {
    text("-9223372036854775808");
  } else {
    layout_.verbatim(source(node->span));
    skip_comments(node->span.end);  // those inside an interpolation
  }
}

static bool mixes_confusingly(const Node* node, BinaryOp op) {
  if (!node->is(NodeKind::Binary)) return false;
  BinaryOp inner = node->as<Binary>().op;
  if (inner == BinaryOp::And && op == BinaryOp::Or) return true;
  return inner == BinaryOp::Coalesce && precedence_of(op) < kCoalesce;
}

void Printer::operand(const Node* node, int lowest, BinaryOp op) {
  if (mixes_confusingly(node, op)) in_parens(node);
  else expr(node, lowest);
}

// `-a ** b` is `-(a ** b)`, which few readers know: it is always written so.
void Printer::unary(const Unary& node) {
  text(node.op == UnaryOp::Not ? "!" : "-");
  bool surprises = node.op == UnaryOp::Negate && node.operand->is(NodeKind::Binary) &&
                   node.operand->as<Binary>().op == BinaryOp::Power;
  expr(node.operand, surprises ? kPrimary : kUnary);
}

// A run of operators of one strength is one group: it breaks before all of them or none.
void Printer::binary(const Binary& last) {
  std::vector<const Binary*> links;
  Precedence strength = precedence_of(last.op);
  const Node* first = &last;
  for (;;) {
    links.push_back(&first->as<Binary>());
    first = first->as<Binary>().left;
    if (strength == kPower || !first->is(NodeKind::Binary)) break;
    if (precedence_of(first->as<Binary>().op) != strength) break;
  }
  int8_t indent = context_.chain_indent;
  context_.chain_indent = 2;
  layout_.begin_group({.indent = indent});
  operand(first, strength == kPower ? kPostfix : strength, links.back()->op);
  for (size_t i = links.size(); i-- > 0;) {
    BinaryOp op = links[i]->op;
    bool needs_backslash =
        !context_.in_brackets && (op == BinaryOp::Subtract || op == BinaryOp::In || op == BinaryOp::NotIn);
    if (needs_backslash) {
      layout_.backslash_line();
    } else {
      comments_before_link(links[i]->right->span.start);
      layout_.line();
    }
    text(spelling(op));
    operand(links[i]->right, strength == kPower ? kUnary : strength + 1, op);
  }
  layout_.end_group();
}

void Printer::pipe(const Pipe& last) {
  std::vector<const Pipe*> links;
  const Node* first = &last;
  for (; first->is(NodeKind::Pipe); first = first->as<Pipe>().left) {
    links.push_back(&first->as<Pipe>());
  }
  int8_t indent = context_.chain_indent;
  context_.chain_indent = 2;
  layout_.begin_group({.indent = indent});
  expr(first, kRange);
  for (size_t i = links.size(); i-- > 0;) {
    comments_before_link(links[i]->right->span.start);
    layout_.line();
    text("|> ");
    expr(links[i]->right, kRange);
  }
  layout_.end_group();
}

void Printer::ternary(const Ternary& ternary) {
  int8_t indent = context_.chain_indent;
  context_.chain_indent = 2;
  layout_.begin_group({.indent = indent});
  expr(ternary.condition, kOr);
  comments_before_link(ternary.then_value->span.start);
  layout_.line();
  text("? ");
  expr(ternary.then_value, kTernary);
  comments_before_link(ternary.else_value->span.start);
  layout_.line();
  text(": ");
  expr(ternary.else_value, kTernary);
  layout_.end_group();
}

static const Node* object_of(const Node* node) {
  switch (node->kind) {
    case NodeKind::Call: return node->as<Call>().callee;
    case NodeKind::MethodCall: return node->as<MethodCall>().object;
    case NodeKind::Member: return node->as<Member>().object;
    case NodeKind::Index: return node->as<Index>().object;
    case NodeKind::Slice: return node->as<Slice>().object;
    case NodeKind::TryUnwrap: return node->as<TryUnwrap>().operand;
    default: return nullptr;
  }
}

// Whether `inner` must stand in parentheses for `outer` to mean what it means.
static bool needs_parens_before(const Node* inner, const Node* outer) {
  bool bracket = outer->is(NodeKind::Call) || outer->is(NodeKind::Index) || outer->is(NodeKind::Slice);
  if (inner->is(NodeKind::TryUnwrap)) return true;  // `x?.a` and `x?[i]` are something else
  if (bracket && ends_in_block(*inner)) return true;
  if (!outer->is(NodeKind::Call)) return false;
  if (inner->is(NodeKind::Member)) return true;  // not a method call
  if (!inner->is(NodeKind::Identifier)) return false;
  TokenKind word = keyword_or_identifier(inner->as<Identifier>().name);
  return is_keyword(word) && word != TokenKind::KwSelect;
}

// Whether the name of a link has a comment in front of it that ends its line.
bool Printer::is_commented(const Node* link) const {
  bool is_call = link->is(NodeKind::MethodCall);
  if (!is_call && !link->is(NodeKind::Member)) return false;
  const Name& name = is_call ? link->as<MethodCall>().name : link->as<Member>().name;
  return has_line_comment(object_of(link)->span.end, name.span.start);
}

// `base.a.b(x)[i](y)?`: two method calls or more go on lines of their own when it gets long, and so does a link with
// a comment in front of it.
void Printer::chain(const Node* last) {
  std::vector<const Node*> links;
  const Node* base = last;
  size_t calls = 0;
  size_t parens = 0;
  bool commented = false;
  while (const Node* object = object_of(base)) {
    links.push_back(base);
    calls += base->is(NodeKind::MethodCall);
    commented |= is_commented(base);
    if (precedence_of(*object) >= kPostfix) parens += needs_parens_before(object, base);
    base = object;
  }
  std::reverse(links.begin(), links.end());
  inner_comments(base->span.start);
  bool breaks = calls >= 2 || commented;
  if (breaks) layout_.begin_group({.indent = 2});
  // A wrapped part is in brackets, so inside it no line end matters.
  Context outside = context_;
  if (parens > 0) context_ = brackets();
  for (size_t i = 0; i < parens; ++i) text("(");

  size_t open = parens;
  auto close_paren = [&] {
    text(")");
    if (--open == 0) context_ = outside;
  };
  expr(base, kPostfix);
  if (precedence_of(*base) >= kPostfix && needs_parens_before(base, links[0])) close_paren();
  bool leading = true;  // names right behind the base stay with it
  bool line_begun = false;
  for (size_t i = 0; i < links.size(); ++i) {
    const Node* node = links[i];
    bool is_call = node->is(NodeKind::MethodCall);
    bool is_name = node->is(NodeKind::Member);
    if (is_call || is_name) {
      const Name& name = is_call ? node->as<MethodCall>().name : node->as<Member>().name;
      bool calls_next = is_call;
      for (size_t j = i; is_name && j < links.size() && j < i + 8; ++j) {
        if (links[j]->is(NodeKind::MethodCall)) calls_next = true;
        if (!links[j]->is(NodeKind::Member)) break;
      }
      bool new_line = breaks && !line_begun && calls_next && (is_call || !leading);
      new_line |= commented && is_commented(node);
      if (new_line) {
        comments_before_link(name.span.start);
        layout_.soft_line();
      }
      inner_comments(name.span.start);
      line_begun = is_name && (line_begun || new_line);
      size_t from = layout_.position();
      link(node);
      if (is_call && i + 1 < links.size() && layout_.has_hard_line(from) && breaks) {
        layout_.force_break();
      }
    } else {
      link(node);
      line_begun = false;
    }
    if (!is_name) leading = false;
    if (i + 1 < links.size() && needs_parens_before(node, links[i + 1])) close_paren();
  }
  if (breaks) layout_.end_group();
}

void Printer::link(const Node* node) {
  switch (node->kind) {
    case NodeKind::Call:
      types("<", node->as<Call>().type_args, ">");
      args(node->as<Call>().args, node->span.end - 1);
      return;
    case NodeKind::MethodCall:
      text(node->as<MethodCall>().optional ? "?." : ".");
      text(node->as<MethodCall>().name.text);
      args(node->as<MethodCall>().args, node->span.end - 1);
      return;
    case NodeKind::Member:
      text(node->as<Member>().optional ? "?." : ".");
      text(node->as<Member>().name.text);
      return;
    case NodeKind::Index: {
      WithContext context(*this, brackets());
      text(node->as<Index>().optional ? "?[" : "[");
      expr(node->as<Index>().index);
      text("]");
      return;
    }
    case NodeKind::Slice: slice(node->as<Slice>()); return;
    case NodeKind::TryUnwrap: text("?"); return;
    default: return;
  }
}

// Whether the start of a slice could run into the `:` behind it (`x?[0]:1` is a ternary).
static bool is_plain_bound(const Node* node) {
  switch (node->kind) {
    case NodeKind::IntLiteral:
    case NodeKind::Identifier: return true;
    case NodeKind::Unary: return is_plain_bound(node->as<Unary>().operand);
    case NodeKind::Binary: {
      const auto& binary = node->as<Binary>();
      bool leaf = !binary.left->is(NodeKind::Binary) && !binary.right->is(NodeKind::Binary);
      return leaf && is_plain_bound(binary.left) && is_plain_bound(binary.right);
    }
    case NodeKind::Call: return is_plain_bound(node->as<Call>().callee);
    case NodeKind::Member: return node->as<Member>().object->is(NodeKind::Identifier) && !node->as<Member>().optional;
    default: return false;
  }
}

void Printer::slice(const Slice& slice) {
  WithContext context(*this, brackets());
  text("[");
  if (slice.start) {
    if (is_plain_bound(slice.start)) expr(slice.start);
    else in_parens(slice.start);
  }
  text(":");
  if (slice.end) expr(slice.end);
  text("]");
}

// Values that look well when they open on the line of what takes them.
static bool may_hug(const Node* node) {
  switch (node->kind) {
    case NodeKind::Closure: return true;
    case NodeKind::DictLiteral: return !node->as<DictLiteral>().entries.empty();
    case NodeKind::ListLiteral: return !node->as<ListLiteral>().items.empty();
    case NodeKind::StructLiteral: return !node->as<StructLiteral>().fields.empty();
    default: return false;
  }
}

void Printer::args(NodeList items, uint32_t close_at) {
  bool hug = !items.empty() && may_hug(items.back());
  for (size_t i = 0; hug && i + 1 < items.size(); ++i) hug = !may_hug(items[i]);
  comma_list(
      {.open = "(", .close = ")", .breaks_on_hard_line = false, .hugs_last = hug}, items.size(), close_at,
      [&](size_t i) { return items[i]->span.start; }, [&](size_t i) { argument(items[i]); });
}

void Printer::argument(const Node* node) {
  if (node->is(NodeKind::Spread)) {
    text("...");
    expr(node->as<Spread>().operand);
  } else if (node->is(NodeKind::NamedArgument)) {
    text(node->as<NamedArgument>().name.text);
    text(": ");
    expr(node->as<NamedArgument>().value);
  } else {
    expr(node);
  }
}

// Numbers, words, names and what is made of two of them: a list of these may be a table.
static bool fits_a_table(const Node* node) {
  switch (node->kind) {
    case NodeKind::Binary: {
      const Node *left = node->as<Binary>().left, *right = node->as<Binary>().right;
      bool is_chain = left->is(NodeKind::Binary) || right->is(NodeKind::Binary);
      return !is_chain && fits_a_table(left) && fits_a_table(right);
    }
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::Identifier: return true;
    case NodeKind::StringLiteral: return node->as<StringLiteral>().form != StringForm::Multiline;
    case NodeKind::Unary: return fits_a_table(node->as<Unary>().operand);
    case NodeKind::Member: return fits_a_table(node->as<Member>().object);
    default: return false;
  }
}

void Printer::list(const ListLiteral& list) {
  uint32_t close_at = list.span.end - 1;
  if (list.items.size() == 1 && may_hug(list.items[0]) && !next_comment(list.span.end)) {
    WithContext context(*this, brackets());
    text("[");
    expr(list.items[0]);
    text("]");
    return;
  }
  bool is_table = std::all_of(list.items.begin(), list.items.end(), fits_a_table);
  comma_list(
      {.open = "[", .close = "]", .keeps_rows = is_table}, list.items.size(), close_at,
      [&](size_t i) { return list.items[i]->span.start; }, [&](size_t i) { argument(list.items[i]); });
}

static uint32_t entry_start(const DictEntry& entry) {
  if (entry.form == KeyForm::Spread) return entry.value->span.start;
  return entry.form == KeyForm::Computed ? entry.computed->span.start : entry.key.span.start;
}

void Printer::entries(List<DictEntry> items, Padded padded, uint32_t close_at) {
  comma_list(
      {"{", "}", padded == Padded::Yes}, items.size(), close_at, [&](size_t i) { return entry_start(items[i]); },
      [&](size_t i) { entry(items[i]); });
}

void Printer::entry(const DictEntry& entry) {
  switch (entry.form) {
    case KeyForm::Bare: key(entry.key, false); break;
    case KeyForm::Quoted: key(entry.key, true); break;
    case KeyForm::Computed:
      text("[");
      expr(entry.computed);
      text("]");
      break;
    case KeyForm::Spread:
      text("...");
      expr(entry.value);
      return;
  }
  text(": ");
  expr(entry.value);
}

// Quotes stay only around what is no word.
void Printer::key(const Name& name, bool quoted) {
  if (quoted && !text::is_identifier(name.text)) text(source(name.span));
  else text(name.text);
}

void Printer::closure(const Closure& closure) {
  if (closure.fn_form) {
    text("fn");
    params(closure.params, closure.body->span.start);
    return_type(closure.return_type);
    keyword_block(" ", closure.body);
    return;
  }
  WithContext context(*this, brackets());
  bool on_one_line = may_be_inline(closure.body);
  layout_.begin_group({.breaks_on_hard = true});
  text("{");
  for (size_t i = 0; i < closure.params.size(); ++i) {
    text(i == 0 ? " " : ", ");
    param(closure.params[i]);
  }
  text(" ->");
  {
    WithContext body_context(*this, statements());
    const Block& body = *closure.body;
    if (on_one_line && body.statements.empty()) {
      text(" ");
    } else if (on_one_line) {
      layout_.line();
      statement(body.statements[0]);
      layout_.close_line();
    } else {
      layout_.force_break();
      sequence(
          body.statements.size(), body.span.start, body.span.end, false,
          [&](size_t i) { return body.statements[i]->span.start; },
          [&](size_t i) { return body.statements[i]->span.end; }, [&](size_t i) { statement(body.statements[i]); });
      layout_.close_hard_line();
    }
  }
  text("}");
  layout_.end_group();
}

}  // namespace harn::formatter
