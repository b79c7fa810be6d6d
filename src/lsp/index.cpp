#include "lsp/index.h"

#include <algorithm>
#include <functional>

#include "base/fmt.h"
#include "syntax/children.h"
#include "types/print.h"

namespace harn::lsp {

using namespace syntax;

namespace {

// The comment that ends directly above a declaration.
std::string comment_above(const Tree& tree, Span span) {
  std::string_view text = tree.source->text();
  size_t at = span.start;
  // Attributes and `pub` stand before the declaration, on lines of their own or not.
  std::string out;
  for (auto comment = tree.comments.rbegin(); comment != tree.comments.rend(); ++comment) {
    if (comment->span.end > at) continue;
    std::string_view between = text.substr(comment->span.end, at - comment->span.end);
    bool is_near =
        std::ranges::all_of(between, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }) &&
        std::ranges::count(between, '\n') <= 1;
    if (!is_near || !comment->own_line) break;
    std::string line(text.substr(comment->span.start, comment->span.end - comment->span.start));
    out = out.empty() ? line : line + "\n" + out;
    at = comment->span.start;
  }
  // Without the marks.
  std::string plain;
  std::string_view rest = out;
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    while (!line.empty() && (line[0] == ' ' || line[0] == '/' || line[0] == '*')) line.remove_prefix(1);
    while (line.ends_with('/') || line.ends_with('*') || line.ends_with(' ')) line.remove_suffix(1);
    if (!line.empty() || !plain.empty()) plain += std::string(line) + "\n";
  }
  while (plain.ends_with('\n')) plain.pop_back();
  return plain;
}

// The first line of a declaration, without its body.
std::string head_of(const Tree& tree, Span whole, const Block* body) {
  std::string_view text = tree.source->text();
  size_t end = body ? body->span.start : whole.end;
  std::string out(text.substr(whole.start, end - whole.start));
  if (!body) {
    size_t line = out.find('\n');
    constexpr size_t kLongest = 400;
    if (line != std::string::npos && out.size() > kLongest) out = out.substr(0, line) + " ...";
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\n' || out.back() == '{')) out.pop_back();
  return out;
}

const Block* body_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::Function: return node.as<Function>().body;
    case NodeKind::Pipeline: return node.as<Pipeline>().body;
    case NodeKind::Tool: return node.as<Tool>().body;
    default: return nullptr;
  }
}

Symbol::Kind kind_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::Function: return Symbol::Kind::Function;
    case NodeKind::Pipeline: return Symbol::Kind::Pipeline;
    case NodeKind::Tool: return Symbol::Kind::Tool;
    case NodeKind::Skill:
    case NodeKind::EvalPack: return Symbol::Kind::Skill;
    case NodeKind::Struct: return Symbol::Kind::Struct;
    case NodeKind::Enum: return Symbol::Kind::Enum;
    case NodeKind::Interface: return Symbol::Kind::Interface;
    case NodeKind::TypeAlias: return Symbol::Kind::Alias;
    default: return Symbol::Kind::Variable;
  }
}

}  // namespace

// ---- symbols ----

Index::Index(const compile::ResolvedProgram& program, IsOpen is_open)
    : knowledge_(program), is_open_(std::move(is_open)) {
  for (auto& [module, bindings] : program.names.bindings) {
    for (const Node* node : module->tree->items) {
      if (node->kind >= NodeKind::Function && !node->is(NodeKind::Broken)) homes_[node] = module;
      if (!node->is(NodeKind::Impl)) continue;
      for (const Function* method : node->as<Impl>().methods) homes_[method] = module;
    }
  }
}

const modules::Module* Index::module_of(const Node& declaration) {
  auto found = homes_.find(&declaration);
  return found == homes_.end() ? nullptr : found->second;
}

Symbol& Index::of(const Node& declaration) {
  auto [found, is_new] = symbols_.try_emplace(&declaration);
  Symbol& symbol = found->second;
  if (!is_new) return symbol;
  auto& node = declaration.as<Declaration>();
  symbol.kind = kind_of(declaration);
  symbol.name = node.name.text;
  symbol.place = node.name.span;
  symbol.module = module_of(declaration);
  if (symbol.module) {
    symbol.text = head_of(*symbol.module->tree, declaration.span, body_of(declaration));
    symbol.doc = comment_above(*symbol.module->tree, declaration.span);
  }
  return symbol;
}

