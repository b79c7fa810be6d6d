#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/span.h"

// The syntax tree. Nodes live in the arena of their `Tree` (tree.h) and own nothing: names are
// views into the source text, lists are spans in the arena. A walker switches on `kind` and casts
// with `as<T>`.
//
// Later phases hang what they learn on the few fields marked "set by"; nothing else changes after
// parsing.
namespace harn::compile {
struct Variable;
struct FunctionInfo;
struct ScopeInfo;
}  // namespace harn::compile

namespace harn::syntax {

// Kinds in groups, small nodes in a line.
// clang-format off
enum class NodeKind : uint8_t {
  // literals and names
  NilLiteral, BoolLiteral, IntLiteral, FloatLiteral, DurationLiteral, StringLiteral,
  InterpolatedString, Identifier, ListLiteral, DictLiteral, StructLiteral, Closure,
  // operators
  Unary, Binary, Range, Ternary, Pipe, Spread, NamedArgument,
  // access and calls
  Call, MethodCall, Member, Index, Slice, TryUnwrap, TryStar,
  // control flow (all are expressions)
  Block, If, Match, Try, Retry, Parallel, Spawn, Deadline, Mutex, Select, CostRoute, HumanCall,
  // statements
  Let, Const, Assign, For, While, Return, Throw, Break, Continue, Defer, Guard, Require, Yield, Emit,
  // declarations
  Function, Pipeline, Override, Tool, Skill, EvalPack, TypeAlias, Enum, Struct, Impl, Interface,
  Import,
  // the place of something that did not parse; already reported
  Error,
};

struct Node {
  NodeKind kind;
  Span span;

