#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/lexer.h"
#include "syntax/strings.h"
#include "syntax/token.h"
#include "syntax/tree.h"

// The parser, known only to the .cpp files of this folder. Recursive descent over the token list.
//
// Errors: the first problem in a statement is reported and sets `failed_`. From then on nothing is
// reported, every loop ends, and the calls return what they have; the nearest list of statements
// (or arms, methods, ...) skips to the next place where one can begin and clears `failed_`.
namespace harn::syntax {

// How often the parser may enter itself; brackets and blocks cost two or three. Deep enough for any
// program a person writes, low enough that the parser needs less than 1 MB of stack (4 MB with
// sanitizers) and later walkers have room too.
constexpr uint32_t kMaxDepth = 1000;
// Operators or postfix parts that may follow each other in one expression. They do not deepen the
// parser's stack, but they make the tree as deep as the chain is long.
constexpr uint32_t kMaxChain = 4000;

// Collects the items of one list on a stack shared by all lists being built.
template <class T>
class ListBuilder {
 public:
  ListBuilder(std::vector<T>& stack, Arena& arena) : stack_(stack), arena_(arena), start_(stack.size()) {}
  ~ListBuilder() { clear(); }
  ListBuilder(const ListBuilder&) = delete;

  void add(T item) { stack_.push_back(item); }
  bool empty() const { return stack_.size() == start_; }
  size_t size() const { return stack_.size() - start_; }
  T& back() { return stack_.back(); }
  T& operator[](size_t i) { return stack_[start_ + i]; }
  List<T> finish() {
    auto list = arena_.copy(std::span<const T>(stack_).subspan(start_));
    clear();
    return list;
  }

 private:
  void clear() { stack_.erase(stack_.begin() + start_, stack_.end()); }

  std::vector<T>& stack_;
  Arena& arena_;
  size_t start_;
};

struct Signature;
struct SignatureParam;

class Parser {
 public:
  Parser(Tree& tree, TokenList& list, diag::Sink& sink);
  void parse_file();
  List<Signature> parse_signatures();  // signature.h

 private:
  // What decides how tokens join into one expression; each bracket begins a new one.
  struct Context {
    bool newlines_end = true;        // a line end may end the expression
    bool brace_ends = false;         // `Name {` begins a block, not a struct literal
    uint16_t pending_ternaries = 0;  // `?` whose `:` is still to come
  };
  class WithContext {
   public:
    WithContext(Parser& parser, Context context) : parser_(parser), saved_(parser.context_) {
      parser.context_ = context;
    }
    ~WithContext() { parser_.context_ = saved_; }