Symbol& Index::of(const compile::Variable& variable) {
  if (variable.declaration && variable.declaration->kind >= NodeKind::Function) return of(*variable.declaration);
  auto [found, is_new] = symbols_.try_emplace(&variable);
  Symbol& symbol = found->second;
  if (!is_new) return symbol;
  symbol.kind = variable.is_const       ? Symbol::Kind::Constant
                : variable.is_parameter ? Symbol::Kind::Parameter
                                        : Symbol::Kind::Variable;
  symbol.name = variable.name;
  symbol.place = variable.span;
  symbol.module = static_cast<const modules::Module*>(variable.module);
  return symbol;
}

Symbol* Index::of_field(const types::Type* type, std::string_view name) {
  const types::Type* plain = knowledge_.relation.plain(knowledge_.without_nil(type));
  if (plain->kind != types::Kind::Struct && plain->kind != types::Kind::Enum) return nullptr;
  if (const Function* method = knowledge_.method_node(plain, name)) {
    Symbol& symbol = of(*method);
    symbol.kind = Symbol::Kind::Method;
    return &symbol;
  }
  if (plain->kind != types::Kind::Struct) return nullptr;
  auto& owner = plain->declaration->as<Struct>();
  for (const StructField& field : owner.fields) {
    if (field.name.text != name) continue;
    auto [found, is_new] = symbols_.try_emplace(&field);
    Symbol& symbol = found->second;
    if (is_new) {
      symbol.kind = Symbol::Kind::Field;
      symbol.name = field.name.text;
      symbol.place = field.name.span;
      symbol.module = module_of(owner);
      if (symbol.module && field.type) {
        symbol.text =
            fmt::format("{}{}: {}", name, field.optional ? "?" : "", symbol.module->source->text(field.type->span));
      }
    }
    return &symbol;
  }
  return nullptr;
}

Symbol* Index::of_variant(const Enum& owner, std::string_view name) {
  for (const EnumVariant& variant : owner.variants) {
    if (variant.name.text != name) continue;
    auto [found, is_new] = symbols_.try_emplace(&variant);
    Symbol& symbol = found->second;
    if (is_new) {
      symbol.kind = Symbol::Kind::Variant;
      symbol.name = variant.name.text;
      symbol.place = variant.name.span;
      symbol.module = module_of(owner);
      symbol.text = fmt::format("{}.{}", owner.name.text, name);
      if (symbol.module && !variant.fields.empty()) {
        std::vector<std::string_view> values;
        for (auto& field : variant.fields) values.push_back(symbol.module->source->text(field.type->span));
        symbol.text += fmt::format("({})", fmt::join(values, ", "));
      }
    }
    return &symbol;
  }
  return nullptr;
}

// ---- occurrences ----

class Index::Walk {
 public:
  Walk(Index& index, const modules::Module& module, ModuleIndex& out)
      : index_(index),
        module_(module),
        bindings_(index.bindings(module)),
        types_(index.knowledge_.program.names.resolution.types),
        out_(out) {}

  void run() {
    for (const Node* node : module_.tree->items) open_.push_back(node);
    // A list instead of the stack: trees may be deep.
    while (!open_.empty()) {
      const Node* next = open_.back();
      open_.pop_back();
      enter(*next);
    }
    std::ranges::stable_sort(out_.occurrences, {}, [](const Occurrence& one) { return one.span.start; });
    auto is_same = [](const Occurrence& a, const Occurrence& b) { return a.span == b.span; };
    out_.occurrences.erase(std::unique(out_.occurrences.begin(), out_.occurrences.end(), is_same),
                           out_.occurrences.end());
    for (const Node* node : module_.tree->items) outline(*node, out_.outline);
  }

  // What stands directly inside of nodes and their parts.
  void operator()(const Node& node) { open_.push_back(&node); }
  void operator()(const TypeNode& type) {
    if (type.kind == TypeKind::Named) {
      if (const Node* declaration = types_.declaration(type)) note(type.name.span, &index_.of(*declaration));
    }
    for_each_child_of(type, *this);
  }
  void operator()(const Param& param) {
    declare(param, param.name.span);
    for_each_child_of(param, *this);
  }
  void operator()(const PatternField& field) {
    declare(field, field.binding.span);
    for_each_child_of(field, *this);
  }
  void operator()(const MatchPattern& pattern) {
    auto meaning = bindings_.meaning(pattern);
    if (meaning.kind == MatchPatternKind::Variant && meaning.owner) {
      note(pattern.name.span, index_.of_variant(*meaning.owner, pattern.name.text));
    } else if (bindings_.variable(pattern)) {
      declare(pattern, pattern.name.span);
    }
    for_each_child_of(pattern, *this);
  }
  void operator()(const SelectCase& option) {
    if (!option.binding.empty()) declare(option, option.binding.span);
    for_each_child_of(option, *this);
  }