  template <class T>
  T& as() { return *static_cast<T*>(this); }
  template <class T>
  const T& as() const { return *static_cast<const T*>(this); }
  bool is(NodeKind k) const { return kind == k; }
};

template <class T>
using List = std::span<T>;
using NodeList = List<Node*>;

struct TypeNode;
struct Pattern;
struct MatchPattern;
struct Enum;
struct Block;
struct Attribute;

struct Name {
  std::string_view text;
  Span span;
  bool empty() const { return text.empty(); }
};

// ---- types ----

enum class TypeKind : uint8_t {
  Named,         // int, list<T>, Result<T, E>, owned<channel>
  List,          // [T]
  Function,      // fn(A, B) -> R
  Shape,         // {a: T, b?: U, ...rest}
  Union,         // A | B
  Intersection,  // A & B
  Optional,      // T?
  StringLiteral, IntLiteral, BoolLiteral,
  Error,
};

struct ShapeField {
  Name name;
  bool optional = false;
  TypeNode* type = nullptr;
  bool quoted = false;  // the name was written as a string
};

struct TypeNode {
  TypeKind kind;
  Span span;
  Name name;                    // Named
  List<TypeNode*> items;        // Named: arguments; List, Optional: one; Function: parameters; Union, Intersection
  TypeNode* result = nullptr;   // Function
  List<ShapeField> fields;      // Shape
  List<TypeNode*> row_tails;    // Shape: the types after `...`
  std::string_view text;        // StringLiteral: the decoded text
  int64_t number = 0;           // IntLiteral, BoolLiteral
  bool parenthesized = false;
  bool is_parameter = false;    // Named: a type parameter; set by the resolver
  Node* declaration = nullptr;  // Named: the alias, struct, ... it means; set by the resolver
};

enum class Variance : uint8_t { Invariant, In, Out };
struct GenericParam {
  Name name;
  Variance variance = Variance::Invariant;
};
struct WhereBound {
  Name type;
  Name interface;
};

// ---- functions ----

struct Param {
  Name name;
  TypeNode* type = nullptr;
  Node* default_value = nullptr;
  bool rest = false;
  compile::Variable* variable = nullptr;  // set by the resolver
};

// ---- binding patterns: let, var, for ----

enum class PatternKind : uint8_t { Name, Dict, List, Pair };

struct PatternField {
  Name key;                      // Dict: the key to read. List, Pair, rest: empty
  Name binding;                  // the new variable; "_" discards
  Node* default_value = nullptr;
  bool rest = false;             // ...binding
  compile::Variable* variable = nullptr;  // set by the resolver
};

struct Pattern {
  PatternKind kind;
  Span span;
  List<PatternField> fields;  // Name: one field
};

// ---- match patterns ----

enum class MatchPatternKind : uint8_t {
  Wildcard,  // _
  Bind,      // name
  Value,     // any expression, compared with ==
  List,      // [a, 1, ...rest]
  Dict,      // {kind: "a", size: n, name, ...rest}
  Variant,   // Enum.Variant(a, b), Enum.Variant or Variant(a, b)
  Or,        // literal | literal
};

struct MatchPattern {
  MatchPatternKind kind;
  Span span;
  Name name;                       // Bind; List, Dict: the rest binding (see has_rest); Variant: the variant
  Node* value = nullptr;           // Value; Variant: the enum (an Identifier), if it was written
  List<MatchPattern*> items;       // List: elements; Dict: values; Variant: payload; Or: alternatives
  List<Name> keys;                 // Dict, like items; `{name}` has a Bind of that name
  bool has_rest = false;           // List, Dict
  bool has_payload = false;        // Variant: parentheses were written
  compile::Variable* variable = nullptr;  // set by the resolver
  const Enum* owner = nullptr;            // Variant: the enum, null for Result; set by the resolver
};

struct MatchArm {
  MatchPattern* pattern;
  Node* guard = nullptr;
  Block* body = nullptr;
  Span span;
  compile::ScopeInfo* scope = nullptr;  // set by the resolver
};

// ---- expressions ----

struct NilLiteral : Node {};
struct BoolLiteral : Node { bool value; };
struct IntLiteral : Node { int64_t value; };
struct FloatLiteral : Node { double value; };
struct DurationLiteral : Node { int64_t milliseconds; };

enum class StringForm : uint8_t { Plain, Raw, Multiline };
struct StringLiteral : Node {
  std::string_view value;  // escapes decoded, indent stripped
  StringForm form;
};
// Parts are StringLiteral nodes (non-empty text) and expressions, in order.
struct InterpolatedString : Node {
  NodeList parts;
  StringForm form;
};

struct Identifier : Node {
  std::string_view name;
  compile::Variable* variable = nullptr;  // set by the resolver; null for builtins and unknown names
};

struct ListLiteral : Node { NodeList items; };  // Spread allowed

enum class KeyForm : uint8_t { Bare, Quoted, Computed, Spread };
struct DictEntry {
  KeyForm form;
  Name key;              // Bare, Quoted (decoded text)
  Node* computed = nullptr;  // Computed
  Node* value = nullptr;     // Spread: the spread value
};
struct DictLiteral : Node { List<DictEntry> entries; };
struct StructLiteral : Node {
  Name name;
  List<TypeNode*> type_args;
  List<DictEntry> fields;
  compile::Variable* variable = nullptr;  // set by the resolver
};

// `{ x, y = 1 -> body }`, `fn(x) { body }`, and the bodies of spawn and parallel.
struct Closure : Node {
  List<Param> params;
  TypeNode* return_type = nullptr;
  Block* body = nullptr;
  bool fn_form = false;                     // written with `fn`
  compile::FunctionInfo* info = nullptr;    // set by the resolver
};

enum class UnaryOp : uint8_t { Not, Negate };
struct Unary : Node { UnaryOp op; Node* operand; };

enum class BinaryOp : uint8_t {
  Or, And, Equal, NotEqual, Less, Greater, LessEqual, GreaterEqual, In, NotIn,
  Add, Subtract, Coalesce, Multiply, Divide, Modulo, Power,
};
struct Binary : Node { BinaryOp op; Node* left; Node* right; Span op_span; };
struct Range : Node { Node* start; Node* end; bool exclusive; };
struct Ternary : Node { Node* condition; Node* then_value; Node* else_value; };
// `left |> right`. When `right` uses `_`, the parser sets `has_placeholder` and the resolver binds
// the name `_` inside `right` to the piped value.
struct Pipe : Node {
  Node* left;
  Node* right;
  bool has_placeholder = false;
  compile::Variable* placeholder = nullptr;  // set by the resolver
};
struct Spread : Node { Node* operand; };
struct NamedArgument : Node { Name name; Node* value; };

struct Call : Node {
  Node* callee;
  List<TypeNode*> type_args;
  NodeList args;  // Spread and NamedArgument allowed
};
struct MethodCall : Node {
  Node* object;
  Name name;
  NodeList args;
  bool optional;  // ?.
};
struct Member : Node { Node* object; Name name; bool optional; };
struct Index : Node { Node* object; Node* index; bool optional; };
struct Slice : Node { Node* object; Node* start; Node* end; };  // start, end may be null
struct TryUnwrap : Node { Node* operand; };
struct TryStar : Node { Node* operand; };

// ---- control flow ----

struct Block : Node {
  NodeList statements;
  compile::ScopeInfo* scope = nullptr;  // set by the resolver
  bool acquires = false;                // likewise: a call in it acquires a permit, which the block holds
};
struct If : Node {
  Node* condition;
  Block* then_block;
  Node* else_branch;  // null, Block or If
};
struct Match : Node { Node* subject; List<MatchArm> arms; };
struct Try : Node {
  Block* body;
  bool has_catch = false;
  Name error_name;             // may be empty
  TypeNode* error_type = nullptr;
  Block* catch_block = nullptr;
  Block* finally_block = nullptr;
  compile::Variable* error_variable = nullptr;  // set by the resolver
  compile::ScopeInfo* catch_scope = nullptr;    // set by the resolver
};
struct Retry : Node { Node* count; Block* body; };

enum class ParallelMode : uint8_t { Count, Each, Settle };
struct Parallel : Node {
  ParallelMode mode;
  Node* source;
  Node* max_concurrent = nullptr;
  Closure* body;
  bool as_stream = false;
};
struct Spawn : Node { Closure* body; };
struct Deadline : Node { Node* duration; Block* body; };
struct Mutex : Node { Block* body; };

enum class SelectCaseKind : uint8_t { Receive, Timeout, Default };
struct SelectCase {
  SelectCaseKind kind;
  Name binding;            // Receive
  Node* source = nullptr;  // Receive: the channel; Timeout: the duration
  Block* body = nullptr;
  compile::Variable* variable = nullptr;  // set by the resolver
  compile::ScopeInfo* scope = nullptr;    // set by the resolver
};
struct Select : Node { List<SelectCase> cases; };
struct CostRoute : Node { List<DictEntry> options; Block* body; };

enum class HumanCallKind : uint8_t { AskUser, RequestApproval, DualControl, EscalateTo };
struct HumanCall : Node { HumanCallKind which; List<TypeNode*> type_args; NodeList args; };

// ---- statements ----

struct Let : Node {
  bool is_var;
  Pattern* pattern;
  TypeNode* type;
  Node* value;
  bool is_pub = false;
};
struct Const : Node {
  Name name;
  TypeNode* type;
  Node* value;
  bool is_pub = false;
  compile::Variable* variable = nullptr;  // set by the resolver
};
enum class AssignOp : uint8_t { Set, Add, Subtract, Multiply, Divide, Modulo };
struct Assign : Node { Node* target; AssignOp op; Node* value; };  // Identifier, Member or Index
struct For : Node {
  Pattern* pattern;
  Node* iterable;
  Block* body;
  compile::ScopeInfo* scope = nullptr;  // set by the resolver
};
struct While : Node { Node* condition; Block* body; };
struct Return : Node { Node* value; };  // may be null
struct Throw : Node { Node* value; };
struct Break : Node {};
struct Continue : Node {};
struct Defer : Node { Block* body; };
struct Guard : Node { Node* condition; Block* else_block; };
struct Require : Node { Node* condition; Node* message; };  // message may be null
struct Yield : Node { Node* value; };                       // value may be null
struct Emit : Node { Node* value; };

// ---- declarations ----

enum class AttributeValueKind : uint8_t {
  String, Int, Float, Bool, Nil, Symbol /* a or a.b.c */, List, Dict, Call,
};
struct AttributeValue {
  AttributeValueKind kind;
  Span span;
  std::string_view text;            // String (decoded), Symbol, Call: the name
  int64_t integer = 0;              // Int, Bool
  double number = 0;                // Float
  List<AttributeValue*> items;      // List, Call, Dict: values
  List<Name> keys;                  // Dict
};
struct AttributeArg {
  Name name;  // may be empty
  AttributeValue* value;
};
struct Attribute {
  Name name;
  List<AttributeArg> args;
  Span span;
};

struct Declaration : Node {
  Name name;
  bool is_pub = false;
  List<Attribute> attributes;
};

struct Function : Declaration {
  bool is_gen = false;
  List<GenericParam> generics;
  List<Param> params;
  TypeNode* return_type = nullptr;
  List<WhereBound> where;
  Block* body = nullptr;                    // null in an interface
  compile::FunctionInfo* info = nullptr;    // set by the resolver
  compile::Variable* variable = nullptr;    // set by the resolver
};
struct Pipeline : Declaration {
  List<Param> params;
  TypeNode* return_type = nullptr;
  Name extends;  // may be empty
  Block* body = nullptr;
  compile::FunctionInfo* info = nullptr;  // set by the resolver
};
struct Override : Declaration {
  List<Param> params;
  Block* body = nullptr;
  compile::FunctionInfo* info = nullptr;  // set by the resolver
};
struct Tool : Declaration {
  List<Param> params;
  TypeNode* return_type = nullptr;
  Node* description = nullptr;  // StringLiteral, InterpolatedString or null; not part of `body`
  Block* body = nullptr;
  compile::FunctionInfo* info = nullptr;  // set by the resolver
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct SkillField { Name name; Node* value; };
struct Skill : Declaration {
  List<SkillField> fields;
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct EvalPack : Declaration {
  Name id;                   // the string after (or instead of) the name; may be empty
  List<SkillField> fields;   // field: value
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct TypeAlias : Declaration { List<GenericParam> generics; TypeNode* type = nullptr; };
struct EnumVariant { Name name; List<Param> fields; bool has_payload = false; };
struct Enum : Declaration {
  List<GenericParam> generics;
  List<EnumVariant> variants;
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct StructField { Name name; bool optional = false; TypeNode* type = nullptr; };
struct Struct : Declaration {
  List<GenericParam> generics;
  List<StructField> fields;
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct Impl : Declaration {  // name: the struct
  List<Function*> methods;
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct AssociatedType { Name name; TypeNode* default_type = nullptr; };
struct Interface : Declaration {
  List<GenericParam> generics;
  List<AssociatedType> types;
  List<Function*> methods;
};
struct ImportedName {
  Name name;
  compile::Variable* variable = nullptr;  // set by the resolver
};
struct Import : Declaration {
  std::string_view path;      // decoded; `std::a::{x}` gives "std/a"
  Span path_span;
  bool scoped = false;        // written with `::`
  bool selective = false;
  List<ImportedName> names;   // selective
};

struct ErrorNode : Node {};

// clang-format on

}  // namespace harn::syntax
