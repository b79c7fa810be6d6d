#include "syntax/dump.h"

#include "base/fmt.h"

namespace harn::syntax {

namespace {

std::string_view name_of(UnaryOp op) { return op == UnaryOp::Not ? "!" : "neg"; }

std::string_view name_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return "||";
    case BinaryOp::And: return "&&";
    case BinaryOp::Equal: return "==";
    case BinaryOp::NotEqual: return "!=";
    case BinaryOp::Less: return "<";
    case BinaryOp::Greater: return ">";
    case BinaryOp::LessEqual: return "<=";
    case BinaryOp::GreaterEqual: return ">=";
    case BinaryOp::In: return "in";
    case BinaryOp::NotIn: return "not-in";
    case BinaryOp::Add: return "+";
    case BinaryOp::Subtract: return "-";
    case BinaryOp::Coalesce: return "??";
    case BinaryOp::Multiply: return "*";
    case BinaryOp::Divide: return "/";
    case BinaryOp::Modulo: return "%";
    case BinaryOp::Power: return "**";
  }
  return {};
}

std::string_view name_of(AssignOp op) {
  switch (op) {
    case AssignOp::Set: return "=";
    case AssignOp::Add: return "+=";
    case AssignOp::Subtract: return "-=";
    case AssignOp::Multiply: return "*=";
    case AssignOp::Divide: return "/=";
    case AssignOp::Modulo: return "%=";
  }
  return {};
}

std::string_view name_of(HumanCallKind kind) {
  switch (kind) {
    case HumanCallKind::AskUser: return "ask_user";
    case HumanCallKind::RequestApproval: return "request_approval";
    case HumanCallKind::DualControl: return "dual_control";
    case HumanCallKind::EscalateTo: return "escalate_to";
  }
  return {};
}

// The operand that stands first in the text, for nodes that chain to the left.
const Node* left_operand(const Node& node) {
  switch (node.kind) {
    case NodeKind::Binary: return node.as<Binary>().left;
    case NodeKind::Pipe: return node.as<Pipe>().left;
    case NodeKind::Call: return node.as<Call>().callee;
    case NodeKind::MethodCall: return node.as<MethodCall>().object;
    case NodeKind::Member: return node.as<Member>().object;
    case NodeKind::Index: return node.as<Index>().object;
    case NodeKind::Slice: return node.as<Slice>().object;
    case NodeKind::TryUnwrap: return node.as<TryUnwrap>().operand;
    default: return nullptr;
  }
}