   private:
    Parser& parser_;
    Context saved_;
  };
  static Context bracket_context() { return {.newlines_end = false}; }
  static Context block_context() { return {}; }

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser.depth_ > kMaxDepth) parser.too_deep(kMaxDepth);
    }
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  // ---- tokens (parser.cpp) ----
  const Token& token() const { return tokens_[at_]; }
  const Token& token(size_t ahead) const {
    size_t index = at_ + ahead;
    return tokens_[index < count_ ? index : count_ - 1];
  }
  TokenKind kind() const { return tokens_[at_].kind; }
  TokenKind kind(size_t ahead) const { return token(ahead).kind; }
  bool at(TokenKind k) const { return kind() == k; }
  bool at_end() const { return at_ + 1 >= count_; }
  uint32_t start() const { return token().start; }
  uint32_t previous_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  Span span_from(uint32_t start) const {
    uint32_t end = previous_end();
    return {start, end < start ? start : end};
  }
  std::string_view text(const Token& t) const { return text_.substr(t.start, t.end - t.start); }
  bool at_word(std::string_view word, size_t ahead = 0) const {
    const Token& t = token(ahead);
    return t.kind == TokenKind::Identifier && text(t) == word;
  }
  void advance() {
    if (!at_end()) ++at_;
  }
  bool accept(TokenKind k) {
    if (!at(k) || failed_) return false;
    advance();
    return true;
  }
  bool expect(TokenKind k);
  bool expect(TokenKind k, std::string_view what);
  // The closer of the bracket opened by token `opener`.
  bool expect_close(TokenKind k, uint32_t opener);
  // ---- words and signs of other languages (habits.cpp) ----
  bool explain_habit(diag::Report& report, std::string_view expected) const;
  std::string_view habit_of_place(std::string_view expected) const;
  std::string habit_of_neighbours() const;
  bool is_habit(std::string_view before, std::string_view here, std::string_view after) const;
  bool continues_same_line() const;
  bool at_decrement() const;
  bool arrow_follows_parenthesis() const;
  bool follows_on_line(TokenKind word, bool braces) const;
  bool assigns_on_this_line() const;

  diag::Fix comma_fix() const;
  bool accept_close_angle();
  Name take_name() {
    const Token& t = token();
    advance();
    return {text(t), t.span()};
  }
  Name expect_name(std::string_view what);
  // The name of something that other code refers to by it.
  Name expect_declared(std::string_view what);
  Name expect_word(std::string_view what);

  // ---- errors (parser.cpp) ----
  std::string describe(const Token& t) const;
  diag::Report fail(std::string_view expected);
  diag::Report fail_plainly(std::string_view expected);  // says nothing about habits
  diag::Report fail_at(const Token& t, std::string_view expected, std::string_view found);
  diag::Report report(diag::Code code, Span span, std::string_view value = {});
  Node* error_node(uint32_t start);
  void too_deep(uint32_t limit);
  void grow_chain() {
    if (++height_ > kMaxChain) too_deep(kMaxChain);
  }
  // After an error in an item that began at token `first` inside the braces opened at `opener`
  // (or at the top level when `opener` is kNoOpener): goes to where the next item may begin.
  static constexpr uint32_t kNoOpener = ~0u;
  void recover(size_t first, uint32_t opener);
  void note_broken(uint32_t from, uint32_t to);
  void note_unclosed();
  void skip_stray_brace(ListBuilder<const Node*>& before);
  // The token that ends what `opener` began: its closer, the closer of a bracket around it when it
  // has none itself, or the end of the file.
  size_t end_of(uint32_t opener) const;
  uint32_t likely_unclosed(uint32_t opener) const;
  bool at_list_end(TokenKind closer) const { return failed_ || at(closer) || at_end(); }
  // Whether the braces opened at token `opener` go on.
  bool in_braces(uint32_t opener) const { return !at_list_end(TokenKind::RightBrace) && at_ < end_of(opener); }
  // Reads `item` until the closer, with commas between. Newlines do not matter.
  template <class Item>
  void parse_comma_list(TokenKind closer, uint32_t opener, Item item) {
    while (!at_list_end(closer)) {
      item();
      if (failed_ || at(closer)) break;
      if (!accept(TokenKind::Comma)) {
        expect_close(closer, opener);
        return;
      }
    }
    expect_close(closer, opener);
  }

  // ---- looking ahead (lookahead.cpp) ----
  uint32_t skip_bracket(uint32_t index) const;
  uint32_t scan_type(uint32_t index, uint32_t limit, uint32_t depth) const;
  uint32_t scan_type_primary(uint32_t index, uint32_t limit, uint32_t depth) const;
  uint32_t scan_type_args(uint32_t index, uint32_t limit, uint32_t depth) const;
  bool type_args_precede(TokenKind next) const;
  enum class Place : uint8_t { Expression, Statement };
  bool looks_like_closure(Place place) const;
  bool finds_closure_arrow(uint32_t index) const;
  bool looks_like_dict() const;
  bool is_ternary(const Token& question);
  bool finds_ternary_colon(uint32_t from) const;
  bool continues_line(const Token& t) const;
  bool starts_expression(TokenKind k) const;

  // ---- Natural blocks (natural.cpp) ----
  Node* natural_or(Node* expression);
  void natural_names(Span literal, ListBuilder<const Node*>& inputs, ListBuilder<const Node*>& outputs);

  // ---- statements (statements.cpp) ----
  Block* parse_block(std::string_view after);
  Block* block_from_statements(uint32_t opener);
  void parse_statements(ListBuilder<const Node*>& items, uint32_t opener);
  void fail_block(std::string_view after);
  Node* parse_statement();
  Node* parse_keyword_statement();
  Node* parse_block_statement();
  Node* parse_expression_statement();
  Node* parse_let(uint32_t start, bool is_pub);
  Node* parse_const(uint32_t start, bool is_pub);
  Node* parse_for();
  Node* parse_while();
  Node* parse_return();
  Node* parse_guard();
  Node* parse_require();
  bool ends_statement() const;
  void end_statement(std::string_view item);
  Node* finish_assign(Node* target, uint32_t start);

  // ---- expressions (expressions.cpp) ----
  Node* parse_expression();
  Node* parse_condition();
  Node* parse_range();
  Node* parse_ternary();
  Node* parse_binary(int lowest);
  Node* parse_unary();
  bool at_smallest_int() const;
  Node* parse_prefix();
  Node* parse_power(Node* base, uint32_t start);
  Node* parse_postfix();
  Node* parse_postfix_of(Node* object, uint32_t start);
  Node* parse_postfix_part(Node* object, uint32_t start);
  Node* parse_call(Node* callee, uint32_t start);
  Node* parse_index(Node* object, uint32_t start, bool optional);
  Node* parse_member(Node* object, uint32_t start);
  NodeList parse_args();
  Node* parse_arg();
  List<const TypeNode*> parse_type_args();

  // ---- primary expressions (primary.cpp) ----
  Node* parse_primary();
  Node* fail_expression();
  Node* parse_parens();
  Node* parse_word_literal();
  Node* parse_identifier();
  Node* parse_int(uint32_t start, bool negative);
  Node* parse_float();
  Node* parse_duration();
  Node* parse_string();
  Node* parse_interpolated();
  Node* string_node(const Token& t);
  std::string_view string_value(const Token& t);
  Node* parse_list();
  Node* parse_braces();
  Node* parse_dict();
  void parse_dict_entries(ListBuilder<DictEntry>& entries);
  bool parse_dict_entry(DictEntry& entry);
  Node* parse_struct_literal();
  Closure* parse_closure();
  Closure* parse_fn_closure();

  // ---- control flow (control.cpp) ----
  bool at_elif() const;
  Node* parse_if();
  Node* parse_match();
  MatchArm parse_arm();
  Block* parse_arm_body();
  Node* parse_try();
  Node* parse_retry();
  Node* parse_parallel();
  Node* parse_parallel_options();
  Closure* parse_task_body(std::string_view after);
  Node* parse_spawn();
  Node* parse_deadline();
  Node* parse_mutex();
  Node* parse_select();
  SelectCase parse_select_case();
  Node* parse_cost_route();
  Node* parse_human_call();

  // ---- declarations (declarations.cpp, attributes.cpp) ----
  Node* parse_attributed();
  Node* parse_pub();
  bool starts_declaration() const;
  Declaration* parse_declaration(uint32_t start);
  Declaration* parse_declaration_of_kind(uint32_t start);
  Function* parse_function(uint32_t start, bool in_interface);
  Declaration* parse_pipeline(uint32_t start);
  Declaration* parse_override(uint32_t start);
  Declaration* parse_tool(uint32_t start);
  Declaration* parse_skill(uint32_t start);
  Declaration* parse_eval_pack(uint32_t start);
  Declaration* parse_type_alias(uint32_t start);
  Declaration* parse_enum(uint32_t start);
  Declaration* parse_struct(uint32_t start);
  Declaration* parse_impl(uint32_t start);
  Declaration* parse_interface(uint32_t start);
  Declaration* parse_import(uint32_t start);
  void parse_scoped_import(Import* import);
  List<Name> parse_imported_names();
  EnumVariant parse_variant();
  List<Param> parse_params();
  Param parse_param();
  void check_params(ListBuilder<Param>& params);
  List<GenericParam> parse_generics();
  Signature parse_signature();
  SignatureParam parse_signature_param();
  List<WhereBound> parse_where();
  bool parse_attributes(ListBuilder<Attribute>& attributes);
  Attribute parse_attribute();
  AttributeArg parse_attribute_arg();
  AttributeValue* parse_attribute_value();
  AttributeValue* parse_attribute_number();
  AttributeValue* parse_attribute_symbol();
  void parse_attribute_values(AttributeValue* value, TokenKind closer);
  void parse_attribute_dict(AttributeValue* value);

  // ---- types (types.cpp) ----
  TypeNode* parse_type();
  TypeNode* parse_intersection_type();
  TypeNode* parse_postfix_type();
  TypeNode* parse_primary_type();
  TypeNode* parse_function_type();
  TypeNode* parse_shape_type();
  TypeNode* type_node(TypeKind kind, uint32_t start);
  List<const TypeNode*> one_type(const TypeNode* type);

  // ---- patterns (patterns.cpp) ----
  Pattern* parse_pattern(bool in_for);
  PatternField parse_pattern_field(PatternKind kind);
  List<PatternField> parse_pattern_fields(PatternKind kind, TokenKind closer, uint32_t opener);
  MatchPattern* parse_match_pattern();
  MatchPattern* parse_single_pattern();
  MatchPattern* parse_list_pattern();
  MatchPattern* parse_dict_pattern();
  bool starts_variant() const;
  MatchPattern* parse_variant_pattern();
  MatchPattern* match_pattern(MatchPatternKind kind, uint32_t start);
  bool ends_pattern(TokenKind k) const;

  NodeId new_id() { return {++tree_.last_id.number}; }
  template <class T>
  T* node(NodeKind kind, uint32_t start) {
    T* result = tree_.arena.make<T>();
    result->kind = kind;
    result->span.start = start;
    result->id = new_id();
    return result;
  }
  // Sets the end of the node to the last token read.
  template <class T>
  T* done(T* node) {
    uint32_t end = previous_end();
    node->span.end = end < node->span.start ? node->span.start : end;
    return node;
  }

  Tree& tree_;
  TokenList& list_;
  Token* tokens_;
  size_t count_;
  std::string_view text_;
  diag::Sink& sink_;
  size_t at_ = 0;
  Context context_;
  bool failed_ = false;
  bool explained_ = false;     // the last report says what was meant (habits.cpp)
  bool gave_up_ = false;       // too deep: the rest of the file is not looked at
  bool reported_end_ = false;  // the file ended early, and that was said once
  size_t extent_ = 0;          // the token that ends the block being read
  uint32_t depth_ = 0;
  uint32_t height_ = 0;           // chain parts in the deepest expression since it was last set to 0
  bool in_natural_ = false;       // in the body of a function with `@natural_function`
  bool next_is_natural_ = false;  // the declaration that comes has the attribute
  uint32_t placeholders_ = 0;     // `_` seen as a value and not yet taken by a pipe

  std::vector<const Node*> nodes_;
  std::vector<TextPiece> pieces_;
  std::vector<DictEntry> entries_;
  std::vector<Param> params_;
  std::vector<const TypeNode*> types_;
  std::vector<ShapeField> shape_fields_;
  std::vector<PatternField> pattern_fields_;
  std::vector<const MatchPattern*> patterns_;
  std::vector<If*> ifs_;
  std::vector<MatchArm> arms_;
  std::vector<SelectCase> cases_;
  std::vector<GenericParam> generics_;
  std::vector<WhereBound> bounds_;
  std::vector<Attribute> attributes_;
  std::vector<AttributeArg> attribute_args_;
  std::vector<const AttributeValue*> attribute_values_;
  std::vector<Name> names_;
  std::vector<SkillField> skill_fields_;
  std::vector<EnumVariant> variants_;
  std::vector<StructField> struct_fields_;
  std::vector<const Function*> functions_;
  std::vector<AssociatedType> associated_;
};

}  // namespace harn::syntax
