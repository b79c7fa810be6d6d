// What an editor shows about a place, and what it can do there.
#include <algorithm>

#include "base/fmt.h"
#include "builtins/natural_program.h"
#include "builtins/registry.h"
#include "check/builtin_types.h"
#include "lsp/server.h"
#include "syntax/each_node.h"

namespace harn::lsp {

using namespace syntax;

// ---- hover ----

static std::string shown_row(const vm::Builtin& row, const std::string& name) {
  std::string out = fmt::format("```harn\n{}\n```\n{}", row.signature.shown(name), row.doc);
  if (!row.example.empty()) out += fmt::format("\n\n```harn\n{}\n```", row.example);
  return out;
}

// ---- Natural blocks ----

static std::string block_text(const Natural& block, const SourceFile& source) {
  if (block.program->is(NodeKind::StringLiteral)) return std::string(block.program->as<StringLiteral>().value);
  std::string out;
  for (const Node* part : block.program->as<InterpolatedString>().parts) {
    if (part->is(NodeKind::StringLiteral)) out += part->as<StringLiteral>().value;
    else out += fmt::format("${{{}}}", source.text(part->span));
  }
  return out;
}

// The names under which a block may raise errors of a declared type, as __natural_error_names has them.
static void add_error_names(const Node& declaration, std::vector<std::string>& names) {
  if (declaration.is(NodeKind::Struct)) {
    auto& record = declaration.as<Struct>();
    bool has_message = std::ranges::any_of(record.fields, [](auto& field) { return field.name.text == "message"; });
    if (has_message) names.emplace_back(record.name.text);
  } else if (declaration.is(NodeKind::Enum)) {
    for (auto& variant : declaration.as<Enum>().variants) {
      if (variant.fields.size() > 1) continue;
      names.push_back(fmt::format("{}.{}", declaration.as<Enum>().name.text, variant.name.text));
    }
  }
}

// The block that a place is in, when it is in its text.
static const Node* block_around(const std::vector<const Node*>& around) {
  for (size_t i = around.size(); i-- > 0;) {
    if (around[i]->is(NodeKind::Natural)) return around[i];
    if (!around[i]->is(NodeKind::StringLiteral) && !around[i]->is(NodeKind::InterpolatedString)) return nullptr;
  }
  return nullptr;
}

static void fill_in(std::string& prompt, std::string_view place, std::string_view text) {
  size_t at = prompt.find(place);
  if (at != prompt.npos) prompt.replace(at, place.size(), text);
}

// The prompts that a model gets with the block, with the default templates; of the variables there are types instead of values.
std::string Server::shown_block(const Natural& block, const SourceFile& source) {
  builtins::NaturalProgram program = builtins::read_natural_program(block_text(block, source));
  if (!program.problem.empty()) return fmt::format("Natural block: its front matter {}", program.problem);
  auto& all = workspace_.index().knowledge().program.names.resolution.natural;
  auto found = all.find(&block);
  if (found == all.end()) return {};
  auto kinds = builtins::natural_error_kinds();
  std::vector<std::string> errors(kinds.begin(), kinds.end());
  for (const compile::Variable* type : found->second.errors) add_error_names(*type->declaration, errors);
  std::ranges::sort(errors);
  std::string locals;
  for (const compile::Variable* variable : found->second.locals) {
    const Symbol& symbol = workspace_.index().of(*variable);
    locals += fmt::format("{}{}", locals.empty() ? "" : "\n", symbol.text.empty() ? variable->name : symbol.text);
  }
  std::string system(builtins::kStepSystemPrompt), user(builtins::kStepUserPrompt);
  auto allowed = builtins::allowed_outcomes(found->second.in_loop, program.deny);
  fill_in(system, "{{ outcomes }}", builtins::outcomes_text(allowed, errors));
  fill_in(user, "{{ locals }}", locals);
  fill_in(user, "{{ program }}", program.text);
  return fmt::format("Natural block, as a model gets it\n\n````text\n{}\n````\n\n````text\n{}\n````", system, user);
}

std::string Server::hover(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  const Tree& tree = *at->document->module->tree;
  std::string text;
  Span span;
  auto around = nodes_at(tree, at->offset);
  const Node* node = around.empty() ? nullptr : around.back();
  if (const Occurrence* one = at->index->at(at->offset)) {
    span = one->span;
    const Symbol& symbol = *one->symbol;
    std::string code = symbol.text.empty() ? std::string(symbol.name) : symbol.text;
    // At a use, what it is there: conditions may have narrowed it.
    bool is_variable = symbol.kind == Symbol::Kind::Variable || symbol.kind == Symbol::Kind::Parameter;
    const types::Type* type = node && node->is(NodeKind::Identifier) ? at->index->types.of(*node) : nullptr;
    if (is_variable && type && !one->is_declaration) code = fmt::format("{}: {}", symbol.name, check::shown(type));
    text = fmt::format("```harn\n{}\n```", code);
    if (!symbol.doc.empty()) text += "\n" + symbol.doc;
  } else if (node && node->is(NodeKind::Identifier)) {
    span = node->span;
    const vm::Builtin* row = find_builtin(node->as<Identifier>().name);
    if (row) text = shown_row(*row, std::string(row->name));
  } else if (const Node* block = block_around(around)) {
    span = block->span;
    text = shown_block(block->as<Natural>(), *at->document->module->source);
  } else if (node && node->is(NodeKind::MethodCall)) {
    auto& call = node->as<MethodCall>();
    span = call.name.span;
    if (at->offset < span.start || at->offset > span.end) return "null";
    check::Knowledge& known = workspace_.index().knowledge();
    const types::Type* type = at->index->types.of(*call.object);
    if (type) type = known.relation.plain(known.widened(known.without_nil(type)));
    const vm::Builtin* row = type ? find_builtin_method(check::receiver_name(type->kind), call.name.text) : nullptr;
    if (row) text = shown_row(*row, fmt::format("{}.{}", check::receiver_name(type->kind), row->name));
  } else if (node && node->is(NodeKind::Member)) {
    auto& member = node->as<Member>();
    span = member.name.span;
    const types::Type* type = at->index->types.of(*node);
    if (at->offset < span.start || at->offset > span.end || !type) return "null";
    text = fmt::format("```harn\n{}: {}\n```", member.name.text, check::shown(type));
  }
  if (text.empty()) return "null";
  JsonWriter json;
  json.object().key("contents").object().field("kind", "markdown").field("value", text).end().key("range");
  write_range(json, *at->positions, span);
  return json.end().take();
}

// ---- hints ----

// What anybody sees at a glance needs no hint.
static bool is_obvious(const Node& value) {
  switch (value.kind) {
    case NodeKind::NilLiteral:
    case NodeKind::BoolLiteral:
    case NodeKind::IntLiteral:
    case NodeKind::FloatLiteral:
    case NodeKind::DurationLiteral:
    case NodeKind::StringLiteral:
    case NodeKind::InterpolatedString:
    case NodeKind::StructLiteral:
    case NodeKind::Closure: return true;
    default: return false;
  }
}

std::string Server::inlay_hints(const Part& params) {
  auto at = place(params);
  if (!at) return "null";
  uint32_t from = offset_of(*at->positions, params["range"]["start"]);
  uint32_t to = offset_of(*at->positions, params["range"]["end"]);
  const compile::Bindings& bindings = workspace_.index().bindings(*at->document->module);
  JsonWriter json;
  json.list();
  for_each_node(*at->document->module->tree, [&](const Node& node) {
    if (!node.is(NodeKind::Let)) return;
    auto& let = node.as<Let>();
    if (let.type || let.pattern->kind != PatternKind::Name || is_obvious(*let.value)) return;
    const PatternField& field = let.pattern->fields[0];
    if (field.binding.span.start < from || field.binding.span.end > to) return;
    const compile::Variable* variable = bindings.variable(field);
    auto type = at->index->types.variables.find(variable);
    if (type == at->index->types.variables.end() || types::is_gradual(type->second)) return;
    Position position = at->positions->position(field.binding.span.end, Columns::Utf16);
    json.object().key("position").object().field("line", position.line - 1);
    json.field("character", position.column - 1).end();
    json.field("label", fmt::format(": {}", check::shown(type->second))).field("kind", 1).end();
  });
  return json.end().take();
}

// ---- fixes ----

static void write_edits(JsonWriter& json, const std::string& uri, const Positions& positions,
                        const std::vector<const diag::Fix*>& fixes) {
  json.key("edit").object().key("changes").object().key(uri).list();
  for (const diag::Fix* fix : fixes) {
    json.object().key("range");
    write_range(json, positions, fix->span);
    json.field("newText", fix->replacement).end();
  }
  json.end().end().end();
}

std::string Server::code_actions(const Part& params) {
  Document* open = document(params);
  if (!open) return "null";
  const Positions& positions = open->module->source->positions();
  uint32_t from = offset_of(positions, params["range"]["start"]);
  uint32_t to = offset_of(positions, params["range"]["end"]);
  // The client may want some kinds only; `source.fixAll.harn` is what others call `source.fixAll`.
  Part only = params["context"]["only"];
  auto wants = [&](std::string_view kind) {
    for (size_t i = 0; i < only.size(); ++i) {
      std::string one = only[i].text();
      if (kind == one || (kind.starts_with(one) && kind[one.size()] == '.')) return true;
    }
    return only.size() == 0;
  };
  bool is_own_kind = only.size() > 0 && !wants("source.fixAll") && wants("source.fixAll.harn");
  JsonWriter json;
  json.list();
  std::vector<const diag::Fix*> safe;
  for (const diag::Diagnostic* one : workspace_.problems(*open)) {
    for (const diag::Fix& fix : one->fixes) {
      // Those that would overlap wait for the next time.
      bool overlaps = std::ranges::any_of(safe, [&](const diag::Fix* other) {
        return fix.span.start < other->span.end && other->span.start < fix.span.end;
      });
      if (fix.safe && !overlaps) safe.push_back(&fix);
      if (one->span.end < from || one->span.start > to || !wants("quickfix")) continue;
      json.object().field("title", fix.title).field("kind", "quickfix");
      json.key("isPreferred").boolean(fix.safe);
      write_edits(json, open->uri, positions, {&fix});
      json.end();
    }
  }
  if (!safe.empty() && (wants("source.fixAll") || is_own_kind)) {
    json.object().field("title", "Fix all that is safe to fix");
    json.field("kind", is_own_kind ? "source.fixAll.harn" : "source.fixAll");
    write_edits(json, open->uri, positions, safe);
    json.end();
  }
  return json.end().take();
}

}  // namespace harn::lsp