class Dumper {
 public:
  std::string run(const Tree& tree) {
    for (const Node* item : tree.items) {
      node(item);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  void open(std::string_view head) {
    out_ += '(';
    out_ += head;
  }
  void close() { out_ += ')'; }
  void word(std::string_view text) {
    out_ += ' ';
    out_ += text;
  }
  void space() { out_ += ' '; }
  void quoted(std::string_view text);
  void new_line() {
    out_ += '\n';
    out_.append(2 * indent_, ' ');
  }

  // ` child`, with `-` for a missing one.
  void child(const Node* value) {
    space();
    if (value) node(value);
    else out_ += '-';
  }
  void children(NodeList list) {
    for (const Node* value : list) child(value);
  }
  void option(std::string_view name, const Node* value) {
    if (!value) return;
    space();
    open(name);
    child(value);
    close();
  }

  void node(const Node* value);
  void chain(const Node* value);
  void open_chain(const Node& link);
  void close_chain(const Node& link);
  void expression(const Node& value);
  void control(const Node& value);
  void if_else(const Node* branch);
  void statement(const Node& value);
  void declaration(const Node& value);
  void block(const Block* value);
  void arm(const MatchArm& value);
  void entries(List<DictEntry> list);
  void params(List<Param> list);
  void type(const TypeNode* value);
  void types(std::string_view head, List<TypeNode*> list);
  void option_type(const TypeNode* value) {
    if (!value) return;
    out_ += " : ";
    type(value);
  }
  void pattern(const Pattern* value);
  void match_pattern(const MatchPattern* value);
  void head(std::string_view kind, const Declaration& decl);
  void attribute_value(const AttributeValue* value);
  void generics(List<GenericParam> list);
  void function(const Function& fn);

  std::string out_;
  size_t indent_ = 0;
};

void Dumper::quoted(std::string_view text) {
  out_ += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out_ += format("\\x{:02x}", static_cast<uint8_t>(c));
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void Dumper::node(const Node* value) {
  if (left_operand(*value)) chain(value);
  else if (value->kind < NodeKind::Block) expression(*value);
  else if (value->kind < NodeKind::Let) control(*value);
  else if (value->kind < NodeKind::Function) statement(*value);
  else declaration(*value);
}

// A long chain is a tree that is deep on its left side; this walks down that side with a list
// instead of the stack.
void Dumper::chain(const Node* value) {
  std::vector<const Node*> links;
  for (const Node* left = value; left; left = left_operand(*left)) links.push_back(left);
  const Node* innermost = links.back();
  links.pop_back();
  for (const Node* link : links) open_chain(*link);
  node(innermost);
  for (size_t i = links.size(); i-- > 0;) close_chain(*links[i]);
}

void Dumper::open_chain(const Node& link) {
  switch (link.kind) {
    case NodeKind::Binary: open(name_of(link.as<Binary>().op)); break;
    case NodeKind::Pipe: open(link.as<Pipe>().has_placeholder ? "|>_" : "|>"); break;
    case NodeKind::Call: open("call"); break;
    case NodeKind::MethodCall: open(link.as<MethodCall>().optional ? "?.call" : ".call"); break;
    case NodeKind::Member: open(link.as<Member>().optional ? "?." : "."); break;
    case NodeKind::Index: open(link.as<Index>().optional ? "?[]" : "[]"); break;
    case NodeKind::Slice: open("slice"); break;
    default: open("unwrap"); break;
  }
  space();
}

void Dumper::close_chain(const Node& link) {
  switch (link.kind) {
    case NodeKind::Binary: child(link.as<Binary>().right); break;
    case NodeKind::Pipe: child(link.as<Pipe>().right); break;
    case NodeKind::Call:
      types("types", link.as<Call>().type_args);
      children(link.as<Call>().args);
      break;
    case NodeKind::MethodCall:
      word(link.as<MethodCall>().name.text);
      children(link.as<MethodCall>().args);
      break;
    case NodeKind::Member: word(link.as<Member>().name.text); break;
    case NodeKind::Index: child(link.as<Index>().index); break;
    case NodeKind::Slice:
      child(link.as<Slice>().start);
      child(link.as<Slice>().end);
      break;
    default: break;
  }
  close();
}

void Dumper::expression(const Node& value) {
  switch (value.kind) {
    case NodeKind::NilLiteral: out_ += "nil"; return;
    case NodeKind::BoolLiteral: out_ += value.as<BoolLiteral>().value ? "true" : "false"; return;
    case NodeKind::IntLiteral: out_ += std::to_string(value.as<IntLiteral>().value); return;
    case NodeKind::FloatLiteral: out_ += format("{:#}", value.as<FloatLiteral>().value); return;
    case NodeKind::DurationLiteral: out_ += format("{}ms", value.as<DurationLiteral>().milliseconds); return;
    case NodeKind::StringLiteral: quoted(value.as<StringLiteral>().value); return;
    case NodeKind::Identifier: out_ += value.as<Identifier>().name; return;
    case NodeKind::InterpolatedString:
      open("interp");
      children(value.as<InterpolatedString>().parts);
      break;
    case NodeKind::ListLiteral:
      open("list");
      children(value.as<ListLiteral>().items);
      break;
    case NodeKind::DictLiteral:
      open("dict");
      entries(value.as<DictLiteral>().entries);
      break;
    case NodeKind::StructLiteral: {
      const auto& literal = value.as<StructLiteral>();
      open("new");
      word(literal.name.text);
      types("types", literal.type_args);
      entries(literal.fields);
      break;
    }
    case NodeKind::Closure: {
      const auto& closure = value.as<Closure>();
      open(closure.fn_form ? "fn" : "closure");
      params(closure.params);
      option_type(closure.return_type);
      block(closure.body);
      break;
    }
    case NodeKind::Unary:
      open(name_of(value.as<Unary>().op));
      child(value.as<Unary>().operand);
      break;
    case NodeKind::Range:
      open(value.as<Range>().exclusive ? "to-exclusive" : "to");
      child(value.as<Range>().start);
      child(value.as<Range>().end);
      break;
    case NodeKind::Ternary:
      open("?:");
      child(value.as<Ternary>().condition);
      child(value.as<Ternary>().then_value);
      child(value.as<Ternary>().else_value);
      break;
    case NodeKind::Spread:
      open("...");
      child(value.as<Spread>().operand);
      break;
    case NodeKind::NamedArgument:
      open("named");
      word(value.as<NamedArgument>().name.text);
      child(value.as<NamedArgument>().value);
      break;
    case NodeKind::TryStar:
      open("try*");
      child(value.as<TryStar>().operand);
      break;
    default: open("?"); break;
  }
  close();
}

void Dumper::block(const Block* value) {
  if (!value) return;
  ++indent_;
  new_line();
  open("block");
  ++indent_;
  for (const Node* item : value->statements) {
    new_line();
    node(item);
  }
  indent_ -= 2;
  close();
}

void Dumper::arm(const MatchArm& value) {
  ++indent_;
  new_line();
  open("arm ");
  match_pattern(value.pattern);
  option("if", value.guard);
  block(value.body);
  close();
  --indent_;
}

// A long `else if` chain is deep on its right side; this walks it without the stack.
void Dumper::if_else(const Node* branch) {
  size_t links = 0;
  for (;;) {
    const auto& link = branch->as<If>();
    open("if");
    child(link.condition);
    block(link.then_block);
    branch = link.else_branch;
    if (!branch) break;
    ++links;
    ++indent_;
    new_line();
    open("else ");
    if (branch->is(NodeKind::If)) continue;
    node(branch);
    close();
    --links;
    --indent_;
    break;
  }
  close();
  for (; links > 0; --links) {
    out_ += "))";
    --indent_;
  }
}

void Dumper::control(const Node& value) {
  switch (value.kind) {
    case NodeKind::Block: {
      open("do");
      block(&value.as<Block>());
      break;
    }
    case NodeKind::If: if_else(&value); return;
    case NodeKind::Match:
      open("match");
      child(value.as<Match>().subject);
      for (const MatchArm& item : value.as<Match>().arms) arm(item);
      break;
    case NodeKind::Try: {
      const auto& attempt = value.as<Try>();
      open("try");
      block(attempt.body);
      if (attempt.has_catch) {
        word("catch");
        if (!attempt.error_name.empty()) word(attempt.error_name.text);
        option_type(attempt.error_type);
        block(attempt.catch_block);
      }
      if (attempt.finally_block) {
        word("finally");
        block(attempt.finally_block);
      }
      break;
    }
    case NodeKind::Retry:
      open("retry");
      child(value.as<Retry>().count);
      block(value.as<Retry>().body);
      break;
    case NodeKind::Parallel: {
      const auto& parallel = value.as<Parallel>();
      open(parallel.mode == ParallelMode::Count  ? "parallel"
           : parallel.mode == ParallelMode::Each ? "parallel-each"
                                                 : "parallel-settle");
      child(parallel.source);
      option("max_concurrent", parallel.max_concurrent);
      child(parallel.body);
      if (parallel.as_stream) word("as-stream");
      break;
    }
    case NodeKind::Spawn:
      open("spawn");
      child(value.as<Spawn>().body);
      break;
    case NodeKind::Deadline:
      open("deadline");
      child(value.as<Deadline>().duration);
      block(value.as<Deadline>().body);
      break;
    case NodeKind::Mutex:
      open("mutex");
      block(value.as<Mutex>().body);
      break;
    case NodeKind::Select:
      open("select");
      for (const SelectCase& item : value.as<Select>().cases) {
        ++indent_;
        new_line();
        open(item.kind == SelectCaseKind::Receive   ? "receive"
             : item.kind == SelectCaseKind::Timeout ? "timeout"
                                                    : "default");
        if (!item.binding.empty()) word(item.binding.text);
        if (item.source) child(item.source);
        block(item.body);
        close();
        --indent_;
      }
      break;
    case NodeKind::CostRoute:
      open("cost_route");
      entries(value.as<CostRoute>().options);
      block(value.as<CostRoute>().body);
      break;
    case NodeKind::HumanCall:
      open(name_of(value.as<HumanCall>().which));
      types("types", value.as<HumanCall>().type_args);
      children(value.as<HumanCall>().args);
      break;
    default: open("?"); break;
  }
  close();
}

void Dumper::statement(const Node& value) {
  switch (value.kind) {
    case NodeKind::Let: {
      const auto& let = value.as<Let>();
      open(let.is_pub ? "pub " : "");
      out_ += let.is_var ? "var " : "let ";
      pattern(let.pattern);
      option_type(let.type);
      child(let.value);
      break;
    }
    case NodeKind::Const: {
      const auto& constant = value.as<Const>();
      open(constant.is_pub ? "pub const" : "const");
      word(constant.name.text);
      option_type(constant.type);
      child(constant.value);
      break;
    }
    case NodeKind::Assign:
      open(name_of(value.as<Assign>().op));
      child(value.as<Assign>().target);
      child(value.as<Assign>().value);
      break;
    case NodeKind::For:
      open("for ");
      pattern(value.as<For>().pattern);
      child(value.as<For>().iterable);
      block(value.as<For>().body);
      break;
    case NodeKind::While:
      open("while");
      child(value.as<While>().condition);
      block(value.as<While>().body);
      break;
    case NodeKind::Return:
      open("return");
      if (value.as<Return>().value) child(value.as<Return>().value);
      break;
    case NodeKind::Throw:
      open("throw");
      child(value.as<Throw>().value);
      break;
    case NodeKind::Break: open("break"); break;
    case NodeKind::Continue: open("continue"); break;
    case NodeKind::Defer:
      open("defer");
      block(value.as<Defer>().body);
      break;
    case NodeKind::Guard:
      open("guard");
      child(value.as<Guard>().condition);
      block(value.as<Guard>().else_block);
      break;
    case NodeKind::Require:
      open("require");
      child(value.as<Require>().condition);
      if (value.as<Require>().message) child(value.as<Require>().message);
      break;
    case NodeKind::Yield:
      open("yield");
      if (value.as<Yield>().value) child(value.as<Yield>().value);
      break;
    case NodeKind::Emit:
      open("emit");
      child(value.as<Emit>().value);
      break;
    default: open("?"); break;
  }
  close();
}

void Dumper::entries(List<DictEntry> list) {
  for (const DictEntry& entry : list) {
    space();
    switch (entry.form) {
      case KeyForm::Bare:
      case KeyForm::Quoted:
        out_ += '(';
        quoted(entry.key.text);
        break;
      case KeyForm::Computed:
        out_ += "(key ";
        node(entry.computed);
        break;
      case KeyForm::Spread: out_ += "(..."; break;
    }
    child(entry.value);
    close();
  }
}

void Dumper::params(List<Param> list) {
  out_ += " (";
  bool first = true;
  for (const Param& param : list) {
    if (!first) space();
    first = false;
    bool plain = !param.rest && !param.type && !param.default_value;
    if (!plain) out_ += '(';
    if (param.rest) out_ += "...";
    out_ += param.name.text;
    option_type(param.type);
    option("=", param.default_value);
    if (!plain) out_ += ')';
  }
  out_ += ')';
}

void Dumper::types(std::string_view head, List<TypeNode*> list) {
  if (list.empty()) return;
  space();
  open(head);
  for (const TypeNode* item : list) {
    space();
    type(item);
  }
  close();
}

static bool is_nil(const TypeNode* type) { return type->kind == TypeKind::Named && type->name.text == "nil"; }

static bool is_compound(const TypeNode* type) {
  return type->kind == TypeKind::Union || type->kind == TypeKind::Intersection || type->kind == TypeKind::Function;
}

void Dumper::type(const TypeNode* value) {
  switch (value->kind) {
    case TypeKind::Named:
      if (value->items.empty()) {
        out_ += value->name.text;
        return;
      }
      open(value->name.text);
      break;
    case TypeKind::List: open("list-of"); break;
    case TypeKind::Function: open("fn"); break;
    case TypeKind::Shape:
      open("shape");
      for (const ShapeField& field : value->fields) {
        space();
        out_ += '(';
        quoted(field.name.text);
        if (field.optional) out_ += '?';
        space();
        type(field.type);
        close();
      }
      types("rest", value->row_tails);
      close();
      return;
    case TypeKind::Union:
      // `T | nil` is another way to write `T?`.
      if (value->items.size() == 2 && is_nil(value->items[1]) && !is_nil(value->items[0]) &&
          !is_compound(value->items[0]) && value->items[0]->kind != TypeKind::Optional) {
        open("optional ");
        type(value->items[0]);
        close();
        return;
      }
      open("|");
      break;
    case TypeKind::Intersection: open("&"); break;
    case TypeKind::Optional: open("optional"); break;
    case TypeKind::StringLiteral: quoted(value->text); return;
    case TypeKind::IntLiteral: out_ += std::to_string(value->number); return;
    case TypeKind::BoolLiteral: out_ += value->number ? "true" : "false"; return;
    case TypeKind::Error: out_ += "(error)"; return;
  }
  for (const TypeNode* item : value->items) {
    space();
    type(item);
  }
  if (value->kind == TypeKind::Function) {
    out_ += " -> ";
    if (value->result) type(value->result);
  }
  close();
}

void Dumper::pattern(const Pattern* value) {
  std::string_view head = value->kind == PatternKind::Dict   ? "{"
                          : value->kind == PatternKind::List ? "["
                          : value->kind == PatternKind::Pair ? "("
                                                             : "";
  out_ += head;
  bool first = true;
  for (const PatternField& field : value->fields) {
    if (!first) space();
    first = false;
    if (field.rest) out_ += "...";
    if (!field.key.empty() && field.key.text != field.binding.text) {
      quoted(field.key.text);
      out_ += ':';
    }
    out_ += field.binding.text;
    option("=", field.default_value);
  }
  if (value->kind == PatternKind::Dict) out_ += '}';
  if (value->kind == PatternKind::List) out_ += ']';
  if (value->kind == PatternKind::Pair) out_ += ')';
}

void Dumper::match_pattern(const MatchPattern* value) {
  switch (value->kind) {
    case MatchPatternKind::Wildcard: out_ += '_'; return;
    case MatchPatternKind::Bind:
      open("bind");
      word(value->name.text);
      break;
    case MatchPatternKind::Value: node(value->value); return;
    case MatchPatternKind::List: open("list-pattern"); break;
    case MatchPatternKind::Dict: open("dict-pattern"); break;
    case MatchPatternKind::Variant:
      open("variant");
      if (value->value) child(value->value);
      word(value->name.text);
      if (value->has_payload) word("of");
      break;
    case MatchPatternKind::Or: open("or"); break;
  }
  for (size_t i = 0; i < value->items.size(); ++i) {
    space();
    if (value->kind == MatchPatternKind::Dict) {
      quoted(value->keys[i].text);
      out_ += ':';
    }
    match_pattern(value->items[i]);
  }
  if (value->has_rest) word(format("...{}", value->name.text));
  close();
}

void Dumper::attribute_value(const AttributeValue* value) {
  switch (value->kind) {
    case AttributeValueKind::String: quoted(value->text); return;
    case AttributeValueKind::Int: out_ += std::to_string(value->integer); return;
    case AttributeValueKind::Float: out_ += format("{:#}", value->number); return;
    case AttributeValueKind::Bool: out_ += value->integer ? "true" : "false"; return;
    case AttributeValueKind::Nil: out_ += "nil"; return;
    case AttributeValueKind::Symbol: out_ += value->text; return;
    case AttributeValueKind::List: open("list"); break;
    case AttributeValueKind::Dict: open("dict"); break;
    case AttributeValueKind::Call:
      open("call");
      word(value->text);
      break;
  }
  for (size_t i = 0; i < value->items.size(); ++i) {
    space();
    if (value->kind == AttributeValueKind::Dict) {
      quoted(value->keys[i].text);
      space();
    }
    attribute_value(value->items[i]);
  }
  close();
}

void Dumper::head(std::string_view kind, const Declaration& decl) {
  open(decl.is_pub ? "pub " : "");
  out_ += kind;
  if (!decl.name.empty()) word(decl.name.text);
  for (const Attribute& attribute : decl.attributes) {
    out_ += " (@";
    out_ += attribute.name.text;
    for (const AttributeArg& arg : attribute.args) {
      space();
      if (!arg.name.empty()) {
        out_ += arg.name.text;
        out_ += ": ";
      }
      attribute_value(arg.value);
    }
    close();
  }
}

void Dumper::generics(List<GenericParam> list) {
  if (list.empty()) return;
  out_ += " <";
  bool first = true;
  for (const GenericParam& item : list) {
    if (!first) space();
    first = false;
    if (item.variance == Variance::In) out_ += "in ";
    if (item.variance == Variance::Out) out_ += "out ";
    out_ += item.name.text;
  }
  out_ += '>';
}

void Dumper::function(const Function& fn) {
  head(fn.is_gen ? "gen-fn" : "fn", fn);
  generics(fn.generics);
  params(fn.params);
  option_type(fn.return_type);
  for (const WhereBound& bound : fn.where) {
    out_ += format(" (where {} {})", bound.type.text, bound.interface.text);
  }
  block(fn.body);
  close();
}

void Dumper::declaration(const Node& value) {
  switch (value.kind) {
    case NodeKind::Function: function(value.as<Function>()); return;
    case NodeKind::Pipeline: {
      const auto& pipeline = value.as<Pipeline>();
      head("pipeline", pipeline);
      params(pipeline.params);
      option_type(pipeline.return_type);
      if (!pipeline.extends.empty()) word(format("extends {}", pipeline.extends.text));
      block(pipeline.body);
      break;
    }
    case NodeKind::Override:
      head("override", value.as<Override>());
      params(value.as<Override>().params);
      block(value.as<Override>().body);
      break;
    case NodeKind::Tool: {
      const auto& tool = value.as<Tool>();
      head("tool", tool);
      params(tool.params);
      option_type(tool.return_type);
      option("description", tool.description);
      block(tool.body);
      break;
    }
    case NodeKind::Skill:
    case NodeKind::EvalPack: {
      bool is_skill = value.is(NodeKind::Skill);
      head(is_skill ? "skill" : "eval_pack", static_cast<const Declaration&>(value));
      if (!is_skill && !value.as<EvalPack>().id.empty()) {
        space();
        quoted(value.as<EvalPack>().id.text);
      }
      const auto& fields = is_skill ? value.as<Skill>().fields : value.as<EvalPack>().fields;
      ++indent_;
      for (const SkillField& field : fields) {
        new_line();
        open(field.name.text);
        child(field.value);
        close();
      }
      --indent_;
      break;
    }
    case NodeKind::TypeAlias:
      head("type", value.as<TypeAlias>());
      generics(value.as<TypeAlias>().generics);
      option_type(value.as<TypeAlias>().type);
      break;
    case NodeKind::Enum:
      head("enum", value.as<Enum>());
      generics(value.as<Enum>().generics);
      for (const EnumVariant& variant : value.as<Enum>().variants) {
        space();
        out_ += variant.name.text;
        if (variant.has_payload) params(variant.fields);
      }
      break;
    case NodeKind::Struct:
      head("struct", value.as<Struct>());
      generics(value.as<Struct>().generics);
      for (const StructField& field : value.as<Struct>().fields) {
        out_ += " (";
        out_ += field.name.text;
        if (field.optional) out_ += '?';
        option_type(field.type);
        close();
      }
      break;
    case NodeKind::Impl:
    case NodeKind::Interface: {
      bool is_impl = value.is(NodeKind::Impl);
      head(is_impl ? "impl" : "interface", static_cast<const Declaration&>(value));
      ++indent_;
      if (!is_impl) {
        generics(value.as<Interface>().generics);
        for (const AssociatedType& item : value.as<Interface>().types) {
          new_line();
          open("type");
          word(item.name.text);
          option_type(item.default_type);
          close();
        }
      }
      for (const Function* method : is_impl ? value.as<Impl>().methods : value.as<Interface>().methods) {
        new_line();
        function(*method);
      }
      --indent_;
      break;
    }
    case NodeKind::Import: {
      const auto& import = value.as<Import>();
      head("import", import);
      space();
      quoted(import.path);
      if (import.selective) {
        out_ += " {";
        for (const ImportedName& name : import.names) word(name.name.text);
        out_ += " }";
      }
      break;
    }
    default: open("error"); break;
  }
  close();
}

}  // namespace

std::string dump(const Tree& tree) { return Dumper().run(tree); }

}  // namespace harn::syntax
