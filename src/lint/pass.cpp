#include "lint/pass.h"

#include <algorithm>

#include "base/text.h"

namespace harn::lint {

using namespace syntax;

Pass::Pass(check::Knowledge& knowledge, const modules::Module& module, Imported imported, const Settings& settings,
           diag::Sink& sink)
    : knowledge_(knowledge), program_(knowledge.program), module_(module), settings_(settings), sink_(sink) {
  for (const Node* item : tree().items) places_.add(*item);
  // A module that marks nothing with `pub` exports all it has.
  is_program_ = imported == Imported::No && does_something();
  has_tests_ = std::any_of(tree().items.begin(), tree().items.end(), [](const Node* item) {
    // `pipeline test(task)` is how a file that is one test is often written.
    return item->is(NodeKind::Pipeline) && (is_test(item->as<Pipeline>()) || item->as<Pipeline>().name.text == "test");
  });
}

bool Pass::does_something() const {
  return std::any_of(tree().items.begin(), tree().items.end(), [](const Node* item) {
    if (item->is(NodeKind::Pipeline)) return true;
    if (item->is(NodeKind::Function)) return item->as<Function>().name.text == "main";
    return item->kind < NodeKind::Function && !item->is(NodeKind::Let) && !item->is(NodeKind::Const);
  });
}

void Pass::set_rule(const Rule& rule) {
  if (rule_ == &rule) return;
  rule_ = &rule;
  label_ = fmt::format("lint[{}]", rule.name);
}

const Uses& Pass::uses() {
  if (!uses_) uses_.emplace(program_, module_, places_);
  return *uses_;
}

const check::ModuleFacts& Pass::facts() {
  if (!facts_) facts_.emplace(knowledge_, module_);
  return *facts_;
}

const std::vector<Token>& Pass::tokens() {
  if (!tokens_) {
    diag::Sink unused;
    tokens_ = lex(source(), unused).tokens;
  }
  return *tokens_;
}

size_t Pass::token_at(uint32_t offset) {
  auto& all = tokens();
  auto found = std::lower_bound(all.begin(), all.end(), offset,
                                [](const Token& token, uint32_t wanted) { return token.start < wanted; });
  return static_cast<size_t>(found - all.begin());
}

// ---- around the node ----

const Node* Pass::parent(uint32_t levels) const {
  uint32_t place = at_;
  for (; levels > 0 && place != Places::kTop; --levels) place = nodes()[place].parent;
  return place == Places::kTop ? nullptr : nodes()[place].node;
}

const Node* Pass::function_around(uint32_t place) const {
  uint32_t function = nodes()[place].function;
  return function == Places::kTop ? nullptr : nodes()[function].node;
}

bool Pass::is_in_test() const {
  for (uint32_t place = nodes()[at_].function; place != Places::kTop; place = nodes()[place].function) {
    const Node& node = *nodes()[place].node;
    if (node.is(NodeKind::Pipeline)) return is_test(node.as<Pipeline>());
  }
  return false;
}

bool Pass::is_statement(uint32_t place) const {
  uint32_t parent = nodes()[place].parent;
  return parent == Places::kTop || nodes()[parent].node->is(NodeKind::Block);
}

bool Pass::is_dropped(uint32_t place) const {
  for (;;) {
    if (!is_statement(place)) return false;
    uint32_t parent = nodes()[place].parent;
    if (parent == Places::kTop) return true;
    if (nodes()[parent].node->as<Block>().statements.back() != nodes()[place].node) return true;
    uint32_t around = nodes()[parent].parent;
    if (around == Places::kTop) return true;
    const Node& owner = *nodes()[around].node;
    // The value of an `if` or `match` is that of its branch; what loops and clean-up code give nobody sees.
    switch (owner.kind) {
      case NodeKind::For:
      case NodeKind::While:
      case NodeKind::Defer:
      case NodeKind::Guard: return true;
      case NodeKind::If:
      case NodeKind::Match:
      case NodeKind::Block:
        place = around;
        // `else if`: the inner one is no statement of its own.
        while (nodes()[place].node->is(NodeKind::If) && nodes()[place].parent != Places::kTop &&
               nodes()[nodes()[place].parent].node->is(NodeKind::If)) {
          place = nodes()[place].parent;
        }
        continue;
      default: return false;
    }
  }
}

// ---- names ----

bool Pass::is_builtin(const Identifier& name) const {
  return !variable(name) && program_.catalog.find(name.name).has_value();
}

std::string_view Pass::builtin(const Node& node) const {
  if (!node.is(NodeKind::Call) || !node.as<Call>().callee->is(NodeKind::Identifier)) return {};
  auto& callee = node.as<Call>().callee->as<Identifier>();
  return is_builtin(callee) ? callee.name : std::string_view();
}

const Node* Pass::declaration(const Identifier& name) const {
  const compile::Variable* found = variable(name);
  return found ? found->declaration : nullptr;
}

bool Pass::never_returns(const Call& call) const {
  std::string_view name = builtin(call);
  if (!name.empty()) return program_.catalog.find(name)->signature.never_returns();
  if (!call.callee->is(NodeKind::Identifier)) return false;
  const Node* target = declaration(call.callee->as<Identifier>());
  if (!target || !target->is(NodeKind::Function)) return false;
  const TypeNode* type = target->as<Function>().return_type;
  return type && type->kind == TypeKind::Named && type->name.text == "never";
}

bool Pass::block_terminates(const Block& block) const {
  return std::any_of(block.statements.begin(), block.statements.end(),
                     [this](const Node* node) { return terminates(*node); });
}

// A chain of `else if` is as deep as the parser lets it be.
bool Pass::terminates(const Node& node) const {
  switch (node.kind) {
    case NodeKind::Return:
    case NodeKind::Throw:
    case NodeKind::Break:
    case NodeKind::Continue: return true;
    case NodeKind::Call: return never_returns(node.as<Call>());
    case NodeKind::Block: return block_terminates(node.as<Block>());
    case NodeKind::Mutex: return block_terminates(*node.as<Mutex>().body);
    case NodeKind::If: {
      auto& branch = node.as<If>();
      return branch.else_branch && block_terminates(*branch.then_block) && terminates(*branch.else_branch);
    }
    case NodeKind::Match: {
      // A value that no arm takes is an error.
      auto& arms = node.as<Match>().arms;
      return !arms.empty() &&
             std::all_of(arms.begin(), arms.end(), [this](const MatchArm& arm) { return block_terminates(*arm.body); });
    }
    default: return false;
  }
}

const std::unordered_set<const compile::Variable*>& Pass::bools() {
  if (bools_) return *bools_;
  bools_.emplace();
  auto note = [this](const TypeNode* type, const auto& at) {
    bool is_bool = type && type->kind == TypeKind::Named && type->name.text == "bool";
    if (is_bool && variable(at)) bools_->insert(variable(at));
  };
  for (const Place& place : nodes()) {
    for (const Param& param : params_of(*place.node)) note(param.type, param);  // checked when it is called
  }
  return *bools_;
}

bool Pass::is_bool(const Node& node) {
  if (is_plainly_bool(node)) return true;
  if (node.is(NodeKind::Identifier)) {
    const compile::Variable* found = variable(node.as<Identifier>());
    return found && bools().contains(found);
  }
  std::string_view name = builtin(node);
  return !name.empty() && program_.catalog.find(name)->signature.text().ends_with("-> bool");
}

bool Pass::has_unknown_names() {
  if (has_unknown_names_) return *has_unknown_names_;
  has_unknown_names_ = std::any_of(nodes().begin(), nodes().end(), [this](const Place& place) {
    if (!place.node->is(NodeKind::Identifier)) return false;
    auto& name = place.node->as<Identifier>();
    return !variable(name) && name.name != "_" && !program_.names.resolution.candidates.contains(&name) &&
           !program_.catalog.find(name.name) && !program_.catalog.constant(name.name);
  });
  return *has_unknown_names_;
}

bool Pass::is_new_name(std::string_view name) {
  if (!names_) {
    names_.emplace();
    for (const Token& token : tokens()) {
      if (is_word(token.kind)) names_->insert(text(token.span()));
    }
  }
  return !names_->contains(name);
}

bool Pass::is_exported(std::string_view name, bool is_pub) const {
  return is_pub || (module_.exports.contains(name) && !is_program_);
}

// ---- text ----

bool Pass::has_comment(Span span) const {
  auto& comments = tree().comments;
  auto found = std::lower_bound(comments.begin(), comments.end(), span.start,
                                [](const Comment& comment, uint32_t start) { return comment.span.end <= start; });
  return found != comments.end() && found->span.start < span.end;
}

const Comment* Pass::comment_above(uint32_t offset) const {
  auto& comments = tree().comments;
  auto found = std::lower_bound(comments.begin(), comments.end(), offset,
                                [](const Comment& comment, uint32_t at) { return comment.span.start < at; });
  if (found == comments.begin()) return nullptr;
  const Comment& above = *(found - 1);
  return above.own_line && line(above.span.end) + 1 == line(offset) ? &above : nullptr;
}

std::string Pass::left_text(const Binary& node) const {
  return std::string(text::trim(text({node.span.start, node.op_span.start})));
}

std::string Pass::right_text(const Binary& node) const {
  return std::string(text::trim(text({node.op_span.end, node.span.end})));
}

std::string_view Pass::indent(uint32_t offset) const {
  size_t start = text().rfind('\n', offset == 0 ? 0 : offset - 1);
  start = start == std::string_view::npos ? 0 : start + 1;
  if (offset == 0) start = 0;
  size_t end = start;
  while (end < text().size() && (text()[end] == ' ' || text()[end] == '\t')) ++end;
  return text().substr(start, end - start);
}

bool Pass::starts_line(const Node& node) const {
  return text::trim(text({node.span.start - column(node.span.start), node.span.start})).empty();
}

bool Pass::can_move(const Block& block) {
  for (size_t at = token_at(block.span.start); at < tokens().size() && tokens()[at].start < block.span.end; ++at) {
    const Token& token = tokens()[at];
    if (token.kind == TokenKind::MultilineOpen || text(token.span()).find('\n') != std::string_view::npos) return false;
  }
  return true;
}

std::string Pass::moved(const Block& block, std::string_view indent) const {
  std::string_view lines = text({block.span.start + 1, block.span.end - 1});
  size_t first = std::min(lines.find_first_not_of(" \t\r\n"), lines.size());
  size_t from = lines.rfind('\n', first);
  if (from == lines.npos) return std::string(indent) + std::string(text::trim(lines));
  std::string_view old = lines.substr(from + 1, first - from - 1);
  std::string out;
  for (std::string_view line : text::split(text::trim_end(lines.substr(from + 1)), "\n")) {
    std::string_view kept = line.starts_with(old) ? line.substr(old.size()) : text::trim_start(line);
    if (!out.empty()) out += '\n';
    if (!kept.empty()) out += std::string(indent) + std::string(kept);
  }
  return out;
}

bool Pass::is_alone_on_lines(Span span) const {
  auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  size_t start = span.start, end = span.end;
  while (start > 0 && is_blank(text()[start - 1])) --start;
  while (end < text().size() && is_blank(text()[end])) ++end;
  return (start == 0 || text()[start - 1] == '\n') && (end == text().size() || text()[end] == '\n');
}

Span Pass::whole_lines(Span span) const {
  if (!is_alone_on_lines(span)) return span;
  size_t start = text().rfind('\n', span.start == 0 ? 0 : span.start - 1);
  size_t end = text().find('\n', span.end);
  start = start == std::string_view::npos || span.start == 0 ? 0 : start + 1;
  return {static_cast<uint32_t>(start), static_cast<uint32_t>(end == std::string_view::npos ? text().size() : end + 1)};
}

}  // namespace harn::lint