 private:
  void note(Span span, Symbol* symbol, bool is_declaration = false) {
    if (symbol && span.length() > 0) out_.occurrences.push_back({span, symbol, is_declaration});
  }

  void declare(const auto& part, Span span) {
    const compile::Variable* variable = bindings_.variable(part);
    if (!variable) return;
    Symbol& symbol = index_.of(*variable);
    symbol.module = &module_;
    if (symbol.place.length() == 0) symbol.place = span;
    auto type = out_.types.variables.find(variable);
    std::string_view word = symbol.kind == Symbol::Kind::Parameter ? "(parameter)"
                            : variable->is_mutable                 ? "var"
                                                                   : "let";
    if (symbol.text.empty()) {
      symbol.text = fmt::format("{} {}: {}", word, variable->name,
                                type == out_.types.variables.end() ? "any" : check::shown(type->second));
    }
    note(span, &symbol, true);
  }

  void use(const Node& node, Span span) {
    if (const compile::Variable* variable = bindings_.variable(node)) note(span, &index_.of(*variable));
  }

  void enter(const Node& node) {
    switch (node.kind) {
      case NodeKind::Identifier: use(node, node.span); break;
      case NodeKind::StructLiteral: struct_literal(node.as<StructLiteral>()); break;
      case NodeKind::Impl:
        use(node, node.as<Impl>().name.span);
        for (const Function* method : node.as<Impl>().methods) {
          index_.homes_[method] = &module_;
          Symbol& symbol = index_.of(*method);
          symbol.kind = Symbol::Kind::Method;
          note(method->name.span, &symbol, true);
        }
        break;
      case NodeKind::Try:
        if (!node.as<Try>().error_name.empty()) declare(node, node.as<Try>().error_name.span);
        break;
      case NodeKind::Const: declare(node, node.as<Const>().name.span); break;
      case NodeKind::Import: import(node.as<Import>()); break;
      case NodeKind::Member: member(*node.as<Member>().object, node.as<Member>().name); break;
      case NodeKind::MethodCall: member(*node.as<MethodCall>().object, node.as<MethodCall>().name); break;
      case NodeKind::Function:
      case NodeKind::Pipeline:
      case NodeKind::Tool:
      case NodeKind::Skill:
      case NodeKind::EvalPack:
      case NodeKind::TypeAlias:
      case NodeKind::Interface: declaration(node); break;
      case NodeKind::Struct:
        declaration(node);
        for (const StructField& field : node.as<Struct>().fields) {
          const types::Type* self = index_.knowledge_.lowering.self_type(node.as<Struct>());
          note(field.name.span, index_.of_field(self, field.name.text), true);
        }
        break;
      case NodeKind::Enum:
        declaration(node);
        for (const EnumVariant& variant : node.as<Enum>().variants) {
          note(variant.name.span, index_.of_variant(node.as<Enum>(), variant.name.text), true);
        }
        break;
      default: break;
    }
    for_each_child(node, *this);
  }

  void declaration(const Node& node) {
    // Declarations inside functions are not among the items of their module.
    index_.homes_.try_emplace(&node, &module_);
    Symbol& symbol = index_.of(node);
    if (!symbol.module) symbol.module = &module_;  // it was used further up
    note(node.as<Declaration>().name.span, &symbol, true);
  }

  void struct_literal(const StructLiteral& node) {
    use(node, node.name.span);
    const types::Type* type = out_.types.of(node);
    if (!type) return;
    for (const DictEntry& entry : node.fields) {
      if (entry.form == KeyForm::Bare) note(entry.key.span, index_.of_field(type, entry.key.text));
    }
  }

