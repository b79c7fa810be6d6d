#include "compile/redeclare.h"

#include <optional>
#include <unordered_map>

#include "modules/graph.h"

namespace harn::compile {

using diag::Code;
using namespace syntax;

namespace {

struct First {
  Span span;
  bool is_variable;
};
using Seen = std::unordered_map<std::string_view, First>;

void mark_places(diag::Report report, const SourcePtr& source, Span first, std::string_view verb) {
  report.label(fmt::format("{} again here", verb));
  report.label(source, first, fmt::format("first {} here", verb));
}

// Most blocks declare nothing or one thing: the map is filled from the second on.
class Declarations {
 public:
  Declarations(const SourcePtr& source, diag::Sink& sink) : source_(source), sink_(sink) {}

  void add(const Node& node) {
    if (node.is(NodeKind::Let)) {
      for (const PatternField& field : node.as<Let>().pattern->fields) {
        // Twice in one pattern is told of where patterns are read.
        auto known = names_.find(field.binding.text);
        bool is_repeated = known != names_.end() && known->second.span.start >= node.span.start;
        if (!field.binding.text.starts_with('_') && !is_repeated) enter(names_, field.binding, true);
      }
      return;
    }
    if (node.is(NodeKind::Impl)) return add_methods(node.as<Impl>());
    if (node.is(NodeKind::Override)) {
      return enter_member(overrides_, "override", node.as<Override>().name);
    }
    bool is_pub = false;
    Name name = modules::declared_name(node, is_pub);
    // A pipeline may have the name of something else: it is found by its own name first.
    if (!name.empty()) enter(node.is(NodeKind::Pipeline) ? pipelines_ : names_, name, false);
  }

 private:
  void enter(Seen& seen, Name name, bool is_variable) {
    if (name.empty()) return;
    auto [known, fresh] = seen.try_emplace(name.text, First{name.span, is_variable});
    if (fresh) return;
    bool rebinds = is_variable || known->second.is_variable;
    auto report = sink_.report(rebinds ? Code::RedeclaredVariable : Code::DuplicateDeclaration, source_, name.span,
                               name.text, "is already declared in this scope");
    mark_places(report, source_, known->second.span, "declared");
    if (rebinds) report.help("assign to a `var`, or give one of the two another name");
  }

  // One struct may have several impl blocks.
  void add_methods(const Impl& impl) {
    Seen& methods = methods_[impl.name.text];
    for (const Function* method : impl.methods) enter_member(methods, "method", method->name);
  }

  void enter_member(Seen& seen, std::string_view what, Name name) {
    auto [known, fresh] = seen.try_emplace(name.text, First{name.span, false});
    if (fresh) return;
    mark_places(sink_.report(Code::DuplicateMember, source_, name.span, what, name.text), source_, known->second.span,
                "listed");
  }

  const SourcePtr& source_;
  diag::Sink& sink_;
  Seen names_;
  Seen pipelines_;
  Seen overrides_;
  std::unordered_map<std::string_view, Seen> methods_;
};

class Members {
 public:
  Members(const SourcePtr& source, diag::Sink& sink) : source_(source), sink_(sink) {}

  template <class Items>
  void check(std::string_view what, const Items& items) {
    std::unordered_map<std::string_view, Span> seen;
    for (const auto& item : items) {
      Name name = name_of(item);
      if (name.empty()) continue;
      auto [known, fresh] = seen.try_emplace(name.text, name.span);
      if (fresh) continue;
      mark_places(sink_.report(Code::DuplicateMember, source_, name.span, what, name.text), source_, known->second,
                  "listed");
    }
  }

 private:
  template <class Item>
  static Name name_of(const Item& item) {
    if constexpr (std::is_pointer_v<Item>) return item->name;
    else return item.name;
  }

  const SourcePtr& source_;
  diag::Sink& sink_;
};

bool declares(const Node& node) {
  return node.is(NodeKind::Let) || node.kind >= NodeKind::Function || node.is(NodeKind::Const);
}

}  // namespace

void check_redeclared(NodeList statements, const SourcePtr& source, diag::Sink& sink) {
  const Node* single = nullptr;
  std::optional<Declarations> declarations;
  for (const Node* node : statements) {
    if (!declares(*node)) continue;
    if (!single && !node->is(NodeKind::Impl)) {
      single = node;
      continue;
    }
    if (!declarations) {
      declarations.emplace(source, sink);
      if (single) declarations->add(*single);
    }
    declarations->add(*node);
  }
}

void check_members(const Node& declaration, const SourcePtr& source, diag::Sink& sink) {
  Members members(source, sink);
  switch (declaration.kind) {
    case NodeKind::Struct: {
      auto& node = declaration.as<Struct>();
      members.check("type parameter", node.generics);
      return members.check("field", node.fields);
    }
    case NodeKind::Enum: {
      auto& node = declaration.as<Enum>();
      members.check("type parameter", node.generics);
      members.check("variant", node.variants);
      for (const EnumVariant& variant : node.variants) members.check("field", variant.fields);
      return;
    }
    case NodeKind::Interface: {
      auto& node = declaration.as<Interface>();
      members.check("type parameter", node.generics);
      members.check("associated type", node.types);
      return members.check("method", node.methods);
    }
    case NodeKind::Function: return members.check("type parameter", declaration.as<Function>().generics);
    case NodeKind::TypeAlias: return members.check("type parameter", declaration.as<TypeAlias>().generics);
    case NodeKind::Skill: return members.check("field", declaration.as<Skill>().fields);
    case NodeKind::EvalPack: return members.check("field", declaration.as<EvalPack>().fields);
    default: return;
  }
}

namespace {

// Calls `visit(entry, first)` for each key that an earlier entry has. A spread in between may be
// meant to be overridden again, so it starts a new count.
template <class Visit>
void each_repeated_key(List<DictEntry> entries, Visit visit) {
  if (entries.size() < 2) return;
  std::unordered_map<std::string_view, Span> seen;
  for (const DictEntry& entry : entries) {
    if (entry.form == KeyForm::Spread) seen.clear();
    if (entry.form != KeyForm::Bare && entry.form != KeyForm::Quoted) continue;
    auto [known, fresh] = seen.try_emplace(entry.key.text, entry.key.span);
    if (!fresh) visit(entry, known->second);
  }
}

}  // namespace

void check_struct_fields(const StructLiteral& literal, const SourcePtr& source, diag::Sink& sink) {
  each_repeated_key(literal.fields, [&](const DictEntry& entry, Span first) {
    mark_places(sink.report(Code::BadStructLiteral, source, entry.key.span,
                            fmt::format("field `{}` is given twice", entry.key.text)),
                source, first, "given");
  });
}

void check_dict_keys(const DictLiteral& literal, const SourcePtr& source, diag::Sink& sink) {
  each_repeated_key(literal.entries, [&](const DictEntry& entry, Span first) {
    mark_places(sink.report(Code::DuplicateKey, source, entry.key.span, entry.key.text), source, first, "given");
  });
}

}  // namespace harn::compile
