#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "format/format.h"
#include "format/layout.h"
#include "syntax/ast.h"
#include "syntax/tree.h"

// The formatter's walk over the tree: from nodes and the comments between them to pieces of a Layout. Known only to the
// .cpp files of this folder; one for each file that is formatted.
namespace harn::formatter {

// How tightly an expression holds together, as in the grammar.
enum Precedence : int {
  kAny,
  kPipe,
  kRange,
  kTernary,
  kOr,
  kAnd,
  kEquality,
  kComparison,
  kAdditive,
  kCoalesce,
  kMultiplicative,
  kUnary,
  kPower,
  kPostfix,
  kPrimary,
};
Precedence precedence_of(const syntax::Node& node);
Precedence precedence_of(syntax::BinaryOp op);
std::string_view spelling(syntax::BinaryOp op);

// Walks the tree and fills a Layout. Comments come from the tree's list, in order: each place where
// a comment may stand asks for those that lie before it.
class Printer {
 public:
  Printer(const syntax::Tree& tree, const Options& options);
  std::string run();
  bool moved_comments() const { return moved_comments_ || layout_.split_comments(); }

 private:
  // What surrounds the expression being written.
  struct Context {
    bool in_brackets = false;   // line ends mean nothing, so no backslash is needed
    bool in_condition = false;  // `Name {` would begin the block
    bool in_guard = false;      // `else` would go to an `if` before it
    int8_t chain_indent = 2;
  };
  class WithContext {
   public:
    WithContext(Printer& printer, Context context) : printer_(printer), saved_(printer.context_) {
      printer.context_ = context;
    }
    ~WithContext() { printer_.context_ = saved_; }

   private:
    Printer& printer_;
    Context saved_;
  };
  static Context brackets() { return {.in_brackets = true}; }
  static Context statements() { return {}; }
  static Context condition() { return {.in_condition = true, .chain_indent = 4}; }

  // ---- comments.cpp ----
  const syntax::Comment* next_comment(uint32_t before) const {
    if (comment_ == comment_count_ || comments_[comment_].span.start >= before) return nullptr;
    return &comments_[comment_];
  }
  std::string_view comment_text(const syntax::Comment& comment) const;
  bool same_line(uint32_t from, uint32_t to) const;
  bool blank_between(uint32_t from, uint32_t to) const;
  void skip_comments(uint32_t before) {
    while (next_comment(before)) ++comment_;
  }
  // Those before an expression in the middle of a line.
  void inner_comments(uint32_t before) {
    if (next_comment(before)) [[unlikely]]
      place_inner_comments(before);
  }
  void place_inner_comments(uint32_t before);
  // Between a block that ends at `from` and the `keyword` that goes on with it.
  void continuation(std::string_view keyword, uint32_t from, uint32_t until);
  // Whether a line inside the list ends in a comment, and whether the place is the first of its line.
  bool has_row_comment(uint32_t close_at) const;
  bool starts_row(uint32_t start) const;
  enum class LineKind : uint8_t { Line, Soft };
  void line_with_comments(uint32_t before, LineKind kind);
  void comments_before_close(uint32_t before);
  // Comments in front of an operator or a `.call`, which a line may begin with.
  void comments_before_link(uint32_t before);
  bool has_line_comment(uint32_t from, uint32_t to) const;
  uint32_t find_char(char c, uint32_t offset, uint32_t end) const;

  // ---- lists.h ----
  struct ListStyle {
    std::string_view open, close;
    bool padded = false;              // a space inside the brackets
    bool breaks_on_hard_line = true;  // otherwise the last item may run over several lines
    bool hugs_last = false;           // ... and is what breaks first when the list is too long
    bool keeps_rows = false;          // items on one line stay together when rows have comments
  };
  template <class StartOf, class Emit>
  void comma_list(ListStyle style, size_t count, uint32_t close_at, StartOf start_of, Emit emit);
  // Statements and everything that stands one per line: comments and blank lines are kept.
  template <class StartOf, class EndOf, class Emit>
  void sequence(size_t count, uint32_t begin, uint32_t end, bool first_line, StartOf start_of, EndOf end_of, Emit emit);
  template <class StartOf, class EndOf, class Emit>
  void braced_sequence(size_t count, uint32_t begin, uint32_t end, StartOf start_of, EndOf end_of, Emit emit);