  void member(const Node& object, const Name& name) {
    if (object.is(NodeKind::Identifier)) {
      const compile::Variable* variable = bindings_.variable(object);
      if (variable && variable->declaration && variable->declaration->is(NodeKind::Enum)) {
        return note(name.span, index_.of_variant(variable->declaration->as<Enum>(), name.text));
      }
    }
    if (const types::Type* type = out_.types.of(object)) note(name.span, index_.of_field(type, name.text));
  }

  void import(const Import& node) {
    auto& names = index_.knowledge_.program.names.modules;
    auto own = names.find(&module_);
    if (own == names.end()) return;
    for (const Name& name : node.names) {
      auto found = own->second.find(name.text);
      if (found != own->second.end()) note(name.span, &index_.of(*found->second));
    }
  }

  void outline(const Node& node, std::vector<Outline>& into) {
    if (node.is(NodeKind::Let)) {
      for (const PatternField& field : node.as<Let>().pattern->fields) {
        if (const compile::Variable* variable = bindings_.variable(field)) {
          into.push_back({&index_.of(*variable), node.span, {}});
        }
      }
    } else if (node.is(NodeKind::Const)) {
      if (const compile::Variable* variable = bindings_.variable(node)) {
        into.push_back({&index_.of(*variable), node.span, {}});
      }
    } else if (node.is(NodeKind::Impl)) {
      for (const Function* method : node.as<Impl>().methods) into.push_back({&index_.of(*method), method->span, {}});
    } else if (node.kind >= NodeKind::Function && !node.is(NodeKind::Import) && !node.is(NodeKind::Override) &&
               !node.is(NodeKind::Broken)) {
      Outline one{&index_.of(node), node.span, {}};
      if (node.is(NodeKind::Struct)) {
        const types::Type* self = index_.knowledge_.lowering.self_type(node.as<Struct>());
        for (const StructField& field : node.as<Struct>().fields) {
          if (Symbol* symbol = index_.of_field(self, field.name.text))
            one.inside.push_back({symbol, field.name.span, {}});
        }
      } else if (node.is(NodeKind::Enum)) {
        for (const EnumVariant& variant : node.as<Enum>().variants) {
          one.inside.push_back({index_.of_variant(node.as<Enum>(), variant.name.text), variant.name.span, {}});
        }
      }
      into.push_back(std::move(one));
    }
  }

  Index& index_;
  const modules::Module& module_;
  const compile::Bindings& bindings_;
  const compile::TypeBindings& types_;
  ModuleIndex& out_;
  std::vector<const Node*> open_;
};

void Index::inspect(const compile::ResolvedProgram&, const modules::Module& module, diag::Sink& sink) {
  if (is_open_(module)) return read(module, sink);
  // What others import from it must have its type.
  check::Checker(knowledge_, module, sink).check_surface();
  unread_.push_back(&module);
}

void Index::read(const modules::Module& module, diag::Sink& sink) {
  ModuleIndex& out = modules_[&module];
  check::Checker(knowledge_, module, sink, &out.types).check_module();
  Walk(*this, module, out).run();
}

const ModuleIndex* Index::find(const modules::Module& module) {
  if (auto unread = std::ranges::find(unread_, &module); unread != unread_.end()) {
    unread_.erase(unread);
    diag::Sink unheard(diag::Sink::kAll);
    read(module, unheard);
  }
  auto found = modules_.find(&module);
  return found == modules_.end() ? nullptr : &found->second;
}

const std::unordered_map<const modules::Module*, ModuleIndex>& Index::all() {
  while (!unread_.empty()) find(*unread_.back());
  return modules_;
}

const Occurrence* ModuleIndex::at(uint32_t offset) const {
  for (const Occurrence& one : occurrences) {
    if (one.span.start > offset) break;
    if (offset <= one.span.end) return &one;
  }
  return nullptr;
}

// ---- nodes ----

std::vector<const Node*> nodes_at(const Tree& tree, uint32_t offset) {
  std::vector<const Node*> out;
  auto covers = [&](const Node& node) { return node.span.start <= offset && offset <= node.span.end; };
  const Node* at = nullptr;
  for (const Node* item : tree.items) {
    if (covers(*item)) at = item;
  }
  while (at) {
    out.push_back(at);
    const Node* inner = nullptr;
    for_each_child(*at, [&](const Node& child) {
      if (covers(child)) inner = &child;
    });
    at = inner;
  }
  return out;
}

}  // namespace harn::lsp