  // ---- statements.cpp ----
  void statement(const syntax::Node* node);
  void block(const syntax::Block* block);
  void block_lines(const syntax::Block* block, uint32_t begin, uint32_t end);
  // A block on the lines of the group around it: flat when the group is.
  void block_in_group(const syntax::Block* block);
  bool may_be_inline(const syntax::Block* block) const;
  void let(const syntax::Let& let);
  void keyword_value(std::string_view keyword, const syntax::Node* value);
  void keyword_block(std::string_view keyword, const syntax::Block* body);
  void pattern(const syntax::Pattern* pattern);

  // ---- control.cpp ----
  enum class Position : uint8_t { Statement, Value };
  void retry(const syntax::Retry& node, Position position);
  void deadline(const syntax::Deadline& node, Position position);
  void mutex(const syntax::Mutex& node, Position position);
  void if_else(const syntax::If& first, Position position);
  void try_catch(const syntax::Try& attempt, Position position);
  void match(const syntax::Match& match);
  void arm(const syntax::MatchArm& arm);
  void match_pattern(const syntax::MatchPattern* pattern);
  void select(const syntax::Select& select);
  void parallel(const syntax::Parallel& parallel);
  void cost_route(const syntax::CostRoute& route);
  void head_and_block(std::string_view keyword, const syntax::Node* head, const syntax::Block* body, Position position);
  void condition_expr(const syntax::Node* node, bool in_guard = false);

  // ---- expressions.cpp ----
  void expr(const syntax::Node* node, int lowest = kAny);
  void in_parens(const syntax::Node* node);
  void bare_expr(const syntax::Node* node);
  void unary(const syntax::Unary& node);
  void binary(const syntax::Binary& binary);
  void operand(const syntax::Node* node, int lowest, syntax::BinaryOp op);
  void pipe(const syntax::Pipe& pipe);
  void ternary(const syntax::Ternary& ternary);
  bool is_commented(const syntax::Node* link) const;
  void chain(const syntax::Node* node);
  void link(const syntax::Node* node);
  void slice(const syntax::Slice& slice);
  void args(syntax::NodeList items, uint32_t close_at);
  void argument(const syntax::Node* node);
  void list(const syntax::ListLiteral& list);
  enum class Padded : uint8_t { No, Yes };
  void entries(syntax::List<syntax::DictEntry> entries, Padded padded, uint32_t close_at);
  void entry(const syntax::DictEntry& entry);
  void key(const syntax::Name& name, bool quoted);
  void closure(const syntax::Closure& closure);
  void literal(const syntax::Node* node);

  // ---- declarations.cpp ----
  // There is a `declared` for each kind, so that one that is forgotten does not compile.
  void declaration(const auto& node) {
    begin_declaration(node);
    declared(node);
  }
  void begin_declaration(const syntax::Declaration& node);
  void declared(const syntax::Function& node);
  void declared(const syntax::Pipeline& node);
  void declared(const syntax::Override& node);
  void declared(const syntax::Tool& node);
  void declared(const syntax::Skill& node);
  void declared(const syntax::EvalPack& node);
  void declared(const syntax::TypeAlias& node);
  void declared(const syntax::Enum& node);
  void declared(const syntax::Struct& node);
  void declared(const syntax::Impl& node);
  void declared(const syntax::Interface& node);
  void declared(const syntax::Import& node);
  void attributes(const syntax::Declaration& decl);
  void attribute_value(const syntax::AttributeValue* value);
  void params(syntax::List<syntax::Param> params, uint32_t end);
  void param(const syntax::Param& param);
  void generics(syntax::List<syntax::GenericParam> generics);
  void fields(syntax::List<syntax::SkillField> fields, const syntax::Node& decl, bool colons);
  // Behind the `{` that follows `offset`.
  uint32_t open_brace_after(uint32_t offset, uint32_t end) const {
    return std::min(find_char('{', offset, end) + 1, end);
  }

  // ---- types.cpp ----
  void type(const syntax::TypeNode* type);
  void type_operand(const syntax::TypeNode* type, bool parens);
  void shape(const syntax::TypeNode* type);
  void types(std::string_view open, syntax::List<const syntax::TypeNode*> items, std::string_view close);
  void return_type(const syntax::TypeNode* type);

  void text(std::string_view text) { layout_.text(text); }
  std::string_view source(Span span) const { return source_.substr(span.start, span.length()); }

  const syntax::Tree& tree_;
  std::string_view source_;
  Layout layout_;
  const syntax::Comment* comments_;
  size_t comment_count_;
  size_t comment_ = 0;
  Context context_;
  // Some comment was not written where it stood. It has a place now, but the layout around it may
  // have been chosen without it.
  bool moved_comments_ = false;
  std::string out_;
};

}  // namespace harn::formatter
